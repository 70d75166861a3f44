import { readdirSync, readFileSync } from 'node:fs';
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
import { fc } from '../random.ts';
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
  return own.map(([name, paint]) =>
    name === 'agent' || name === 'name' ? [name, from[name]('codex')] : [name, paint],
  );
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
        assert.match(line, /^(\x1b\[[\d;]*m)+[ab](\x1b\[(22|23|24|27|29|39|49)m)+$/, name);
    }
  }
});

style('a paint takes one text, as in map', () => {
  assert.equal(['a', 'b'].map(createStyle({ level: 0 }).bold), ['a', 'b']);
});

const KNOWN = ['codex', 'claude', 'vibe', 'ollama', 'user'];

style('an agent has its colour whoever spoke before, in marks and in its name', () => {
  for (const colors of [1, 2, 3] as const) {
    const one = createStyle({ level: colors });
    const two = createStyle({ level: colors });
    const shown = KNOWN.map((name) => one.name(name)('x'));
    assert.is(new Set(shown).size, KNOWN.length, 'distinct');
    assert.equal(
      KNOWN.toReversed()
        .map((name) => two.name(name)('x'))
        .toReversed(),
      shown,
      'by name, not by order',
    );
    assert.is(new Set(KNOWN.map((name) => one.agent(name)('x'))).size, KNOWN.length);
  }
  const first = (name: string) => createStyle({ level: 3 }).name(name)('x');
  assert.is(
    new Set(['anna', 'otto', 'berta', 'emil', 'ida'].map(first)).size > 1,
    true,
    'others by their letters',
  );
});

style('two of one session never share a colour, as far as there are colours', () => {
  for (const [colors, many] of [
    [1, 5],
    [2, 12],
    [3, 12],
  ] as const) {
    const names = fc.uniqueArray(fc.oneof(fc.constantFrom(...KNOWN, 'gemini'), fc.string({ maxLength: 4 })), {
      minLength: 2,
      maxLength: many,
    });
    fc.assert(
      fc.property(fc.array(names, { minLength: 1, maxLength: 4 }), (sessions) => {
        const all = createStyle({ level: colors });
        for (const session of sessions) {
          for (const name of session) all.name(name);
          const shown = session.map((name) => all.name(name)('x'));
          assert.is(new Set(shown).size, session.length, JSON.stringify(sessions));
        }
      }),
    );
  }
});

style('known agents find their colour free behind unknown ones', () => {
  const late = createStyle({ level: 2 });
  for (const name of ['anna', 'otto', 'berta', 'emil', 'ida']) late.name(name);
  assert.is(late.name('claude')('x'), createStyle({ level: 2 }).name('claude')('x'));
});

style('any name has a colour, at a bounded cost', () => {
  const many = createStyle({ level: 3 });
  for (let n = 0; n < 5000; n++) assert.match(many.name(`agent ${n}`)('x'), /^\x1b.*x\x1b/);
  const long = 'long'.repeat(1000);
  assert.is(many.agent(long)('x'), many.agent(long)('x'));
  for (const name of ['__proto__', 'constructor', '']) assert.match(many.agent(name)('x'), /^\x1b.*x\x1b/);
});

// --- Contrast ---------------------------------------------------------------------------------------------

type Rgb = readonly number[];

/** Relative luminance and contrast as WCAG 2 defines them; rgb from 0 to 255. */
function luminance(rgb: Rgb): number {
  const [r, g, b] = rgb.map((c) =>
    c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}
function contrast(a: Rgb, b: Rgb): number {
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}
function rgbOf256(index: number): Rgb {
  if (index >= 232) return Array(3).fill(8 + 10 * (index - 232));
  const step = [0, 95, 135, 175, 215, 255];
  const n = index - 16;
  return [step[Math.floor(n / 36)]!, step[Math.floor(n / 6) % 6]!, step[n % 6]!];
}

function rgb(hex: string): Rgb {
  return [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
}

/** The sixteen colours as the terminals in use have them before anybody chooses a theme, black first. */
const PALETTES = Object.entries({
  xterm:
    '000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff',
  'VS Code, dark':
    '000000 cd3131 0dbc79 e5e510 2472c8 bc3fbc 11a8cd e5e5e5 666666 f14c4c 23d18b f5f543 3b8eea d670d6 29b8db e5e5e5',
  'VS Code, light':
    '000000 cd3131 107c10 949800 0451a5 bc05bc 0598bc 555555 666666 cd3131 14ce14 b5ba00 0451a5 bc05bc 0598bc a5a5a5',
  'Windows Terminal':
    '0c0c0c c50f1f 13a10e c19c00 0037da 881798 3a96dd cccccc 767676 e74856 16c60c f9f1a5 3b78ff b4009e 61d6d6 f2f2f2',
}).map(([name, list]) => [name, list.split(' ').map(rgb)] as const);

/** The colours that codes leave set: undefined is the terminal's own. */
function colorsOf(
  painted: string,
  palette: readonly Rgb[],
): { text?: Rgb; background?: Rgb; faint?: boolean } {
  const found: { text?: Rgb; background?: Rgb; faint?: boolean } = {};
  const [codes] = painted.split('x');
  for (const [, code] of codes!.matchAll(/\x1b\[([\d;]*)m/g)) {
    const [first = 0, second, index = 0] = code!.split(';').map(Number);
    if (first === 2) found.faint = true;
    else if (first === 38 || first === 48) {
      assert.is(second, 5, 'only colours of the 256');
      assert.ok(index >= 16, 'the others are not the same everywhere');
      found[first === 38 ? 'text' : 'background'] = rgbOf256(index);
    } else if (first >= 30 && first <= 37) found.text = palette[first - 30]!;
    else if (first >= 90 && first <= 97) found.text = palette[first - 82]!;
    else if (first >= 40 && first <= 47) found.background = palette[first - 40]!;
    else if (first >= 100 && first <= 107) found.background = palette[first - 92]!;
  }
  return found;
}

/** What is not for text: symbols and gutters, with words beside them that say the same. */
const MARKS = ['dim', 'gutter', 'error', 'warning', 'success', 'agent'];
/** What stands on the background of code alone. */
const IN_CODE = ['keyword', 'string', 'number', 'comment', 'key', 'call', 'variable', 'added', 'removed'];
const AGENTS = [...KNOWN, 'gemini', 'anna', 'otto', 'berta', 'emil', 'ida', 'karl'];

style('all text has a contrast of 4.5:1 on any background, in 16, 256 and all colours', () => {
  let colored = 0;
  for (const colors of [1, 2, 3] as const) {
    const own = createStyle({ level: colors });
    const texts = paints(own).filter(([name]) => !MARKS.includes(name));
    for (const name of AGENTS) texts.push([`name of ${name}`, own.name(name)]);
    for (const [name, paint] of texts) {
      for (const [terminal, palette] of PALETTES) {
        const { text, background, faint } = colorsOf(
          IN_CODE.includes(name) ? own.code(paint('x')) : paint('x'),
          palette,
        );
        const label = `${name}, level ${colors}, ${terminal}`;
        assert.not.ok(faint, label);
        // Both are ours, or both the terminal's.
        assert.is(text === undefined, background === undefined, label);
        if (!text || !background) continue;
        colored++;
        assert.ok(contrast(text, background) >= 4.5, `${label}: ${contrast(text, background)}`);
      }
    }
  }
  assert.ok(colored > 200);
});

style('marks of 256 and of all colours stand out from dark and light backgrounds', () => {
  const backgrounds = ['000000', '1e1e1e', 'ffffff', 'fdf6e3'].map(rgb);
  let seen = 0;
  for (const colors of [2, 3] as const) {
    const own = createStyle({ level: colors });
    const marks = [own.error, own.warning, own.success, ...AGENTS.map((name) => own.agent(name))];
    for (const mark of marks) {
      const { text } = colorsOf(mark('x'), []);
      seen++;
      for (const background of backgrounds) {
        assert.ok(
          contrast(text!, background) >= 3,
          `${mark('x')} on ${background}: ${contrast(text!, background)}`,
        );
      }
    }
  }
  assert.ok(seen >= 30);
});

style('no word of a session is painted as a mark', () => {
  const folder = new URL('../fixtures/pretty/', import.meta.url);
  const names = readdirSync(folder).filter((name) => /\.(?:color|rendered)\.txt$/.test(name));
  assert.ok(names.length > 20);
  let marks = 0;
  for (const name of names) {
    for (const line of readFileSync(new URL(name, folder), 'utf8').split('\n')) {
      // What is not of the stream is fainter: a stray line.
      if (/^(?:␛\[[\d;]*m)*›/.test(line)) continue;
      const on = { faint: false, color: false, background: false };
      for (const [, code, text] of line.matchAll(/␛\[([\d;]*)m([^␛]*)/g)) {
        const first = Number.parseInt(code!, 10);
        if (first === 2 || first === 22) on.faint = first === 2;
        if (first === 38 || first === 39) on.color = first === 38;
        if (first === 48 || first === 49) on.background = first === 48;
        if (!on.faint && (!on.color || on.background)) continue;
        marks++;
        assert.not.match(text!, /[\p{L}\p{N}]/u, `${name}: ${line}`);
      }
    }
  }
  assert.ok(marks > 500);
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
