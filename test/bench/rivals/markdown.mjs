// The parse of every answer as Markdown, once, and nothing else.
import { parse, postprocess, preprocess } from 'micromark';
import { gfm } from 'micromark-extension-gfm';

const extensions = [gfm()];
let rest = '';
let events = 0;
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop();
  for (const line of lines) {
    const { content } = JSON.parse(line);
    if (content === undefined) continue;
    events += postprocess(
      parse({ extensions })
        .document()
        .write(preprocess()(content, undefined, true)),
    ).length;
  }
});
process.stdin.on('end', () => console.log(events));
