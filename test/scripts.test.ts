/** The project's own scripts: a mistyped option gets a sentence, not a stack trace. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const folder = fileURLToPath(new URL('.', import.meta.url));
const SCRIPTS = {
  bench: 'bench/bench.ts',
  diagram: 'protocol/diagram.ts',
  fuzz: 'fuzz/fuzz.ts',
  pictures: 'pictures/make.ts',
  test: 'run.ts',
};

function run(file: string, ...args: string[]) {
  return spawnSync(process.execPath, ['--import', 'tsx', folder + file, ...args], { encoding: 'utf8' });
}

for (const [name, file] of Object.entries(SCRIPTS)) {
  test(`${name} tells its options`, () => {
    const { status, stdout, stderr } = run(file, '--help');
    assert.is(status, 0, stderr);
    assert.match(stdout, new RegExp(`^Usage: npm (run )?${name}.*\n$`));
  });

  test(`${name} refuses an option that it does not have`, () => {
    const { status, stdout, stderr } = run(file, '--frobnicate');
    assert.is(status, 2, stderr);
    assert.is(stdout, '');
    assert.match(stderr, /'--frobnicate'[^\n]*\nUsage: npm [^\n]*\n$/);
  });
}

test('build takes no options, and says so before it removes anything', () => {
  const { status, stderr } = run('../src/build.ts', '--frobnicate');
  assert.is(status, 2);
  assert.match(stderr, /^npm run build takes no options[^\n]*'--frobnicate'\.\n$/);
});

test('the value of an option is checked', () => {
  const section = run(SCRIPTS.bench, '--only', 'start,tempo');
  assert.is(section.status, 2);
  assert.match(section.stderr, /^There is no section 'tempo'\.\nUsage/);
  const number = run(SCRIPTS.fuzz, '--seconds', 'many');
  assert.is(number.status, 2);
  assert.match(number.stderr, /^--seconds must be a number of 1 or more, not 'many'\.\nUsage/);
  const name = run(SCRIPTS.test, 'nothing-of-this-name');
  assert.is(name.status, 2);
  assert.match(name.stderr, /^No test file begins with 'nothing-of-this-name'\.\nUsage/);
});

test.run();
