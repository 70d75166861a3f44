/** What the program says on stderr, and what it puts on stdout without a pipe. */
import { fstatSync } from 'node:fs';
import { isatty } from 'node:tty';
import { getSystemErrorMap } from 'node:util';
import type { Labels } from '../labels/labels.ts';
import { type Output, openOutput, streamOutput } from '../world/output.ts';

/** Exit statuses: something was reported; an input or output could not be read or written. */
export const REPORTED = 1;
export const UNABLE = 2;
const STDOUT = 1;

/** Says one sentence about the run. It must be safe to print. */
export function say(message: string): void {
  process.stderr.write(`palabre-fmt: ${message}\n`);
}

/** Why the system refused, such as `No such file or directory`. */
export function reasonOf(error: unknown, { reasons }: Labels): string {
  const { code = '', errno = 0, message } = error as NodeJS.ErrnoException;
  const words: Record<string, string> = reasons;
  return Object.hasOwn(words, code) ? words[code]! : (getSystemErrorMap().get(errno)?.[1] ?? message);
}

/** stdout as an output. */
export function standardOutput(): Output {
  const stats = fstatSync(STDOUT);
  const isStream = stats.isFIFO() || stats.isSocket() || isatty(STDOUT);
  return isStream ? streamOutput('stdout', process.stdout) : openOutput('stdout', STDOUT);
}

/** Prints one text; gives the exit status. */
export async function print(text: string): Promise<number> {
  const output = standardOutput();
  await output.write(text);
  await output.finish();
  return 0;
}
