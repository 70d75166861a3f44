/** The built program, run as a person runs it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

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
  NODE_V8_COVERAGE: process.env['NODE_V8_COVERAGE'],
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
