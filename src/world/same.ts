/** Whether two names are one file. Writing to a file while it is read destroys it, or never ends. */
import { type BigIntStats, fstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { STDIN } from './input.ts';
import { followLinks, OutputError } from './output.ts';

const STDIN_FD = 0;
const STDOUT_FD = 1;
const STDERR_FD = 2;
const NAMES: Readonly<Record<number, string>> = { [STDOUT_FD]: 'stdout', [STDERR_FD]: 'stderr' };

/** The code of an error that may not be said: stderr is an input, and the sentence would become a part of it. */
export const UNSPEAKABLE = 'STDERR_IS_INPUT';

/** The output files of a run; `undefined` where the option is not given. */
export interface Targets {
  /** In place of stdout. */
  output?: string | undefined;
  /** Beside it. */
  tee?: string | undefined;
}

/**
 * Refuses an output that is an input as well, by whatever name or descriptor, and two outputs that are one file.
 * Devices and pipes do not count.
 *
 * @throws OutputError with the code `SAME_FILE` or `SAME_OUTPUT`; {@link UNSPEAKABLE} where stderr is an input
 */
export function refuseSameFile({ output, tee }: Targets, operands: readonly string[]): void {
  const sources = operands.map(sourceAt);
  // The ones that we open come last: that stdout and stderr are one file is legitimate, `> log 2>&1`.
  const places = [STDERR_FD, output ?? STDOUT_FD, tee].filter((place) => place !== undefined);
  const targets = places.map((place) => fileAt(place) ?? fileToBe(place));
  for (const [index, target] of targets.entries()) {
    if (target === undefined) continue;
    const place = places[index]!;
    const name = typeof place === 'number' ? NAMES[place]! : place;
    if (sources.includes(target)) throw sameFile(name, place === STDERR_FD ? UNSPEAKABLE : 'SAME_FILE');
    if (typeof place === 'string' && targets.indexOf(target) < index) throw sameFile(name, 'SAME_OUTPUT');
  }
}

/** Whether stderr is stdin, or the file that one of some words names: what is said would become a part of that file. */
export function isStderrAmong(words: readonly string[]): boolean {
  const target = fileAt(STDERR_FD);
  return target !== undefined && [STDIN, ...words].some((word) => sourceAt(word) === target);
}

function sourceAt(operand: string): string | undefined {
  return fileAt(operand === STDIN ? STDIN_FD : operand);
}

function sameFile(name: string, code: string): OutputError {
  return new OutputError(name, Object.assign(new Error('the same file'), { code }));
}

/** An existing file, by device and inode. */
function fileAt(place: string | number): string | undefined {
  const stats = statusOf(place);
  return stats?.isFile() ? `${stats.dev}:${stats.ino}` : undefined;
}

/** A file that would be created, by its path. */
function fileToBe(place: string | number): string | undefined {
  if (typeof place === 'number' || statusOf(place)) return undefined;
  const path = followLinks(place);
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    // It cannot be created; opening it says why.
    return undefined;
  }
}

function statusOf(place: string | number): BigIntStats | undefined {
  try {
    return typeof place === 'number' ? fstatSync(place, { bigint: true }) : statSync(place, { bigint: true });
  } catch {
    return undefined;
  }
}
