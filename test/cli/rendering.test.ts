/** Where Markdown is rendered, and how wide. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { run } from '../process.ts';

const rendering = suite('rendering in a pipe');

const PROSE = `**bold** ${'word '.repeat(60)}`;
const CELL = 'cell '.repeat(12).trim();
const TABLE = `|a|b|\n|-|-|\n|${CELL}|${CELL}|`;

function message(content: string): string {
  return JSON.stringify({ v: 1, type: 'message', turn: 1, agent: 'codex', role: 'critic', content });
}

/** The lines of an answer behind their gutters, without colours. */
async function answer(
  content: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<string[]> {
  const { stdout, status } = await run(args, { input: `${message(content)}\n`, env });
  assert.is(status, 0);
  const lines = stdout
    .replace(/\x1b\[[\d;]*m/g, '')
    .trimEnd()
    .split('\n');
  return lines.slice(1).map((line) => line.slice(2));
}

const widest = (lines: readonly string[]) => Math.max(...lines.map((line) => line.length)) + 2;

rendering('where colour was asked for', async () => {
  for (const [args, env] of [
    [['--color', 'always'], {}],
    [[], { FORCE_COLOR: '2' }],
  ] as const) {
    assert.match((await answer(PROSE, args, env))[0]!, /^bold word/);
  }
  for (const [args, env] of [
    [[], {}],
    [['--color', 'always', '--plain'], {}],
    [['--color', 'never'], { FORCE_COLOR: '2' }],
    [['-w', '60'], {}],
  ] as const) {
    assert.match((await answer(PROSE, args, env))[0]!, /^\*\*bold\*\* word/);
  }
});

rendering('with COLUMNS, or 80; at most 100 for prose, all of it for tables', async () => {
  const always = ['--color', 'always'];
  for (const [args, columns, prose, table] of [
    [always, undefined, 80, 80],
    [always, '', 80, 80],
    [always, 'wide', 80, 80],
    [always, '60', 60, 60],
    [always, '120', 100, 120],
    [always, '200', 100, 125],
    [[...always, '-w', '110'], '60', 110, 110],
  ] as const) {
    const env = columns === undefined ? {} : { COLUMNS: columns };
    const about = JSON.stringify([args, columns]);
    const text = widest(await answer(PROSE, args, env));
    assert.ok(text <= prose && text > prose - 5, `prose of ${text}: ${about}`);
    const cells = widest(await answer(TABLE, args, env));
    assert.ok(cells <= table && cells > table - 12, `a table of ${cells}: ${about}`);
  }
  const unlimited = await answer(PROSE, [...always, '-w', '0'], { COLUMNS: '60' });
  assert.is(unlimited.length, 1);
  assert.is((await answer(PROSE, [], { COLUMNS: '60' })).length, 1, 'without colour nothing is wrapped');
});

rendering.run();
