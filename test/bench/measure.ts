/** Programs run and measured. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';

/** What one run took. */
export interface Run {
  /** Seconds of user and system time, of the program alone. */
  cpu: number;
  /** Seconds. */
  wall: number;
  /** Peak of the resident memory in MiB; NaN where GNU time is not on the machine. */
  memory: number;
}

const TIME = '/usr/bin/time';
const hasTime =
  existsSync(TIME) && spawnSync(TIME, ['-f', '%M', 'true'], { encoding: 'utf8' }).stderr.trim() !== '';

/** How much a run prints at most before it counts as broken. */
const MUCH = 64 * 1024;

/**
 * Runs a command of the shell, and measures it. `$RUN` before a program says which one of a pipeline is meant.
 *
 * @throws Error where it ends with another status than those it may have
 */
export function measure(command: string, statuses: readonly number[] = [0]): Run {
  const timed = hasTime ? `${TIME} -f 'memory %M'` : '';
  // bash tells thousandths, GNU time hundredths; GNU time tells the memory.
  const script = `run() { local TIMEFORMAT='cpu %3U %3S %3R'; time ${timed} "$@"; }\nset -o pipefail\n${command.replaceAll('$RUN', 'run')}`;
  const { status, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8', maxBuffer: MUCH });
  const times = /^cpu ([\d.]+) ([\d.]+) ([\d.]+)$/m.exec(stderr);
  if (!times || !statuses.includes(status ?? -1)) throw new Error(`${command}: ${status}: ${stderr}`);
  const memory = Number(/^memory (\d+)$/m.exec(stderr)?.[1] ?? NaN) / 1024;
  return { cpu: Number(times[1]) + Number(times[2]), wall: Number(times[3]), memory };
}

/** Milliseconds from the start of a command to the first byte that it writes, and to its end. */
export async function firstByte(command: string): Promise<{ first: number; end: number }> {
  const before = performance.now();
  const child = spawn('bash', ['-c', `exec ${command}`], { stdio: ['ignore', 'pipe', 'ignore'] });
  let first = Number.NaN;
  child.stdout.once('data', () => {
    first = performance.now() - before;
  });
  child.stdout.resume();
  await new Promise((resolve) => child.on('close', resolve));
  return { first, end: performance.now() - before };
}

/** Milliseconds from the writing of an event into the pipe of a program until its line is out, `count` times. */
export async function latencies(program: string, args: readonly string[], count: number): Promise<number[]> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = once(child, 'close');
  const took: number[] = [];
  // The first one takes the start of the program as well, and is left out.
  for (let number = 0; number <= count; number++) {
    const event = { v: 1, type: 'warning', message: `number ${number}.` };
    const isOut = new Promise<void>((resolve) => {
      let text = '';
      child.stdout.on('data', function listen(bytes: Buffer) {
        text += bytes;
        if (!text.includes(event.message)) return;
        child.stdout.off('data', listen);
        resolve();
      });
    });
    const before = performance.now();
    child.stdin.write(`${JSON.stringify(event)}\n`);
    await Promise.race([isOut, ended]);
    if (child.exitCode !== null) throw new Error(`${args.join(' ')}: ended with ${child.exitCode}`);
    if (number > 0) took.push(performance.now() - before);
  }
  child.stdin.end();
  await ended;
  return took;
}

/** Whether a program is on the machine. */
export function has(program: string): boolean {
  return spawnSync('bash', ['-c', `command -v ${program}`]).status === 0;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
