/** Nothing that anybody said is lost, whatever the fixture and the format. */
import { Readable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { markdown, parse, pretty, validate } from '../../src/index.ts';
import { BROKEN, events, FIXTURES, path, read } from '../fixtures.ts';
import { run } from '../process.ts';

const content = suite('content');

/** Letters and digits alone: what gutters, escapes and wrapping leave as it was. */
const essence = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '');

/** What the program makes of all fixtures, without our own colours and the one entity that the transcript writes. */
async function outputOf(...args: string[]): Promise<string> {
  const { stdout } = await run([...args, ...FIXTURES.map(path)]);
  return essence(stdout.replace(/\x1b\[[\d;]*m/g, '').replaceAll('&lt;', '<'));
}

for (const args of [
  ['pretty'],
  ['pretty', '--width=40'],
  ['pretty', '--ascii', '--plain', '--color=always'],
  ['markdown'],
]) {
  content(`every content is in the output of ${args.join(' ')}, in its order`, async () => {
    const output = await outputOf(...args);
    let found = 0;
    let at = 0;
    for (const name of FIXTURES) {
      for (const { content } of events(name)) {
        if (typeof content !== 'string') continue;
        found++;
        const from = output.indexOf(essence(content), at);
        assert.ok(from >= at, `${name}: ${content}`);
        at = from + essence(content).length;
      }
    }
    assert.ok(found > 50);
  });
}

for (const [command, format] of Object.entries({ pretty, markdown })) {
  content(`every topic, name, error message and export path is in the output of ${command} too`, async () => {
    for (const name of FIXTURES.filter((name) => name !== BROKEN)) {
      const items = Readable.from([read(name)])
        .pipe(parse())
        .pipe(validate());
      const output = essence((await items.pipe(format()).toArray()).join(''));
      let folder = '';
      for (const event of events(name)) {
        const { topic, message, outputPath, agents = [], session } = event;
        const { cwd = '' } = (session ?? {}) as { cwd?: string };
        folder = cwd || folder;
        const texts = [
          topic,
          event['type'] === 'error' && message,
          // As it is typed in the folder of the session.
          typeof outputPath === 'string' && outputPath.replace(folder, ''),
          ...(agents as { name: string }[]).map(({ name }) => name),
        ];
        for (const text of texts) {
          if (typeof text === 'string') assert.ok(output.includes(essence(text)), `${name}: ${text}`);
        }
      }
    }
  });
}

content.run();
