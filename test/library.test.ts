/** The library: the steps as Transforms, and the examples of the README as they stand there. */
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Item } from '../src/index.ts';
import { filter, labelsFor, markdown, ndjson, parse, pretty, sentence, validate } from '../src/index.ts';
import { BROKEN, path, read } from './fixtures.ts';
import { type Ended, ended, run } from './process.ts';

const library = suite('library');

/** Runs transforms on a text and gives everything that comes out. */
async function through(text: string, ...steps: NodeJS.ReadWriteStream[]): Promise<unknown[]> {
  let stream: NodeJS.ReadableStream = Readable.from([Buffer.from(text)]);
  for (const step of steps) stream = stream.pipe(step);
  const out: unknown[] = [];
  for await (const value of stream) out.push(value);
  return out;
}

library('parse gives an item a line, from bytes or strings, however they are cut', async () => {
  const items = (await through(read('ask'), parse())) as Item[];
  assert.is(items.length, read('ask').trim().split('\n').length);
  assert.equal(
    items.map(({ line }) => line.number),
    items.map((_, index) => index + 1),
  );
  const characters: Item[] = [];
  for await (const item of Readable.from(read('ask')).pipe(parse())) characters.push(item);
  assert.equal(characters, items);
});

library('the transforms say what the commands say', async () => {
  // One process for each command and fixture would take a minute; the commands have tests of their own.
  for (const name of ['debate-summary', 'chat-export', BROKEN]) {
    const text = read(name);
    const pairs: [string, NodeJS.ReadWriteStream[]][] = [
      ['pretty', [pretty()]],
      ['markdown', [markdown()]],
      ['filter', [filter(), ndjson()]],
    ];
    for (const [command, steps] of pairs) {
      const expected = (await run([command, path(name)])).stdout;
      assert.is(
        (await through(text, parse(), validate(), ...steps)).join(''),
        expected,
        `${command} ${name}`,
      );
    }
  }
});

library('findings travel with the items, and the end of a stream has its own', async () => {
  const text = '{"v":1,"type":"notice"}\n{"v":1,"type":"start"}\n';
  const items = (await through(
    read('debate-summary').split('\n').slice(0, 2).join('\n') + text,
    parse(),
    validate(),
  )) as Item[];
  const codes = items.flatMap(({ findings = [] }) => findings.map(({ code }) => code));
  assert.ok(
    codes.includes('not-an-event') && codes.includes('invalid-field') && codes.includes('missing-done'),
    codes.join(),
  );
  const last = items.at(-1)?.findings?.[0];
  assert.match(sentence(last!, labelsFor('en')), /\w/);
  const alone = (await through(text, parse(), validate({ session: false }))) as Item[];
  assert.is(
    alone.flatMap(({ findings = [] }) => findings).every(({ code }) => code === 'invalid-field'),
    true,
  );
});

library('an error of the source reaches the end of the pipe', async () => {
  const source = new Readable({ read() {} });
  const end = pipeline(source, parse(), validate(), ndjson(), async (texts) => {
    for await (const _ of texts) assert.unreachable();
  });
  source.destroy(new Error('the disk is gone'));
  try {
    await end;
    assert.unreachable('no error came');
  } catch (error) {
    assert.is((error as Error).message, 'the disk is gone');
  }
});

library('a slow reader slows the source', async () => {
  let written = 0;
  const line = `${JSON.stringify({ v: 1, type: 'notice', message: 'x'.repeat(1000) })}\n`.repeat(60);
  const source = new Readable({
    read() {
      written += line.length;
      this.push(written > 100_000_000 ? null : line);
    },
  });
  const transform = source.pipe(parse()).pipe(ndjson());
  await new Promise((resolve) => transform.once('readable', resolve));
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok(written < 5_000_000, `${written} bytes were read although nobody took any`);
  transform.destroy();
  source.destroy();
});

/** A code block of the README, by the comment before it. */
function example(name: string): string {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const block = new RegExp(`<!-- example: ${name} -->\n\`\`\`js\n([\\s\\S]*?)\`\`\``).exec(readme);
  assert.ok(block, `the README has no example called ${name}`);
  return block[1]!;
}

/** Runs an example with a fixture on stdin. It finds the package as a program that installed it would. */
async function runExample(name: string, fixture: string): Promise<Ended> {
  const file = fileURLToPath(new URL(`../dist/example-${name}.mjs`, import.meta.url));
  writeFileSync(file, example(name));
  try {
    const child = spawn(process.execPath, [file]);
    child.stdin.end(read(fixture));
    return await ended(child);
  } finally {
    rmSync(file);
  }
}

library('the examples of the README run', async () => {
  const first = await runExample('library', 'debate-summary');
  assert.is(first.stderr, '');
  assert.is(first.status, 0);
  assert.match(first.stdout, /^## 2 · claude \(reviewer\)$/m);
  assert.not.match(first.stdout, /^## .*codex/m);
  const second = await runExample('items', 'debate-summary');
  assert.is(second.stderr, '');
  assert.is(second.stdout, 'codex 1\nclaude 2\ncodex 3\nclaude 4\n');
});

library.run();
