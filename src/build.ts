/**
 * Builds `dist`: the compiled schemas, the library (a file for each source file, with types), and the program
 * in one bundle, since a start that reads a hundred small files takes twice as long. Run by `npm run build`.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build, type Metafile, type Plugin, transform } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const PROGRAM = `${root}src/cli/main.ts`;
const TARGET = 'node20.19';

/**
 * Makes every module that is imported late import the program too. Otherwise esbuild would make a chunk of each set of
 * modules that late ones share, ten in all, and every start would read them: a tenth of its CPU time.
 */
const oneCore: Plugin = {
  name: 'one-core',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /./ }, async ({ kind, path, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined;
      if (isBuiltin(path)) return { path, external: true };
      const found = await resolve(path, { kind: 'import-statement', resolveDir });
      return found.errors.length > 0 ? found : { path: found.path, namespace: 'late' };
    });
    onLoad({ filter: /./, namespace: 'late' }, ({ path }) => {
      const [core, late] = [JSON.stringify(PROGRAM), JSON.stringify(path)];
      // Our own modules have no default export.
      const rest = path.includes('node_modules') ? `export { default } from ${late};` : '';
      return { contents: `import ${core}; export * from ${late}; ${rest}`, resolveDir: root };
    });
  },
};

/**
 * Gets Node's own modules by `process.getBuiltinModule`. An `import` of one first reads all of its members, some of which
 * load more modules: 5 ms at each start. CommonJS packages need no `require` this way.
 */
const builtins: Plugin = {
  name: 'builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./ }, ({ path }) => (isBuiltin(path) ? { path, namespace: 'builtin' } : undefined));
    onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};

/** chalk looks for colours when it is loaded. `colorLevel` decides that here. */
const noColorDetection: Plugin = {
  name: 'no-color-detection',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^#supports-color$/ }, ({ path }) => ({ path, namespace: 'no-color' }));
    onLoad({ filter: /./, namespace: 'no-color' }, () => ({ contents: 'export default {};' }));
  },
};

const [unknown] = process.argv.slice(2);
if (unknown !== undefined) {
  console.error(`npm run build takes no options, so it does not know '${unknown}'.`);
  process.exit(2);
}
rmSync(`${root}/dist`, { recursive: true, force: true });
await import('./schema/compile.ts');
execFileSync('npx', ['tsc', '--project', `${root}/src`], { stdio: 'inherit' });
const { metafile, outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: { 'palabre-fmt': PROGRAM },
  outdir: 'dist',
  bundle: true,
  // What a command does not need is a file of its own, and not read.
  splitting: true,
  chunkNames: 'palabre-fmt.[name]-[hash]',
  platform: 'node',
  format: 'esm',
  target: TARGET,
  metafile: true,
  write: false,
  outExtension: { '.js': '.cjs' },
  logLevel: 'warning',
  // through2 brings a copy of Node's streams; Node's own are loaded anyway.
  alias: { 'readable-stream': 'node:stream' },
  plugins: [oneCore, builtins, noColorDetection],
});
// CommonJS, of which esbuild makes no several files: without its loader of ES modules, Node starts a twelfth faster.
for (const { path, text } of outputFiles) {
  // yargs asks for it.
  const source = text.replaceAll('import.meta.url', "require('node:url').pathToFileURL(__filename).href");
  const options = { format: 'cjs', target: TARGET, supported: { 'dynamic-import': false } } as const;
  writeFileSync(path, (await transform(source, options)).code);
}
writeFileSync(`${root}dist/LICENSES.txt`, licenses(metafile));

/** The licences of the packages whose code is in the bundle: they ask to go with every copy. */
function licenses({ inputs }: Metafile): string {
  const names = new Set(
    Object.keys(inputs).flatMap(
      (input) => /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(input)?.[1] ?? [],
    ),
  );
  const texts = [...names].sort().map((name) => {
    const folder = `${root}node_modules/${name}`;
    const file = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
    if (!file) throw new Error(`${name} has no licence`);
    return `${name}\n\n${readFileSync(`${folder}/${file}`, 'utf8').trim()}\n`;
  });
  return texts.join(`\n${'-'.repeat(72)}\n\n`);
}
