/** The shape of the code, as far as imports show it. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const boundaries = suite('boundaries');

const ROOT = fileURLToPath(new URL('../src/', import.meta.url));

const FILES = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
/** What each source file imports: `./x.ts` as its path from `src`, packages by name; types aside. */
const IMPORTS = new Map(
  FILES.map((name) => [
    name,
    importsOf(name, /^(?:import|export) (?!type )[^;]*?from '([^']+)'|await import\('([^']+)'\)/gm),
  ]),
);
/** The same with types. */
const ALL_IMPORTS = new Map(
  FILES.map((name) => [
    name,
    importsOf(name, /^(?:import|export) [^;]*?from '([^']+)'|await import\('([^']+)'\)/gm),
  ]),
);

function importsOf(name: string, pattern: RegExp): string[] {
  const found = readFileSync(`${ROOT}${name}`, 'utf8').matchAll(pattern);
  return [...found].map(([, named, dynamic]) => {
    const target = named ?? dynamic ?? '';
    return target.startsWith('.') ? new URL(target, `file:///${name}`).pathname.slice(1) : target;
  });
}

/** The rooms of `src`, and which of the others each may look into. `event.ts` and `arguments.ts` are open to all but `world` and `safe`. */
const ROOMS: Record<string, readonly string[]> = {
  world: [],
  safe: [],
  labels: ['arguments.ts'],
  schema: ['event.ts'],
  protocol: ['event.ts', 'arguments.ts'],
  steps: ['event.ts', 'arguments.ts', 'schema', 'protocol'],
  terminal: ['arguments.ts', 'safe'],
  format: ['event.ts', 'arguments.ts', 'labels', 'schema', 'protocol', 'safe', 'terminal'],
  cli: [
    'event.ts',
    'arguments.ts',
    'stream.ts',
    'pipeline.ts',
    'world',
    'safe',
    'labels',
    'schema',
    'protocol',
    'steps',
    'terminal',
    'format',
  ],
};

function roomOf(name: string): string {
  return name.split('/')[0]!;
}

boundaries('there is something to look at', () => {
  assert.ok(IMPORTS.size > 25);
  assert.ok(IMPORTS.get('cli/main.ts')?.includes('cli/options.ts'));
  assert.ok(IMPORTS.get('cli/main.ts')?.includes('cli/help.ts'), 'dynamic imports are seen');
});

boundaries('arrows between the rooms go one way', () => {
  const wrong: string[] = [];
  for (const [name, targets] of IMPORTS) {
    const room = roomOf(name);
    if (!Object.hasOwn(ROOMS, room)) continue;
    for (const target of targets) {
      if (!IMPORTS.has(target) || roomOf(target) === room || ROOMS[room]!.includes(roomOf(target))) continue;
      wrong.push(`${name} → ${target}`);
    }
  }
  assert.equal(wrong, []);
});

boundaries('a step never imports a step', () => {
  const steps = [...IMPORTS].filter(([name]) => roomOf(name) === 'steps');
  assert.ok(steps.length > 3);
  for (const [name, targets] of steps) {
    assert.equal(
      targets.filter((target) => roomOf(target) === 'steps'),
      [],
      name,
    );
  }
});

boundaries('a library is known by one file', () => {
  const owners: Record<string, string[]> = {
    through2: ['stream.ts'],
    split2: ['steps/lines.ts'],
    yargs: ['cli/help.ts'],
    chalk: ['terminal/style.ts'],
    'fastest-levenshtein': ['cli/options.ts'],
    esbuild: ['build.ts'],
    ajv: ['schema/compile.ts'],
  };
  for (const [library, files] of Object.entries(owners)) {
    const users = [...IMPORTS].filter(([, targets]) => targets.includes(library)).map(([name]) => name);
    assert.equal(users, files, library);
  }
});

boundaries('a format reads no environment, no terminal, no clock', () => {
  const formats = [...IMPORTS.keys()].filter(
    (name) => ['format', 'terminal', 'safe', 'labels'].includes(roomOf(name)) && name !== 'terminal/live.ts',
  );
  assert.ok(formats.length > 10);
  for (const name of formats) {
    const code = readFileSync(`${ROOT}${name}`, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
    assert.not.match(code, /\bprocess\.|\bDate\.now\b|\bnew Date\(\)|\bglobalThis\b|\bconsole\./, name);
  }
});

boundaries('no import goes round in a circle, types included', () => {
  const done = new Set<string>();
  function walk(name: string, trail: string[]): void {
    assert.not.ok(trail.includes(name), [...trail, name].join(' → '));
    if (done.has(name)) return;
    for (const target of ALL_IMPORTS.get(name) ?? [])
      if (ALL_IMPORTS.has(target)) walk(target, [...trail, name]);
    done.add(name);
  }
  for (const name of IMPORTS.keys()) walk(name, []);
});

boundaries.run();
