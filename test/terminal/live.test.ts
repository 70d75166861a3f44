/**
 * The line that says who thinks: what it says, by a clock of the test's own, and how it behaves in real
 * pseudo-terminals, by `script` (what is written, raw) and by `tmux` (what a person sees).
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { liveLine } from '../../src/terminal/live.ts';
import { createStyle } from '../../src/terminal/style.ts';
import { reach } from '../../src/terminal/width.ts';
import { isRunning, PROGRAM, until } from '../process.ts';
import { fc } from '../random.ts';

const plain = createStyle({ level: 0 });
const ascii = createStyle({ level: 0, ascii: true });

const THINKING = '{"v":1,"type":"thinking-start","agent":"codex","role":"critic"}';
const THOUGHT = '{"v":1,"type":"thinking-end"}';
const ERROR =
  '{"v":1,"type":"error","phase":"debate","kind":"cancelled","message":"Stopped by the reader.","agent":"codex","turn":1}';
const START =
  '{"v":1,"type":"start","mode":"debate","topic":"Tabs or spaces?","agents":[{"name":"codex","role":"critic","type":"cli"}],"filesCount":0,"session":{"startedAt":"2026-03-01T09:00:00.000Z","localDate":"2026-03-01","timeZone":"UTC","cwd":"/work"},"turns":2,"summaryEnabled":false,"summaryAgent":null,"earlyStop":false}';
const TURN = '{"v":1,"type":"turn-start","turn":1,"totalTurns":2,"agent":"codex","role":"critic"}';
const LONG = 'Spaces, since a column then is a column in every editor, viewer and printed page there is.';
const MESSAGE = `{"v":1,"type":"message","turn":1,"agent":"codex","role":"critic","content":"${LONG}"}`;
const NOTICE = '{"v":1,"type":"notice","message":"one\\ntwo"}';
const DONE = '{"v":1,"type":"done","outputPath":null}';

const line = suite('live line');

line('says the name and the time in minutes and seconds', () => {
  const says = (now: number, style = plain, width = 80) =>
    liveLine({ agent: 'codex', since: 1000 }, now, width, style);
  assert.is(says(1000), '⠋ codex · 0:00');
  assert.is(says(1999), '⠏ codex · 0:00');
  assert.is(says(2000), '⠋ codex · 0:01');
  assert.is(says(66_000), '⠋ codex · 1:05');
  assert.is(says(1000 + 75 * 60_000), '⠋ codex · 75:00');
  // A clock that was set back.
  assert.is(says(0), '⠋ codex · 0:00');
  assert.is(says(1250, ascii), '/ codex - 0:00');
  assert.is(liveLine({ agent: '\x1b[2J', since: 0 }, 0, 80, ascii), '| ^[[2J - 0:00');
  assert.is(
    liveLine({ title: '2/4', agent: 'codex', since: 1000 }, 66_000, 80, plain),
    '⠋ 2/4 · codex · 1:05',
  );
});

line('a narrow terminal cuts the name, then leaves it out', () => {
  const says = (width: number, style = plain) => liveLine({ agent: 'claude', since: 0 }, 0, width, style);
  assert.is(says(15), '⠋ claude · 0:00');
  assert.is(says(14), '⠋ clau… · 0:00');
  assert.is(says(10), '⠋ … · 0:00');
  assert.is(says(9), '⠋ 0:00');
  assert.is(says(4), '⠋ 0:');
  assert.is(says(1), '⠋');
});

line('names have colours, and no power', () => {
  const style = createStyle({ level: 1 });
  assert.is(
    liveLine({ agent: 'codex', since: 0 }, 0, 80, style),
    '\x1b[1m⠋\x1b[22m \x1b[46m\x1b[30mcodex\x1b[39m\x1b[49m · 0:00',
  );
  const hostile = 'a\u001b]0;title\u0007\r\n\u202eb';
  const shown = liveLine({ agent: hostile, since: 0 }, 0, 80, plain);
  assert.not.match(shown, /[\x00-\x1f\x7f-\x9f\u202e]/);
  assert.match(shown, /title/);
});

line('is never wider than the terminal', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 0, max: 10_000_000 }),
      (agent, width, now) => {
        for (const style of [plain, ascii]) {
          assert.ok(
            reach(liveLine({ agent, since: 0 }, now, width, style)) <= width,
            JSON.stringify([agent, width]),
          );
        }
      },
    ),
  );
});

line.run();

/** The line as it is drawn, without its colours. */
const DRAWN = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] (?:1\/2 · )?codex · \d+:\d\d/;
const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
const CTRL_C = '\x03';

const ENV = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  TERM: 'xterm-256color',
  NO_COLOR: '1',
};

/** Waits for a file; not beyond the end of the test, when the folder is gone. */
const WAIT_FOR = 'wait_for() { until [ -e "$1" ] || ! [ -e start.ndjson ]; do sleep 0.05; done; }';

/**
 * Has the program put a dot into a file at each turn of a clock that turns as often as the line is drawn: so many
 * dots later, it would have been drawn.
 */
const TICKS =
  "--import=data:text/javascript,import{appendFileSync}from'node:fs';setInterval(()=>appendFileSync('ticks','.'),100).unref()";
const WAIT_FOR_TICKS = `wait_for_ticks() {
  rm -f ticks
  until [ "$(wc -c 2> /dev/null < ticks || echo 0)" -ge 5 ] || ! [ -e start.ndjson ]; do sleep 0.05; done
}`;

const folders: string[] = [];

function removeFolders(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

/**
 * A folder of the test's own. In it, `producer.sh` thinks until there is a file `go`; on Ctrl+C it takes a
 * moment, as Palabre does, and then tells how the session ended.
 */
function newStage({ thinking = '', interrupted = '' } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'palabre-fmt-'));
  folders.push(folder);
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('error.ndjson', [ERROR, THOUGHT, DONE, ''].join('\n'));
  write('start.ndjson', [START, TURN, THINKING, ''].join('\n'));
  write('end.ndjson', [THOUGHT, MESSAGE, DONE, ''].join('\n'));
  write(
    'producer.sh',
    `${WAIT_FOR}
     ${WAIT_FOR_TICKS}
     trap '${interrupted || 'sleep 0.3; cat error.ndjson; exit 130'}' INT
     cat start.ndjson
     ${thinking}
     wait_for go
     cat end.ndjson`,
  );
  return {
    folder,
    write,
    read: (name: string) => readFileSync(join(folder, name), 'utf8'),
    has: (name: string) => existsSync(join(folder, name)),
    go: () => write('go', ''),
    /** A script that runs a line of shell in a terminal, in which `palabre-fmt` is the built program. */
    script(line: string): string {
      write(
        'line.sh',
        `${WAIT_FOR}
         trap : INT
         stty -g > before
         palabre-fmt() { '${process.execPath}' '${PROGRAM}' "$@"; }
         ${line}
         echo "status $?"
         stty -g > after
         touch ended`,
      );
      return 'bash line.sh';
    },
  };
}

type TestStage = ReturnType<typeof newStage>;

/** Runs a line of shell in a pseudo-terminal of 80 columns. */
function inTerminal(stage: TestStage, line: string, env: NodeJS.ProcessEnv = {}) {
  const command = stage.script(`stty cols 80 rows 24; stty -g > before; ${line}`);
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: stage.folder,
    env: { ...ENV, ...env },
  });
  let raw = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    raw += text;
  });
  return {
    child,
    get raw() {
      return raw;
    },
    type: (keys: string) => child.stdin.write(keys),
    /** Waits until it was drawn so many times. */
    drawn(from = 0, times = 1) {
      const drawings = new RegExp(DRAWN, 'g');
      return until('the line is drawn', () => (raw.slice(from).match(drawings) ?? []).length >= times);
    },
    /** The status, once the line has ended; the terminal must be what it was. */
    async ended(): Promise<number> {
      await until('the end', () => stage.has('ended') && /status \d+\r\n/.test(raw));
      assert.is(stage.read('after'), stage.read('before'), 'the modes of the terminal');
      assert.ok(raw.lastIndexOf(SHOW_CURSOR) >= raw.lastIndexOf(HIDE_CURSOR), 'a visible cursor');
      assert.not.match(raw.slice(Math.max(0, raw.lastIndexOf(SHOW_CURSOR))), DRAWN, 'nothing drawn is left');
      return Number(/status (\d+)/.exec(raw)![1]);
    },
  };
}

const terminal = suite('live line in a terminal');
terminal.after(removeFolders);

terminal('it appears, and is gone before the answer', async () => {
  for (const line of ['bash producer.sh | palabre-fmt -e', 'palabre-fmt run -- bash producer.sh']) {
    const stage = newStage();
    const session = inTerminal(stage, line);
    await session.drawn();
    assert.not.match(session.raw, /Spaces/);
    stage.go();
    assert.is(await session.ended(), 0, line);
    const answer = session.raw.slice(session.raw.lastIndexOf(SHOW_CURSOR));
    assert.match(answer, /│ Spaces, since/, line);
    assert.match(answer, /1 of 2 answered/, line);
  }
});

terminal('after Ctrl+C the final events of the producer are shown', async () => {
  for (const [line, status] of [
    ['bash producer.sh | palabre-fmt -e', 130],
    ['bash producer.sh | palabre-fmt', 0],
    ['palabre-fmt run -- bash producer.sh', 130],
  ] as const) {
    const session = inTerminal(newStage(), line);
    await session.drawn();
    session.type(CTRL_C);
    assert.is(await session.ended(), status, line);
    assert.match(session.raw, /▲ Cancelled · 0 of 2 answered[^\r]*\r\n│ Stopped by the reader\./, line);
    assert.is(session.raw.match(/Cancelled/g)!.length, 1, 'one line says what came of it');
  }
});

terminal('a second Ctrl+C ends at once', async () => {
  const stage = newStage({ interrupted: ':' });
  const session = inTerminal(stage, 'palabre-fmt -e < <(bash producer.sh)');
  await session.drawn();
  session.type(CTRL_C);
  await until('the echo', () => session.raw.includes('^C'));
  // The first of these may have been on its way when the signal came.
  await session.drawn(session.raw.length, 3);
  session.type(CTRL_C);
  assert.is(await session.ended(), 130);
  assert.not.match(session.raw, /Cancelled|Spaces/);
});

terminal('SIGTERM and SIGHUP leave the terminal clean', async () => {
  for (const [signal, status, options] of [
    ['SIGTERM', 143, ''],
    ['SIGHUP', 129, ''],
    ['SIGTERM', 143, '-g .'],
    ['SIGHUP', 129, '-g .'],
  ] as const) {
    const stage = newStage();
    const session = inTerminal(
      stage,
      `(exec '${process.execPath}' '${PROGRAM}' ${options} < <(bash producer.sh)) & echo $! > pid; wait $!`,
    );
    await session.drawn();
    process.kill(Number(stage.read('pid')), signal);
    assert.is(await session.ended(), status);
  }
});

terminal('a terminal that is closed ends it', async () => {
  const stage = newStage({ interrupted: ':' });
  const session = inTerminal(
    stage,
    `(exec '${process.execPath}' '${PROGRAM}' < <(trap '' HUP; bash producer.sh)) & echo $! > pid; wait $!`,
  );
  await session.drawn();
  const pid = Number(stage.read('pid'));
  session.child.kill('SIGKILL');
  await once(session.child, 'close');
  await until('the end', () => !isRunning(pid));
});

terminal('findings stand above it, and a stream that breaks off leaves none', async () => {
  const stage = newStage({
    thinking: `wait_for bad; echo '{"v":1,"type":"notice"}'
               wait_for cut; exit`,
  });
  const session = inTerminal(stage, 'bash producer.sh | palabre-fmt');
  await session.drawn();
  stage.write('bad', '');
  await until('the finding', () => session.raw.includes(`${SHOW_CURSOR}palabre-fmt: stdin:4: `));
  await session.drawn(session.raw.length);
  stage.write('cut', '');
  assert.is(await session.ended(), 1);
});

terminal('what has its mark in place is not said again on the same screen', async () => {
  const stream = `echo '{"v":1,"type":"message"'; echo '{"v":2,"type":"x"}'; echo '{"v":1,"type":"notice"}'; cat start.ndjson`;
  const marks = /▲ line 1: broken JSON[\s\S]*▲ line 2: stream version 2[\s\S]*▲ The stream ends here/;
  const finding = /palabre-fmt: stdin:\d+: ([\w-]+)/g;
  const codes = (raw: string) => [...raw.matchAll(finding)].map(([, code]) => code);
  const all = ['not-an-event', 'unsupported-version', 'invalid-field', 'missing-done'];
  const table: [typed: string, file: string | undefined, onScreen: string[]][] = [
    [`(${stream}) | palabre-fmt`, undefined, ['invalid-field']],
    [`(${stream}) | palabre-fmt --compact`, undefined, ['invalid-field']],
    // Elsewhere everything is told: the one who reads it sees no marks.
    [`(${stream}) | palabre-fmt 2> errors`, 'errors', []],
    [`(${stream}) | palabre-fmt > out`, undefined, all],
    [`(${stream}) | palabre-fmt filter`, undefined, all],
    // A session that was left out shows nothing.
    [`(${stream}) | palabre-fmt --session 2`, undefined, all],
  ];
  for (const [typed, file, expected] of table) {
    const stage = newStage();
    const session = inTerminal(stage, typed);
    assert.is(await session.ended(), 1, typed);
    assert.equal(codes(session.raw), expected, typed);
    if (file) assert.equal(codes(stage.read(file)), all, typed);
    if (typed.endsWith('palabre-fmt')) assert.match(session.raw, marks);
  }
});

terminal('nobody thinks between one input and the next', async () => {
  const stage = newStage();
  const rest = '<(wait_for go)';
  const session = inTerminal(stage, `palabre-fmt <(cat start.ndjson) ${rest}`, { NODE_OPTIONS: TICKS });
  await until('the first input', () => session.raw.includes('The stream ends here'));
  const ticks = () => (stage.has('ticks') ? stage.read('ticks').length : 0);
  const before = ticks();
  await until('the time for the line to be drawn', () => ticks() > before + 5);
  assert.not.match(session.raw, DRAWN);
  stage.go();
  assert.is(await session.ended(), 1);
});

terminal('a fault of the program itself leaves the terminal clean', async () => {
  const stage = newStage();
  const source = fileURLToPath(new URL('../../src/', import.meta.url));
  stage.write(
    'fault.mjs',
    `import { existsSync } from 'node:fs';
     import { createStyle } from '${source}terminal/style.ts';
     import { createLive } from '${source}terminal/live.ts';
     const live = createLive(process.stdout, createStyle({ level: 0 }));
     live.show({ agent: 'codex', since: Date.now() });
     setInterval(() => { if (existsSync('go')) throw new Error('a fault'); }, 50);`,
  );
  const tsx = import.meta.resolve('tsx');
  const session = inTerminal(stage, `'${process.execPath}' --import '${tsx}' fault.mjs`);
  await session.drawn();
  stage.go();
  assert.is(await session.ended(), 1);
  assert.match(session.raw, /a fault/);
});

terminal('there is none in a pipe, from a file, with --compact, on a dumb terminal and in CI', async () => {
  for (const [line, env] of [
    ['bash producer.sh | palabre-fmt | cat', {}],
    ['cat start.ndjson end.ndjson > all.ndjson; palabre-fmt all.ndjson; palabre-fmt < all.ndjson', {}],
    ['bash producer.sh | palabre-fmt --compact', {}],
    ['bash producer.sh | palabre-fmt', { TERM: 'dumb' }],
    ['bash producer.sh | palabre-fmt', { CI: 'true' }],
  ] as const) {
    const stage = newStage({ thinking: 'wait_for_ticks; touch go' });
    const session = inTerminal(stage, line, { NODE_OPTIONS: TICKS, ...env });
    assert.is(await session.ended(), 0, line);
    assert.match(session.raw, /codex[\s\S]*Spaces/, line);
    assert.not.match(session.raw, DRAWN, line);
    assert.not.match(session.raw, /\x1b/, line);
  }
});

terminal('the export is a link where the terminal knows links, and colour is wanted', async () => {
  const link = '\x1b]8;;file:///home/user/a.md\x1b\\/home/user/a.md\x1b]8;;\x1b\\';
  for (const [env, shown] of [
    [{ NO_COLOR: '', FORCE_HYPERLINK: '1' }, link],
    [{ NO_COLOR: '', FORCE_HYPERLINK: '0' }, ' /home/user/a.md\r\n'],
    [{ NO_COLOR: '1', FORCE_HYPERLINK: '1' }, ' /home/user/a.md\r\n'],
  ] as const) {
    const stage = newStage();
    stage.write('done.ndjson', `${DONE.replace('null', '"/home/user/a.md"')}\n`);
    const session = inTerminal(stage, 'palabre-fmt done.ndjson', env);
    assert.is(await session.ended(), 0);
    assert.ok(session.raw.includes(shown), JSON.stringify([env, session.raw]));
  }
});

terminal.run();

const hasTmux = spawnSync('tmux', ['-V']).status === 0;
if (!hasTmux) console.log('no tmux on this machine: the tests of what a person sees are skipped');
const screen = suite('live line on a screen');
const onScreen = hasTmux ? screen : screen.skip;

/** Runs a line of shell, or an interactive shell without one, on a screen of 80 by 24. */
function onNewScreen(stage: TestStage, line?: string) {
  const socket = join(stage.folder, `tmux-${sockets.length}`);
  sockets.push(socket);
  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-u', '-S', socket, '-f', '/dev/null', ...args], {
      cwd: stage.folder,
      env: ENV,
      encoding: 'utf8',
    });
  const command = line === undefined ? 'bash --norc' : `${stage.script(line)}; sleep 600`;
  tmux('new-session', '-d', '-x', '80', '-y', '24', command);
  /** What is seen; lines that the terminal itself has wrapped are one. */
  const seen = () =>
    tmux('capture-pane', '-p', '-J', '-S', '-')
      .replace(/[^\S\n]+$/gm, '')
      .trimEnd();
  return {
    seen,
    see: (pattern: RegExp) => until(String(pattern), () => pattern.test(seen())),
    keys: (...keys: string[]) => tmux('send-keys', ...keys),
    resize: (columns: number) => tmux('resize-window', '-x', `${columns}`, '-y', '24'),
    cursor: () => tmux('display-message', '-p', '#{cursor_flag}').trim(),
  };
}

const sockets: string[] = [];
screen.after(() => {
  for (const socket of sockets) spawnSync('tmux', ['-S', socket, 'kill-server'], { stdio: 'ignore' });
  removeFolders();
});

onScreen('it stands below what was printed, and leaves the screen as it would be without it', async () => {
  const stage = newStage();
  const session = onNewScreen(stage, 'bash producer.sh | palabre-fmt');
  await session.see(DRAWN);
  assert.match(session.seen(), /\n│ Folder[^\n]+\n\n[^\n]+ 1\/2 · codex · \d:\d\d$/);
  assert.is(session.cursor(), '0');
  stage.go();
  await session.see(/status 0/);
  assert.is(session.cursor(), '1');
  const without = onNewScreen(stage, 'palabre-fmt <(cat start.ndjson end.ndjson) -w 80 | cat');
  await without.see(/status 0/);
  // Only a terminal has a clock: how long it took.
  assert.is(session.seen().replace(/(answered|\(critic\)) · .*/g, '$1'), without.seen());
});

onScreen('it stays on the last row of a full screen', async () => {
  const stage = newStage();
  const session = onNewScreen(stage, 'seq 100; bash producer.sh | palabre-fmt');
  await session.see(DRAWN);
  assert.match(session.seen(), /^1\n2\n[\s\S]*\n99\n100\n── Debate[\s\S]*\n\n. 1\/2 · codex · \d:\d\d$/);
  stage.go();
  await session.see(/status 0/);
  assert.match(
    session.seen(),
    /^1\n2\n[\s\S]*\n99\n100\n── Debate[\s\S]*\n● 1\/2 codex \(critic\)[^\n]*\n│ Spaces/,
  );
  assert.not.match(session.seen(), DRAWN);
});

onScreen('what another program writes meanwhile is whole, and so is the line', async () => {
  const stage = newStage({
    thinking: `
      wait_for one; echo 'a warning' >&2
      wait_for two; printf 'half a line' >&2
      wait_for three; printf ', and its end\\nwith a second one after it\\n' >&2
      wait_for four; echo '${NOTICE}'`,
  });
  const session = onNewScreen(stage, 'bash producer.sh | palabre-fmt');
  const above = '\n│ Folder   /work\n';
  const below = '\n\n?[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] 1/2 · codex · \\d:\\d\\d$';
  const after = (text: string) => new RegExp(above + text + below);
  await session.see(after(''));
  stage.write('one', '');
  await session.see(after('a warning\n'));
  stage.write('two', '');
  await session.see(after('a warning\nhalf a line'));
  stage.write('three', '');
  await session.see(after('a warning\nhalf a line, and its end\nwith a second one after it\n'));
  stage.write('four', '');
  const text = 'a warning\nhalf a line, and its end\nwith a second one after it\n\n· one\n│ two\n';
  await session.see(after(text));
  stage.go();
  await session.see(/status 0/);
  assert.ok(session.seen().includes(`${above}${text}\n● 1/2 codex (critic)`), session.seen());
});

onScreen('what comes after a resize has the new width', async () => {
  const stage = newStage();
  const session = onNewScreen(stage, 'bash producer.sh | palabre-fmt');
  await session.see(DRAWN);
  session.resize(40);
  await session.see(/\n\n. 1\/2 · codex · \d:\d\d$/);
  session.resize(9);
  await session.see(/\n\n. 0:\d\d$/);
  session.resize(40);
  await session.see(/\n\n. 1\/2 · codex · \d:\d\d$/);
  stage.go();
  await session.see(/status 0/);
  const lines = session.seen().split('\n');
  assert.is(lines.filter((each) => each.startsWith('──')).join().length, 72);
  const from = lines.findIndex((each) => each.startsWith('● 1/2 codex (critic)')) + 1;
  const answer = lines.slice(from, lines.indexOf('', from));
  assert.ok(
    answer.every((each) => each.startsWith('│ ') && each.length <= 40),
    answer.join('\n'),
  );
  assert.is(answer.map((each) => each.slice(2)).join(' '), LONG);
});

onScreen('Ctrl+Z gives the terminal back until the program goes on', async () => {
  const stage = newStage();
  stage.script('');
  const session = onNewScreen(stage);
  session.keys(`PS1='ready '; '${process.execPath}' '${PROGRAM}' < <(bash producer.sh)`, 'Enter');
  await session.see(DRAWN);
  session.keys('C-z');
  await session.see(/Stopped[\s\S]*ready$/);
  assert.not.match(session.seen(), DRAWN);
  assert.is(session.cursor(), '1');
  session.keys('clear; fg', 'Enter');
  await session.see(DRAWN);
  stage.go();
  await session.see(/│ Spaces[\s\S]*ready$/);
  assert.is(session.cursor(), '1');
});

screen.run();
