/** A program that is started to write the stream. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, constants as files, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { constants, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Input } from './input.ts';
import { isHangupIgnored } from './signals.ts';

/** A program that runs. */
export interface Producer {
  /** Its stdout. Its stdin and stderr are ours. */
  input: Input;
  /** Its exit status; 128 + n where signal n ended it. */
  ended: Promise<number>;
  /** The signal that ended it. */
  readonly signal: NodeJS.Signals | null;
  /** Whether it still wrote after we had stopped reading: a broken pipe is then our doing. */
  isCut(): boolean;
  /** False where it has ended already. */
  kill(signal: NodeJS.Signals): boolean;
}

/**
 * Starts a command.
 *
 * @throws the system's error where it cannot be started: ENOENT, EACCES, …
 */
export async function startProducer(command: string, args: readonly string[]): Promise<Producer> {
  const pipe = createPipe();
  // Node resets ignored signals in what it starts; in a session of its own, no terminal hangs up on it.
  const detached = isHangupIgnored();
  const child = spawn(command, args, { stdio: ['inherit', pipe?.toWrite ?? 'pipe', 'inherit'], detached });
  if (pipe) closeSync(pipe.toWrite);
  try {
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  } catch (error) {
    pipe?.stream.destroy();
    throw error;
  }
  // At a terminal, Ctrl+C reaches the command too; sent a second time it would cut its last words. Elsewhere
  // whoever interrupts us means both.
  const interrupt = () => child.kill('SIGINT');
  if (detached || !hasTerminal()) process.on('SIGINT', interrupt);
  const stream: Readable = pipe?.stream ?? child.stdout!;
  return {
    input: { name: basename(command), stream, piped: true },
    ended: statusOf(child).finally(() => process.off('SIGINT', interrupt)),
    get signal() {
      return child.signalCode;
    },
    isCut: pipe?.isCut ?? (() => !stream.readableEnded),
    kill: (signal) => child.kill(signal),
  };
}

/** A pipe to give to a command. */
interface Pipe {
  stream: Readable;
  /** A file descriptor, to be closed once the command has it. */
  toWrite: number;
  isCut(): boolean;
}

/**
 * A pipe of the system, where one can be made: what Node gives to a child is a socket, which no program can open by a
 * name such as `/dev/stdout`.
 */
function createPipe(): Pipe | undefined {
  // Windows has no named pipes of this kind, even where a `mkfifo` is installed.
  if (process.platform === 'win32') return undefined;
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(tmpdir(), 'palabre-fmt-'));
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', ['-m', '600', path], { stdio: 'ignore' });
    const toRead = openSync(path, files.O_RDONLY | files.O_NONBLOCK);
    const toReadOn = openSync(path, files.O_RDONLY | files.O_NONBLOCK);
    const toWrite = openSync(path, files.O_WRONLY);
    const stream = new Socket({ fd: toRead, writable: false });
    let cut = false;
    stream.once('close', () => {
      // The pipe breaks at the next word, not before: a command that has none ends as it would have.
      const rest = new Socket({ fd: toReadOn, writable: false }).unref();
      rest.once('data', () => {
        cut = true;
        rest.destroy();
      });
    });
    return { stream, toWrite, isCut: () => cut };
  } catch {
    return undefined;
  } finally {
    if (folder) rmSync(folder, { recursive: true, force: true });
  }
}

function statusOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal!]));
  });
}

function hasTerminal(): boolean {
  // On Windows only a console interrupts, and it interrupts the command too. A signal from us would kill it at once.
  if (process.platform === 'win32') return true;
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
