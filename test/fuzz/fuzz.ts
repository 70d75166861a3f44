/**
 * `npm run fuzz -- [--seconds 60] [--seed 1]`: mutated streams through every command, in this process and, for a
 * share, in one of its own. It must not crash, hang or print a stack trace; its status must be 0 or 1; good lines
 * must come out. What fails is made as small as it stays failing, written to a file and named, and the seed with it.
 *
 * This process only watches: another does the work, since nothing else could stop it where it hangs.
 */
import { fork } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scriptNumber, scriptOptions } from '../options.ts';
import { run } from '../process.ts';
import { pick, randomOf } from '../random.ts';
import { CALLS, execute, tryStream } from './execute.ts';
import { mutated } from './mutate.ts';

/** One in so many executions is a process of its own: it takes as long as hundreds of others. */
const SPAWNED = 400;
/** Milliseconds after which an execution hangs. */
const PATIENCE = 20_000;
/** Tries to make a failing stream smaller. */
const MOST_TRIES = 2000;

interface Failure {
  seed: number;
  call: readonly string[];
  fault: string;
  stream: Uint8Array;
}

type Message = { kind: 'at'; seed: number } | ({ kind: 'failure' } & Failure);

/** The stream and the command of a seed. */
function caseOf(seed: number) {
  const random = randomOf(seed);
  return { call: pick(CALLS, random), stream: mutated(random), random };
}

/** The built program on a stream; what is wrong with that. */
async function trySpawned(call: readonly string[], stream: Buffer): Promise<string | undefined> {
  if (call[0] === 'terminal') return undefined;
  const { status, signal, stdout, stderr } = await run(call, { input: stream });
  if (signal !== null || ![0, 1, 2].includes(status!)) return `spawned: ${status} ${signal}`;
  if (/^ {4}at |unexpected:/m.test(stderr)) return `spawned: a stack trace: ${stderr}`;
  const expected = await execute(call, [stream]);
  if (stdout !== expected.stdout) return 'spawned: another output than that of its steps';
  return undefined;
}

/** A smaller stream that fails in the same way: without some of its lines, then without some of its bytes. */
async function shrunk(
  call: readonly string[],
  stream: Buffer,
  fault: string,
  alive: () => Promise<void>,
): Promise<Buffer> {
  const kind = fault.slice(0, 40);
  let tries = 0;
  const fails = async (smaller: Buffer): Promise<boolean> => {
    tries++;
    await alive();
    return (await tryStream(call, smaller, randomOf(1)))?.slice(0, 40) === kind;
  };
  let current = stream;
  for (const unit of ['lines', 'bytes'] as const) {
    const encoding = 'latin1';
    const parts = (): string[] =>
      unit === 'lines' ? current.toString(encoding).split(/(?<=\n)/) : [...current.toString(encoding)];
    for (
      let size = Math.ceil(parts().length / 2);
      size >= 1 && tries < MOST_TRIES;
      size = Math.floor(size / 2)
    ) {
      for (let at = 0; at < parts().length && tries < MOST_TRIES; ) {
        const smaller = Buffer.from(parts().toSpliced(at, size).join(''), encoding);
        if (await fails(smaller)) current = smaller;
        else at += size;
      }
    }
  }
  return current;
}

/** Does the work, and tells what it does. */
async function work(first: number, end: number): Promise<void> {
  const tell = (message: Message): Promise<void> =>
    new Promise((resolve) => process.send!(message, () => resolve()));
  for (let seed = first; Date.now() < end; seed++) {
    const alive = () => tell({ kind: 'at', seed });
    await alive();
    const { call, stream, random } = caseOf(seed);
    const fault = await tryStream(call, stream, random);
    if (fault) {
      const smaller = await shrunk(call, stream, fault, alive);
      await tell({ kind: 'failure', seed, call, fault, stream: smaller });
    }
    if (seed % SPAWNED === 0) {
      const spawned = await trySpawned(call, stream);
      if (spawned) await tell({ kind: 'failure', seed, call, fault: spawned, stream });
    }
  }
}

function watch(): void {
  const usage = 'npm run fuzz -- [--seconds 60] [--seed 1]';
  const { values } = scriptOptions(usage, {
    options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string', default: '1' } },
  });
  const first = scriptNumber('seed', values.seed, usage, 0) * 1_000_000;
  const end = Date.now() + scriptNumber('seconds', values.seconds, usage) * 1000;
  const folder = join(tmpdir(), 'palabre-fmt-fuzz');
  let seed = first;
  let since = Date.now();
  let failures = 0;

  function tell({ seed, call, fault, stream }: Failure): void {
    failures++;
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${seed}.ndjson`);
    writeFileSync(file, stream);
    console.log(`seed ${seed}: palabre-fmt ${call.join(' ')} ${file}\n  ${fault}`);
  }

  function begin(from: number): void {
    const worker = fork(fileURLToPath(import.meta.url), [`${from}`, `${end}`], { serialization: 'advanced' });
    worker.on('message', (message: Message) => {
      if (message.kind === 'failure') return tell(message);
      seed = message.seed;
      since = Date.now();
    });
    const timer = setInterval(() => {
      if (Date.now() - since > PATIENCE) worker.kill('SIGKILL');
    }, 1000);
    worker.on('exit', (code) => {
      clearInterval(timer);
      if (code === 0) return finish();
      const { call, stream } = caseOf(seed);
      tell({ seed, call, fault: code === null ? 'hangs' : `the process ended with ${code}`, stream });
      since = Date.now();
      begin(seed + 1);
    });
  }

  function finish(): void {
    const count = seed - first + 1;
    console.log(`${count} executions, seeds ${first} to ${seed}; ${failures} failed`);
    process.exitCode = failures > 0 ? 1 : 0;
  }

  begin(first);
}

if (process.send) {
  const [first, end] = process.argv.slice(2).map(Number);
  await work(first!, end!);
  process.disconnect();
} else watch();
