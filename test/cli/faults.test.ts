/** The world breaks: inputs that change or fail under the reader, outputs that fill up, signals at any moment. */
import { type ChildProcess, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { path, read } from '../fixtures.ts';
import { CALLS, execute, tryStream } from '../fuzz/execute.ts';
import { mutated } from '../fuzz/mutate.ts';
import { type Ended, ended, listening, PROGRAM, run, send, shell, soon, start, until } from '../process.ts';
import { pick, randomOf } from '../random.ts';

const faults = suite('faults', { folder: '' });

faults.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'palabre-fmt-faults-'));
});
faults.after.each((context) => {
  rmSync(context.folder, { recursive: true, force: true });
});

/** What no output of ours may look like. */
const STACK_TRACE = /^ {4}at |node:internal|unexpected:/m;

/** How a program ends; never with a stack trace. */
async function outcome(program: Promise<Ended>, what: string): Promise<Ended> {
  const result = await soon(program, what);
  assert.not.match(result.stderr, STACK_TRACE, what);
  return result;
}

function notices(from: number, to: number): string {
  let text = '';
  for (let n = from; n < to; n++)
    text += `{"v":1,"type":"notice","message":"${String(n).padStart(80, '.')}"}\n`;
  return text;
}

/** Enough that pipes and buffers are full long before the end. */
const MANY = 20_000;

/** Starts a filter of a large file whose output nobody takes yet; gives it back once it has begun to write. */
async function half(file: string): Promise<ChildProcess> {
  writeFileSync(file, notices(0, MANY));
  const child = start(['filter', file]);
  await new Promise((resolve) => child.stdout!.once('readable', resolve));
  return child;
}

faults('an input that is deleted while it is read is read to its end', async ({ folder }) => {
  const file = join(folder, 'gone.ndjson');
  const child = await half(file);
  unlinkSync(file);
  const { status, stdout } = await outcome(ended(child), 'deleted');
  assert.is(stdout, notices(0, MANY));
  assert.is(status, 0);
});

faults('an input that grows while it is read is read to its new end', async ({ folder }) => {
  const file = join(folder, 'grows.ndjson');
  const child = await half(file);
  appendFileSync(file, notices(MANY, MANY + 10));
  const { status, stdout } = await outcome(ended(child), 'growing');
  assert.is(stdout, notices(0, MANY + 10));
  assert.is(status, 0);
});

faults('an input that shrinks while it is read ends there, and no line is made up', async ({ folder }) => {
  const file = join(folder, 'shrinks.ndjson');
  const child = await half(file);
  truncateSync(file, 1000);
  const { status, stdout, stderr } = await outcome(ended(child), 'shrinking');
  assert.ok(notices(0, MANY).startsWith(stdout), 'the lines are those of the file');
  assert.ok(stdout.endsWith('\n'));
  // Where the end fell into a line, that line is told of.
  if (status === 1) assert.match(stderr, /^palabre-fmt: .*shrinks\.ndjson:\d+: truncated-line: /);
  else assert.is(`${status} ${stderr}`, '0 ');
});

faults('what cannot be read is named, and the others are read', async ({ folder }) => {
  const rest = path('ask');
  const cases = [
    // A folder as a file, and as stdin.
    {
      line: `palabre-fmt filter '${folder}' '${rest}'`,
      stderr: `palabre-fmt: ${folder}: Is a directory; name the files in it: FOLDER/*.ndjson\n`,
    },
    {
      line: `palabre-fmt filter /proc/self/mem '${rest}'`,
      stderr: 'palabre-fmt: /proc/self/mem: Input/output error\n',
    },
    { line: `palabre-fmt filter - '${rest}' < '${folder}'`, stderr: 'palabre-fmt: stdin: Is a directory\n' },
    // An input that is open for writing only.
    {
      line: `palabre-fmt filter - '${rest}' 0>/dev/null`,
      stderr: 'palabre-fmt: stdin: bad file descriptor\n',
    },
    // A loop of links; a file as a folder.
    {
      line: `ln -s a b; ln -s b a; palabre-fmt filter a '${rest}'`,
      stderr: 'palabre-fmt: a: Too many levels of symbolic links\n',
    },
    { line: `palabre-fmt filter '${rest}/x' '${rest}'`, stderr: `palabre-fmt: ${rest}/x: Not a directory\n` },
  ];
  for (const { line, stderr } of cases) {
    const result = await outcome(shell(line, { cwd: folder }), line);
    assert.is(result.stdout, read('ask'), line);
    assert.is(result.stderr, stderr, line);
    assert.is(result.status, 2, line);
  }
  // Not the option --session, which the name resembles.
  const line = 'mkdir sessions; palabre-fmt sessions';
  const { stderr } = await outcome(shell(line, { cwd: folder }), line);
  assert.is(stderr, 'palabre-fmt: sessions: Is a directory; name the files in it: FOLDER/*.ndjson\n');
});

faults('an input that fails in the middle is named once', async () => {
  // The memory of a process can be opened; its first page cannot be read.
  const { stdout, stderr, status } = await outcome(
    run(['filter', '/proc/self/mem', path('ask')]),
    'a failing read',
  );
  assert.is(stdout, read('ask'));
  assert.match(stderr, /^palabre-fmt: \/proc\/self\/mem: \S[^\n]*\n$/);
  assert.is(status, 2);
});

faults('a thousand files are read, with few descriptors', async ({ folder }) => {
  const names = Array.from({ length: 1000 }, (_, n) => `${String(n).padStart(4, '0')}.ndjson`);
  for (const [n, name] of names.entries()) writeFileSync(join(folder, name), notices(n, n + 1));
  const line = 'ulimit -n 64; palabre-fmt filter *.ndjson';
  const { stdout, stderr, status } = await outcome(shell(line, { cwd: folder }), 'a thousand files');
  assert.is(stdout, notices(0, 1000));
  assert.is(stderr, '');
  assert.is(status, 0);
  for (const name of names) unlinkSync(join(folder, name));
  const missing = await outcome(run(['filter', ...names], { cwd: folder }), 'a thousand missing files');
  assert.is(missing.stderr.split('\n').length, 1001);
  assert.is(missing.status, 2);
});

faults('a stdout that takes nothing is an error of every command', async () => {
  const ask = path('ask');
  for (const command of [
    'encode hello',
    `run -- cat '${ask}'`,
    `run --as filter -- cat '${ask}'`,
    'completion bash',
  ]) {
    const full = await outcome(shell(`palabre-fmt ${command} > /dev/full`), command);
    assert.is(full.stderr, 'palabre-fmt: stdout: No space left on device\n', command);
    assert.is(full.status, 2, command);
  }
  for (const command of ['pretty', 'markdown', 'filter', 'validate']) {
    const { stderr, status } = await outcome(shell(`palabre-fmt ${command} '${ask}' 1</dev/null`), command);
    assert.match(stderr, /^palabre-fmt: stdout: \S[^\n]*\n$/, command);
    assert.is(status, 2, command);
  }
});

faults('a stdout that closes at any moment ends every command in quiet', async ({ folder }) => {
  const file = join(folder, 'many.ndjson');
  writeFileSync(file, notices(0, MANY));
  for (const command of ['pretty', 'markdown --notices', 'filter', 'validate', 'filter -x message']) {
    for (const bytes of [0, 70_000]) {
      const line = `palabre-fmt ${command} '${file}' | head -c ${bytes} > /dev/null; echo "\${PIPESTATUS[0]}"`;
      const { stdout, stderr } = await outcome(shell(line), line);
      assert.is(`${stdout}${stderr}`, '0\n', line);
    }
  }
});

faults('a stderr that fills up or closes changes neither the output nor the status', async () => {
  const noisy = `(yes noise | head -500; cat '${path('ask')}')`;
  for (const redirection of ['2>/dev/full', '2>&-', '2> >(head -c 10 >/dev/null)']) {
    const line = `${noisy} | palabre-fmt filter ${redirection}; echo "status $?"`;
    const { stdout } = await outcome(shell(line), line);
    assert.is(stdout, `${read('ask')}status 1\n`, line);
  }
});

faults('-m gives its lines however the input is cut', async () => {
  const stream = Buffer.from(notices(0, 10));
  const bytes = Array.from(stream, (byte) => Buffer.of(byte));
  assert.is((await execute(['filter', '-m', '3'], bytes)).stdout, notices(0, 3));
  assert.is((await execute(['filter', '-m', '3'], [stream])).stdout, notices(0, 3));
});

faults('broken streams of all kinds: no crash, no trace, no good line lost', async () => {
  for (let seed = 1; seed <= 400; seed++) {
    const random = randomOf(seed);
    const call = pick(CALLS, random);
    assert.is(await tryStream(call, mutated(random), random), undefined, `seed ${seed}: ${call.join(' ')}`);
  }
});

faults('every promise of SECURITY.md names a test that exists', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const file = (name: string) => readFileSync(`${root}${name}`, 'utf8');
  const rows = file('SECURITY.md')
    .split('\n')
    .filter((line) => /^\| .*\.test\.ts/.test(line));
  assert.ok(rows.length > 15);
  for (const row of rows) {
    const names = [...row.matchAll(/`([\w/-]+\.test\.ts) › ([^`]+)`/g)];
    assert.ok(names.length > 0, row);
    for (const [, test, name] of names)
      assert.ok(file(`test/${test}`).includes(`'${name}'`), `${test} › ${name}`);
  }
  const promises = file('SECURITY.md')
    .split('## What is not promised')[0]!
    .split('## What each output promises')[1]!;
  const untested = promises
    .split('\n')
    .filter((line) => /^\| (?!promise)/.test(line) && !rows.includes(line));
  assert.equal(untested, []);
});

// The file that -o writes.

const LONG = 40;

/** A Markdown transcript that is too long for the limit of {@link limited}. */
function longInput(folder: string): string {
  const file = join(folder, 'in.ndjson');
  writeFileSync(file, read('ask').repeat(LONG));
  return file;
}

/** A line of shell in which no file may grow over 8 KiB. */
function limited(line: string): string {
  return `trap '' XFSZ; ulimit -f 8; ${line}`;
}

faults('-o after a write error: the old file stands, and nothing beside it', async ({ folder }) => {
  const input = longInput(folder);
  const target = join(folder, 'out.md');
  writeFileSync(target, 'old');
  const line = limited(`palabre-fmt md -o '${target}' '${input}'`);
  const { stderr, status } = await outcome(shell(line), line);
  assert.is(stderr, `palabre-fmt: ${target}: File too large\n`);
  assert.is(status, 2);
  assert.is(readFileSync(target, 'utf8'), 'old');
  assert.equal(readdirSync(folder).sort(), ['in.ndjson', 'out.md']);
});

faults('-o beside a --tee that cannot be written leaves nothing', async ({ folder }) => {
  const tee = join(folder, 'no/copy');
  const { stderr, status } = await run(['md', '-o', join(folder, 'out.md'), '--tee', tee, path('ask')]);
  assert.is(stderr, `palabre-fmt: ${tee}: No such file or directory\n`);
  assert.is(status, 2);
  assert.equal(readdirSync(folder), []);
});

faults('--tee after a write error: said once, and the rest is shown', async ({ folder }) => {
  const input = longInput(folder);
  const line = limited(`palabre-fmt --tee '${join(folder, 'copy')}' '${input}' | cksum`);
  const whole = await shell(`palabre-fmt '${input}' | cksum`);
  const { stdout, stderr } = await outcome(shell(line), line);
  assert.is(stdout, whole.stdout);
  assert.is(stderr, `palabre-fmt: ${join(folder, 'copy')}: File too large\n`);
});

faults('--tee to a pipe whose reader leaves: said once, and the rest is shown', async ({ folder }) => {
  const input = longInput(folder);
  const line = `mkfifo pipe; head -c 1 pipe > /dev/null & palabre-fmt --compact --tee pipe '${input}' | wc -l; echo "\${PIPESTATUS[0]}"`;
  const { stdout, stderr } = await outcome(shell(line, { cwd: folder }), line);
  const lines = (await run(['--compact', input])).stdout.split('\n').length - 1;
  assert.is(stdout, `${lines}\n2\n`);
  assert.match(stderr, /^palabre-fmt: pipe: \S[^\n]*\n$/);
});

faults('-o after a signal: the old file stands, and nothing beside it', async ({ folder }) => {
  const target = join(folder, 'out.md');
  for (const [signals, status] of [
    [['SIGINT', 'SIGINT'], 130],
    [['SIGTERM'], 143],
    [['SIGHUP'], 129],
  ] as const) {
    writeFileSync(target, 'old');
    const child = start(['md', '-o', target]);
    const end = ended(child);
    child.stdin!.write(read('ask'));
    await until('the file beside it', () => readdirSync(folder).length === 2);
    await listening(child);
    for (const signal of signals) await send(child, signal);
    assert.is((await outcome(end, signals.join())).status, status);
    assert.is(readFileSync(target, 'utf8'), 'old');
    assert.equal(readdirSync(folder), ['out.md']);
  }
});

faults('-o after the first Ctrl+C: the whole transcript', async ({ folder }) => {
  const target = join(folder, 'out.md');
  const child = start(['md', '-o', target]);
  const end = ended(child);
  child.stdin!.write(read('ask').slice(0, 1000));
  await until('the file beside it', () => readdirSync(folder).length === 1);
  await listening(child);
  await send(child, 'SIGINT');
  child.stdin!.end(read('ask').slice(1000));
  assert.is((await outcome(end, 'the first Ctrl+C')).status, 0);
  assert.is(readFileSync(target, 'utf8'), (await run(['md', path('ask')])).stdout);
});

faults('a signal at any moment before anything was read ends it', async () => {
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
    for (const moment of ['at once', 'when it listens']) {
      const child = start(['pretty']);
      const end = ended(child);
      if (moment === 'when it listens') await listening(child);
      await send(child, signal);
      // A first Ctrl+C may be left to the producer, which ends here.
      if (signal === 'SIGINT') child.stdin!.end();
      const result = await outcome(end, `${signal} ${moment}`);
      const status = { SIGTERM: 143, SIGHUP: 129, SIGINT: 0 }[signal];
      assert.ok(result.signal === signal || result.status === status, `${signal}: ${result.status}`);
    }
  }
});

faults('--tee holds every byte that came before a signal', async ({ folder }) => {
  const copy = join(folder, 'copy.ndjson');
  for (const signals of [['SIGINT', 'SIGINT'], ['SIGTERM']] as const) {
    const child = start(['--tee', copy]);
    const end = ended(child);
    const piece = read('ask').slice(0, 1500);
    child.stdin!.write(piece);
    await until('the copy', () => existsSync(copy) && statSync(copy).size >= Buffer.byteLength(piece));
    for (const signal of signals) await send(child, signal);
    await outcome(end, signals.join());
    assert.is(readFileSync(copy, 'utf8'), piece);
    unlinkSync(copy);
  }
});

faults('-o keeps permissions and links', async ({ folder }) => {
  const transcript = (await run(['md', path('ask')])).stdout;
  const target = join(folder, 'out.md');
  const write = async (name: string) => {
    const { status, stderr } = await outcome(run(['md', '-o', name, path('ask')], { cwd: folder }), name);
    assert.is(`${status} ${stderr}`, '0 ', name);
  };

  writeFileSync(target, 'old');
  chmodSync(target, 0o640);
  symlinkSync('out.md', join(folder, 'link.md'));
  symlinkSync(join(folder, 'new.md'), join(folder, 'dangling.md'));
  symlinkSync('link.md', join(folder, 'twice.md'));
  await write('twice.md');
  assert.is(readFileSync(target, 'utf8'), transcript);
  assert.is(statSync(target).mode & 0o777, 0o640);
  assert.ok(lstatSync(join(folder, 'link.md')).isSymbolicLink());
  assert.ok(lstatSync(join(folder, 'twice.md')).isSymbolicLink());
  await write('dangling.md');
  assert.is(readFileSync(join(folder, 'new.md'), 'utf8'), transcript);
  assert.ok(lstatSync(join(folder, 'dangling.md')).isSymbolicLink());
  assert.equal(readdirSync(folder).sort(), ['dangling.md', 'link.md', 'new.md', 'out.md', 'twice.md']);

  const masked = await shell(`umask 077; palabre-fmt md -o private.md '${path('ask')}'`, { cwd: folder });
  assert.is(masked.status, 0);
  assert.is(statSync(join(folder, 'private.md')).mode & 0o777, 0o600);
});

faults('-o may be a device or a pipe, not a folder or a loop', async ({ folder }) => {
  const transcript = (await run(['md', path('ask')])).stdout;
  assert.is((await run(['md', '-o', '/dev/null', path('ask')])).status, 0);
  assert.ok(lstatSync('/dev/null').isCharacterDevice());

  const pipe = `mkfifo pipe; cat pipe & palabre-fmt md -o pipe '${path('ask')}'; echo "status $?" >&2; wait`;
  const piped = await outcome(shell(pipe, { cwd: folder }), pipe);
  assert.is(piped.stdout, transcript);
  assert.is(piped.stderr, 'status 0\n');

  const before = readdirSync(folder).sort();
  const onFolder = await run(['md', '-o', folder, path('ask')]);
  assert.is(onFolder.stderr, `palabre-fmt: ${folder}: Is a directory\n`);
  assert.is(onFolder.status, 2);
  const loop = await outcome(
    shell(`ln -s x y; ln -s y x; palabre-fmt md -o x '${path('ask')}'`, { cwd: folder }),
    'loop',
  );
  assert.is(loop.stderr, 'palabre-fmt: x: Too many levels of symbolic links\n');
  assert.is(loop.status, 2);
  assert.equal(readdirSync(folder).sort(), [...before, 'x', 'y']);
});

faults('-o beside what a killed run left is written', async ({ folder }) => {
  // In a container the process id is always the same, so it is no name of one's own.
  // The shell becomes the program, so that its process id is known before.
  const line = `touch ".palabre-fmt-$$.tmp"; exec "$NODE" "$PROGRAM" md -o out.md '${path('ask')}'`;
  const env = { NODE: process.execPath, PROGRAM };
  const { status, stderr } = await outcome(shell(line, { cwd: folder, env }), 'left over');
  assert.is(`${status} ${stderr}`, '0 ');
  assert.is(readFileSync(join(folder, 'out.md'), 'utf8'), (await run(['md', path('ask')])).stdout);
});

faults('-o on a mount point says how else, and leaves it as it was', async ({ folder }) => {
  const line = `echo old > out.md; echo mounted > other; mount --bind other out.md && palabre-fmt md -o out.md '${path('ask')}'; echo "status $?"; cat out.md; ls -A`;
  const inOwnSpace = `unshare -rm bash -c "$(declare -f palabre-fmt); ${line.replaceAll('"', '\\"').replaceAll('$?', '\\$?')}"`;
  const { stdout, stderr } = await outcome(shell(inOwnSpace, { cwd: folder }), 'mount point');
  if (/unshare|mount:/.test(stderr)) {
    console.log('no mount points can be made on this machine: the test of -o on one is skipped');
    return;
  }
  assert.is(
    stderr,
    'palabre-fmt: out.md: It cannot be replaced by a new file; to write to it, use > instead of -o\n',
  );
  assert.is(stdout, 'status 2\nmounted\nother\nout.md\n');
});

// Named pipes.

faults('a named pipe that nobody has opened: every signal ends the wait', async ({ folder }) => {
  await shell('mkfifo pipe', { cwd: folder });
  for (const args of [['pipe'], ['filter', 'pipe'], ['--tee', 'pipe', path('ask')], ['md', '-o', 'pipe']]) {
    for (const [signal, status] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
      ['SIGHUP', 129],
    ] as const) {
      const child = start(args, { cwd: folder });
      const end = ended(child);
      await listening(child);
      await send(child, signal);
      assert.is((await outcome(end, `${signal}: ${args.join(' ')}`)).status, status, args.join(' '));
    }
  }
});

faults('a named pipe may be opened late, and its writer may still write after Ctrl+C', async ({ folder }) => {
  const pipe = join(folder, 'pipe');
  await shell('mkfifo pipe', { cwd: folder });
  const late = start(['filter', pipe]);
  const lateEnd = ended(late);
  await listening(late);
  writeFileSync(pipe, read('ask'));
  assert.is((await outcome(lateEnd, 'a late writer')).stdout, read('ask'));

  const child = start(['filter', pipe]);
  const end = ended(child);
  const isOpen = () =>
    readdirSync(`/proc/${child.pid}/fd`).some((fd) => linkOf(`/proc/${child.pid}/fd/${fd}`) === pipe);
  const writer = openSync(pipe, 'r+');
  await until('the pipe is open', isOpen);
  await send(child, 'SIGINT');
  writeSync(writer, read('ask'));
  closeSync(writer);
  const { status, stdout } = await outcome(end, 'last words');
  assert.is(stdout, read('ask'));
  assert.is(status, 0);
});

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

faults(
  '--tee and -o into a named pipe give every byte to a reader that comes late and is slow',
  async ({ folder }) => {
    const file = join(folder, 'many.ndjson');
    writeFileSync(file, notices(0, MANY));
    const whole = (await run(['md', '--notices', file])).stdout;
    for (const [args, expected] of [
      ['--compact --tee pipe', notices(0, MANY)],
      ['md --notices -o pipe', whole],
    ] as const) {
      assert.is(spawnSync('mkfifo', [join(folder, 'pipe')]).status, 0);
      const child = start([...args.split(' '), file], { cwd: folder });
      const end = ended(child);
      await listening(child);
      const reader = await outcome(
        shell('(dd bs=1 count=100000 status=none; cat) < pipe; rm pipe', { cwd: folder }),
        args,
      );
      assert.ok(reader.stdout === expected, args);
      assert.is((await outcome(end, args)).status, 0);
    }
  },
);

faults('a name that is not UTF-8, and an empty one, are told how to be given', async ({ folder }) => {
  const why = 'No such file or directory';
  const hint = 'a name that is not UTF-8 cannot be opened: palabre-fmt < FILE';
  // Written by the shell, since Node cannot write such a name.
  const made = await outcome(
    shell(`name=$(printf 'a\\377'); cp '${path('ask')}' "$name"; palabre-fmt "$name"`, { cwd: folder }),
    'made',
  );
  assert.is(made.stderr, `palabre-fmt: a\ufffd: ${why}; ${hint}\n`);
  assert.is(made.status, 2);
  const read = await outcome(shell(`palabre-fmt < "$(printf 'a\\377')"`, { cwd: folder }), 'read');
  assert.is(read.status, 0);
  assert.is((await run(['--tee', '', path('ask')])).stderr, `palabre-fmt: '': ${why}\n`);
});

// Files that are one.

faults('no output is an input, however it was opened', async ({ folder }) => {
  const ask = read('ask');
  const refused = 'Input file is output file\n';
  for (const [line, stderr, left] of [
    ['palabre-fmt filter a >> a', `palabre-fmt: stdout: ${refused}`, ask],
    ['palabre-fmt < a >> a', `palabre-fmt: stdout: ${refused}`, ask],
    ['palabre-fmt validate link >> a', `palabre-fmt: stdout: ${refused}`, ask],
    ['palabre-fmt hard >> a', `palabre-fmt: stdout: ${refused}`, ask],
    ['palabre-fmt encode < a >> a', `palabre-fmt: stdout: ${refused}`, ask],
    ['cat a | palabre-fmt filter - a >> a', `palabre-fmt: stdout: ${refused}`, ask],
    ['palabre-fmt --tee link a', `palabre-fmt: link: ${refused}`, ask],
    ['palabre-fmt md -o a < hard', `palabre-fmt: a: ${refused}`, ask],
    ['palabre-fmt a > a', `palabre-fmt: stdout: ${refused}`, ''],
    ['palabre-fmt run --as filter -- cat < a >> a', `palabre-fmt: stdout: ${refused}`, ask],
    ['palabre-fmt run --tee a -- cat < a', `palabre-fmt: a: ${refused}`, ask],
    ['palabre-fmt run --tee hard -- cat a', `palabre-fmt: hard: ${refused}`, ask],
    // The sentence would stand in the input.
    ['palabre-fmt validate --report json a 2>> a', '', ask],
    ['palabre-fmt filter -t mesage a 2>> a', '', ask],
    ['palabre-fmt encode < a 2>> a', '', ask],
    ['palabre-fmt run -- cat a 2>> a', '', ask],
    ['palabre-fmt a >> a 2>&1', '', ask],
    ['palabre-fmt --bogus a 2>> a', '', ask],
    ['palabre-fmt list -g "(" < a 2>> a', '', ask],
    ['palabre-fmt run --bogus -- cat a 2>> a', '', ask],
  ] as const) {
    writeFileSync(join(folder, 'a'), ask);
    await shell('ln -sf a link; ln -f a hard', { cwd: folder });
    const result = await outcome(shell(line, { cwd: folder }), line);
    assert.is(result.stderr, stderr, line);
    assert.is(result.status, 2, line);
    assert.is(readFileSync(join(folder, 'a'), 'utf8'), left, line);
  }
});

faults('no two outputs are one file', async ({ folder }) => {
  for (const line of [
    `palabre-fmt md --tee x -o x '${path('ask')}'`,
    `ln -s x link; palabre-fmt md --tee ./x -o link '${path('ask')}'`,
    `palabre-fmt --tee x '${path('ask')}' > x`,
    `palabre-fmt --tee /dev/stdout '${path('ask')}' > x`,
    `palabre-fmt --tee err '${path('ask')}' 2> err; s=$?; cat err >&2; (exit $s)`,
    `palabre-fmt md -o err '${path('ask')}' 2> err; s=$?; cat err >&2; (exit $s)`,
  ]) {
    const { stderr, status } = await outcome(shell(line, { cwd: folder }), line);
    assert.match(stderr, /^palabre-fmt: \S+: Two outputs are the same file\n$/, line);
    assert.is(status, 2, line);
    assert.is(existsSync(join(folder, 'x')) ? readFileSync(join(folder, 'x'), 'utf8') : '', '', line);
  }
  // Devices and pipes are no files, and stdout is none of the outputs beside -o.
  for (const line of [
    `palabre-fmt --tee /dev/null '${path('ask')}' > /dev/null`,
    `palabre-fmt --tee /dev/stdout '${path('ask')}' | cat > /dev/null`,
    `palabre-fmt md -o - '${path('ask')}' > y`,
    `palabre-fmt missing '${path('ask')}' > y 2>&1; [ $? = 2 ]`,
    `palabre-fmt md -o z '${path('ask')}' > z.log; palabre-fmt md -o y '${path('ask')}' >> y`,
  ]) {
    const { stderr, status } = await outcome(shell(line, { cwd: folder }), line);
    assert.is(`${status} ${stderr}`, '0 ', line);
  }
});

faults.run();
