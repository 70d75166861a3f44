/** The shape of the code, as far as imports show it. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const boundaries = suite('boundaries');

const ROOT = fileURLToPath(new URL('../src/', import.meta.url));

/** What each source file imports: `./x.ts` as its path from `src`, packages by name; types aside. */
const IMPORTS = new Map(
  readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [name, importsOf(name)]),
);

function importsOf(name: string): string[] {
  const text = readFileSync(`${ROOT}${name}`, 'utf8');
  const found = text.matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)'|await import\('([^']+)'\)/gm);
  return [...found].map(([, named, dynamic]) => {
    const target = named ?? dynamic ?? '';
    return target.startsWith('.') ? new URL(target, `file:///${name}`).pathname.slice(1) : target;
  });
}

const STEPS = [
  'parse.ts',
  'validate.ts',
  'protocol.ts',
  'filter.ts',
  'pretty.ts',
  'markdown.ts',
  'encode.ts',
];
/** Knows what a run is: arguments, streams of the process, signals. */
const SHELL = [
  'cli.ts',
  'read.ts',
  'formats.ts',
  'talk.ts',
  'signals.ts',
  'help.ts',
  'completion.ts',
  'options.ts',
  'send.ts',
  'producer.ts',
];

boundaries('there is something to look at', () => {
  assert.ok(IMPORTS.size > 25);
  assert.ok(IMPORTS.get('cli.ts')?.includes('options.ts'));
  assert.ok(IMPORTS.get('cli.ts')?.includes('help.ts'), 'dynamic imports are seen');
});

boundaries('a step never imports a step', () => {
  for (const step of STEPS) {
    const others = (IMPORTS.get(step) ?? []).filter((target) => STEPS.includes(target));
    assert.equal(others, [], step);
  }
});

boundaries('nothing that makes or checks text knows of the shell around it', () => {
  for (const [name, targets] of IMPORTS) {
    if (SHELL.includes(name) || name === 'build.ts') continue;
    assert.equal(
      targets.filter((target) => SHELL.includes(target)),
      [],
      name,
    );
  }
});

boundaries('a library is known by one file', () => {
  const owners: Record<string, string[]> = {
    through2: ['stream.ts'],
    split2: ['lines.ts'],
    yargs: ['help.ts'],
    chalk: ['style.ts'],
    'fastest-levenshtein': ['options.ts'],
    esbuild: ['build.ts'],
    ajv: ['schema/compile.ts'],
  };
  for (const [library, files] of Object.entries(owners)) {
    const users = [...IMPORTS].filter(([, targets]) => targets.includes(library)).map(([name]) => name);
    assert.equal(users, files, library);
  }
});

boundaries('a format reads no environment, no terminal, no clock', () => {
  const formats = [...IMPORTS.keys()].filter((name) =>
    /^(pretty|markdown|terminal\/(markdown|wrap|width)|text|style|labels|words|session|safe-markdown)/.test(
      name,
    ),
  );
  assert.ok(formats.length > 10);
  for (const name of formats) {
    const code = readFileSync(`${ROOT}${name}`, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
    assert.not.match(code, /\bprocess\.|\bDate\.now\b|\bnew Date\(\)|\bglobalThis\b|\bconsole\./, name);
  }
});

boundaries('no import goes round in a circle', () => {
  const done = new Set<string>();
  function walk(name: string, trail: string[]): void {
    assert.not.ok(trail.includes(name), [...trail, name].join(' → '));
    if (done.has(name)) return;
    for (const target of IMPORTS.get(name) ?? []) if (IMPORTS.has(target)) walk(target, [...trail, name]);
    done.add(name);
  }
  for (const name of IMPORTS.keys()) walk(name, []);
});

boundaries.run();
