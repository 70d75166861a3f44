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

/**
 * Opens one operand.
 *
 * @throws the system's error where it cannot be read (ENOENT, EACCES, EISDIR, …)
 */
export async function openInput(operand: string, stdin: Readable & { fd?: number }): Promise<Input> {
  if (operand === STDIN) {
    const stats = fstatSync(stdin.fd ?? 0);
    refuseFolder(stats);
    return { name: 'stdin', stream: stdin, piped: !stats.isFile() };
  }
  const fd = await openFile(operand, 'r');
  try {
    const stats = fstatSync(fd);
    refuseFolder(stats);
    // A pipe is read as a socket is: a file read that waits for a writer could not be given up.
    const stream = stats.isFIFO() ? new Socket({ fd, writable: false }) : createReadStream('', { fd });
    return { name: operand, stream, piped: !stats.isFile() };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** A folder opens well enough; it is reading it that fails, later, or not at all. */
function refuseFolder(stats: Stats): void {
  if (stats.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
}
