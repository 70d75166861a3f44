/** Where bytes come from: files in the order given, and stdin. */
import { createReadStream, fstatSync, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';

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
  const file = await open(operand);
  try {
    const stats = await file.stat();
    refuseFolder(stats);
    return { name: operand, stream: createReadStream('', { fd: file }), piped: !stats.isFile() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** A folder opens well enough; it is reading it that fails, later, or not at all. */
function refuseFolder(stats: Stats): void {
  if (stats.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
}
