/** How the program behaves between other programs: closed, full and slow outputs, and signals. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { path, read } from '../fixtures.ts';
import { ended, listening, PROGRAM, run, send, shell, soon, start, until } from '../process.ts';

const pipes = suite('pipes');

const COMMANDS = ['pretty', 'markdown --notices', 'filter', 'validate'];
const MESSAGE = '{"v":1,"type":"notice","message":"one of many"}';
/** The next piece that a program writes. */
async function piece(child: ReturnType<typeof start>): Promise<string> {
  const [chunk] = await soon(once(child.stdout!, 'data'), 'the next piece of output');
  return String(chunk);
}

pipes('an event appears when it arrives', async () => {
  for (const command of COMMANDS) {
    const child = start(command.split(' '));
    const end = ended(child);
    child.stdin!.write(`${MESSAGE}\n`);
    assert.match(await piece(child), /one of many/, command);
    child.stdin!.write(`${MESSAGE.replace('many', 'two')}\n`);
    assert.match(await piece(child), /one of two/, command);
    child.stdin!.end();
    assert.is((await end).status, 0);
  }
});

pipes('a reader that goes away is no error, and stops the writer', async () => {
  for (const command of COMMANDS) {
    const line = `set -o pipefail; yes '${MESSAGE}' | palabre-fmt ${command} | head -1; echo "\${PIPESTATUS[@]}"`;
    const { stdout, stderr } = await soon(shell(line), command);
    // `yes` dies of SIGPIPE (141) or is told of the closed pipe (1).
    assert.match(stdout, /\n(141|1) 0 0\n$/, command);
    assert.is(stderr, '', command);
  }
});

pipes('-m stops the writer too', async () => {
  const { stdout, stderr } = await soon(shell(`yes '${MESSAGE}' | palabre-fmt filter -m 2`), '-m');
  assert.is(stdout, `${MESSAGE}\n${MESSAGE}\n`);
  assert.is(stderr, '');
});

pipes('a full disk is an error, said once, with status 2', async () => {
  for (const command of [...COMMANDS, 'filter -c', 'schema', '--help', '--version']) {
    const { status, stderr } = await shell(`palabre-fmt ${command} < '${path('ask')}' > /dev/full`);
    assert.is(status, 2, command);
    assert.is(stderr, 'palabre-fmt: stdout: No space left on device\n', command);
  }
  const output = await run(['md', '-o', '/dev/full', path('ask')]);
  assert.is(output.status, 2);
  assert.is(output.stderr, 'palabre-fmt: /dev/full: No space left on device\n');
});

pipes('output into a slow pipe is never cut', async () => {
  // Nothing is lost on a reader that takes one byte at a time, for longer than a pipe has room.
  const slow = '(dd bs=1 count=100000 status=none; cat)';
  const line = `for i in $(seq 200); do cat '${path('debate-summary')}'; done | palabre-fmt filter | ${slow} | cksum`;
  const direct = `for i in $(seq 200); do cat '${path('debate-summary')}'; done | cksum`;
  assert.is((await shell(line)).stdout, (await shell(direct)).stdout);
  const help = await shell(`palabre-fmt schema | ${slow} | tail -c 2`);
  assert.is(help.stdout, '}\n');
});

/** So much more than any pipe or socket holds, each line another one. */
const MANY = Array.from(
  { length: 100_000 },
  (_, index) =>
    `{"v":1,"type":"notice","message":"Line ${index} is like no other one, ▲ nor as long as the next."}\n`,
).join('');

pipes('what a slow reader has not taken yet is not written over', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'palabre-fmt-'));
  try {
    const file = join(folder, 'many.ndjson');
    writeFileSync(file, MANY);
    for (const command of ['filter', 'validate', 'pretty']) {
      // Between programs of Node a pipe is a socket, which takes a part of what is written and the rest later.
      const child = start([command, file]);
      const pieces: Buffer[] = [];
      for await (const chunk of child.stdout!) {
        pieces.push(chunk);
        if (pieces.length % 50 === 1) for (let turn = 0; turn < 1000; turn++) await new Promise(setImmediate);
      }
      const text = String(Buffer.concat(pieces));
      const expected = command === 'pretty' ? MANY.replaceAll(/^.*"message":"(.*)"}$/gm, '· $1') : MANY;
      assert.is(text.length, expected.length, command);
      assert.ok(text === expected, command);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

pipes('a closed stdout or stderr ends quietly', async () => {
  const out = await shell(`palabre-fmt filter '${path('ask')}' >&-`);
  assert.not.match(out.stderr, / at |node:/);
  const err = await shell(`palabre-fmt filter missing.ndjson '${path('ask')}' 2>&-`);
  assert.is(err.stdout, read('ask'));
  assert.is(err.status, 2);
});

pipes('the first Ctrl+C is left to the producer, the second ends', async () => {
  const child = start(['pretty']);
  const end = ended(child);
  child.stdin!.write(`${MESSAGE}\n`);
  await piece(child);
  await send(child, 'SIGINT');
  child.stdin!.write(`${MESSAGE.replace('many', 'last words')}\n`);
  assert.match(await piece(child), /last words/);
  child.kill('SIGINT');
  assert.is((await soon(end, 'the second Ctrl+C')).status, 130);
});

pipes('a first Ctrl+C that was ignored leaves the status of the stream', async () => {
  for (const [name, status] of [
    ['debate-cancelled', 130],
    ['ask', 0],
  ] as const) {
    const child = start(['-e']);
    const end = ended(child);
    const [head, ...rest] = read(name).split('\n');
    child.stdin!.write(`${head}\n`);
    await piece(child);
    await send(child, 'SIGINT');
    child.stdin!.end(rest.join('\n'));
    assert.is((await soon(end, 'the end of the input')).status, status, name);
  }
});

pipes('the first Ctrl+C ends when the input is a file', async () => {
  // A reader that takes nothing keeps the program in the middle of its file.
  const files = Array.from({ length: 400 }, () => path('debate-summary'));
  const child = spawn(process.execPath, [PROGRAM, 'filter', ...files], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.once('readable', () => child.kill('SIGINT'));
  const [status] = await soon(once(child, 'exit'), 'Ctrl+C');
  assert.is(status, 130);
});

pipes('SIGTERM and SIGHUP end at once', async () => {
  for (const [signal, status] of [
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    const child = start(['pretty']);
    const end = ended(child);
    child.stdin!.write(`${MESSAGE}\n`);
    await piece(child);
    child.kill(signal);
    assert.is((await soon(end, signal)).status, status);
  }
});

/** Waits until a process has used processor time beyond what its start takes: it is in the regular expression. */
async function computing({ pid }: ReturnType<typeof start>): Promise<void> {
  const ticks = () =>
    readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /, '')
      .split(' ')
      .slice(11, 13)
      .map(Number);
  await until('it computes', () => ticks().reduce((a, b) => a + b) > 200);
}

pipes('a signal ends the search of a pattern that backtracks without end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'palabre-fmt-'));
  const file = join(folder, 'a.ndjson');
  const line = `${MESSAGE.replace('one', 'a'.repeat(60))}\n`;
  writeFileSync(file, line);
  for (const [signal, ...args] of [
    ['SIGINT', file],
    ['SIGTERM', file],
    ['SIGHUP', file],
    ['SIGTERM'],
    ['SIGHUP'],
  ] as const) {
    const child = start(['filter', '-g', '^(a+)+$', ...args]);
    const end = ended(child);
    child.stdin!.write(line);
    await computing(child);
    child.kill(signal);
    assert.is((await soon(end, `${signal} ${args}`)).signal, signal);
  }
  rmSync(folder, { recursive: true });
});

/** Has the program say its process id, whatever started it. */
const TELLS_PID = '--import=data:text/javascript,process.stderr.write(`pid_\x24{process.pid}_`)';
const PLAIN = '"$NODE" "$PROGRAM"';
const SHELLS = ['bash', 'dash', 'zsh'].filter((shell) => !spawnSync(shell, ['-c', 'true']).error);

/** What a shell prints whose command runs the program, which gets a SIGHUP while it reads: its text, and the status. */
async function afterHangup(shell: string, command: string): Promise<string> {
  const child = spawn(shell, ['-c', `${command}; echo "status $?"`], {
    env: { PATH: process.env['PATH'], NODE: process.execPath, PROGRAM, NODE_OPTIONS: TELLS_PID },
  });
  const end = ended(child);
  let told = '';
  child.stderr.on('data', (chunk) => {
    told += chunk;
  });
  child.stdin.on('error', () => {});
  child.stdin.write(`${MESSAGE}\n`);
  await soon(once(child.stdout, 'data'), `${shell}, ${command}: the first event`);
  const pid = Number(/pid_(\d+)_/.exec(told)?.[1]);
  assert.ok(pid, told);
  await send({ pid }, 'SIGHUP');
  child.stdin.end(read('ask'));
  return (await soon(end, `${shell}, ${command}`)).stdout;
}

pipes('a SIGHUP that was ignored stays ignored: nohup, and the trap of a shell', async () => {
  for (const shell of SHELLS) {
    const commands = [
      `trap '' HUP; ${PLAIN}`,
      `trap '' HUP; nohup ${PLAIN}`,
      `nohup ${shell} -c '${PLAIN}; exit $?'`,
      // dash does not say what it has started.
      ...(shell === 'dash' ? [] : [`nohup ${PLAIN}`]),
    ];
    for (const command of commands) {
      const printed = await afterHangup(shell, command);
      assert.match(printed, /Finished[\s\S]*\nstatus 0\n$/, `${shell}, ${command}`);
    }
  }
});

pipes('a SIGHUP that was ignored stays ignored: nohup at a terminal, by any shell', async () => {
  for (const shell of SHELLS) {
    const folder = mkdtempSync(join(tmpdir(), 'palabre-fmt-'));
    assert.is(spawnSync('mkfifo', ['pipe'], { cwd: folder }).status, 0);
    const command = `nohup ${PLAIN} pipe > out; echo "status $?" >> out`;
    const env = { PATH: process.env['PATH'], NODE: process.execPath, PROGRAM, NODE_OPTIONS: TELLS_PID };
    // What it prints on stderr goes to its stdout then, as nohup has it.
    const child = spawn('script', ['-qec', `exec ${shell} -c '${command}'`, '/dev/null'], {
      cwd: folder,
      env,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const end = once(child, 'exit');
    const out = () => (existsSync(join(folder, 'out')) ? readFileSync(join(folder, 'out'), 'utf8') : '');
    try {
      // One that nobody reads any more is for the status to tell.
      const writer = createWriteStream(join(folder, 'pipe')).on('error', () => {});
      writer.write(`${MESSAGE}\n`);
      await until(`${shell}: the first event`, () => out().includes('many'));
      await send({ pid: Number(/pid_(\d+)_/.exec(out())?.[1]) }, 'SIGHUP');
      writer.end(read('ask'));
      await soon(end, shell);
      assert.match(out(), /Finished[\s\S]*\nstatus 0\n$/, shell);
    } finally {
      child.kill();
      rmSync(folder, { recursive: true });
    }
  }
});

pipes('a SIGHUP that nobody ignored ends it with 129', async () => {
  for (const shell of SHELLS) {
    for (const command of [PLAIN, `setsid -w ${PLAIN}`]) {
      const printed = await afterHangup(shell, command);
      assert.match(printed, /many[\s\S]*\nstatus 129\n$/, `${shell}, ${command}`);
    }
  }
});

pipes('Ctrl+C ends what a person types to', async () => {
  for (const args of ['-', 'filter /dev/tty', 'md /dev/stdin']) {
    const env = { PATH: process.env['PATH'], NODE: process.execPath, PROGRAM, NODE_OPTIONS: TELLS_PID };
    const child = spawn('script', ['-qec', `trap : INT; ${PLAIN} ${args}; echo "status $?"`, '/dev/null'], {
      env,
    });
    const end = ended(child);
    let shown = '';
    child.stdout.on('data', (text) => {
      shown += text;
    });
    try {
      await until('its process id', () => /pid_\d+_/.test(shown));
      await listening({ pid: Number(/pid_(\d+)_/.exec(shown)![1]) });
      child.stdin.write('\x03');
      assert.match((await soon(end, args)).stdout, /status 130/, args);
    } finally {
      child.kill();
    }
  }
});

pipes('a pipe given as a file is a pipe', async () => {
  const { stdout, status } = await shell(`palabre-fmt filter <(cat '${path('ask')}')`);
  assert.is(stdout, read('ask'));
  assert.is(status, 0);
});

pipes('a pipe given as a file is given up as soon as nothing more is wanted', async () => {
  // The shell holds both ends of the pipe, so that it has no end.
  const pipe = 'cd "$(mktemp -d)"; mkfifo pipe; exec 3<> pipe; rm -r "$PWD"';
  const line = `${pipe}; echo '${MESSAGE}' >&3; palabre-fmt filter -m 1 /dev/fd/3`;
  assert.is((await soon(shell(line), '-m with a pipe as a file')).stdout, `${MESSAGE}\n`);
});

pipes('a terminal without input gets the usage, not silence', async () => {
  const { stdout } = await soon(
    shell(`script -qec "node '${PROGRAM}' filter; echo status \\$?" /dev/null`),
    'usage',
  );
  assert.match(stdout, /no input: no file is given, and stdin is a terminal/);
  assert.match(stdout, /Usage: palabre-fmt filter \[options\] \[file…\]\s+Try: palabre-fmt filter --help/);
  assert.match(stdout, /status 2/);
});

pipes.run();
