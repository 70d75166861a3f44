/**
 * What a stranger gets: the package is packed from a copy of the sources, installed into an empty prefix by
 * somebody with an empty home, and used there.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { path, read } from './fixtures.ts';
import { PATIENCE } from './process.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = mkdtempSync(join(tmpdir(), 'palabre-fmt-package-'));
const SOURCES = join(FOLDER, 'sources');
const HOME = join(FOLDER, 'home');
const PREFIX = join(FOLDER, 'prefix');
/** Where `npm install --global` puts it. */
const INSTALLED = join(PREFIX, 'lib/node_modules/palabre-fmt');

function call(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv; input?: string } = {},
) {
  return spawnSync(command, args, { encoding: 'utf8', timeout: PATIENCE, ...options });
}

/** Packs a copy, so that what other tests leave in `dist` for a moment is not seen; `prepare` builds it. */
function pack() {
  const left = new Set(['node_modules', 'dist', 'coverage', '.git'].map((name) => join(ROOT, name)));
  cpSync(ROOT, SOURCES, { recursive: true, filter: (file) => !left.has(file) });
  symlinkSync(join(ROOT, 'node_modules'), join(SOURCES, 'node_modules'));
  const { status, stderr } = call('npm', ['pack', '--pack-destination', FOLDER], { cwd: SOURCES });
  assert.is(status, 0, stderr);
  const tarball = readdirSync(FOLDER).find((file) => file.endsWith('.tgz'))!;
  return join(FOLDER, tarball);
}

/** The environment of somebody who has Node and nothing else. How the registry is reached is ours. */
function stranger(): NodeJS.ProcessEnv {
  const setting = (name: string) => call('npm', ['config', 'get', name], { cwd: ROOT }).stdout.trim();
  const network = Object.entries(process.env).filter(([name]) => /proxy|cert/i.test(name));
  return {
    ...Object.fromEntries(network),
    HOME,
    PATH: `${join(PREFIX, 'bin')}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    npm_config_userconfig: setting('userconfig'),
    npm_config_cache: setting('cache'),
    npm_config_prefer_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
  };
}

/** All files below a folder, by their path from it. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

const packed = suite('package, as packed');

const tarball = pack();
const content = join(FOLDER, 'package');
call('tar', ['-xzf', tarball, '-C', FOLDER]);
const files = filesIn(content);
const manifest = JSON.parse(readFileSync(join(content, 'package.json'), 'utf8'));

packed('it holds the program, the library, the manuals, the papers, their pictures, and nothing else', () => {
  const outside = files.filter((file) => !/^dist\/|^test\/pictures\/[\w-]+\.svg$/.test(file));
  assert.equal(outside, [
    'CHANGELOG.md',
    'LICENSE',
    'README.fr.md',
    'README.md',
    'bin/package.json',
    'bin/palabre-fmt.js',
    'man/cookbook.md',
    'man/fr/cookbook.md',
    'man/fr/palabre-fmt.1',
    'man/palabre-fmt.1',
    'package.json',
  ]);
  for (const file of files.filter((file) => file.startsWith('dist/'))) {
    assert.match(file, /\.(?:c?js|d\.ts)$|^dist\/LICENSES\.txt$/);
  }
});

packed('the pictures that a page shows are in it', () => {
  for (const page of ['README.md', 'README.fr.md']) {
    const text = readFileSync(join(content, page), 'utf8');
    const pictures = Array.from(text.matchAll(/!\[[^\]]+\]\(([\w/.-]+)\)/g), ([, file]) => file!);
    assert.is(pictures.length, 4, page);
    for (const file of pictures) assert.ok(files.includes(file), `${page}: ${file}`);
  }
});

/** The files that `file` imports, itself included, and the packages. */
function reach(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  // Comments of bundled packages name others.
  const text = readFileSync(join(content, file), 'utf8').replace(/^\s*(?:\/\*|\*|\/\/).*$/gm, '');
  const imports =
    /^(?:import(?:[\w$*{}\s,]+from)?|export[\w$*{}\s,]+from)\s*['"]([^'"\n]+)['"]|\b(?:import|require)\(['"]([^'"\n]+)['"]\)/gm;
  for (const [, named, dynamic] of text.matchAll(imports)) {
    const target = named ?? dynamic ?? '';
    if (target.startsWith('.')) reach(join(dirname(file), target), found);
    else if (target.startsWith('#')) reach(join(manifest.imports[target]), found);
    else if (!isBuiltin(target)) found.add(target);
  }
  return found;
}

packed('every file of dist is reached from the program or the library', () => {
  const reached = new Set([...reach('bin/palabre-fmt.js'), ...reach('dist/index.js')]);
  const code = files.filter((file) => file.startsWith('dist/') && /\.c?js$/.test(file));
  assert.equal(
    code.filter((file) => !reached.has(file)),
    [],
  );
  for (const file of files.filter((file) => file.endsWith('.d.ts'))) {
    assert.ok(files.includes(file.replace('.d.ts', '.js')), file);
  }
});

packed('no file points at one that is not in the package', () => {
  for (const file of files.filter((file) => /^dist\/.*\.c?js$/.test(file))) {
    assert.not.match(readFileSync(join(content, file), 'utf8'), /^\/\/# sourceMappingURL=/m, file);
  }
  for (const target of Object.values<string>(manifest.imports)) {
    assert.ok(files.includes(join(target)), target);
    assert.ok(files.includes(join(target).replace(/js$/, 'd.ts')), target);
  }
});

packed('the dependencies are what the library imports; the program brings its own', () => {
  const packages = [...reach('dist/index.js')].filter((name) => !name.startsWith('dist/'));
  assert.equal(packages.sort(), Object.keys(manifest.dependencies).sort());
  assert.equal(
    [...reach('bin/palabre-fmt.js')].filter((name) => !/^(?:dist|bin)\//.test(name)),
    [],
  );
});

packed('the licences of what the program brings are with it', () => {
  const licenses = readFileSync(join(content, 'dist/LICENSES.txt'), 'utf8');
  for (const name of ['chalk', 'micromark', 'split2', 'through2', 'yargs']) {
    assert.match(licenses, new RegExp(`^${name}\\n\\n`, 'm'), name);
  }
  assert.match(licenses, /Copyright .* Titus Wormer/);
});

packed('publint finds nothing', () => {
  const { status, stdout, stderr } = call('npx', ['publint', '--strict', tarball], { cwd: ROOT });
  assert.match(stdout, /All good!/, stderr);
  assert.is(status, 0);
});

packed('the types are right for those who import it', () => {
  // CommonJS and the resolution of before Node 12 are left out on purpose: the package is ES modules only.
  const args = ['attw', '--profile', 'esm-only', '--format', 'json', tarball];
  const { status, stdout, stderr } = call('npx', args, { cwd: ROOT });
  assert.is(status, 0, stdout + stderr);
});

packed('CONTRIBUTING gives a reason for each dependency', () => {
  const reasons = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  for (const name of Object.keys({ ...own.dependencies, ...own.devDependencies })) {
    assert.ok(reasons.includes(`\`${name}\``), name);
  }
});

packed.run();

const installed = suite('package, installed');

mkdirSync(HOME);
const env = stranger();
const { status, stderr } = call('npm', ['install', '--global', '--prefix', PREFIX, tarball], {
  env,
  cwd: HOME,
});
const offline = status !== 0 && /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|ENOTCACHED/.test(stderr);
if (offline) console.log('skipped: there is no registry to install the dependencies from');
const test = offline ? installed.skip : installed;

test('it installs without a script or a tool of ours', () => {
  assert.is(status, 0, stderr);
  for (const tool of ['typescript', 'esbuild', 'yargs', 'uvu']) {
    assert.not.ok(existsSync(join(INSTALLED, 'node_modules', tool)), tool);
  }
});

test('the command works', () => {
  const version = call('palabre-fmt', ['--version'], { env, cwd: HOME });
  assert.is(version.stdout, `${manifest.version}\n`);
  const shown = call('palabre-fmt', [], { env, cwd: HOME, input: read('debate-summary') });
  assert.is(shown.stderr, '');
  assert.match(shown.stdout, /^● 1\/4 codex \(implementer\)$/m);
  const help = call('palabre-fmt', ['filter', '--help'], { env, cwd: HOME });
  assert.match(help.stdout, /--invert-match/);
  const transcript = call('palabre-fmt', ['md', path('chat-export')], { env, cwd: HOME });
  assert.match(transcript.stdout, /^# Chat/);
});

const hasMan = !call('man', ['--version']).error;
if (!hasMan) console.log('skipped: man is not installed');
(hasMan && !offline ? installed : installed.skip)(
  'man finds the page, and the French one where it is',
  () => {
    const found = call('man', ['-w', 'palabre-fmt'], { env });
    // A link in `share/man`, which some programs resolve.
    assert.is(realpathSync(found.stdout.trim()), realpathSync(join(INSTALLED, 'man/palabre-fmt.1')));
    const page = call('man', ['-P', 'cat', 'palabre-fmt'], { env });
    assert.match(page.stdout, /SYNOPSIS/);
    // npm links one page of a name.
    const french = call('man', ['-P', 'cat', join(INSTALLED, 'man/fr/palabre-fmt.1')], { env });
    assert.match(french.stdout, /CONSTATS/);
  },
);

test('it can be imported, and by require as well where Node can', () => {
  const folder = consumer('');
  const script = `import { parseLine } from 'palabre-fmt';
import { createRequire } from 'node:module';
const required = createRequire(import.meta.url)('palabre-fmt');
console.log(parseLine({ number: 1, text: '{"v":1,"type":"notice","message":"x"}' }).kind, typeof required.parse);`;
  const { stdout, stderr } = call(process.execPath, ['--no-warnings', '--input-type=module', '-e', script], {
    cwd: folder,
    env,
  });
  assert.is(stdout, 'event function\n', stderr);
});

/** A project that has installed the package, of one file. */
function consumer(code: string, compilerOptions: object = {}, file = 'main.ts'): string {
  const folder = mkdtempSync(join(FOLDER, 'consumer-'));
  const link = (from: string, name: string) => {
    const target = join(folder, 'node_modules', name);
    mkdirSync(dirname(target), { recursive: true });
    symlinkSync(from, target);
  };
  link(INSTALLED, 'palabre-fmt');
  link(join(ROOT, 'node_modules/@types/node'), '@types/node');
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, file), code);
  const options = {
    strict: true,
    noEmit: true,
    target: 'es2022',
    types: ['node'],
    skipLibCheck: false,
    ...compilerOptions,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: [file] }));
  return folder;
}

/** What a stranger writes; what would be a mistake must not compile. */
const CODE = `
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import {
  createPretty, createStyle, type EventOfType, filter, type Item, labelsFor, markdown, type MessageEvent, ndjson,
  type PalabreEvent, parse, pretty, validate,
} from 'palabre-fmt';

function agentOf(event: PalabreEvent): string | undefined {
  switch (event.type) {
    case 'message':
      return \`\${event.agent} \${event.turn.toFixed()}\`;
    case 'error':
      return event.agent;
    case 'done':
      // @ts-expect-error it may be null
      return event.outputPath;
    default:
      return undefined;
  }
}

async function main(): Promise<void> {
  const format = createPretty({ style: createStyle({ level: 0 }), labels: labelsFor('fr'), language: 'fr', width: 80 });
  for await (const item of process.stdin.pipe(parse())) {
    if (item.kind !== 'event') continue;
    // @ts-expect-error there is no such field
    console.log(item.event.agnet);
    if (item.event.type === 'message') console.log(item.event.agent.length, agentOf(item.event));
  }
  for await (const item of process.stdin.pipe(parse()).pipe(validate()).pipe(filter({ type: '@content' }))) {
    format.each(item, (text) => console.log(item.line.number.toFixed(), text.trim()));
    // @ts-expect-error an item is no text
    console.log(item.trim());
  }
  for await (const text of parse().pipe(markdown())) {
    console.log(text.trim());
    // @ts-expect-error text is no item
    console.log(text.line);
  }
  parse().on('data', (item) => {
    // @ts-expect-error there is no such field
    console.log(item.lien);
  });
  const items: Item[] = await parse().toArray();
  parse().pipe(pretty()).pipe(createWriteStream('x')).on('finish', () => console.log(items.length));

  await pipeline(process.stdin, parse(), validate(), filter({ agent: ['claude'] }), markdown(), process.stdout);
  await pipeline(process.stdin, parse(), ndjson(), async (texts) => {
    for await (const text of texts) console.log(text);
  });

  // @ts-expect-error text into a filter
  parse().pipe(markdown()).pipe(filter());
  // @ts-expect-error items into parse
  parse().pipe(parse());
  // @ts-expect-error no such language
  markdown({ language: 'de' });
  // @ts-expect-error no such option
  filter({ types: 'message' });
  // @ts-expect-error not a text
  filter({ type: 5 });
  // @ts-expect-error not a number
  parse({ maxLine: '64M' });
  filter({ type: 'message', role: ['critic', 'of its own'], turn: '2..', session: [1, { from: 3, to: 4 }] });
}
const event: EventOfType<'message'> = {} as MessageEvent;
main().catch(() => console.log(event));
`;

for (const [module, moduleResolution, file] of [
  ['nodenext', 'nodenext', 'main.ts'],
  ['nodenext', 'nodenext', 'main.cts'],
  ['preserve', 'bundler', 'main.ts'],
] as const) {
  test(`the types serve ${file} in a project that resolves as ${moduleResolution}`, () => {
    const folder = consumer(CODE, { module, moduleResolution }, file);
    const tsc = join(ROOT, 'node_modules/.bin/tsc');
    const { status, stdout } = call(tsc, ['--project', folder]);
    assert.is(stdout, '');
    assert.is(status, 0);
  });
}

/** The sizes that a README claims, in megabytes, and how many packages. */
function claimed(file: string) {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const claim =
    /\*\*(\d+[.,]\d+)\s(?:MB|Mo)\*\*[^*]*\*\*(\d+)\s(?:packages|paquets)\*\*\D*(\d+[.,]\d+)\s(?:MB|Mo)\b/.exec(
      text,
    );
  assert.ok(claim, `${file} claims no size`);
  const [own, packages, all] = claim.slice(1).map((number) => Number(number.replace(',', '.')));
  return { own: own!, packages: packages!, all: all! };
}

function megabytes(folder: string, names: readonly string[]): number {
  return names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) / 1e6;
}

for (const file of ['README.md', 'README.fr.md']) {
  test(`${file} tells its size, and how many packages come with it`, () => {
    const { own, packages, all } = claimed(file);
    assert.ok(Math.abs(megabytes(content, files) - own) < 0.1, `${megabytes(content, files)} MB unpacked`);
    const everything = megabytes(INSTALLED, filesIn(INSTALLED));
    assert.ok(Math.abs(everything - all) < 0.2, `${everything} MB installed`);
    const list = call('npm', ['ls', '--global', '--all', '--parseable', '--prefix', PREFIX], {
      env,
      cwd: HOME,
    });
    const count = list.stdout.split('\n').filter((line) => line.includes('node_modules')).length;
    assert.ok(Math.abs(count - packages) <= 3, `${count} packages installed`);
  });
}

installed.after(() => rmSync(resolve(FOLDER), { recursive: true, force: true }));
installed.run();
