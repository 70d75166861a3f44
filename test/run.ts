/**
 * Everything that passes or fails, in one command: build, types, lint, each test file in a process of its own,
 * coverage. Says how long it took, and ends with one line, `N passed, N failed`, made from what each file counted.
 * `npm test NAME…` runs only the test files whose name or path begins so: `npm test filter safe/`.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { refuse, scriptOptions } from './options.ts';

const USAGE = 'npm test [NAME…]';
const { positionals: names } = scriptOptions(USAGE, { allowPositionals: true });
const root = fileURLToPath(new URL('..', import.meta.url));
/**
 * Minutes without a word after which a file is killed: one that hangs is a failure, not a wait. Each test that ends
 * says so, and a busy machine makes all of them slow, so the sum of them has no limit.
 */
const SILENCE = 10;

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

interface Result {
  code: number;
  output: string;
  seconds: number;
}

function run(command: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<Result> {
  const start = performance.now();
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, FORCE_COLOR: undefined, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const end = (code: number) => {
      clearTimeout(timer);
      resolve({ code, output, seconds: secondsSince(start) });
    };
    const timer = setTimeout(() => {
      output += `\nkilled: it hangs, nothing came for ${SILENCE} minutes`;
      child.kill('SIGKILL');
      // What it has started may hold the pipes open.
      end(1);
    }, SILENCE * 60_000);
    const collect = (chunk: Buffer) => {
      output += chunk;
      timer.refresh();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', (error) => {
      output += error;
      end(1);
    });
    child.on('close', (code, signal) => {
      if (signal) output += `\nended by ${signal}`;
      end(code ?? 1);
    });
  });
}

function secondsSince(start: number): number {
  return Math.round((performance.now() - start) / 1000);
}

/** A check that is one test. */
async function check(name: string, command: string, ...args: string[]): Promise<Counts> {
  const { code, output, seconds } = await run(command, args);
  console.log(code === 0 ? `ok    ${name} (${seconds} s)` : `FAIL  ${name}\n${output}`);
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 };
}

/** What a test starts is the bundle, which has no source map: its coverage says nothing, and takes a fifth of each start. */
const COVER_TESTS_ONLY = 'data:text/javascript,delete process.env.NODE_V8_COVERAGE';

/** A test file. One that counts nothing has forgotten to run its tests, and that is a failure. */
async function testFile(name: string): Promise<Counts> {
  const args = ['--import', COVER_TESTS_ONLY, '--import', 'tsx', `test/${name}`];
  const { code, output, seconds } = await run(process.execPath, args, { NODE_V8_COVERAGE: coverage });
  const count = (word: string) => Number(new RegExp(`^ *${word}: +(\\d+)$`, 'm').exec(output)?.[1] ?? 0);
  const [total, passed, skipped] = [count('Total'), count('Passed'), count('Skipped')];
  const failed = Math.max(total - passed - skipped, code !== 0 || total === 0 ? 1 : 0);
  console.log(
    `${failed > 0 ? 'FAIL ' : 'ok   '} ${name}: ${passed} passed, ${failed} failed, ${skipped} skipped (${seconds} s)`,
  );
  if (failed > 0) console.log(output);
  return { passed, failed, skipped };
}

function isNamed(file: string, name: string): boolean {
  return file.startsWith(name) || basename(file).startsWith(name);
}

const files = readdirSync(`${root}/test`, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.test.ts'),
);
for (const name of names) {
  if (!files.some((file) => isNamed(file, name))) refuse(`No test file begins with '${name}'.`, USAGE);
}

const coverage = mkdtempSync(join(tmpdir(), 'palabre-fmt-coverage-'));
const started = performance.now();
const everything = names.length === 0;
const results: Counts[] = [];

// First, since everything else needs what it makes.
results.push(await check('build', 'npm', 'run', 'build'));
const queue = everything ? files : files.filter((file) => names.some((name) => isNamed(file, name)));
async function worker(): Promise<void> {
  for (let name = queue.shift(); name; name = queue.shift()) results.push(await testFile(name));
}
await Promise.all(Array.from({ length: availableParallelism() }, worker));
if (everything) {
  results.push(await check('types', 'npx', 'tsc', '--project', '.'));
  results.push(await check('lint', 'npx', 'biome', 'ci', '.'));
  const report = ['--temp-directory', coverage, '--reporter', 'text-summary', '--reporter', 'text'];
  const only = [
    '--src',
    'src',
    '--include',
    'src/**',
    '--exclude',
    'src/build.ts',
    '--exclude',
    'src/schema/compile.ts',
  ];
  results.push(
    await check('coverage', 'npx', 'c8', 'report', '--check-coverage', '--lines', '90', ...only, ...report),
  );
}
rmSync(coverage, { recursive: true, force: true });

const sum = (key: keyof Counts) => results.reduce((total, counts) => total + counts[key], 0);
const skipped = sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : '';
console.log(`took ${secondsSince(started)} s`);
console.log(`${sum('passed')} passed, ${sum('failed')} failed${skipped}`);
process.exitCode = sum('failed') > 0 ? 1 : 0;
