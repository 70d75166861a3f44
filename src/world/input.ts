/** Where bytes come from: files in the order given, and stdin. */
import { closeSync, createReadStream, fstatSync, open, readSync, type Stats } from 'node:fs';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createPool } from './buffers.ts';

const openFile = promisify(open);

/** Bytes of one read of a file. */
const CHUNK = 64 * 1024;

/** One input, open. */
export interface Input {
  /** What a finding calls it. */
  name: string;
  stream: Readable;
  /** Another program writes it and may still have something to say after Ctrl+C. */
  piped: boolean;
  /** Takes back a chunk of `stream`: what is read later may be written over it. */
  release?(chunk: Buffer): void;
}

/** The operand that means stdin. */
export const STDIN = '-';
const STDIN_FD = 0;

/**
 * Opens one operand. Stdin stays open: who names it twice gets nothing more, as from other programs.
 *
 * @throws the system's error where it cannot be read (ENOENT, EACCES, EISDIR, …)
 */
export async function openInput(operand: string): Promise<Input> {
  if (operand === STDIN) return { name: 'stdin', ...inputOf(STDIN_FD, fstatSync(STDIN_FD)) };
  const fd = await openFile(operand, 'r');
  try {
    return { name: operand, ...inputOf(fd, fstatSync(fd)) };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function inputOf(fd: number, stats: Stats): Omit<Input, 'name'> {
  // A folder opens well enough; it is reading it that fails, later, or not at all.
  if (stats.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
  if (stats.isFile()) return { ...recordOf(fd), piped: false };
  if (fd === STDIN_FD) return { stream: process.stdin, piped: true };
  // A pipe is read as a socket is: a file read that waits for a writer could not be given up.
  const stream = stats.isFIFO() ? new Socket({ fd, writable: false }) : createReadStream('', { fd });
  return { stream, piped: true };
}

/** A file, which has its bytes at hand: to have another thread read them takes twice as long. */
function recordOf(fd: number): Pick<Input, 'stream' | 'release'> {
  const pool = createPool(CHUNK);
  const stream = new Readable({
    highWaterMark: CHUNK,
    read() {
      const buffer = pool.take();
      // What this throws becomes the error of the stream.
      const bytes = readSync(fd, buffer);
      this.push(bytes > 0 ? buffer.subarray(0, bytes) : null);
    },
    destroy(error, done) {
      if (fd !== STDIN_FD) closeSync(fd);
      done(error);
    },
  });
  return { stream, release: pool.give };
}
