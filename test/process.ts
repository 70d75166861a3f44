/** The built program, run as a person runs it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import * as assert from 'uvu/assert';

export const PROGRAM = fileURLToPath(new URL('../bin/palabre-fmt.js', import.meta.url));

export interface Ended {
  status: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  /** What stdin holds; several pieces are written one at a time. Default: nothing, and the end of it. */
  input?: string | Uint8Array | readonly Uint8Array[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
}

/** No colour, no French, whatever the machine that runs the tests speaks. */
const ENV = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
};

/** Starts the program with pipes. */
export function start(args: readonly string[], { env = {}, cwd }: RunOptions = {}): ChildProcess {
  const child = spawn(process.execPath, [PROGRAM, ...args], { env: { ...ENV, ...env }, cwd });
  child.stdin.on('error', () => {}); // it may stop reading before we stop writing
  return child;
}

/** What became of a program that was started. */
export function ended(child: ChildProcess): Promise<Ended> {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout?.on('data', (chunk) => stdout.push(chunk));
  child.stderr?.on('data', (chunk) => stderr.push(chunk));
  return new Promise((resolve) => {
    child.on('close', (status, signal) =>
      resolve({
        status,
        signal,
        stdout: String(Buffer.concat(stdout)),
        stderr: String(Buffer.concat(stderr)),
      }),
    );
  });
}

/** Runs the program to its end. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const child = start(args, options);
  const result = ended(child);
  const { input = '' } = options;
  if (Array.isArray(input)) {
    for (const piece of input) await new Promise((resolve) => child.stdin?.write(piece, resolve));
    child.stdin?.end();
  } else {
    child.stdin?.end(input);
  }
  return result;
}

/** Runs a line of shell in which `palabre-fmt` is the built program. */
export function shell(line: string, { env = {}, cwd }: RunOptions = {}): Promise<Ended> {
  const script = `palabre-fmt() { '${process.execPath}' '${PROGRAM}' "$@"; }\n${line}`;
  const child = spawn('bash', ['-c', script], {
    env: { ...ENV, ...env },
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return ended(child);
}

/**
 * Milliseconds that may pass before we say that something hangs, on a busy machine too. Nothing is measured by it,
 * and a test that passes never waits for it.
 */
export const PATIENCE = 4 * 60_000;

/** What `promise` gives. Fails where it never gives anything. */
export async function soon<T>(promise: Promise<T>, what: string): Promise<T> {
  const timeout = sleep(PATIENCE, undefined, { ref: false }).then(() =>
    assert.unreachable(`${what}: still waiting`),
  );
  return (await Promise.race([promise, timeout])) as T;
}

/** Waits until something holds. Fails where it never does. */
export async function until(what: string, holds: () => unknown): Promise<void> {
  for (const start = Date.now(); !holds(); await sleep(20)) {
    if (Date.now() - start > PATIENCE) assert.unreachable(`${what}: not yet`);
  }
}

/** A set of signals that the kernel keeps for a process: those it catches (`SigCgt`), those on their way (`ShdPnd`). */
function has(pid: number, set: 'SigCgt' | 'ShdPnd', signal: NodeJS.Signals): boolean {
  const [, mask] = new RegExp(`^${set}:\\s*(\\w+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!;
  return ((BigInt(`0x${mask}`) >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n;
}

/** Waits until the program listens to signals: Node alone catches SIGINT and SIGTERM, but not SIGHUP. */
export async function listening({ pid }: Pick<ChildProcess, 'pid'>): Promise<void> {
  await until('the program listens', () => has(pid!, 'SigCgt', 'SIGHUP'));
}

/** Sends a signal and waits until the program has got it: of two that wait, the kernel makes one. */
export async function send({ pid }: Pick<ChildProcess, 'pid'>, signal: NodeJS.Signals): Promise<void> {
  process.kill(pid!, signal);
  await until(`${signal} arrives`, () => !isRunning(pid!) || !has(pid!, 'ShdPnd', signal));
}

/** Whether a process has not ended yet; one that nobody has waited for has ended as well. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
