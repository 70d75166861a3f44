/**
 * CONTRIBUTING is true: its recipe for a new event type is followed word by word in a copy, and the map names every
 * file.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TEXT = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');

const FENCE = '\\n\\n```\\w+\\n(.*?)^```$';
const INSERTION = new RegExp(
  `^In \`([^\`]+)\`, before the line that begins with \`([^\\n]+)\`:${FENCE}`,
  'gms',
);
const NEW_FILE = new RegExp(`^A new file, \`([^\`]+)\`:${FENCE}`, 'gms');
const REPLACEMENT = /^In `([^`]+)`, `([^`]+)` becomes `([^`]+)`\.$/gm;
/** How a step begins, whatever follows. */
const STEP = /^(?:In `|A new file)/gm;

/** A copy of the project in which nothing is built. */
function copy(): string {
  const folder = mkdtempSync(join(tmpdir(), 'palabre-fmt-recipe-'));
  const left = new Set(['node_modules', 'dist', 'coverage', '.git'].map((name) => join(ROOT, name)));
  cpSync(ROOT, folder, { recursive: true, filter: (file) => !left.has(file) });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Does what the recipe says; the number of steps. */
function follow(folder: string): number {
  const insertions = [...TEXT.matchAll(INSERTION)];
  for (const [, file, anchor, text] of insertions) {
    const path = join(folder, file!);
    const lines = readFileSync(path, 'utf8').split('\n');
    const places = lines.flatMap((line, index) => (line.trimStart().startsWith(anchor!) ? [index] : []));
    assert.is(places.length, 1, `lines of ${file} that begin with ${anchor}`);
    lines.splice(places[0]!, 0, text!.trimEnd());
    writeFileSync(path, lines.join('\n'));
  }
  const replacements = [...TEXT.matchAll(REPLACEMENT)];
  for (const [, file, old, text] of replacements) {
    const path = join(folder, file!);
    const parts = readFileSync(path, 'utf8').split(old!);
    assert.is(parts.length, 2, `places of ${file} that say ${old}`);
    writeFileSync(path, parts.join(text));
  }
  const files = [...TEXT.matchAll(NEW_FILE)];
  for (const [, file, text] of files) {
    assert.not.ok(existsSync(join(folder, file!)), file);
    writeFileSync(join(folder, file!), text!);
  }
  return insertions.length + replacements.length + files.length;
}

function run(folder: string, command: string, args: readonly string[], input = '') {
  const env = { ...process.env, UPDATE_GOLDENS: 'new' };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, env, input, encoding: 'utf8' });
  assert.is(status, 0, `${command} ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

const recipe = suite('recipe');

recipe('the steps for a new event type lead to one that every command knows', () => {
  const folder = copy();
  try {
    assert.is(follow(folder), [...TEXT.matchAll(STEP)].length);
    const places = Array.from(TEXT.matchAll(INSERTION), ([, file]) => file!);
    assert.is(places.filter((file) => file.startsWith('src/')).length, 5);
    run(folder, process.execPath, ['--import', 'tsx', 'src/build.ts']);
    run(folder, 'npx', ['tsc', '--project', '.']);
    run(folder, 'npx', ['biome', 'ci', 'src']);
    for (const name of [
      'schema/schema',
      'schema/mend',
      'protocol/checker',
      'protocol/mutants',
      'format/pretty',
    ]) {
      run(folder, process.execPath, ['--import', 'tsx', `test/${name}.test.ts`]);
    }
    const golden = readFileSync(join(folder, 'test/fixtures/pretty/chat-renamed.plain.txt'), 'utf8');
    assert.match(golden, /^→ Spring cleaning$/m);

    const program = (...args: string[]) =>
      run(
        folder,
        process.execPath,
        ['bin/palabre-fmt.js', ...args],
        '{"v":1,"type":"chat-renamed","name":"*a*\\u001b"}\n',
      );
    assert.is(program('validate', '--no-session', '--strict').length > 0, true);
    assert.is(program('--compact'), 'chat-renamed: *a*␛\n');
    assert.is(program('md'), '*\\*a\\*␛*\n');
    assert.is(program('filter', '-t', '@chat', '-x', 'name'), '*a*\x1b\n');
    assert.match(program('schema', 'chat-renamed'), /"The conversation has got a name\."/);
    assert.match(program('__complete', 'en', 'filter', '-t', 'chat-r'), /^chat-renamed$/m);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

recipe('the map names every file and folder of src, and none that is not there', () => {
  const map = TEXT.slice(TEXT.indexOf('| room of `src` |'), TEXT.indexOf('A step is a pure function'));
  const rows = Array.from(map.matchAll(/^\| (`.*?) \|/gm), ([, cell]) => cell!).join(', ');
  const named = Array.from(rows.matchAll(/`([\w./-]+)`/g), ([, name]) => name!).sort();
  const there = readdirSync(join(ROOT, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || entry.name.endsWith('.ts'))
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .sort();
  assert.equal(named, there);
});

recipe('the scripts, files and tests that it names exist', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  for (const [, name] of TEXT.matchAll(/npm run (\w+)/g)) assert.ok(Object.hasOwn(scripts, name!), name);
  const paths = Array.from(TEXT.matchAll(/`((?:src|test|man)\/[\w./-]+)`/g), ([, path]) => path!);
  const invented = /chat-renamed|\bXX\b|NAME/;
  assert.ok(paths.length > 15);
  for (const path of paths.filter((path) => !invented.test(path)))
    assert.ok(existsSync(join(ROOT, path)), path);
});

recipe.run();
