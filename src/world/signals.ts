/** What signals do while events are read. */
import { readFileSync, readlinkSync } from 'node:fs';
import { constants } from 'node:os';
import { basename } from 'node:path';

export const INTERRUPTED = 130;
const STATUS = { SIGTERM: 143, SIGHUP: 129 } as const;

let isIgnored: boolean | undefined;

/**
 * Whether SIGHUP was ignored when we started. Node resets it to fatal before our code runs, and there is no way to query
 * what it was; so this looks for the traces of `nohup` and of `trap '' HUP` in a shell.
 */
export function isHangupIgnored(): boolean {
  isIgnored ??= isNamedByShell() || isIgnoredByParent() || isStdinTakenAway();
  return isIgnored;
}

/** bash, zsh and ksh name the program that they started in the environment. */
function isNamedByShell(): boolean {
  return basename(process.env['_'] ?? '') === 'nohup';
}

/** A process inherits the ignored signals of its parent. */
function isIgnoredByParent(): boolean {
  const [, signals = '0'] = /^SigIgn:\s*([0-9a-f]+)/m.exec(procFile(`${process.ppid}/status`)) ?? [];
  return ((BigInt(`0x${signals}`) >> BigInt(constants.signals.SIGHUP - 1)) & 1n) === 1n;
}

/** In place of a terminal, `nohup` of GNU gives a stdin that cannot be read: /dev/null, opened for writing. */
function isStdinTakenAway(): boolean {
  try {
    return (
      readlinkSync('/proc/self/fd/0') === '/dev/null' && /^flags:\s*\d*1$/m.test(procFile('self/fdinfo/0'))
    );
  } catch {
    return false;
  }
}

/** A file of /proc, empty where there is none: on another system, or where the process has ended. */
function procFile(name: string): string {
  try {
    return readFileSync(`/proc/${name}`, 'latin1');
  } catch {
    return '';
  }
}

/** Keeps ignoring a SIGHUP that was ignored when we started. Must be called first. */
export function keepIgnored(): void {
  if (isHangupIgnored()) process.on('SIGHUP', () => {});
}

/** What to do with each signal. */
export interface Listening {
  /** Whether another program is writing the input now. */
  isPiped(): boolean;
  /** Called before the process ends. */
  cleanUp(): void;
  /** Forwards SIGTERM and SIGHUP to the program whose exit status is ours; false if it has ended already. */
  forward?: ((signal: keyof typeof STATUS) => boolean) | undefined;
  /** Those left to the system, which ends the process even while no handler can run. */
  unheard?: readonly NodeJS.Signals[];
}

/**
 * Listens until the returned function is called. If another program writes the input, the first Ctrl+C is left to that
 * program, whose final events are still shown; a second one ends at once.
 */
export function listen({ isPiped, cleanUp, forward, unheard = [] }: Listening): () => void {
  let interrupted = false;
  function leave(status: number): void {
    cleanUp();
    process.exit(status);
  }
  function onInterrupt(): void {
    if (interrupted || !isPiped()) leave(INTERRUPTED);
    interrupted = true;
  }
  function onEnd(signal: NodeJS.Signals): void {
    const ending = signal as keyof typeof STATUS;
    if (!forward?.(ending)) leave(STATUS[ending]);
  }
  const handlers = { SIGINT: onInterrupt, SIGTERM: onEnd, ...(!isHangupIgnored() && { SIGHUP: onEnd }) };
  const heard = Object.entries(handlers).filter(([signal]) => !unheard.some((one) => one === signal));
  for (const [signal, handler] of heard) process.on(signal, handler);
  return () => {
    for (const [signal, handler] of heard) process.off(signal, handler);
  };
}
