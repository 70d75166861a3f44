/**
 * The pictures of the README, made of what the built program writes on a terminal. `npm run pictures` writes
 * them; a test compares them. Needs `script`, as Linux has it, for the terminal.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { INPUT } from '../fixtures.ts';
import { scriptOptions } from '../options.ts';
import { PROGRAM } from '../process.ts';
import { toSvg } from './svg.ts';

export const FOLDER = fileURLToPath(new URL('.', import.meta.url));

/** Columns of the terminal, and those for a wide table. */
const COLUMNS = 78;
const WIDE = 120;

/** What is typed, by the name of the picture. */
const SHOWN: Readonly<Record<string, [typed: string, columns?: number]>> = {
  debate: ['palabre-fmt sample.ndjson'],
  failure: ['palabre-fmt debate-crash.ndjson'],
  table: ['palabre-fmt table.ndjson', WIDE],
  chat: ['palabre-fmt chat-export.ndjson'],
  'debate-fr': ['palabre-fmt --lang fr debate-french.ndjson'],
  'failure-fr': ['palabre-fmt --lang fr debate-crash.ndjson'],
  'table-fr': ['palabre-fmt --lang fr table.ndjson', WIDE],
  'chat-fr': ['palabre-fmt --lang fr chat-export.ndjson'],
};

/** What a line of shell shows on a terminal; undefined where there is no `script` to make one. */
function onTerminal(line: string, columns: number): string | undefined {
  const typed = `palabre-fmt() { '${process.execPath}' '${PROGRAM}' "$@"; }; stty cols ${columns} rows 24; ${line}`;
  const { stdout, status, error } = spawnSync('script', ['-q', '-e', '-c', typed, '/dev/null'], {
    cwd: INPUT,
    env: {
      PATH: process.env['PATH'],
      SHELL: '/bin/bash',
      TERM: 'xterm-256color',
      COLORTERM: 'truecolor',
      FORCE_HYPERLINK: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  if (error || status === null) return undefined;
  return stdout;
}

/** The pictures, by file name; undefined where there is no `script`. */
export function pictures(): Map<string, string> | undefined {
  const files = new Map<string, string>();
  for (const [name, [typed, columns = COLUMNS]] of Object.entries(SHOWN)) {
    const text = onTerminal(typed, columns);
    if (text === undefined) return undefined;
    files.set(`${name}.svg`, toSvg(`\x1b[2m$\x1b[22m ${typed}\n\n${text}`, typed));
  }
  return files;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  scriptOptions('npm run pictures', {});
  const made = pictures();
  if (!made) throw new Error('`script` is missing; it comes with util-linux');
  for (const [name, svg] of made) writeFileSync(`${FOLDER}${name}`, svg);
}
