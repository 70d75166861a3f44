/**
 * Builds `dist`: the compiled schemas, the library (a file for each source file, with types), and the program
 * in one bundle, since a start that reads a hundred small files takes twice as long. Run by `npm run build`.
 */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

rmSync(`${root}/dist`, { recursive: true, force: true });
await import('./schema/compile.ts');
execFileSync('npx', ['tsc', '--project', `${root}/src`], { stdio: 'inherit' });
await build({
  absWorkingDir: root,
  entryPoints: { 'palabre-fmt': 'src/cli.ts' },
  outdir: 'dist',
  bundle: true,
  // What a command does not need is a file of its own, and not read.
  splitting: true,
  chunkNames: 'palabre-fmt/[name]-[hash]',
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  sourcemap: true,
  logLevel: 'warning',
  // through2 brings a copy of Node's streams; Node's own are loaded anyway.
  alias: { 'readable-stream': 'node:stream' },
  // CommonJS packages in the bundle ask for Node's modules by `require`.
  // (yargs has a `createRequire` of its own.)
  banner: { js: "import { createRequire as _r } from 'node:module'; const require = _r(import.meta.url);" },
});
