import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EVENT_TYPES } from '../../src/event.ts';
import { GROUPS } from '../../src/steps/filter.ts';
import { BROKEN, FIXTURES, path, read } from '../fixtures.ts';
import { run, shell } from '../process.ts';

const COMMANDS = ['pretty', 'markdown', 'filter', 'validate'];

const cli = suite('command line');

interface Context {
  folder: string;
}
const context: Context = { folder: '' };
cli.before(() => {
  context.folder = mkdtempSync(join(tmpdir(), 'palabre-fmt-'));
});
cli.after(() => rmSync(context.folder, { recursive: true, force: true }));

/** A file of the test's own. */
function file(name: string, content: string | Uint8Array): string {
  const full = join(context.folder, name);
  writeFileSync(full, content);
  return full;
}

const HELLO = '{"v":1,"type":"message","turn":1,"agent":"codex","role":"critic","content":"hello"}';
const WORLD = '{"v":1,"type":"message","turn":2,"agent":"claude","role":"critic","content":"world"}';

cli('every fixture goes through every command', async () => {
  const whole = FIXTURES.filter((name) => name !== BROKEN).map(path);
  for (const command of COMMANDS) {
    // One that fails is named on stderr.
    const { status, stderr } = await run([command, ...whole]);
    assert.is(stderr, '', command);
    assert.is(status, 0, command);
    assert.is((await run([command, path(BROKEN)])).status, 1, command);
  }
});

cli('filter without options and validate give the input back, byte for byte', async () => {
  const names = FIXTURES.filter((name) => name !== BROKEN);
  for (const command of ['filter', 'validate']) {
    assert.is((await run([command, ...names.map(path)])).stdout, names.map(read).join(''));
  }
});

cli('no command is pretty, md is markdown, and files come in the order given', async () => {
  const both = [path('ask'), path('chat-export')];
  const [ask, chat] = await Promise.all(both.map((name) => run([name])));
  assert.is((await run(both)).stdout, (await run(['pretty', ...both])).stdout);
  // Each under its name, and nothing else is added.
  const together = (first: string, second: string, texts: string[]) =>
    `${first}\n\n${texts[0]}\n${second}\n${texts[1]}`;
  const [one, two] = both as [string, string];
  assert.is((await run(both)).stdout, together(one, two, [ask!.stdout, `\n${chat!.stdout}`]));
  assert.is((await run([two, one])).stdout, together(two, one, [chat!.stdout, `\n${ask!.stdout}`]));
  assert.is((await run(['md', ...both])).stdout, (await run(['markdown', ...both])).stdout);
});

cli('stdin is read without a file, and where - stands', async () => {
  const expected = (await run(['filter', path('ask')])).stdout;
  assert.is((await run(['filter'], { input: read('ask') })).stdout, expected);
  assert.is((await run(['filter', '-'], { input: read('ask') })).stdout, expected);
  const around = await run(['filter', path('chat-export'), '-', path('chat-export')], { input: read('ask') });
  assert.is(around.stdout, read('chat-export') + read('ask') + read('chat-export'));
});

cli('an unreadable file is reported and the others are still read', async () => {
  const { status, stdout, stderr } = await run(['filter', 'missing.ndjson', path('ask'), '/']);
  assert.is(status, 2);
  assert.is(stdout, read('ask'));
  assert.is(
    stderr,
    'palabre-fmt: missing.ndjson: No such file or directory\npalabre-fmt: /: Is a directory; name the files in it: FOLDER/*.ndjson\n',
  );
});

cli('a compressed file or one in UTF-16 after another is not passed over in silence', async () => {
  const ask = Buffer.from(read('ask'));
  for (const rest of [gzipSync(ask), Buffer.from(`\ufeff${ask}`, 'utf16le')]) {
    const input = file('joined.ndjson', Buffer.concat([ask, rest]));
    for (const command of [...COMMANDS, 'list']) {
      const { status, stderr } = await run([command, input]);
      assert.match(stderr, /joined\.ndjson:\d+: not-json: /, command);
      assert.is(status, 1, command);
    }
  }
});

cli('no name holds what cannot be seen', async () => {
  const name = 'co\u00addex\u2800';
  const named = read('debate-crash').replaceAll('codex', name).replaceAll('.debate', `.${name}`);
  const input = file('named.ndjson', named);
  for (const args of ['pretty', 'pretty --color always', 'pretty --compact', 'markdown', 'list']) {
    const { stdout } = await run([...args.split(' '), input]);
    assert.match(stdout, /co\{U\+00AD\}dex\{U\+2800\}/, args);
    assert.not.match(stdout, /[\u00ad\u2800]/, args);
  }
  assert.match((await run([name])).stderr, /^palabre-fmt: co\{U\+00AD\}dex\{U\+2800\}: No such file/);
  // In text, both have their place.
  const text = file('text.ndjson', HELLO.replace('hello', 'Ge\u00adlb \u2800'));
  assert.match((await run([text])).stdout, /Ge\u00adlb \u2800/);
});

cli('a first word that is neither command nor file says which command or option it resembles', async () => {
  const typo = await run(['valdate']);
  assert.is(typo.status, 2);
  assert.is(
    typo.stderr,
    'palabre-fmt: valdate: No such file or directory; did you mean the command validate?\n',
  );
  const option = await run(['version', path('ask')]);
  assert.is(option.status, 2);
  assert.is(
    option.stderr,
    'palabre-fmt: version: No such file or directory; did you mean the option --version?\n',
  );
  assert.match(option.stdout, 'Finished');
  for (const far of ['nope', 'export', 'nofile'])
    assert.is((await run([far])).stderr, `palabre-fmt: ${far}: No such file or directory\n`);
  const search = await run(['filter', '-e', 'risk']);
  assert.is(search.stderr, 'palabre-fmt: risk: No such file or directory; to search, use -g\n');
});

cli('wrong usage is refused with a suggestion and status 2', async () => {
  const cases: [string[], string][] = [
    [['filter', '--tyep', 'x'], 'unknown option --tyep; did you mean --type?'],
    [['--filter', 'x'], 'unknown option --filter; did you mean palabre-fmt filter?'],
    [['--count'], '--count is not an option of pretty, but of filter, run'],
    [['list', '-t', 'start'], '-t is not an option of list, but of pretty, markdown, filter, run'],
    [['md', '--tee', '-'], '--tee needs a file, and - is not one'],
    [['encode', '-hello'], '-e is not an option of encode; a message that begins with a dash comes after --'],
    [['encode', '-Z'], '-Z is not an option of encode; a message that begins with a dash comes after --'],
    [['filter', '-x', ''], '--extract needs a value: --extract FIELD'],
    [['-t', ' ,,'], '--type needs a value: --type TYPE'],
    [['completion', 'ksh'], 'no completion for ksh; there are bash, zsh, fish'],
    [
      ['filter', '-A', '2'],
      'unknown option -A; there are -t, -T, -g, -i, -v, -m, -c, -l, -x, -0, -e, -q, -h, -V',
    ],
    [['schema', '--list'], 'unknown option --list'],
    [['filter', '-cx', 'kind'], '--count prints no values: it cannot be combined with --extract'],
    [
      ['filter', '-lx', 'kind'],
      '--files-with-matches prints no values: it cannot be combined with --extract',
    ],
    [['--color', 'alwys'], '--color: alwys is unknown; it takes auto, always, never; did you mean always?'],
    [['--width', '-5'], '--width: -5 is not a whole number of 0 or more'],
    [['--max-line=0'], '--max-line: 0 is not a size from 1 to 500M, such as 64M or 512K'],
    [['--max-line=501M'], '--max-line: 501M is not a size from 1 to 500M, such as 64M or 512K'],
    [['filter', '--turn', '4..2'], '--turn: 4..2 is not a range; examples: 2, 2..4, 3.. or ..4'],
    [['filter', '-t'], '-t needs a value: -t TYPE'],
    [['--quiet=yes'], '--quiet takes no value'],
    [['filter', '-0'], '--null needs --extract FIELD, whose values it ends with NUL'],
    [['filter', '-m', '1e3'], '--max-count: 1e3 is not a whole number of 0 or more'],
  ];
  for (const [args, message] of cases) {
    const { status, stdout, stderr } = await run(args);
    assert.is(status, 2, args.join(' '));
    assert.is(stdout, '');
    assert.is(stderr.split('\n')[0], `palabre-fmt: ${message}`);
    assert.match(stderr, /\nTry: palabre-fmt \w+ --help\n$/);
  }
  // The help of the command that was typed, or of one that takes the option.
  for (const [args, command] of [
    [['validate', '--json'], 'validate'],
    [['--json'], 'list'],
  ] as const)
    assert.match((await run(args)).stderr, `\nTry: palabre-fmt ${command} --help\n`);
  const regex = await run(['filter', '-g', '(']);
  assert.is(regex.status, 2);
  assert.match(
    regex.stderr,
    /^palabre-fmt: --grep: \( is not a regular expression: a parenthesis is not closed\n/,
  );
  const french = await run(['filter', '-g', 'a: [', '--lang', 'fr']);
  assert.match(
    french.stderr,
    /^palabre-fmt: --grep\u00a0: a: \[ n’est pas une expression régulière\u00a0: un \[ n’est pas fermé\n/,
  );
});

cli('whatever is repeated of a command line is safe to print', async () => {
  const hostile = '\x1b]0;x\x07\u202e\nnext';
  const lines = [
    [`--${hostile}`],
    [`-${hostile}`],
    [`--lang=${hostile}`],
    ['--color', hostile],
    ['--max-line', hostile],
    ['--width', hostile],
    ['filter', '--turn', hostile],
    ['filter', '--session', hostile],
    ['filter', '-m', hostile],
    ['filter', '-g', `(${hostile}`],
    ['filter', '-t', hostile],
    ['filter', '--role', hostile],
    ['validate', '--report', hostile],
    ['run', '--as', hostile, 'true'],
    ['run', hostile],
    ['help', hostile],
    ['help', 'filter', hostile],
    ['schema', hostile],
    ['completion', hostile],
    [hostile],
    [`fliter${hostile}`, '-t', 'x'],
    ['--quiet=\x1b[31m'],
    ['md', '-o', `/missing/${hostile}`, path('ask')],
    ['--tee', `/missing/${hostile}`, path('ask')],
  ];
  for (const args of lines) {
    const { stderr } = await run(args);
    assert.is.not(stderr, '', JSON.stringify(args));
    assert.not.match(stderr, /[\0-\x09\x0b-\x1f\x7f-\x9f\u202e]|^next/m, JSON.stringify(args));
  }
  const long = await run(['filter', '--turn', '9'.repeat(100_000)]);
  assert.ok(long.stderr.length < 400, 'a long value is cut');
});

cli('a file whose name is an option is no way to the terminal', async () => {
  file('--\x1b]0;owned\x07', '');
  const { status, stderr } = await shell('palabre-fmt *', { cwd: context.folder });
  assert.is(status, 2);
  assert.match(stderr, /^palabre-fmt: unknown option --␛\]0;owned␇\n/);
  rmSync(join(context.folder, '--\x1b]0;owned\x07'));
});

cli('a mistyped command stops, whatever follows it', async () => {
  const { status, stdout, stderr } = await run(['markdwon', path('ask')]);
  assert.is(status, 2);
  assert.is(stdout, '');
  assert.is(stderr, 'palabre-fmt: markdwon: No such file or directory; did you mean the command markdown?\n');
});

cli('a word that no event may have is warned of, and used as it stands', async () => {
  const args = [
    'filter',
    '--kind',
    'usage-limits',
    '--phase',
    'ask',
    '--role',
    'critc, reviewer',
    path('ask'),
  ];
  const { status, stderr } = await run(args);
  assert.is(status, 0);
  assert.is(
    stderr,
    'palabre-fmt: --role: critc is unknown, and used as it is; did you mean critic?\n' +
      'palabre-fmt: --kind: usage-limits is unknown, and used as it is; did you mean usage-limit?\n',
  );
  assert.is((await run(['-q', ...args])).stderr, '');
});

cli('lists may hold blanks, and a range may be typed with a hyphen', async () => {
  const same = async (typed: string[], meant: string[]) => {
    const [one, other] = await Promise.all(
      [typed, meant].map((args) => run(['filter', ...args, path('debate-summary')])),
    );
    assert.is(one!.stderr, '');
    assert.is.not(one!.stdout, '');
    assert.is(one!.stdout, other!.stdout);
  };
  await same(['-t', 'message, done'], ['-t', 'message,done']);
  await same(['--turn', ' 1 , 2-3'], ['--turn', '1,2..3']);
  await same(['--colour', 'never'], ['--color', 'never']);
});

cli('the command of run begins at the first word that is no option', async () => {
  const { status, stdout, stderr } = await run(['run', '--compact', 'cat', path('ask')]);
  assert.is(stderr, '');
  assert.is(status, 0);
  assert.is(stdout, (await run(['--compact', path('ask')])).stdout);
  // Its options are its own, `--` as well.
  const own = await run(['run', 'printf', '%s %s %s\\n', '--compact', '--', '-t']);
  assert.match(own.stdout, /--compact -- -t\n/);
  assert.match((await run(['run', '--compact'])).stderr, /^palabre-fmt: no command to run/);
});

cli('help says what an option means in that command, and breaks no list of words', async () => {
  const { stdout } = await run(['list', '--help']);
  const text = stdout.replace(/\s+/g, ' ');
  assert.match(text, '--grep=REGEX only sessions whose topic matches');
  assert.match(text, '--agent=AGENT only sessions in which this agent took part');
  assert.match(text, '--outcome=WORD only sessions with this outcome: finished, stopped-early, failed,');
});

cli('help of an option is that option alone, in the first command that takes it', async () => {
  const expected =
    'Usage: palabre-fmt filter [options] [file…]\n\nSome of the events, as NDJSON, each line unchanged.\n\nOptions:\n  -m, --max-count=N  stop after N events\n';
  for (const args of [['max-count'], ['--max-count'], ['-m'], ['--lang', 'en', 'max-count']]) {
    assert.is((await run(['help', ...args])).stdout, expected, args.join(' '));
  }
  assert.match((await run(['help', '-0'])).stdout, /^ {2}-0, --null {3}\S/m);
});

cli('options are read as one types them', async () => {
  const expected = (await run(['filter', '--type=message', '--agent=claude', path('debate-summary')])).stdout;
  assert.is(expected.split('\n').length - 1, 2);
  const spellings = [
    ['filter', '-tmessage', '--agent', 'claude', path('debate-summary')],
    ['filter', path('debate-summary'), '--agent', 'claude', '-t', 'message'],
    ['--agent=claude', 'filter', '-t', 'message', '--', path('debate-summary')],
  ];
  for (const args of spellings) assert.is((await run(args)).stdout, expected);
  assert.is((await run(['filter', '-cqtmessage', path('debate-summary')])).stdout, '4\n');
  assert.is((await run(['--quiet', 'filter', '-c', path('ask')])).status, 0);
});

cli('help and version', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  for (const flag of ['--version', '-V']) {
    assert.equal(await run([flag]), { status: 0, signal: null, stdout: `${version}\n`, stderr: '' });
  }
  for (const args of [['--help'], ['-h'], ['help']]) {
    const { status, stdout, stderr } = await run(args);
    assert.is(status, 0);
    assert.is(stderr, '');
    assert.match(stdout, /^Usage: palabre-fmt \[command\] \[options\] \[file…\]\n/);
    for (const command of COMMANDS) assert.match(stdout, new RegExp(`^  palabre-fmt ${command}`, 'm'));
  }
  for (const command of COMMANDS) {
    const { stdout } = await run([command, '--help']);
    assert.is((await run(['help', command])).stdout, stdout);
    assert.match(stdout, /\nExamples:\n/);
  }
  assert.match((await run(['filter', '-h'])).stdout, /-t, --type=TYPE /);
  const unknown = await run(['help', 'flter']);
  assert.is(unknown.status, 2);
  assert.match(unknown.stderr, /no command is called flter; did you mean filter\?/);
});

cli('schemas are printed', async () => {
  const event = JSON.parse((await run(['schema'])).stdout);
  assert.is((await run(['schema', 'event'])).stdout, `${JSON.stringify(event, null, 2)}\n`);
  assert.match(JSON.parse((await run(['schema', 'message'])).stdout).title, /\w/);
  assert.match(JSON.parse((await run(['schema', 'command', 'chat-send'])).stdout).title, /\w/);
  const { status, stderr } = await run(['schema', 'mesage']);
  assert.is(status, 2);
  assert.match(stderr, /no schema is called mesage; did you mean message\?/);
});

cli('filter: count, maximum, extraction', async () => {
  assert.is(
    (await run(['filter', '-c', path('ask'), path('ask')])).stdout,
    `${2 * read('ask').trim().split('\n').length}\n`,
  );
  assert.is((await run(['filter', '-m', '2', path('ask'), path('ask')])).stdout.split('\n').length, 3);
  assert.is((await run(['filter', '-m0', path('ask')])).stdout, '');
  assert.is((await run(['filter', '-cm3', path('ask')])).stdout, '3\n');
  const input = `${HELLO}\n{"v":1,"type":"done","outputPath":null}\n${WORLD}\n`;
  assert.is((await run(['filter', '-x', 'content'], { input })).stdout, 'hello\nworld\n');
  assert.is((await run(['filter', '-x', 'content', '-0'], { input })).stdout, 'hello\0world\0');
  assert.is((await run(['filter', '-x', 'outputPath'], { input })).stdout, 'null\n');
  assert.is((await run(['filter', '-x', 'turn', '-v', '-t', 'done'], { input })).stdout, '1\n2\n');
  assert.equal(await run(['filter', '-t', 'error'], { input }), {
    status: 0,
    signal: null,
    stdout: '',
    stderr: '',
  });
});

const TYPES = [...EVENT_TYPES, ...Object.keys(GROUPS)].join(', ');

cli('filter warns of a type that nobody knows, and uses it as it stands', async () => {
  const input = '{"v":1,"type":"agent-chunk"}\n{"v":1,"type":"done","outputPath":null}\n';
  const { status, stdout, stderr } = await run(['filter', '-t', 'agent-chunk,mesage'], { input });
  assert.is(status, 0);
  assert.is(stdout, '{"v":1,"type":"agent-chunk"}\n');
  assert.is(
    stderr,
    `palabre-fmt: --type: agent-chunk is unknown, and used as it is; there are ${TYPES}\n` +
      'palabre-fmt: --type: mesage is unknown, and used as it is; did you mean message?\n',
  );
});

const JQ_CASES: [string[], string][] = [
  [['-t', 'message'], '.type == "message"'],
  [
    ['-t', 'message,error', '--agent', 'claude'],
    '(.type == "message" or .type == "error") and .agent == "claude"',
  ],
  [['-t', '@content', '--role', 'reviewer'], 'has("content") and .role == "reviewer"'],
  [['-T', '@thinking'], '.type != "thinking-start" and .type != "thinking-end"'],
  [['--turn', '2..'], '((.turn // .response) // 0) >= 2'],
  [['--kind', 'usage-limit', '--phase', 'debate'], '.kind == "usage-limit" and .phase == "debate"'],
  [
    ['-v', '-t', '@log', '-t', '@session'],
    '[.type] | inside(["notice","warning","start","dry-run","error","done"]) | not',
  ],
  [['-i', '-g', 'TILE'], '((.content // .message) // "") | test("tile"; "i")'],
];

cli('filter chooses exactly the lines that jq chooses', async () => {
  const found = await shell('command -v jq');
  if (found.status !== 0) {
    console.log('jq is not here: its comparison was not made');
    return;
  }
  const all = file(
    'all.ndjson',
    FIXTURES.filter((name) => name !== BROKEN)
      .map(read)
      .join(''),
  );
  for (const [args, condition] of JQ_CASES) {
    const jq = await shell(`jq -c 'select(${condition})' '${all}'`);
    assert.is(jq.status, 0, jq.stderr);
    assert.is.not(jq.stdout, '', condition);
    const { stdout } = await run(['filter', ...args, all]);
    // jq writes each event anew; ours are the lines of the input.
    const again = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.stringify(JSON.parse(line)));
    assert.equal(again, jq.stdout.split('\n').filter(Boolean), args.join(' '));
  }
});

cli('pretty and markdown choose among what stands between the ends of a session', async () => {
  const one = path('debate-summary');
  const { stdout } = await run(['--agent', 'claude', '--turn', '3..', one]);
  assert.match(stdout, /^── Debate/);
  assert.match(stdout, /\n● 4\/4 claude \(reviewer\)\n│ Then I have nothing/);
  assert.not.match(stdout, /● \S+ codex|● 2\/4/);
  assert.match(stdout, /\n✓ Finished · 4 of 4 answered\n/);
  const without = await run(['-t', 'message', '-T', '@session', one]);
  assert.match(without.stdout, /^● 1\/4 codex/);
  assert.not.match(without.stdout, /Debate|Finished/);
  const summary = await run(['md', '-t', 'summary-message', one]);
  assert.match(summary.stdout, /^# Debate · Should/);
  assert.equal(summary.stdout.match(/^## .*$/gm), ['## Summary · claude', '## End']);
  assert.match(summary.stdout, /\| Answers \| 4\/4 \|/);
});

cli('--session leaves the frame of another session out, and what broke off there', async () => {
  const started = read('debate-summary').split('\n').slice(0, 4).join('\n');
  const input = `${started}\n${read('ask')}`;
  const first = await run(['--session', '1'], { input });
  assert.match(first.stdout, /^── Debate/);
  assert.match(first.stdout, /without `done`/);
  assert.not.match(first.stdout, /── Ask/);
  const second = await run(['--session', '2..'], { input });
  assert.match(second.stdout, /^── Ask/);
  assert.not.match(second.stdout, /Debate|without `done`/);
  assert.match((await run(['-v', '--session', '1'], { input })).stdout, /^── Ask/);
});

cli('what -g finds is marked where there is colour', async () => {
  const args = ['--color', 'always', '--plain', '-i', '-g', 'THE DISK', path('debate-summary')];
  const { stdout } = await run(args);
  assert.match(stdout, 'I agree with \x1b[7mthe disk\x1b[27m, not with the sketch.');
  const compact = await run(['--compact', ...args]);
  assert.match(compact.stdout, 'I agree with \x1b[7mthe disk\x1b[27m');
  assert.not.match((await run(args.slice(2))).stdout, '\x1b');
});

cli('filter -l names each input once, and leaves it there', async () => {
  const names = ['ask', 'debate-crash', 'debate-cancelled'].map(path);
  const { status, stdout, stderr } = await run([
    'filter',
    '-l',
    '-t',
    'error',
    ...names,
    ...names.slice(1, 2),
  ]);
  assert.is(stderr, '');
  assert.is(status, 0);
  assert.is(stdout, `${names[1]}\n${names[2]}\n${names[1]}\n`);
  assert.is((await run(['filter', '-l'], { input: `${HELLO}\n` })).stdout, 'stdin\n');
  assert.is((await run(['filter', '-l', '-m', '2', ...names])).stdout, `${names[0]}\n${names[1]}\n`);
  assert.is((await run(['filter', '-l', '-m', '0', ...names])).stdout, '');
  // The rest of it is not looked at, and does not count against the next.
  const cut = await run(['filter', '-e', '-l', '-t', 'start', ...names]);
  assert.is(cut.stderr, '');
  assert.is(cut.stdout.split('\n').length, 4);
  assert.is((await run(['filter', '-l', '--session', '2', names[0]!, names[1]!])).stdout, `${names[1]}\n`);
});

cli('what nothing in the input had is said at the end', async () => {
  const input = `${HELLO}\n`;
  for (const command of ['filter', 'pretty', 'markdown', 'list']) {
    const { status, stderr } = await run([command, '--agent', 'codx,codex'], { input });
    assert.is(status, 0, command);
    assert.is(
      stderr,
      'palabre-fmt: --agent: no event of the input has the agent codx; did you mean codex?\n',
      command,
    );
    assert.is((await run([command, '-q', '--agent', 'codx'], { input })).stderr, '');
  }
  const nobody = await run(['list', '--agent', 'nobody', path('ask')]);
  assert.is(
    nobody.stderr,
    'palabre-fmt: --agent: no event of the input has the agent nobody; there are codex, claude, vibe\n',
  );
  const unsafe = HELLO.replace('codex', '\\u001b[2Jx');
  const shown = await run(['filter', '--agent', 'nobody'], { input: `${unsafe}\n` });
  assert.match(shown.stderr, 'nobody; there are ␛[2Jx\n');
  const none = await run(['filter', '--agent', 'nobody'], { input: '{"v":1,"type":"thinking-end"}\n' });
  assert.is(none.stderr, 'palabre-fmt: --agent: no event of the input has the agent nobody\n');
  const noSession = 'palabre-fmt: --session: the input has no session of these numbers; its last one is 1\n';
  for (const command of ['filter', 'pretty', 'markdown', 'list']) {
    assert.is((await run([command, '--session', '2,4..'], { input })).stderr, noSession, command);
    assert.is((await run([command, '--session', '1'], { input })).stderr, '', command);
    assert.is((await run([command, '-q', '--session', '2'], { input })).stderr, '', command);
  }
  const noTurn =
    'palabre-fmt: --turn: no event of the input has a turn or response of these numbers; the last one is 3\n';
  assert.is((await run(['--turn', '4..9', path('ask')])).stderr, noTurn);
  assert.is((await run(['--turn', '3..9', path('ask')])).stderr, '');
  assert.is((await run(['filter', '--turn', '7', '--session', '3'])).stderr, '');
  const field = await run(['filter', '-x', 'contnt'], { input });
  assert.is(
    field.stderr,
    'palabre-fmt: --extract: no event of the input has the field contnt; did you mean content?\n',
  );
  const turnless = await run(['--turn', '2', path('chat-long')]);
  assert.is(turnless.stderr, 'palabre-fmt: --turn: no event of the input has a turn or response\n');
  assert.is((await run(['filter', '-x', 'contnt', '--agent', 'x'])).stderr, '');
  assert.is((await run(['filter', '-m', '1', '--agent', 'codex,x'], { input })).stderr, '');
});

cli('-q silences, and leaves the status', async () => {
  const input = `${HELLO}\n{"v":1}\nnoise\n`;
  for (const command of COMMANDS) {
    const { status, stdout, stderr } = await run([command, '-q'], { input });
    assert.is(status, 1, command);
    assert.is(stderr, '');
    assert.is(stdout !== '', command !== 'validate', `${command}: validate -q only sets the status`);
  }
  assert.is((await run(['filter', '-q', '-t', 'mesage'], { input: `${HELLO}\n` })).stderr, '');
  assert.match((await run(['filter', '-q', 'missing'])).stderr, /No such file/);
});

cli('exit status follows the session with -e', async () => {
  const cases: [string, number][] = [
    ['debate-summary', 0],
    ['dry-run-ask', 0],
    ['two-sessions', 0],
    ['debate-crash', 1],
    [BROKEN, 1],
    ['debate-cancelled', 130],
  ];
  for (const [name, expected] of cases) {
    for (const command of COMMANDS)
      assert.is((await run([command, '-e', path(name)])).status, expected, `${command} ${name}`);
  }
  assert.is((await run(['-e'], { input: `${HELLO}\n` })).status, 1);
  assert.is((await run(['-e', path('debate-cancelled'), path('debate-crash')])).status, 1);
  assert.is((await run(['-e', path('debate-cancelled'), 'missing'])).status, 2);
});

cli('an input without an event is told what it looks like', async () => {
  const relay = '{"v":1,"type":"relay-result","status":"replied"}\n';
  const spread = `${JSON.stringify({ v: 1, type: 'relay-result', items: [1, 2] }, null, 2)}\n`;
  const catalogue = `${JSON.stringify([{ name: 'codex' }, { name: 'claude' }], null, 2)}\n`;
  for (const [input, words] of [
    [relay, /relay/],
    [spread, /relay/],
    [catalogue, /one JSON document/],
    ['{"agents":[]}\n', /one JSON document/],
    ['Palabre 0.13\nTurn 1\n', /--renderer ndjson\?/],
  ] as const) {
    for (const command of COMMANDS) {
      const { status, stderr } = await run([command], { input });
      assert.is(status, 1, command);
      assert.match(stderr, words);
      assert.is(stderr.split('\n').length, 2, `${command}: one sentence: ${stderr}`);
    }
  }
  for (const command of COMMANDS) assert.is((await run([command, '-q'], { input: relay })).stderr, '');
});

cli('nothing at all is a sentence, and status 0 but where a stream was expected', async () => {
  for (const input of ['', '\n\n']) {
    for (const command of COMMANDS) {
      const { status, stdout, stderr } = await run([command], { input });
      assert.is(status, command === 'validate' ? 1 : 0, command);
      assert.is(stdout, '');
      assert.is(stderr, command === 'filter' ? '' : 'palabre-fmt: stdin: empty: there is no event in it\n');
      assert.is((await run([command, '-e'], { input })).status, 1);
    }
  }
});

cli('the copy of --tee is the input, byte for byte', async () => {
  const input = Buffer.concat([
    Buffer.from(`\uFEFFnoise\r\n${HELLO}\r\n`),
    Buffer.of(0xff, 0x0a),
    Buffer.from(WORLD),
  ]);
  const copy = join(context.folder, 'copy.ndjson');
  for (const command of ['pretty', 'markdown']) {
    await run([command, '--tee', copy], { input });
    assert.equal(readFileSync(copy), input);
  }
  const failing = await run(['--tee', '/dev/full'], { input: `${HELLO}\n` });
  assert.is(failing.status, 2);
  assert.match(failing.stdout, /hello/);
  assert.is(failing.stderr, 'palabre-fmt: /dev/full: No space left on device\n');
  assert.is((await run(['--tee', '/missing/x'], { input: '' })).status, 2);
});

cli('markdown -o writes the whole file or none', async () => {
  const target = file('transcript.md', 'old');
  const { status, stdout } = await run(['md', '-o', target, path('ask')]);
  assert.is(status, 0);
  assert.is(stdout, '');
  assert.is(readFileSync(target, 'utf8'), (await run(['md', path('ask')])).stdout);
  assert.not(existsSync(`${target}.${process.pid}.tmp`));
  const nowhere = await run(['md', '-o', join(context.folder, 'no/such/x.md'), path('ask')]);
  assert.is(nowhere.status, 2);
  assert.match(nowhere.stderr, /No such file or directory\n$/);
});

cli('a file is never written over while it is read', async () => {
  for (const args of [['--tee'], ['md', '-o'], ['md', '--tee']]) {
    const target = file('input.ndjson', read('ask'));
    const { status, stderr } = await run([...args, target, target]);
    assert.is(status, 2, args.join(' '));
    assert.is(stderr, `palabre-fmt: ${target}: Input file is output file\n`);
    assert.is(readFileSync(target, 'utf8'), read('ask'));
    const redirected = await shell(`palabre-fmt ${args.join(' ')} '${target}' < '${target}'`);
    assert.is(redirected.status, 2);
    assert.is(readFileSync(target, 'utf8'), read('ask'));
  }
});

cli('markdown -o keeps what is there when nothing could be read or written', async () => {
  const target = file('kept.md', 'old');
  assert.is((await run(['md', '-o', target, 'missing.ndjson'])).status, 2);
  assert.is(readFileSync(target, 'utf8'), 'old');
  const nameless = await run(['md', '-o', '', path('ask')]);
  assert.is(nameless.status, 2);
  assert.match(nameless.stderr, /No such file or directory\n$/);
  const long = join(context.folder, 'n'.repeat(250));
  assert.is((await run(['md', '-o', long, path('ask')])).status, 0);
  assert.ok(existsSync(long));
});

cli('markdown -o into a pipe that is given as a file', async () => {
  const expected = (await run(['md', path('ask')])).stdout;
  assert.is((await shell(`palabre-fmt md -o /dev/stdout '${path('ask')}' | cat`)).stdout, expected);
  assert.is((await shell(`palabre-fmt md -o >(cat) '${path('ask')}'`)).stdout, expected);
});

cli('a title of one’s own stands above a stream without a start, too', async () => {
  const { stdout } = await run(['md', '--title', 'Said'], { input: `${HELLO}\n${WORLD}\n` });
  assert.match(stdout, /^# Said\n\n## 1 · codex \(critic\)\n/);
  assert.is(stdout.match(/^# /gm)?.length, 1);
  const whole = await run(['md', '--title', 'Said', path('two-sessions')]);
  assert.is(whole.stdout.match(/^# Said$/gm)?.length, 2);
});

cli('- as an output is stdout, and a copy is not begun before there is something to copy', async () => {
  const dash = await run(['md', '-o', '-', path('ask')], { cwd: context.folder });
  assert.is(dash.stdout, (await run(['md', path('ask')])).stdout);
  assert.not(existsSync(join(context.folder, '-')));
  const copy = file('recorded.ndjson', 'recorded');
  await run(['--tee', copy, 'missing.ndjson']);
  await run(['run', '--tee', copy, '--', 'no-such-command']);
  assert.is(readFileSync(copy, 'utf8'), 'recorded');
});

cli('what was meant is suggested for a command with options, and for a schema', async () => {
  const typo = await run(['fliter', '-c', path('ask')]);
  assert.is(
    typo.stderr,
    'palabre-fmt: fliter is not a command; did you mean filter?\nTry: palabre-fmt filter --help\n',
  );
  assert.match((await run(['schema', 'chat-send'])).stderr, /did you mean command chat-send\?/);
});

cli('surplus words are refused, and aliases are suggested', async () => {
  for (const args of [
    ['completion', 'bash', 'zsh'],
    ['help', 'filter', 'more'],
  ]) {
    const { status, stderr } = await run(args);
    assert.is(status, 2);
    assert.match(stderr, /unexpected argument: (zsh|more)\n/);
  }
  assert.match((await run(['--langauge', 'fr'])).stderr, /did you mean --language\?/);
});

cli('--report json writes JSON alone', async () => {
  const { status, stderr } = await run(['validate', '--report', 'json'], { input: 'hi\nthere\n' });
  assert.is(status, 1);
  const codes = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).code);
  assert.equal(codes, ['not-json', 'not-json']);

  const missing = await run(['validate', '--report', 'json', 'missing.ndjson']);
  assert.is(missing.status, 2);
  assert.equal(JSON.parse(missing.stderr), {
    code: 'unreadable',
    severity: 'error',
    file: 'missing.ndjson',
    line: null,
    path: null,
    message: 'No such file or directory',
  });
});

cli(
  '--report json is JSON in a log of CI too, and holds nothing that a terminal or a runner obeys',
  async () => {
    const field = '##vso[x]\x9b31m\u202e';
    const input = `${JSON.stringify({ v: 1, type: 'notice', message: 'x', [field]: 1 })}\n`;
    const args = ['validate', '--strict', '--report', 'json'];
    const { stderr } = await run(args, { input, env: { TF_BUILD: 'True' } });
    const [finding] = stderr.split('\n');
    assert.is(JSON.parse(finding!).path, `$['${field}']`);
    assert.not.match(stderr, /##vso|[\x80-\x9f\u202e]/);
  },
);

cli('French, by option and by locale', async () => {
  const refused = await run(['--lang=fr', '--tyep']);
  assert.match(refused.stderr, /^palabre-fmt: option inconnue\u00a0: --tyep\n/);
  for (const env of [
    { LC_ALL: 'fr_FR.UTF-8' },
    { LC_MESSAGES: 'fr_CA.UTF-8', LANG: 'en_US.UTF-8' },
    { LANG: 'fr' },
  ]) {
    assert.match((await run(['--help'], { env })).stdout, /^Usage\u00a0: palabre-fmt/);
  }
  assert.match(
    (await run(['--help'], { env: { LC_ALL: 'en_US.UTF-8', LANG: 'fr_FR.UTF-8' } })).stdout,
    /^Usage: /,
  );
  assert.match(
    (await run(['--help', '--language', 'en'], { env: { LANG: 'fr_FR.UTF-8' } })).stdout,
    /^Usage: /,
  );
});

cli('colour: option, then NO_COLOR, then FORCE_COLOR, then no terminal', async () => {
  const coloured = async (args: string[], env: NodeJS.ProcessEnv) =>
    (await run([...args, path('ask')], { env })).stdout.includes('\x1b[');
  assert.is(await coloured([], {}), false);
  assert.is(await coloured(['--color=always'], { NO_COLOR: '1' }), true);
  assert.is(await coloured(['--no-color'], { FORCE_COLOR: '3' }), false);
  assert.is(await coloured([], { FORCE_COLOR: '1', NO_COLOR: '1' }), false);
  assert.is(await coloured([], { FORCE_COLOR: '1', NO_COLOR: '' }), true);
  assert.is(await coloured([], { FORCE_COLOR: '0' }), false);
});

cli.run();
