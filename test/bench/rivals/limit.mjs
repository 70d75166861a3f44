// The least that a program in Node can do: read, split, parse, write the lines of one type. Synchronous, which no
// program that follows a live stream can be; it is the measure of the others.
import { readSync, writeSync } from 'node:fs';

const [wanted] = process.argv.slice(2);
const buffer = Buffer.allocUnsafe(64 * 1024);
const decoder = new TextDecoder();
let rest = '';
for (let size = readSync(0, buffer); size > 0; size = readSync(0, buffer)) {
  const text = rest + decoder.decode(buffer.subarray(0, size), { stream: true });
  let chosen = '';
  let from = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
    const line = text.slice(from, end);
    from = end + 1;
    if (JSON.parse(line).type === wanted) chosen += `${line}\n`;
  }
  rest = text.slice(from);
  if (chosen) writeSync(1, chosen);
}
