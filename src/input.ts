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
    return { name: 'stdin', stream: stdin, piped: !isFile(fstatSync(stdin.fd ?? 0)) };
  }
  const file = await open(operand);
  try {
    const stats = await file.stat();
    // Opening a folder succeeds; reading it would fail later and say so in other words.
    if (stats.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR', errno: -21 });
    return { name: operand, stream: createReadStream('', { fd: file }), piped: !isFile(stats) };
  } catch (error) {
    await file.close();
    throw error;
  }
}

function isFile(stats: Stats): boolean {
  return stats.isFile();
}
