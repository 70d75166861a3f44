/** What the program does with input that is not as it should be, in every command. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BROKEN, FIXTURES, path, read } from '../fixtures.ts';
import { run } from '../process.ts';

const input = suite('input');

const COMMANDS = ['pretty', 'markdown', 'filter', 'validate'] as const;
const FIRST = '{"v":1,"type":"notice","message":"the first message"}';
const LAST = '{"v":1,"type":"warning","message":"the last message"}';

let folder = '';
input.before(() => {
  folder = mkdtempSync(join(tmpdir(), 'palabre-fmt-'));
});
input.after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command on one line between two good ones; gives the status and the codes that were reported. */
async function between(command: string, line: string | Buffer, args: string[] = []) {
  const file = join(folder, 'between.ndjson');
  writeFileSync(
    file,
    Buffer.concat([Buffer.from(`${FIRST}\n`), Buffer.from(line), Buffer.from(`\n${LAST}\n`)]),
  );
  const extra = command === 'markdown' ? ['--notices'] : [];
  const { status, stdout, stderr } = await run([command, ...extra, ...args, file]);
  assert.match(stdout, /the first message/, `${command}: ${line.slice(0, 40)}`);
  assert.match(stdout, /the last message/, `${command}: ${line.slice(0, 40)}`);
  assert.not.match(stderr, /^ +at |node:/m);
  const reports = stderr.split('\n').filter(Boolean);
  for (const report of reports) assert.ok(report.startsWith(`palabre-fmt: ${file}:`), report);
  const codes = reports.map((report) => /:(\d+): ([\w-]+): /.exec(report)?.slice(1).join(':') ?? '');
  return { status, stdout, stderr, codes: codes.filter(Boolean) };
}

/** A line, and what pretty, markdown, filter and validate report of it (nothing: an empty string). */
const CASES: [string | Buffer, [string, string, string, string]][] = [
  ['null', ['not-an-event', 'not-an-event', 'not-an-event', 'not-an-event']],
  ['[]', ['not-an-event', 'not-an-event', 'not-an-event', 'not-an-event']],
  ['"x"', ['not-an-event', 'not-an-event', 'not-an-event', 'not-an-event']],
  ['{}', ['not-an-event', 'not-an-event', 'not-an-event', 'not-an-event']],
  ['{"v":1}', ['not-an-event', 'not-an-event', 'not-an-event', 'not-an-event']],
  [
    '{"v":1,"type":"message","turn":1,"agent":"codex","role"{"v":1,"type":"done","outputPath":null}',
    ['not-an-event', 'not-an-event', 'not-an-event', 'not-an-event'],
  ],
  [
    '{"v":2,"type":"start"}',
    ['unsupported-version', 'unsupported-version', 'unsupported-version', 'unsupported-version'],
  ],
  ['{"v":1,"type":"__proto__"}', ['', '', '', '']],
  ['{"v":1,"type":"constructor"}', ['', '', '', '']],
  ['['.repeat(20_000), ['', 'not-json', 'not-json', 'not-json']],
  [`{"v":1,"type":"x","deep":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, ['', '', '', '']],
  ['npm warn deprecated', ['', 'not-json', 'not-json', 'not-json']],
  [Buffer.from([0x6e, 0xff, 0xfe]), ['', 'not-json', 'not-json', 'not-json']],
  [
    Buffer.concat([Buffer.from('{"v":1,"type":"notice","message":"'), Buffer.of(0xff), Buffer.from('"}')]),
    ['', '', '', 'invalid-utf8'],
  ],
  [
    '{"v":1,"type":"notice","message":7}',
    ['invalid-field', 'invalid-field', 'invalid-field', 'invalid-field'],
  ],
  ['{"v":1,"type":"notice"}', ['invalid-field', 'invalid-field', 'invalid-field', 'invalid-field']],
  [
    `{"v":1,"type":"notice","message":"${'x'.repeat(70_000_000)}"}`,
    ['line-too-long', 'line-too-long', 'line-too-long', 'line-too-long'],
  ],
];

/** The message of the good line before each case, and of the last one. */
const good = (index: number) => `good message ${index}.`;

for (const [column, command] of COMMANDS.entries()) {
  for (const isReported of [false, true]) {
    input(`${command}: ${isReported ? 'bad' : 'odd'} lines, each between two good ones`, async () => {
      const cases = CASES.filter(([, expected]) => (expected[column] !== '') === isReported);
      assert.ok(cases.length > 2);
      const lines = cases.flatMap(([line], index) => [notice(good(index)), Buffer.from(line)]);
      lines.push(notice(good(cases.length)));
      const file = join(folder, 'cases.ndjson');
      writeFileSync(file, Buffer.concat(lines.flatMap((line) => [line, Buffer.of(0x0a)])));
      const args = command === 'markdown' ? ['--notices'] : [];
      const { status, stdout, stderr } = await run([command, ...args, file]);
      const codes = [...stderr.matchAll(/^palabre-fmt: [^:]+:(\d+): ([\w-]+): .*\n/gm)];
      assert.is(codes.map(([report]) => report).join(''), stderr, 'reports, and nothing else');
      const expected = cases.map(([, codes], index) => `${2 * index + 2}:${codes[column]}`);
      assert.equal(
        codes.map(([, line, code]) => `${line}:${code}`),
        isReported ? expected : [],
      );
      assert.is(status, isReported ? 1 : 0);
      const shown = Array.from(stdout.matchAll(/good message \d+\./g), ([text]) => text);
      assert.equal(
        shown,
        Array.from({ length: cases.length + 1 }, (_, index) => good(index)),
      );
    });
  }
}

function notice(message: string): Buffer {
  return Buffer.from(JSON.stringify({ v: 1, type: 'notice', message }));
}

input('text is shown in place by pretty', async () => {
  const { stdout } = await between('pretty', 'npm warn \x1b[31mdeprecated');
  assert.match(stdout, /the first message[\s\S]*npm warn ␛\[31mdeprecated[\s\S]*the last message/);
});

input('what is broken leaves a mark in pretty', async () => {
  for (const line of ['{}', '{"v":2,"type":"start"}', '{"v":1,{']) {
    assert.match(
      (await between('pretty', line)).stdout,
      /the first message[\s\S]*line 2[\s\S]*the last message/,
    );
  }
});

input('invalid UTF-8 is passed on with U+FFFD, and left out by validate', async () => {
  const line = Buffer.concat([
    Buffer.from('{"v":1,"type":"notice","message":"a'),
    Buffer.of(0xff),
    Buffer.from('z"}'),
  ]);
  for (const command of ['pretty', 'markdown', 'filter'])
    assert.match((await between(command, line)).stdout, /a\uFFFDz/);
  assert.not.match((await between('validate', line)).stdout, /a\uFFFDz/);
});

input('an event with wrong fields is shown as far as it goes, and not passed on', async () => {
  const line =
    '{"v":1,"type":"message","turn":"three","agent":"codex","role":"critic","content":"as far as it goes"}';
  for (const command of ['pretty', 'markdown']) {
    assert.match((await between(command, line)).stdout, /as far as it goes/);
  }
  for (const command of ['filter', 'validate']) {
    assert.not.match((await between(command, line)).stdout, /as far as it goes/);
  }
});

input('a value of 20,000 levels is shown, passed and extracted', async () => {
  const deep = '['.repeat(20_000) + ']'.repeat(20_000);
  const line = `{"v":1,"type":"error","phase":"chat","kind":"unknown","message":"m","details":{"a":${deep}}}`;
  for (const command of ['pretty', 'markdown', 'filter']) {
    assert.equal((await between(command, line)).codes, [], command);
  }
  assert.equal((await between('validate', line, ['--no-session'])).codes, []);
  const { stdout } = await run(['filter', '-x', 'details.a'], { input: `${line}\n` });
  assert.is(stdout, `${deep}\n`);
  const object = `${'{"k":'.repeat(9000)}{"x":"v","w":[1,null,{}]}${'}'.repeat(9000)}`;
  const extracted = await run(['filter', '-x', 'o'], { input: `{"v":1,"type":"t","o":${object}}\n` });
  assert.is(extracted.stdout, `${object}\n`);
});

input('a thousand unknown types are ignored, passed, and known to --strict', async () => {
  const lines = Array.from({ length: 1000 }, (_, n) => `{"v":1,"type":"new-${n}"}`).join('\n');
  for (const command of ['pretty', 'markdown'])
    assert.not.match((await between(command, lines)).stdout, /new-7/);
  for (const command of ['filter', 'validate'])
    assert.ok((await between(command, lines)).stdout.includes(lines));
  assert.match((await between('pretty', lines, ['--verbose'])).stdout, /new-7/);
  const { status, stdout, codes } = await between('validate', lines, ['--strict']);
  assert.is(status, 1);
  assert.ok(stdout.includes(lines));
  assert.is(codes.length, 20);
  assert.is(codes[0], '2:unknown-type');
});

input('more than twenty of one code are counted, not listed; as JSON all are given', async () => {
  const lines = Array.from({ length: 25 }, () => '{}').join('\n');
  const { stderr } = await between('filter', lines);
  const reports = stderr.trim().split('\n');
  assert.is(reports.length, 21);
  assert.match(reports[20]!, /between\.ndjson: not-an-event: 5 more, not listed$/);
  const file = join(folder, 'between.ndjson');
  const json = (await run(['validate', '--report', 'json', file])).stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.is(json.filter(({ code }) => code === 'not-an-event').length, 25);
  assert.equal(json[0], {
    code: 'not-an-event',
    severity: 'error',
    file,
    line: 2,
    path: null,
    message: 'not an event: `v` is missing or not a number: {}',
  });
});

input('another version is told once by pretty, each time by the others', async () => {
  const lines = '{"v":2,"type":"start"}\n{"v":2,"type":"done"}';
  const { codes, stderr } = await between('pretty', lines);
  assert.equal(codes, ['2:unsupported-version']);
  assert.match(stderr, /unsupported-version: stream version 2; this palabre-fmt reads version 1\n/);
  assert.is((await between('filter', lines)).codes.length, 2);
});

input('UTF-16 is read like any other text, and only validate says so', async () => {
  const file = join(folder, 'utf16.ndjson');
  const text = read('debate-summary').replaceAll('\n', '\r\n');
  const little = Buffer.from(text, 'utf16le');
  const marked = Buffer.concat([Buffer.of(0xff, 0xfe), little]);
  const expected = new Map<string, string>();
  for (const command of COMMANDS)
    expected.set(command, (await run([command, path('debate-summary')])).stdout);
  for (const bytes of [little, Buffer.from(little).swap16(), marked, Buffer.from(marked).swap16()]) {
    writeFileSync(file, bytes);
    for (const command of COMMANDS) {
      const { status, stdout, stderr } = await run([command, file]);
      assert.is(stdout, expected.get(command), command);
      assert.is(status, command === 'validate' ? 1 : 0, command);
      assert.match(stderr, command === 'validate' ? /^palabre-fmt: \S+:1: utf-16: .+\n$/ : /^$/);
    }
  }
});

const CATALOGUE = '{"v":1,"roles":["critic"],"agents":[{"name":"codex","type":"cli"}]}';
const FOREIGN = '{"level":30,"msg":"up"}\n{"level":30,"msg":"down"}\n';
const PREFIXED = read('ask').replace(/^/gm, 'app-1  | ');

for (const [what, text, sentence] of [
  ['a catalogue on one line', CATALOGUE, /: one JSON document, as --json prints/],
  ['a catalogue over several lines', JSON.stringify(JSON.parse(CATALOGUE), null, 2), /: one JSON document/],
  ['events spread over lines', spread('ask'), /: events spread over several lines; .*jq -c/],
  ['one event spread over lines', spread('ask', 1), /: events spread over several lines/],
  ['events behind a prefix', PREFIXED, /: events behind a prefix; remove it first/],
  ['NDJSON of another program', FOREIGN, /: NDJSON of another program/],
] as const) {
  input(`${what}: one sentence says so, and no list of findings`, async () => {
    for (const command of COMMANDS) {
      const { status, stderr } = await run([command], { input: text });
      assert.is(status, 1, command);
      assert.match(stderr, sentence);
      assert.is(stderr.split('\n').length, 2, stderr);
    }
  });
}

function spread(name: string, events = Infinity): string {
  const lines = read(name).trim().split('\n').slice(0, events);
  return lines.map((line) => `${JSON.stringify(JSON.parse(line), null, 2)}\n`).join('');
}

input('compressed and other binary data is told, not shown, and the next file is read', async () => {
  const file = join(folder, 'packed.ndjson.gz');
  writeFileSync(file, gzipSync(read('ask')));
  for (const command of COMMANDS) {
    const { status, stdout, stderr } = await run([command, file, path('ask')]);
    const alone = await run([command, path('ask')]);
    assert.is(status, 2);
    assert.ok(stdout.endsWith(alone.stdout), command);
    assert.is(
      stderr,
      `palabre-fmt: ${file}: gzip data, not text; unpack it first: zcat ${file} | palabre-fmt\n`,
    );
  }
  const french = await run(['--lang', 'fr'], { input: gzipSync(read('ask')) });
  assert.match(french.stderr, /^palabre-fmt: stdin: des données gzip, pas du texte/);
});

input('a stream that was cut says so, on its last line', async () => {
  const text = read('debate-summary');
  const whole = text.slice(0, text.indexOf('\n', text.indexOf('"turn":2')) + 1);
  const lines = whole.split('\n').length - 1;
  for (const command of COMMANDS) {
    const missing = await run([command], { input: whole });
    assert.is(missing.status, 1);
    assert.match(missing.stderr, new RegExp(`^palabre-fmt: stdin:${lines}: missing-done: .*\n$`));
    const cut = await run([command], { input: whole.slice(0, -20) });
    assert.is(cut.status, 1);
    assert.match(cut.stderr, new RegExp(`^palabre-fmt: stdin:${lines}: truncated-line: .*\n`));
  }
});

input('where a stream was cut, text and transcript say so in place', async () => {
  for (const command of ['pretty', 'markdown']) {
    const { stdout, stderr } = await run([command, path(BROKEN)]);
    assert.match(stdout, /The stream ends here without `done`/);
    // The line that broke may have been the end: one fault, one finding.
    assert.match(stderr, /^palabre-fmt: \S+: truncated-line: [^\n]*\n$/);
  }
});

input('what filter chose is fine input again', async () => {
  const chosen = (await run(['filter', '-t', '@content', path('debate-summary')])).stdout;
  for (const command of ['pretty', 'markdown', 'filter']) {
    assert.is((await run([command], { input: chosen })).status, 0);
  }
});

input('the same output however the input arrives', async () => {
  const all = FIXTURES.map(read).join('');
  for (const command of COMMANDS) {
    const expected = await run([command], { input: all });
    const bytes = Buffer.from(all);
    const pieces = [];
    for (let at = 0; at < bytes.length; at += 97) pieces.push(bytes.subarray(at, at + 97));
    for (const [how, input] of [
      ['in pieces', pieces],
      ['with CRLF', all.replaceAll('\n', '\r\n')],
      ['with a mark', `\uFEFF${all}`],
    ] as const) {
      const { stdout, status } = await run([command], { input });
      assert.is(stdout, expected.stdout, `${command} ${how}`);
      assert.is(status, expected.status);
    }
  }
});

input('the same output byte by byte, and without the last newline', async () => {
  const text = ['two-sessions', 'chat-export', 'debate-french'].map(read).join('');
  const bytes = Array.from(Buffer.from(text), (byte) => Buffer.of(byte));
  for (const command of COMMANDS) {
    const expected = (await run([command], { input: text })).stdout;
    assert.is((await run([command], { input: bytes })).stdout, expected, command);
    assert.is((await run([command], { input: text.trimEnd() })).stdout, expected, command);
  }
});

const THINKS = (agent: string, rest = '') =>
  `{"v":1,"type":"thinking-start","agent":"${agent}","role":"critic"${rest}}\n`;

input('a line that comes again is an event again, and what is wrong with it is wrong again', async () => {
  const end = '{"v":1,"type":"thinking-end"}\n';
  // More agents than are remembered, twice round.
  const agents = Array.from({ length: 20 }, (_, index) => THINKS(`agent${index}`) + end).join('');
  const twice = await run(['filter', '-t', 'thinking-start'], { input: agents + agents });
  assert.is(twice.stdout, (agents + agents).replaceAll(end, ''));
  assert.is(twice.stderr, '');

  const report = async (input: string | Buffer) => {
    const { stderr } = await run(['validate', '--strict', '--no-session'], { input });
    return [...stderr.matchAll(/^palabre-fmt: stdin:(\d+): ([\w-]+)/gm)].map(
      ([, line, code]) => `${line} ${code}`,
    );
  };
  const odd = THINKS('codex', ',"mood":"calm"');
  assert.equal(await report(THINKS('codex') + odd + THINKS('codex') + odd), [
    '2 unknown-field',
    '4 unknown-field',
  ]);
  const wrong = THINKS('codex').replace('"critic"', '7');
  assert.equal(await report(THINKS('codex') + wrong + wrong), ['2 invalid-field', '3 invalid-field']);
  // Its text is that of the first line, its bytes are not.
  const replaced = Buffer.from(THINKS('c\ufffd'));
  const at = replaced.indexOf('\ufffd');
  const broken = Buffer.concat([replaced.subarray(0, at), Buffer.of(0xff), replaced.subarray(at + 3)]);
  assert.equal(await report(Buffer.concat([replaced, broken, replaced])), ['2 invalid-utf8']);
});

input('--max-line is a limit in bytes', async () => {
  const text = `${FIRST}\n`;
  assert.is((await run(['filter', `--max-line=${FIRST.length}`], { input: text })).stdout, text);
  const { status, stderr } = await run(['filter', `--max-line=${FIRST.length - 1}`], { input: text });
  assert.is(status, 1);
  assert.match(stderr, new RegExp(`stdin:1: line-too-long: a line of ${FIRST.length} bytes`));
});

input.run();
