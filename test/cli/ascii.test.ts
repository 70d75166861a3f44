/** In a locale of another charset, and with `--ascii`, whatever is ours is ASCII: each character of it would be shown as two. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { helpFor } from '../../src/cli/help.ts';
import { COMMANDS } from '../../src/cli/options.ts';
import { labelsFor } from '../../src/labels/labels.ts';
import { asciiSigns } from '../../src/safe/ascii.ts';
import { safeText } from '../../src/safe/text.ts';
import { FIXTURES, path, read } from '../fixtures.ts';
import { type Ended, run } from '../process.ts';
import { fc } from '../random.ts';

const ascii = suite('ascii');

/** Streams in which nobody has written anything but ASCII. */
const PLAIN = FIXTURES.filter(
  (name) => /^[\0-\x7f]*$/.test(read(name)) && !/\\u[0-9a-f]{3}/i.test(read(name)),
);
const FILES = PLAIN.map(path);

/** Lines that are no events, each wrong in its own way, with control characters in what is quoted. */
const FAULTS = [
  '\x1b[31mred\x1b[0m',
  '\x1b]0;title\x07{"v":1,"type":"notice","message":"behind an escape sequence"}',
  '{"v":1,"type":"notice","message":["a list"]}',
  '{"v":1,"type":"notice","message":{"an":"object"}}',
  `{"v":1,"type":"notice","message":"${'long '.repeat(100)}","more":1}`,
  `{"v":1,"type":"start","mode":"${'long'.repeat(100)}","topic":"two\\nlines\\u007f"}`,
  '{"v":1,"type":"message","turn":1,"agent":"two\\nlines","role":"critic","content":"\\u001b[2J"}',
  '{"v":1,"type":"error","phase":"debate","kind":"timeout","message":"two\\nlines","details":{"stderr":"a\\rb\\nc"}}',
  '{"v":1,"type":"never\\theard of"}',
  '{"v":2,"type":"notice","message":"another version"}',
  '{"broken',
].join('\n');

function assertAscii({ stdout, stderr }: Ended, what: string): void {
  const [found] = /[^\0-\x7f]+/.exec(stdout + stderr) ?? [];
  assert.is(found, undefined, `${what}: ${JSON.stringify(found)} in\n${stdout}${stderr}`);
}

const FRENCH = { LC_ALL: 'fr_FR.ISO-8859-1' };
const ENGLISH = { LANG: 'en_US.ISO-8859-15' };

const RUNS: readonly (readonly string[])[] = [
  ['pretty', '--verbose'],
  ['pretty', '--verbose', '--color=always', '--width=30'],
  ['pretty', '--compact', '--width=40'],
  ['markdown', '--notices'],
  ['filter'],
  ['validate', '--strict'],
  ['validate', '--strict', '--report=json'],
  ['list'],
  ['list', '--json'],
];

for (const [language, env] of Object.entries({ French: FRENCH, English: ENGLISH })) {
  ascii(`${language}: what the commands make of a stream, and what they say of it`, async () => {
    for (const args of RUNS)
      assertAscii(await run([...args, ...FILES, '-'], { env, input: FAULTS }), args.join(' '));
    for (const command of new Set(RUNS.map(([command]) => command!))) {
      assertAscii(await run([command], { env, input: 'text\x1b[1m' }), `${command}, text alone`);
      assertAscii(await run([command], { env }), `${command}, nothing`);
    }
  });

  ascii(`${language}: a Chat, and what a run says of its command`, async () => {
    const said = [
      '/consutl',
      '/use',
      '/end of the road',
      `/${'long'.repeat(100)}`,
      '{"type":"chat-sned"}',
      '{}',
    ];
    assertAscii(await run(['encode', ...said], { env }), 'encode');
    assertAscii(await run(['encode'], { env, input: Buffer.from([0x61, 0xff, 0x0a]) }), 'encode of bytes');
    const ends = ['exit 0', 'exit 3', `cat '${path('debate-crash')}'`];
    for (const script of ends) assertAscii(await run(['run', 'sh', '-c', script], { env }), script);
    assertAscii(await run(['run', 'no\nsuch\x7fcommand'], { env }), 'run of nothing');
  });

  ascii(`${language}: help, schemas, completion and refusals`, async () => {
    assertAscii(await run(['--help'], { env }), '--help');
    const labels = labelsFor(env === FRENCH ? 'fr' : 'en', true);
    for (const command of COMMANDS) assert.match(await helpFor(command, labels), /^[\0-\x7f]+$/, command);
    const shells = ['bash', 'zsh', 'fish'].map((shell) => ['completion', shell]);
    const completions = [['filter', '--'], ['']].map((words) => ['__complete', 'fr', ...words]);
    const refused = [
      ['--colur=\x1b[1m'],
      [`--${'long'.repeat(100)}`],
      ['--lang=de\n'],
      ['--width=wide'],
      ['-g', '('],
      ['--turn=0'],
      ['--max-line=0'],
      ['-0'],
      ['help', 'hlep'],
      ['schema', 'no'],
      ['completion', 'tcsh'],
      ['run'],
      ['run', '--as=md', '--compact', 'true'],
      ['valdate'],
      ['filter', '-t', 'mesage\x07', '--agent', 'nobody', '-x', 'nothing', path('debate-crash')],
      ['no\nsuch\x1bfile'],
      ['-o', 'x'],
    ];
    for (const args of [...shells, ...completions, ['schema'], ['schema', 'command'], ...refused]) {
      assertAscii(await run(args, { env }), args.join(' '));
    }
  });
}

ascii('--ascii asks for the same, wherever it stands', async () => {
  const { stdout } = await run(['--ascii', '--lang=fr', path('debate-crash')]);
  assert.match(stdout, /^-- Debat -/);
  const refused = await run(['--width=large', '--lang=fr', '--ascii']);
  assert.is(
    refused.stderr.split('\n')[0],
    "palabre-fmt: --width : large n'est pas un nombre entier a partir de 0",
  );
  for (const args of [RUNS[0]!, RUNS[2]!, RUNS[7]!]) {
    const options = [...args, '--ascii', '--lang=fr'];
    assertAscii(await run([...options, ...FILES, '-'], { input: FAULTS }), options.join(' '));
  }
});

ascii('what agents wrote stays', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'palabre-fmt-'));
  const file = join(folder, 'a.ndjson');
  const content = 'Déjà « vu » … ✓ — ’';
  writeFileSync(
    file,
    `${JSON.stringify({ v: 1, type: 'message', turn: 1, agent: 'Zoé', role: 'critic', content })}\n`,
  );
  try {
    for (const command of ['pretty', 'markdown', 'filter']) {
      const { stdout } = await run([command, file], { env: FRENCH });
      assert.ok(stdout.includes(content), command);
      assert.ok(stdout.includes('Zoé'), command);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

ascii('what a gate wrote is still safe in ASCII, and nothing else changes', () => {
  assert.is(asciiSigns(safeText('\x1b[2J\x7f\0 a\u0301')), '^[[2J^?^@ a\u0301');
  assert.is(asciiSigns(safeText(`a${'\u0301'.repeat(20)}`)).slice(-14), '{U+0301...x12}');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const shown = asciiSigns(safeText(text));
      assert.is(safeText(shown), shown);
      if (/^[\0-\x7f]*$/.test(text)) assert.match(shown, /^[\n\t -~]*$/);
    }),
  );
});

ascii('every word of every language has letters left', () => {
  const known = JSON.stringify([labelsFor('en', true), labelsFor('fr', true)]);
  assert.match(known, /^[\0-\x7f]*$/);
  const { words, pretty, help } = labelsFor('fr', true);
  assert.is(words.modes.debate, 'Debat');
  assert.is(words.error, 'Erreur : {kind}');
  assert.is(pretty.earlierLines, '... {lines} avant');
  assert.ok(Object.hasOwn(help.example.program, 'palabre run ... --renderer ndjson | palabre-fmt'));
});

ascii.run();
