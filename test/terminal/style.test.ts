import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type ColorFlag,
  type ColorLevel,
  colorLevel,
  createStyle,
  type Paint,
  type Style,
} from '../../src/terminal/style.ts';
import { cells } from '../../src/terminal/width.ts';
import { leaks } from '../safe/attacks.ts';

const level = suite('the level of colour');

level('by flag, environment and terminal, the first that applies', () => {
  const table: [ColorFlag, Record<string, string>, boolean, ColorLevel][] = [
    // The flag wins over everything.
    ['never', { FORCE_COLOR: '3', COLORTERM: 'truecolor' }, true, 0],
    ['always', { NO_COLOR: '1' }, false, 1],
    ['always', { TERM: 'dumb' }, false, 1],
    ['always', { TERM: 'xterm-256color' }, false, 2],
    ['always', { FORCE_COLOR: '0', TERM: 'xterm-256color' }, false, 2],
    ['always', { FORCE_COLOR: '3' }, false, 3],
    // NO_COLOR, unless it is empty.
    ['auto', { NO_COLOR: '1', FORCE_COLOR: '3' }, true, 0],
    ['auto', { NO_COLOR: '0' }, true, 0],
    ['auto', { NO_COLOR: '' }, true, 1],
    // FORCE_COLOR.
    ['auto', { FORCE_COLOR: '0' }, true, 0],
    ['auto', { FORCE_COLOR: 'false' }, true, 0],
    ['auto', { FORCE_COLOR: '' }, false, 1],
    ['auto', { FORCE_COLOR: 'true' }, false, 1],
    ['auto', { FORCE_COLOR: '1', COLORTERM: 'truecolor' }, true, 1],
    ['auto', { FORCE_COLOR: '2', TERM: 'dumb' }, false, 2],
    ['auto', { FORCE_COLOR: '3' }, false, 3],
    ['auto', { FORCE_COLOR: '7' }, false, 1],
    // The terminal.
    ['auto', {}, false, 0],
    ['auto', { COLORTERM: 'truecolor' }, false, 0],
    ['auto', {}, true, 1],
    ['auto', { TERM: 'dumb', COLORTERM: 'truecolor' }, true, 0],
    ['auto', { TERM: 'xterm' }, true, 1],
    ['auto', { TERM: 'screen-256color' }, true, 2],
    ['auto', { TERM: 'xterm-256color', COLORTERM: 'truecolor' }, true, 3],
    ['auto', { COLORTERM: '24bit' }, true, 3],
    ['auto', { COLORTERM: 'yes' }, true, 1],
  ];
  for (const [flag, env, isTTY, expected] of table) {
    assert.is(colorLevel({ flag, env, isTTY }), expected, JSON.stringify([flag, env, isTTY]));
  }
});

level.run();

const style = suite('the style');

/** Every paint of a style, by name. */
function paints(from: Style): [string, Paint][] {
  const own = Object.entries(from).filter(
    (entry): entry is [string, Paint] => typeof entry[1] === 'function',
  );
  return own.map(([name, paint]) => (name === 'agent' ? [name, from.agent('codex')] : [name, paint]));
}

style('without colour text is untouched', () => {
  const plain = createStyle({ level: 0 });
  assert.ok(paints(plain).length > 15);
  for (const [name, paint] of paints(plain)) {
    assert.is(paint('a\n b'), 'a\n b', name);
    assert.is(paint(''), '', name);
  }
});

style('with colour only our own codes come, closed on each line', () => {
  for (const colors of [1, 2, 3] as const) {
    for (const [name, paint] of paints(createStyle({ level: colors }))) {
      const text = paint('a\nb');
      assert.equal(leaks(text, { colors: true }), [], name);
      assert.is(text.replace(/\x1b\[[\d;]*m/g, ''), 'a\nb', name);
      for (const line of text.split('\n'))
        assert.match(line, /^(\x1b\[[\d;]*m)+[ab](\x1b\[(22|23|24|29|39)m)+$/, name);
    }
  }
});

style('a paint takes one text, as in map', () => {
  assert.equal(['a', 'b'].map(createStyle({ level: 0 }).bold), ['a', 'b']);
});

style('agents have their colour by order of appearance', () => {
  for (const colors of [1, 2, 3] as const) {
    const one = createStyle({ level: colors });
    const two = createStyle({ level: colors });
    const shown = ['codex', 'claude', 'vibe', 'user', 'x'].map((name) => one.agent(name)('name'));
    assert.is(new Set(shown).size, 5, 'distinct');
    assert.is(one.agent('codex')('name'), shown[0], 'stable');
    assert.is(two.agent('claude')('name'), shown[0], 'by order, not by name');
  }
});

style('agents beyond the palette use it again, and any name is bounded', () => {
  const many = createStyle({ level: 3 });
  const first = many.agent('first')('x');
  const shown = new Set(Array.from({ length: 5000 }, (_, n) => many.agent(`agent ${n}`)('x')));
  assert.ok(shown.size >= 5 && shown.size < 20);
  assert.is(many.agent('first')('x'), first);
  assert.is(many.agent('agent 4999')('x'), many.agent('agent 4999')('x'));
  const long = 'long'.repeat(1000);
  assert.is(many.agent(long)('x'), many.agent(long)('x'));
  for (const name of ['__proto__', 'constructor', '']) assert.match(many.agent(name)('x'), /^\x1b.*x\x1b/);
});

/** Relative luminance and contrast as WCAG 2 defines them; rgb from 0 to 255. */
function luminance(rgb: number[]): number {
  const [r, g, b] = rgb.map((c) =>
    c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}
function contrast(a: number[], b: number[]): number {
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}
function rgbOf256(index: number): number[] {
  const step = [0, 95, 135, 175, 215, 255];
  const n = index - 16;
  return [step[Math.floor(n / 36)]!, step[Math.floor(n / 6) % 6]!, step[n % 6]!];
}

style('colours of 256 and of all are readable on dark and light backgrounds', () => {
  const backgrounds = [
    [0, 0, 0],
    [30, 30, 30],
    [255, 255, 255],
    [253, 246, 227],
  ];
  let seen = 0;
  for (const colors of [2, 3] as const) {
    const rich = createStyle({ level: colors });
    const texts = paints(rich).map(([, paint]) => paint('x'));
    for (let n = 0; n < 10; n++) texts.push(rich.agent(`agent ${n}`)('x'));
    for (const text of texts) {
      const all = /38;2;(\d+);(\d+);(\d+)m/.exec(text);
      const some = /38;5;(\d+)m/.exec(text);
      if (!all && !some) continue;
      const rgb = all ? all.slice(1).map(Number) : rgbOf256(Number(some![1]));
      seen++;
      for (const background of backgrounds)
        assert.ok(contrast(rgb, background) >= 3, `${rgb} on ${background}`);
    }
  }
  assert.ok(seen >= 30);
});

style('symbols have ASCII twins', () => {
  const twin = createStyle({ level: 0, ascii: true });
  const full = createStyle({ level: 0 });
  for (const symbol of Object.values(twin.symbols).flat()) assert.match(symbol, /^[\x20-\x7e]+$/);
  assert.is(full.symbols.vertical, '│');
  assert.is(twin.symbols.vertical, '|');
  assert.is(full.symbols.ellipsis, '…');
  assert.is(twin.symbols.ellipsis, '...');
  for (const symbol of Object.values(full.symbols).flat()) assert.equal(leaks(symbol, { colors: false }), []);
  assert.is(full.symbols.spinner.length, 10);
});

style('each character of a symbol takes one cell', () => {
  for (const ascii of [false, true]) {
    const { symbols } = createStyle({ level: 0, ascii });
    for (const symbol of Object.values(symbols).flat()) assert.is(cells(symbol), symbol.length, symbol);
  }
});

style.run();
