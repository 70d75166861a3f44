/** What the program says on stderr, and what it puts on stdout without a pipe. */
import { fstatSync } from 'node:fs';
import { isatty } from 'node:tty';
import { getSystemErrorMap } from 'node:util';
import type { Labels } from '../labels/labels.ts';
import { asciiSigns } from '../safe/ascii.ts';
import { isRunnerLog, safeLog } from '../safe/log.ts';
import { plainName } from '../safe/text.ts';
import { quote } from '../terminal/cut.ts';
import { type Output, openOutput, streamOutput } from '../world/output.ts';

/** Exit statuses: something was reported; an input or output could not be read or written. */
export const REPORTED = 1;
export const UNABLE = 2;
/** In cells. */
const LONGEST_NAME = 500;
const STDOUT = 1;
const STDERR = 2;

const isLog = isRunnerLog(process.env);
let isAscii = false;

/** From now on, {@link lastGate} writes ASCII in place of what a gate did not let through. */
export function keepToAscii(): void {
  isAscii = true;
}

/** The last gate of text for people, on stdout and stderr: for logs of CI, and for terminals that are not UTF-8. */
export function lastGate(text: string): string {
  const signed = isAscii ? asciiSigns(text) : text;
  return isLog ? safeLog(signed) : signed;
}

/** Writes to stderr. The text must be safe to print. */
export function tell(text: string): void {
  process.stderr.write(lastGate(text));
}

/** Says one sentence about the run. It must be safe to print. */
export function say(message: string): void {
  tell(`palabre-fmt: ${message}\n`);
}

/** The name of a file or command in a message. Most of a path is shown; what cannot be one is cut. */
export function shownName(name: string): string {
  return quote(plainName(name), LONGEST_NAME) || "''";
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

/** Whether stdout and stderr are one terminal. */
export function isOneScreen(): boolean {
  if (!isatty(STDOUT) || !isatty(STDERR)) return false;
  const [out, error] = [fstatSync(STDOUT), fstatSync(STDERR)];
  return out.rdev === error.rdev && out.ino === error.ino && out.dev === error.dev;
}

/** Prints one text; gives the exit status. */
export async function print(text: string): Promise<number> {
  const output = standardOutput();
  await output.write(text);
  await output.finish();
  return 0;
}
