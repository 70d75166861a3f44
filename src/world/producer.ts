/** A program that is started to write the stream. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { constants } from 'node:os';
import { basename } from 'node:path';
import type { Input } from './input.ts';

/** A program that runs. */
export interface Producer {
  /** Its stdout. Its stdin and stderr are ours. */
  input: Input;
  /** Its exit status; 128 + n where signal n ended it. */
  ended: Promise<number>;
  /** False where it has ended already. */
  kill(signal: NodeJS.Signals): boolean;
}

/**
 * Starts a command.
 *
 * @throws the system's error where it cannot be started: ENOENT, EACCES, …
 */
export async function startProducer(command: string, args: readonly string[]): Promise<Producer> {
  const child = spawn(command, args, { stdio: ['inherit', 'pipe', 'inherit'] });
  await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  // At a terminal, Ctrl+C reaches the command too; sent a second time it would cut its last words. Elsewhere
  // whoever interrupts us means both.
  const interrupt = () => child.kill('SIGINT');
  if (!hasTerminal()) process.on('SIGINT', interrupt);
  return {
    input: { name: basename(command), stream: child.stdout, piped: true },
    ended: statusOf(child).finally(() => process.off('SIGINT', interrupt)),
    kill: (signal) => child.kill(signal),
  };
}

function statusOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal!]));
  });
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
