/** Where bytes come from: files in the order given, and stdin. */
import { closeSync, createReadStream, fstatSync, open, type Stats } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';

const openFile = promisify(open);

/** One input, open. */
export interface Input {
  /** What a finding calls it. */
  name: string;
  stream: Readable;
  /** Another program writes it and may still have something to say after Ctrl+C. */
  piped: boolean;
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
  if (stats.isFile())
    return { stream: createReadStream('', { fd, autoClose: fd !== STDIN_FD }), piped: false };
  if (fd === STDIN_FD) return { stream: process.stdin, piped: true };
  // A pipe is read as a socket is: a file read that waits for a writer could not be given up.
  const stream = stats.isFIFO() ? new Socket({ fd, writable: false }) : createReadStream('', { fd });
  return { stream, piped: true };
}
