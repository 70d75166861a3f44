/** Starts the program that writes the stream. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, constants as files, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { constants, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Input } from './input.ts';
import { isHangupIgnored } from './signals.ts';

/** A running program. */
export interface Producer {
  /** Its stdout. Its stdin and stderr are ours. */
  input: Input;
  /** Its exit status; 128 + n where signal n ended it. */
  ended: Promise<number>;
  /** The signal that ended it. */
  readonly signal: NodeJS.Signals | null;
  /** Whether it wrote after we had stopped reading: we have then broken its pipe. */
  isCut(): boolean;
  /** False if it has ended already. */
  kill(signal: NodeJS.Signals): boolean;
}

/**
 * Starts a command.
 *
 * @throws the system's error where it cannot be started: ENOENT, EACCES, …
 */
export async function startProducer(command: string, args: readonly string[]): Promise<Producer> {
  const pipe = createPipe();
  // Node resets ignored signals in child processes; in a session of its own, the child gets no SIGHUP from the terminal.
  const detached = isHangupIgnored();
  let child: ChildProcess;
  try {
    // It throws what is wrong with the name itself: an empty one, one that is too long.
    child = spawn(command, args, { stdio: ['inherit', pipe?.toWrite ?? 'pipe', 'inherit'], detached });
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  } catch (error) {
    pipe?.stream.destroy();
    throw error;
  } finally {
    if (pipe) closeSync(pipe.toWrite);
  }
  // The terminal sends Ctrl+C to the command as well; a second SIGINT would end it before its final events. Without a
  // terminal, the command would not get it.
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
  /** The file descriptor to write to; close it once the command has inherited it. */
  toWrite: number;
  isCut(): boolean;
}

/**
 * A real pipe, where one can be made: Node gives its children a socket, which cannot be opened as `/dev/stdout`.
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
      // The pipe breaks at the next write, not before: a command that writes no more ends undisturbed.
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
  // On Windows, a console interrupts the command as well, and a signal from us would kill it at once.
  if (process.platform === 'win32') return true;
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
