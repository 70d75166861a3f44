/** Where bytes come from: files in the order given, and stdin. */
import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  open,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { isatty, ReadStream } from 'node:tty';
import { promisify } from 'node:util';

const openFile = promisify(open);

/** Bytes of one read. */
const CHUNK = 64 * 1024;

/** One input, open. */
export interface Input {
  /** What a finding calls it. */
  name: string;
  stream: Readable;
  /** Another program writes it, and may still write events after Ctrl+C. */
  readonly piped: boolean;
}

/** The operand that means stdin. */
export const STDIN = '-';
const STDIN_FD = 0;

/**
 * Opens one operand. Stdin is never closed: named a second time, it is at its end, as in other programs.
 *
 * @throws the system's error where it cannot be read (ENOENT, EACCES, EISDIR, …)
 */
export async function openInput(operand: string): Promise<Input> {
  if (operand === STDIN) return inputOf('stdin', STDIN_FD, fstatSync(STDIN_FD));
  // Opening a named pipe blocks until it has a writer, and nothing can cancel that, not even the end of the program.
  const isPipe = statSync(operand, { throwIfNoEntry: false })?.isFIFO();
  const fd = await openFile(operand, isPipe ? constants.O_RDONLY | constants.O_NONBLOCK : 'r');
  try {
    return inputOf(operand, fd, fstatSync(fd));
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function inputOf(name: string, fd: number, stats: Stats): Input {
  // A folder can be opened; only reading it fails, and not on every system.
  if (stats.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
  if (stats.isFile()) return { name, stream: fileStream(fd), piped: false };
  // A person who types writes no events after Ctrl+C.
  const piped = !isatty(fd);
  if (fd === STDIN_FD) return { name, stream: process.stdin, piped };
  if (stats.isFIFO()) return pipeOf(name, fd);
  // A pending `fs.read` of a terminal would keep the program from ending.
  return { name, stream: piped ? createReadStream('', { fd }) : new ReadStream(fd), piped };
}

/**
 * A regular file, read synchronously, a chunk in each turn of the event loop. `createReadStream` has a thread read
 * each chunk, which takes 50 µs: a tenth of the CPU of `filter`.
 */
function fileStream(fd: number): Readable {
  return new Readable({
    highWaterMark: CHUNK,
    read(size) {
      setImmediate(() => {
        if (this.destroyed) return;
        const bytes = Buffer.allocUnsafe(size);
        try {
          const length = readSync(fd, bytes);
          this.push(length > 0 ? bytes.subarray(0, length) : null);
        } catch (error) {
          this.destroy(error as Error);
        }
      });
    },
    destroy(error, done) {
      if (fd !== STDIN_FD) closeSync(fd);
      done(error);
    },
  });
}

/**
 * A pipe, opened without blocking and read as a socket, so that a pending read can be cancelled. It counts as piped once
 * its other end is open.
 */
function pipeOf(name: string, fd: number): Input {
  const first = Buffer.allocUnsafe(CHUNK);
  let bytes = 0;
  let hasWriter = false;
  try {
    bytes = readSync(fd, first);
    hasWriter = bytes > 0;
  } catch (error) {
    // Empty, but it has a writer.
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    hasWriter = true;
  }
  const stream = new Socket({ fd, writable: false });
  if (bytes > 0) stream.unshift(first.subarray(0, bytes));
  return {
    name,
    stream,
    get piped() {
      return hasWriter || stream.bytesRead > 0;
    },
  };
}
