/** The other direction, and whole sessions: `encode`, `run`, and a Chat between the two. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BROKEN, path, read } from '../fixtures.ts';
import { ended, PROGRAM, run, send, shell, soon, start, until } from '../process.ts';
import { fc } from '../random.ts';

const chat = suite('chat');

let folder = '';
chat.before(() => {
  folder = mkdtempSync(join(tmpdir(), 'palabre-fmt-'));
  writeFileSync(join(folder, 'chat.mjs'), CHAT);
});
chat.after(() => rmSync(folder, { recursive: true, force: true }));

/** A Chat that repeats what it is told. `die` as a message is where it dies. */
const CHAT = `
import { createInterface } from 'node:readline';
const say = (type, fields) => process.stdout.write(JSON.stringify({ v: 1, type, ...fields }) + '\\n');
const at = { createdAt: '2026-02-11T10:00:00.000Z' };
const codex = { agent: 'codex', role: 'implementer' };
say('start', { mode: 'chat', topic: '', agents: [{ name: 'codex', role: 'implementer', type: 'cli' }], filesCount: 0,
  session: { startedAt: '2026-02-11T10:00:00.000Z', localDate: '2026-02-11', timeZone: 'UTC', cwd: '/home/user' } });
let outputPath = null;
for await (const line of createInterface({ input: process.stdin })) {
  const { type, content, agent } = JSON.parse(line);
  if (type === 'chat-end') { outputPath = '/home/user/x.chat.md'; break; }
  if (content === 'die') process.exit(7);
  if (type === 'chat-use') say('chat-agent-changed', { agent, role: 'critic' });
  if (type !== 'chat-send') continue;
  say('chat-user-message', { agent: 'user', role: 'architect', content, ...at });
  say('thinking-start', codex);
  say('thinking-end');
  say('chat-message', { ...codex, content: 'You said: ' + content, ...at });
}
say('done', { outputPath });
process.exit(0);
`;

/** The messages of encoded lines. */
const contents = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).content);

chat('arguments and lines of stdin are the same', async () => {
  const words = [
    'Hello',
    '/consult vibe',
    '/use claude',
    '/agents',
    '//end of it',
    '{"v":1,"type":"chat-agents"}',
    '/end',
  ];
  const expected = [
    '{"v":1,"type":"chat-send","content":"Hello"}',
    '{"v":1,"type":"chat-consult","agent":"vibe"}',
    '{"v":1,"type":"chat-use","agent":"claude"}',
    '{"v":1,"type":"chat-agents"}',
    '{"v":1,"type":"chat-send","content":"/end of it"}',
    '{"v":1,"type":"chat-agents"}',
    '{"v":1,"type":"chat-end"}',
    '',
  ].join('\n');
  const done = { status: 0, signal: null, stdout: expected, stderr: '' };
  assert.equal(await run(['encode', ...words, 'after the end']), done);
  for (const end of ['\n', '\r\n', '\n\n \n']) {
    assert.equal(await run(['encode'], { input: [...words, 'after the end'].join(end) }), done);
  }
});

chat('what is encoded passes validate --commands', async () => {
  const words = ['a', '/consult vibe', '/agents', 'line\nbreak', '\u2028', '/end'];
  const { stdout } = await run(['encode', ...words]);
  assert.equal(await run(['validate', '--commands', '--strict'], { input: stdout }), {
    status: 0,
    signal: null,
    stdout,
    stderr: '',
  });
});

chat('what a terminal or a runner would act on is an escape of JSON, and arrives as typed', async () => {
  const hostile = 'a\u202eb\u00ad\u200bc\x1b[2J ##vso[x]\u{e0041}';
  const passed = `{\t"v":1,\t"type":"chat-send","content":"${'x\u202e'}"}`;
  const { stdout, status } = await run(['encode', hostile, passed]);
  assert.is(status, 0);
  assert.not.match(stdout, /[^\n -~]|##/);
  assert.equal(contents(stdout), [hostile, 'x\u202e']);
});

chat('arguments arrive as typed', async () => {
  const words = ['1e3', '0x10', 'true', ' padded ', '--', '-5', '- item', '--literal'];
  assert.equal(contents((await run(['encode', ...words])).stdout), [
    '1e3',
    '0x10',
    'true',
    ' padded ',
    '-5',
    '- item',
    '--literal',
  ]);
});

chat('mistyped words are refused, said with their place, and nothing is sent of them', async () => {
  const { status, stdout, stderr } = await run(['encode'], {
    input: 'one\n/consutl vibe\n/end of the road\n/use\ntwo\n',
  });
  assert.is(status, 1);
  assert.equal(contents(stdout), ['one', 'two']);
  const lines = stderr.trim().split('\n');
  assert.match(
    lines[0]!,
    /^palabre-fmt: stdin:2: \/consutl is not a command; did you mean \/consult\?.* \/\/consutl$/,
  );
  assert.match(lines[1]!, /^palabre-fmt: stdin:3: \/end takes no argument.* \/\/end …$/);
  assert.match(lines[2]!, /^palabre-fmt: stdin:4: \/use needs the name of an agent/);
  assert.is(lines.length, 3);
  const json = await run(['encode', '{"v":1,"type":"chat-send"}', '{broken']);
  assert.is(json.status, 1);
  assert.is(json.stdout, '');
  assert.match(json.stderr, /^palabre-fmt: argument:1: invalid-field: .*\npalabre-fmt: argument:2: /);
});

chat('--literal, --whole and --null take everything for messages', async () => {
  assert.equal(contents((await run(['encode', '--literal'], { input: '/end\n{"v":1}\n//x\n' })).stdout), [
    '/end',
    '{"v":1}',
    '//x',
  ]);
  assert.equal(contents((await run(['encode', '--whole'], { input: '/end\r\n\n{x\n' })).stdout), [
    '/end\r\n\n{x\n',
  ]);
  assert.equal(contents((await run(['encode', '-0'], { input: 'a\nb\0/end\0c' })).stdout), [
    'a\nb',
    '/end',
    'c',
  ]);
});

chat('encode reads UTF-16, and reports what it cannot read', async () => {
  const utf16 = Buffer.from('\uFEFFhé', 'utf16le');
  for (const args of [['encode'], ['encode', '--whole'], ['encode', '-0']]) {
    const { status, stdout, stderr } = await run(args, { input: utf16 });
    assert.equal([status, stderr], [0, ''], args.join(' '));
    assert.equal(JSON.parse(stdout), { v: 1, type: 'chat-send', content: 'hé' });
  }
  const many = await run(['encode'], { input: '{\n'.repeat(25) });
  assert.is(many.status, 1);
  assert.is(many.stderr.trim().split('\n').length, 21);
  assert.match(many.stderr, /\npalabre-fmt: stdin: not-an-event: 5 more, not listed\n$/);
  const full = await shell('yes a | palabre-fmt encode > /dev/full');
  assert.is(full.stderr, 'palabre-fmt: stdout: No space left on device\n');
});

chat('any text that is one message comes back as it was', async () => {
  const character = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom(
      '\u2028',
      '\u2029',
      '\x85',
      '\0',
      '\x1b[2J',
      '\u202e',
      '\ufeff',
      '\r\n',
      '\n',
      '"',
      '\\',
      '😀',
      '{',
      '/end',
    ),
  );
  const text = fc
    .array(character, { minLength: 1, maxLength: 8 })
    .map((parts) => parts.join(''))
    .filter((s) => /\S/.test(s) && !s.startsWith('\ufeff'));
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 10, maxLength: 20 }), async (texts) => {
      // One process for many messages: NUL separates them, so it cannot be in them.
      const messages = texts.map((message) => message.replaceAll('\0', '␀'));
      const { stdout } = await run(['encode', '-0'], { input: messages.join('\0') });
      assert.equal(contents(stdout), messages);
    }),
    { numRuns: 10 },
  );
});

chat('each command is written at once', async () => {
  const child = start(['encode']);
  const end = ended(child);
  for (const text of ['one', 'two']) {
    const next = new Promise((resolve) => child.stdout!.once('data', (chunk) => resolve(String(chunk))));
    child.stdin!.write(`${text}\n`);
    assert.equal(contents(String(await next)), [text]);
  }
  child.stdin!.write('/exit\n');
  // Without the end of its input: /exit is enough.
  assert.is((await end).status, 0);
});

chat(
  'a conversation through both pipes ends on /end, on /exit, at the end of input, and when Chat dies',
  async () => {
    const talk = (input: string) =>
      shell(
        `set -o pipefail; printf '%b' '${input}' | palabre-fmt encode | node '${folder}/chat.mjs' | palabre-fmt -e; echo "$? \${PIPESTATUS[@]}"`,
      );
    const end = await talk('Hello\\n/use vibe\\n/end\\nnever\\n');
    assert.match(end.stdout, /You said: Hello[\s\S]*x\.chat\.md[\s\S]*\n0 0 0 0 0\n$/);
    assert.not.match(end.stdout, /never/);
    assert.is(end.stderr, '');
    for (const input of ['Hello\\n/exit\\nnever\\n', 'Hello\\n', 'Hello']) {
      const { stdout, stderr } = await talk(input);
      assert.match(stdout, /You said: Hello[\s\S]*\n0 0 0 0 0\n$/);
      assert.not.match(stdout, /never/);
      assert.is(stderr, '');
    }
    const dead = await talk('Hello\\ndie\\nafter\\n');
    assert.match(dead.stdout, /You said: Hello[\s\S]*\n1 0 0 7 1\n$/);
    assert.match(dead.stderr, /missing-done/);
  },
);

chat('typed at a terminal, encode prompts on stderr', async () => {
  const line = `'${process.execPath}' '${PROGRAM}' encode 2> said > sent`;
  const child = spawn('script', ['-qec', line, '/dev/null'], { cwd: folder });
  const end = ended(child);
  const said = () => readFileSync(join(folder, 'said'), 'utf8');
  await until('the prompt', () => existsSync(join(folder, 'said')) && said().endsWith('> '));
  child.stdin.write('hello\n');
  await until('the next prompt', () => said().endsWith('> > '));
  child.stdin.write('/exit\n');
  await soon(end, '/exit');
  assert.equal(contents(readFileSync(join(folder, 'sent'), 'utf8')), ['hello']);
  assert.match(said(), /\/consult AGENT[\s\S]*> > $/);
});

/** Waits for words on stderr. */
async function words(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  let said = '';
  child.stderr!.on('data', (chunk) => {
    said += chunk;
  });
  await until(String(pattern), () => pattern.test(said));
  return pattern.exec(said)!;
}

/** Runs `run -- …` and gives how it ended. */
const runs = (...command: string[]) => run(['run', '--', ...command]);

chat('run keeps the status of its command', async () => {
  assert.is((await runs('cat', path('ask'))).status, 0);
  assert.is((await runs('cat', path('ask'))).stdout, (await run([path('ask')])).stdout);
  assert.is((await runs('sh', '-c', `cat '${path('debate-crash')}'; exit 1`)).status, 1);
  assert.is((await runs('sh', '-c', `cat '${path('debate-cancelled')}'; exit 130`)).status, 130);
  assert.is((await runs('sh', '-c', 'exit 3')).status, 3);
  assert.is((await runs('sh', '-c', `cat '${path('ask')}'; kill -9 $$`)).status, 137);
  assert.is((await runs('sh', '-c', 'kill -TERM $$')).status, 143);
});

chat('run says how its command ended, where the session does not', async () => {
  const said = async (script: string, file = 'ask') =>
    (await runs('sh', '-c', `cat '${path(file)}'; ${script}`)).stderr;
  assert.is(await said('kill -9 $$'), 'palabre-fmt: sh was ended by signal 9 (SIGKILL)\n');
  assert.is(await said('exit 3'), 'palabre-fmt: sh exited with 3\n');
  assert.is(await said('exit 3', 'debate-crash'), 'palabre-fmt: sh exited with 3\n');
  assert.is(await said('exit 1', 'debate-crash'), '');
  assert.is(await said('exit 130', 'debate-cancelled'), '');
  assert.is((await run(['run', '-q', 'sh', '-c', 'exit 3'])).stderr, '');
});

chat('run says where a command that cannot be started fails', async () => {
  assert.equal(await runs('no-such-command'), {
    status: 127,
    signal: null,
    stdout: '',
    stderr: 'palabre-fmt: no-such-command: command not found\n',
  });
  const file = join(folder, 'plain.txt');
  writeFileSync(file, 'no program');
  chmodSync(file, 0o644);
  const { status, stderr } = await runs(file);
  assert.is(status, 126);
  assert.match(stderr, /plain\.txt: cannot be executed: Permission denied\n$/);
  // What Node refuses before it asks the system.
  const nameless = await runs('');
  assert.is(nameless.status, 127);
  assert.is(nameless.stderr, "palabre-fmt: '': command not found\n");
  const quoted = 'type the command and its arguments without quotes around them all';
  assert.is((await runs('palabre run')).stderr, `palabre-fmt: palabre run: command not found; ${quoted}\n`);
  const long = await runs('x'.repeat(5000));
  assert.is(long.status, 126);
  assert.is(long.stderr, `palabre-fmt: ${'x'.repeat(499)}…: cannot be executed: File name too long\n`);
  assert.is((await run(['run'])).status, 2);
  assert.is((await run(['run', '--'])).status, 2);
});

chat('run does not believe a 0 that its stream denies', async () => {
  const failed = await runs('cat', path('debate-crash'));
  assert.is(failed.status, 1);
  assert.is(failed.stderr, 'palabre-fmt: cat exited with 0, but its session failed\n');
  const silent = await runs('true');
  assert.is(silent.status, 1);
  assert.is(silent.stderr, 'palabre-fmt: true: empty: there is no event in it\n');
  const cancelled = await runs('cat', path('debate-cancelled'));
  assert.is(cancelled.status, 1);
  assert.is(cancelled.stderr, 'palabre-fmt: cat exited with 0, but its session was cancelled\n');
  const broken = await runs('cat', path(BROKEN));
  assert.is(broken.status, 1);
  assert.match(broken.stderr, /palabre-fmt: cat exited with 0, but its session has no end\n$/);
});

chat(
  'run waits for a command that goes on after its done, and leaves its stdin and stderr alone',
  async () => {
    const go = join(folder, 'go-on-after-done');
    const script = `read word; echo "told $word" >&2; cat '${path('ask')}'; until [ -e '${go}' ]; do sleep 0.05; done; exit 5`;
    const child = start(['run', '--', 'sh', '-c', script]);
    const end = ended(child);
    let shown = '';
    child.stdout!.on('data', (text) => {
      shown += text;
    });
    child.stdin!.end('typed\n');
    await until('its done', () => shown.includes('Finished'));
    writeFileSync(go, '');
    const { status, stdout, stderr } = await soon(end, 'the end of the command');
    assert.is(status, 5);
    assert.match(stdout, /Finished/);
    assert.is(stderr, 'told typed\npalabre-fmt: sh exited with 5\n');
  },
);

chat('run passes SIGTERM and SIGHUP on and ends as its command does', async () => {
  const script = `trap 'cat "${path('debate-cancelled')}"; exit 9' TERM HUP; echo '{"v":1,"type":"notice","message":"ready"}'; while :; do sleep 0.05; done`;
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
    const child = start(['run', '--', 'sh', '-c', script]);
    const end = ended(child);
    await new Promise((resolve) => child.stdout!.once('data', resolve));
    child.kill(signal);
    const { status, stdout } = await end;
    assert.is(status, 9);
    assert.match(stdout, /Cancelled/);
  }
});

chat('run listens until its command has ended, and no longer', async () => {
  // What it says of a stream without an end tells that it has read to the end of the pipe.
  const begun = `head -1 '${path('ask')}'; exec >&-`;
  const closed = start([
    'run',
    '--',
    'bash',
    '-c',
    `trap 'exit 9' TERM; ${begun}; while :; do sleep 0.05; done`,
  ]);
  const closedEnd = ended(closed);
  await words(closed, /missing-done/);
  await send(closed, 'SIGTERM');
  assert.is((await soon(closedEnd, 'the end of the command')).status, 9);

  // The command is gone, but something that it started still holds the pipe.
  const orphan = start(['run', '--', 'sh', '-c', `cat '${path('ask')}'; sleep 1000 & echo "pids $$ $!" >&2`]);
  const [, command, sleeper] = await words(orphan, /pids (\d+) (\d+)/);
  await until('the command has ended, and we know', () => !existsSync(`/proc/${command}`));
  const end = once(orphan, 'exit');
  await send(orphan, 'SIGTERM');
  assert.is((await soon(end, 'SIGTERM'))[0], 143);
  process.kill(Number(sleeper));
});

chat('run keeps the status of its command when not all of the stream was wanted', async () => {
  const wanted = (script: string) => run(['run', '--as', 'filter', '-m', '1', '--', 'sh', '-c', script]);
  assert.is((await wanted(`cat '${path('ask')}'; exit 4`)).status, 4);
  // A command that dies of the pipe that we closed did nothing wrong, whatever it says of it.
  const forever = `trap '' PIPE; while cat '${path('ask')}' 2> '${folder}/said'; do :; done`;
  for (const end of ['kill -PIPE $$', 'exit 141', 'exit 1', 'exit 120']) {
    const script = end.startsWith('kill') ? forever.replace("trap '' PIPE; ", '') : forever;
    assert.is((await wanted(`${script}; ${end}`)).status, 0, end);
  }
  assert.match(readFileSync(join(folder, 'said'), 'utf8'), /Broken pipe/);
  // But a command that breaks down says so.
  assert.is((await wanted(`${forever}; kill -ABRT $$`)).status, 134);
});

chat('the command of run can open its stdout by a name', async () => {
  const { status, stdout } = await run(['run', '--', 'sh', '-c', `cat '${path('ask')}' > /dev/stdout`]);
  assert.is(status, 0);
  assert.is(stdout, (await run([path('ask')])).stdout);
});

chat('a Ctrl+C before the command of run has started ends at once', async () => {
  // It comes in the very moment in which the program begins to listen.
  const interrupt = `process.on('newListener', (event) => {
    if (event === 'SIGINT') queueMicrotask(() => process.emit('SIGINT', 'SIGINT'));
  });`;
  const early = `--import=data:text/javascript,${encodeURIComponent(interrupt)}`;
  const started = join(folder, 'started');
  const { status } = await run(['run', '--', 'touch', started], { env: { NODE_OPTIONS: early } });
  assert.is(status, 130);
  assert.not.ok(existsSync(started));
});

chat('run under nohup lives through a SIGHUP, and so does its command', async () => {
  const script = `echo '{"v":1,"type":"notice","message":"ready"}'; until [ -e go ]; do sleep 0.05; done; cat '${path('ask')}'`;
  const line = `trap '' HUP; nohup "$NODE" "$PROGRAM" run -- sh -c "$SCRIPT" > out 2> err & echo $! > pid; wait $!; echo "status $?"`;
  // The group of a job, as a shell or a terminal that goes away hangs up on it.
  const child = spawn('bash', ['-c', line], {
    cwd: folder,
    detached: true,
    env: { PATH: process.env['PATH'], NODE: process.execPath, PROGRAM, SCRIPT: script },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = ended(child);
  const out = () => (existsSync(join(folder, 'out')) ? readFileSync(join(folder, 'out'), 'utf8') : '');
  await until('the first event', () => out().includes('ready'));
  const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
  process.kill(-child.pid!, 'SIGHUP');
  await send({ pid }, 'SIGHUP');
  writeFileSync(join(folder, 'go'), '');
  assert.is((await soon(end, 'the end')).stdout, 'status 0\n');
  assert.match(out(), /Finished/);
});

chat('run -e tells a cancelled session from a failed one', async () => {
  assert.is((await run(['run', '-e', '--', 'cat', path('debate-cancelled')])).status, 130);
  assert.is((await run(['run', '-e', '--', 'cat', path('debate-crash')])).status, 1);
});

chat('run without a terminal passes Ctrl+C on, and shows the final events', async () => {
  const script = `trap 'cat "${path('debate-cancelled')}"; exit 130' INT; echo '{"v":1,"type":"notice","message":"ready"}'; while :; do sleep 0.05; done`;
  // A session of its own has no terminal.
  const child = spawn(process.execPath, [PROGRAM, 'run', '--', 'bash', '-c', script], { detached: true });
  const end = ended(child);
  await soon(once(child.stdout, 'data'), 'the first event');
  await send(child, 'SIGINT');
  const { status, stdout } = await soon(end, 'Ctrl+C');
  assert.is(status, 130);
  assert.match(stdout, /ready[\s\S]*Cancelled/);
});

chat('run on Windows leaves Ctrl+C to the console, and the command writes its final events', async () => {
  const go = join(folder, 'go-on');
  const script = `trap 'exit 130' INT; echo '{"v":1,"type":"notice","message":"ready"}'; until [ -e '${go}' ]; do sleep 0.05; done; cat '${path('ask')}'`;
  const windows = `Object.defineProperty(process, 'platform', { value: 'win32' });`;
  const env = {
    ...process.env,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(windows)}`,
  };
  const child = spawn(process.execPath, [PROGRAM, 'run', '--', 'bash', '-c', script], {
    detached: true,
    env,
  });
  const end = ended(child);
  await soon(once(child.stdout, 'data'), 'the first event');
  await send(child, 'SIGINT');
  writeFileSync(go, '');
  const { status, stdout } = await soon(end, 'the end');
  assert.is(status, 0);
  assert.match(stdout, /ready[\s\S]*Finished/);
});

chat('run can write a transcript or choose events', async () => {
  const target = join(folder, 'run.md');
  assert.is((await run(['run', '--as', 'markdown', '-o', target, '--', 'cat', path('ask')])).status, 0);
  assert.is(readFileSync(target, 'utf8'), (await run(['md', path('ask')])).stdout);
  const chosen = await run(['run', '--as', 'filter', '-t', 'done', '--', 'cat', path('ask')]);
  assert.is(chosen.stdout, `${read('ask').trim().split('\n').at(-1)}\n`);
  assert.is((await run(['run', '--title', 'x', '--', 'cat', path('ask')])).status, 2);
});

chat.run();
