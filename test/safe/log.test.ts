/** The gate for logs of CI: no text that passed it holds a mark as the runners read them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isRunnerLog, safeLog } from '../../src/safe/log.ts';
import { ended, run, shell, start } from '../process.ts';
import { fc } from '../random.ts';

const log = suite('logs of CI');

/** What the runners look for, as their sources have it; blanks as .NET trims them. */
function isObeyed(raw: string): boolean {
  // Some viewers drop escape sequences first.
  return isMarked(raw) || isMarked(raw.replace(/\x1b\[[\d;?]*[A-Za-z]|\x1b\]8;;[^\x1b]*\x1b\\/g, ''));
}

function isMarked(text: string): boolean {
  const blanks = '[\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]*';
  return text
    .split(/\r\n|\n|\r/)
    .some((line) => new RegExp(`^${blanks}::|##\\[|##vso\\[|##teamcity\\[`, 'i').test(line));
}

log('marks are broken by a backslash, wherever they are obeyed', () => {
  for (const [text, expected] of [
    ['see ##vso[task.setvariable variable=X]y', 'see #\\#vso[task.setvariable variable=X]y'],
    ['a ##[add-mask]the', 'a #\\#[add-mask]the'],
    ['x ##teamcity[buildProblem]', 'x #\\#teamcity[buildProblem]'],
    ['##VSO[x] ###[y] ##[##[z]', '#\\#VSO[x] ##\\#[y] #\\#[#\\#[z]'],
    ['::error::x\n \t::set-output name=a::b', ':\\:error::x\n \t:\\:set-output name=a::b'],
    ['\u3000\x85::stop-commands::x', '\u3000\x85:\\:stop-commands::x'],
    [':::debug::', ':\\::debug::'],
    // No marks, and not touched.
    ['std::vector and ##heading [x]', 'std::vector and ##heading [x]'],
    ['#[derive(Debug)] # [x] ## [y]', '#[derive(Debug)] # [x] ## [y]'],
    ['a: :b\n: :', 'a: :b\n: :'],
    // A change of colour within, as in `##*vso*[a]`, and a hyperlink.
    ['##\x1b[3mvso\x1b[23m[a]', '#\\#\x1b[3mvso\x1b[23m[a]'],
    ['#\x1b[1m#\x1b[22m#\x1b[7m[\x1b[27merror]', '#\x1b[1m#\x1b[22m\\#\x1b[7m[\x1b[27merror]'],
    ['\x1b[2m \x1b[22m:\x1b[7m:\x1b[27merror::x', '\x1b[2m \x1b[22m:\\\x1b[7m:\x1b[27merror::x'],
    [
      '\x1b]8;;https://a/##vso[x]\x1b\\#\x1b]8;;\x1b\\#[x]',
      '\x1b]8;;https://a/#\\#vso[x]\x1b\\#\x1b]8;;\x1b\\\\#[x]',
    ],
  ] as const) {
    assert.is(safeLog(text), expected);
    assert.is(safeLog(expected), expected, 'a second pass changes nothing');
  }
});

log('nothing that a runner obeys is left of any text', () => {
  const piece = fc.constantFrom(
    '##',
    '#',
    '[',
    ']',
    ':',
    '::',
    'vso',
    'teamcity',
    'VsO',
    '\n',
    '\r',
    ' ',
    '\t',
    '\x85',
    '\u2028',
    '\\',
    'a',
    '│',
    '\x1b[1m',
    '\x1b[38;5;7m',
    '\x1b]8;;https://a.example/#\x1b\\',
    '\x1b]8;;\x1b\\',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      assert.not.ok(isObeyed(safeLog(pieces.join(''))), JSON.stringify(pieces));
    }),
    { numRuns: 5000 },
  );
});

log('a log is one where the runner says so', () => {
  assert.ok(isRunnerLog({ GITHUB_ACTIONS: 'true' }));
  assert.ok(isRunnerLog({ TF_BUILD: 'True' }));
  assert.ok(isRunnerLog({ TEAMCITY_VERSION: '2025.03' }));
  assert.not.ok(isRunnerLog({ CI: 'true', GITHUB_ACTIONS: '', TF_BUILD: undefined }));
});

const MARKS = ['##vso[task.complete]', '##[add-mask]the', '##teamcity[x]', '::error::x'];
const CONTENT = MARKS.flatMap((mark) => [
  mark,
  `see ${mark}`,
  `\`\`\`\n${mark}\n\`\`\``,
  `> ${mark}`,
  `**${mark.slice(0, 1)}**${mark.slice(1)}`,
  mark.replace(/^(\W+)(\w+)/, '$1*$2*'),
  mark.replace(/^#/, '#**#**'),
  mark.replace(/^#(.*?)\[/, '`#`$1['),
  '',
]).join('\n\n');

/** A session with marks in all that is somebody's, and what is no event. */
const HOSTILE = MARKS.flatMap((mark) =>
  [
    {
      type: 'start',
      mode: 'debate',
      topic: mark,
      agents: [{ name: mark, role: mark, type: 'cli' }],
      filesCount: 0,
      session: { startedAt: mark, localDate: mark, timeZone: mark, cwd: mark },
      turns: 1,
      summaryEnabled: false,
      summaryAgent: null,
      earlyStop: false,
    },
    { type: 'notice', message: mark },
    { type: 'warning', message: mark },
    { type: 'turn-start', turn: 1, totalTurns: 1, agent: mark, role: mark },
    { type: 'message', turn: 1, agent: mark, role: mark, content: CONTENT },
    {
      type: 'error',
      phase: mark,
      kind: mark,
      message: mark,
      agent: mark,
      turn: 1,
      details: { stderr: mark },
    },
    { type: 'done', outputPath: mark },
    { type: mark },
    { type: 'message', turn: mark },
  ]
    .map((event) => JSON.stringify({ v: 1, ...event }))
    .concat(mark, `  ${mark}`, `{${mark}`, `{"v":"${mark}"}`),
).join('\n');

const RUNNERS = { GITHUB_ACTIONS: 'true', TF_BUILD: 'True', TEAMCITY_VERSION: '2025.03' };

for (const [name, value] of Object.entries(RUNNERS)) {
  log(`no mark comes out where ${name} is set, on stdout and stderr`, async () => {
    for (const command of [
      'pretty --verbose',
      'pretty --compact --verbose',
      'pretty -w 30',
      'pretty --color always',
      'pretty --color always -g #',
      'pretty --color always --compact -g vso|\\[|:',
      'list --color always',
      'md --notices',
      'md --notices -o -',
    ]) {
      const { stdout, stderr } = await run(command.split(' '), { input: HOSTILE, env: { [name]: value } });
      for (const mark of MARKS) assert.ok(stdout.includes(mark.slice(3)) || command.includes('-w'), command);
      assert.ok(stderr.length > 0, command);
      assert.not.ok(isObeyed(stdout), `${command}: stdout`);
      assert.not.ok(isObeyed(stderr), `${command}: stderr`);
    }
    for (const args of [
      ['filter', '-t', '##[group]x', ...MARKS],
      ['validate', '--report', 'json', '##[group]x'],
      ['##vso[x]', '::error::'],
      ['--##[x]'],
      ['--lang', '##[x]'],
      ['help', '##vso[x]'],
      ['run', '--', '##vso[x]'],
      ['encode', '/##[x]', '/use'],
    ]) {
      const { stderr } = await run(args, { input: HOSTILE, env: { [name]: value } });
      assert.ok(stderr.includes('#') || stderr.includes(':'), args.join(' '));
      assert.not.ok(isObeyed(stderr), args.join(' '));
    }
  });
}

log('lines of filter and validate, and a file, stay as they are', async () => {
  const env = RUNNERS;
  const events = HOSTILE.split('\n').slice(0, 3).join('\n');
  assert.is((await run(['filter'], { input: `${events}\n`, env })).stdout, `${events}\n`);
  const valid = await run(['validate', '--no-session'], { input: `${events}\n`, env });
  assert.is(valid.stdout, `${events}\n`);
  const file = await shell(`printf '%s' "$STREAM" | palabre-fmt md -o x.md; cat x.md; rm x.md`, {
    env: { ...env, STREAM: HOSTILE },
    cwd: (await shell('mktemp -d')).stdout.trim(),
  });
  assert.match(file.stdout, /```\n##vso\[task\.complete\]\n```/);
  const line = `printf '%s' "$STREAM" | palabre-fmt md -o /dev/stdout | cat`;
  const stdout = await shell(line, { env: { ...env, STREAM: HOSTILE } });
  assert.match(stdout.stdout, /```\n#\\#vso\[task\.complete\]\n```/);
});

log('outside such a log nothing is changed', async () => {
  const child = start(['pretty'], { env: { CI: 'true' } });
  child.stdin!.end(HOSTILE);
  assert.match((await ended(child)).stdout, /see ##vso\[task\.complete\]/);
});

log.run();
