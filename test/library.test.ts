/** The library: the steps as Transforms, and the examples of the README as they stand there. */
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FilterOptions, Item } from '../src/index.ts';
import {
  createFilter,
  createLineReader,
  createList,
  createMarkdown,
  createPipeline,
  createPretty,
  createSelection,
  createSessionChecker,
  createStyle,
  createValidator,
  filter,
  labelsFor,
  list,
  markdown,
  ndjson,
  ndjsonLines,
  parse,
  parseLine,
  pretty,
  sentence,
  toTransform,
  validate,
} from '../src/index.ts';
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

library('an option may be a value or a list of alternatives', async () => {
  const lines = async (options: FilterOptions) =>
    (await through(read('debate-summary'), parse(), filter(options), ndjson())).map((line) =>
      JSON.parse(String(line)),
    );
  const answers = await lines({ type: 'message', agent: 'claude' });
  assert.equal(
    answers.map(({ type, turn }) => `${type} ${turn}`),
    ['message 2', 'message 4'],
  );
  assert.equal(await lines({ type: ['message'], agent: ['claude'] }), answers);
  for (const turn of [4, '4..', { from: 4, to: 9 }, [4], ['4', '7..8']]) {
    assert.equal(await lines({ type: 'message', turn }), [answers[1]], JSON.stringify(turn));
  }
  assert.equal(await lines({ session: 2 }), []);
});

library('a type that the protocol does not know is legal, as in the program', async () => {
  const text = '{"v":1,"type":"agent-chunk"}\n{"v":1,"type":"message"}\n';
  const steps = () => [parse(), filter({ type: ['agent-chunk', 'mesage'] }), ndjson()];
  assert.equal(await through(text, ...steps()), ['{"v":1,"type":"agent-chunk"}\n']);
});

library('a search is a new one in each event, whatever the flags of the expression', async () => {
  const count = async (grep: RegExp) =>
    (await through(read('debate-summary'), parse(), filter({ type: 'message', grep }))).length;
  assert.is(await count(/./u), 4);
  assert.is(await count(/./gu), 4);
  assert.is(await count(/./y), 4);
});

const LOOKS = { labels: labelsFor('en'), language: 'en' } as const;

/** What somebody without a compiler may pass. */
const MISTAKES: [string, () => unknown, string | RegExp][] = [
  [
    'an unknown option',
    () => filter({ types: 'message' } as FilterOptions),
    "filter: unknown option 'types'; the options are type, notType, agent, role, kind, phase, turn, session, grep, invert, field",
  ],
  [
    'one of the prototype',
    () => parse({ toString: 1 } as object),
    "parse: unknown option 'toString'; the options are maxLine",
  ],
  [
    'a number for a text',
    () => filter({ type: ['message', 5 as never] }),
    "filter: type must be a string or a list of strings, not [ 'message', 5 ]",
  ],
  [
    'null',
    () => filter({ agent: null as never }),
    'filter: agent must be a string or a list of strings, not null',
  ],
  [
    'a range that is none',
    () => filter({ turn: '4..2' }),
    `filter: turn must be a number from 1, a range such as "2..4", or a list of these, not '4..2'`,
  ],
  ['a string for a RegExp', () => filter({ grep: 'x' as never }), "filter: grep must be a RegExp, not 'x'"],
  [
    'a size with a unit',
    () => parse({ maxLine: '64M' as never }),
    "parse: maxLine must be an integer from 1 to 524288000, not '64M'",
  ],
  [
    'a size out of range',
    () => parse({ maxLine: 1e9 }),
    'parse: maxLine must be an integer from 1 to 524288000, not 1000000000',
  ],
  [
    'text for a flag',
    () => validate({ strict: 'no' as never }),
    "validate: strict must be true or false, not 'no'",
  ],
  [
    'another language',
    () => markdown({ language: 'de' as never }),
    "markdown: language must be 'en' or 'fr', not 'de'",
  ],
  [
    'a colour by name',
    () => pretty({ color: 'always' as never }),
    "pretty: color must be 0 or 1 or 2 or 3, not 'always'",
  ],
  ['a width below zero', () => pretty({ width: -1 }), 'pretty: width must be an integer from 0, not -1'],
  [
    'a range from its end',
    () => filter({ turn: { from: 3, to: 1 } }),
    'filter: turn must be a number from 1, a range such as "2..4", or a list of these, not { from: 3, to: 1 }',
  ],
  ['no object at all', () => validate(true as never), 'validate: the options must be an object, not true'],
  [
    'a long value',
    () => markdown({ title: 'x'.repeat(1e6).split('') as never }),
    "markdown: title must be a string, not [ 'x', 'x', 'x', ... 999997 more items ]",
  ],
  [
    'an option of a step',
    () => createFilter({ types: 'message' } as object),
    "createFilter: unknown option 'types'; the options are type, notType, agent, role, kind, phase, turn, session, grep, invert, field",
  ],
  [
    'a pattern as a text',
    () => createSelection({ grep: 'x' as never }),
    "createSelection: grep must be a RegExp, not 'x'",
  ],
  [
    'an outcome that is none',
    () => createList({ outcome: 'lost' as never }),
    "createList: outcome must be 'finished' or 'stopped-early' or 'failed' or 'cancelled' or 'unfinished' or 'dry-run' or 'ended', or a list of these, not 'lost'",
  ],
  [
    'a level alone as a style',
    () => createStyle(1 as never),
    'createStyle: the options must be an object with level, not 1',
  ],
  [
    'an option that a style has not',
    () => createStyle({ level: 1, color: 1 } as never),
    "createStyle: unknown option 'color'; the options are level, ascii",
  ],
  [
    'a word in place of a flag',
    () => createValidator({ strict: 'yes' as never }),
    "createValidator: strict must be true or false, not 'yes'",
  ],
  [
    'a function in place of a checker',
    () => createValidator({ checker: createSessionChecker as never }),
    'createValidator: checker must be a checker, as createSessionChecker gives it, not [Function: createSessionChecker]',
  ],
  [
    'a length as text',
    () => createLineReader({ maxLine: '64M' as never }),
    "createLineReader: maxLine must be an integer from 1 to 524288000, not '64M'",
  ],
  [
    'a language that is not there',
    () => labelsFor('de' as never),
    "labelsFor: language must be 'en' or 'fr', not 'de'",
  ],
  [
    'nothing where something is needed',
    () => createPretty(undefined as never),
    'createPretty: the options must be an object with style, labels, language, width, not undefined',
  ],
  [
    'no style',
    () => createPretty({ labels: labelsFor('en'), language: 'en', width: 0 } as never),
    'createPretty: style must be a style, as createStyle gives it, not undefined',
  ],
  [
    'a width as text',
    () => createPretty({ ...LOOKS, style: createStyle({ level: 0 }), width: '80' as never }),
    "createPretty: width must be an integer from 0, not '80'",
  ],
  [
    'a language in place of its labels',
    () => createMarkdown({ ...LOOKS, labels: 'en' as never }),
    "createMarkdown: labels must be labels, as labelsFor gives them, not 'en'",
  ],
  [
    'a mistyped option of a transcript',
    () => createMarkdown({ ...LOOKS, heading: true } as never),
    "createMarkdown: unknown option 'heading'; the options are labels, language, title, header, notices",
  ],
  [
    'a function in place of a step',
    () => createPipeline({ format: ndjsonLines, choose: (() => {}) as never }),
    'createPipeline: choose must be a step, which has a function `each`, not [Function: choose]',
  ],
  [
    'a pipeline without a format',
    () => createPipeline({} as never),
    'createPipeline: format must be a step, which has a function `each`, not undefined',
  ],
  [
    'a Transform in place of its step',
    () => toTransform(parse() as never),
    /^toTransform: step must be a step, which has a function `each`, not \S/,
  ],
  [
    'another input',
    () => toTransform(ndjsonLines as never, 'items' as never),
    "toTransform: input must be 'bytes' or 'values', not 'items'",
  ],
];

/** Counts the events it lets through, in a field of its own. */
class Counter {
  count = 0;
  each(item: Item, push: (item: Item) => void): void {
    this.count++;
    push(item);
  }
}

library('a step may be an instance of a class', async () => {
  const counter = new Counter();
  const step = createPipeline({ choose: counter, format: ndjsonLines });
  const lines = '{"v":1,"type":"notice","message":"a"}\n{"v":1,"type":"notice","message":"b"}\n';
  assert.equal((await through(lines, toTransform(step, 'bytes'))).join(''), lines);
  assert.is(counter.count, 2);
});

for (const [what, call, message] of MISTAKES) {
  library(`a mistake is a TypeError that names it: ${what}`, () => {
    try {
      call();
    } catch (error) {
      assert.instance(error, TypeError);
      if (typeof message === 'string') assert.is((error as Error).message, message);
      else assert.match((error as Error).message, message);
      return;
    }
    assert.unreachable('it was taken');
  });
}

library('a Transform of items says so where it gets bytes: parse() was forgotten', async () => {
  for (const [name, step] of Object.entries({ pretty, markdown, filter, list, ndjson, validate })) {
    const transform: NodeJS.ReadWriteStream = step();
    const failed = await through(read('ask'), transform).catch((error: Error) => error);
    assert.instance(failed, TypeError, name);
    assert.match(String(failed), `${name}: it reads items, as parse() gives them, not <Buffer 7b 22`);
  }
});

library('parseLine says that a line is more than its text', () => {
  for (const [line, shown] of [
    ['{"v":1}', `'{"v":1}'`],
    [undefined, 'undefined'],
    [{ number: 1 }, '{ number: 1 }'],
  ] as const)
    assert.throws(
      () => parseLine(line as never),
      (error: Error) =>
        error instanceof TypeError &&
        error.message === `parseLine: line must be { number, text }, not ${shown}`,
    );
});

library('an option that is undefined counts as missing', () => {
  const nothing = undefined as never;
  assert.not.throws(() => [
    parse({ maxLine: nothing }),
    filter({ type: nothing, turn: nothing }),
    markdown({ language: nothing }),
  ]);
});

library('pretty renders Markdown where there is colour', async () => {
  const text = `${JSON.stringify({ v: 1, type: 'message', turn: 1, agent: 'codex', role: 'critic', content: '**bold** word' })}\n`;
  const last = async (options: Parameters<typeof pretty>[0]) =>
    (await through(text, parse(), pretty(options))).join('').trimEnd().split('\n').at(-1)!;
  assert.ok((await last({ color: 1, width: 40 })).endsWith('\x1b[1mbold\x1b[22m word'));
  assert.is(await last({ width: 40 }), '│ **bold** word');
  assert.ok((await last({ color: 1, width: 40, plain: true })).endsWith(' **bold** word'));
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
  // Streams that are not held back go on in each turn of the event loop.
  for (let turn = 0; turn < 1000; turn++) await new Promise(setImmediate);
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
  const third = await runExample('pipeline', 'debate-crash');
  assert.is(third.stderr, '');
  const program = await run(['--width', '80', path('debate-crash')]);
  assert.match(third.stdout, /claude/);
  assert.is(third.stdout, program.stdout);
});

library.run();
