import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { safeLine, safeText } from '../../src/safe/text.ts';
import { quote } from '../../src/terminal/cut.ts';
import { cells } from '../../src/terminal/width.ts';
import { fc } from '../random.ts';
import { ATTACKS, leaks, ORDINARY } from './attacks.ts';

const checker = suite('the checker of leaks');

checker('finds every attack in its raw form', () => {
  const harmless = ['looks like ours', 'a header at column 0', 'marks before anything'];
  for (const [name, text] of Object.entries(ATTACKS)) {
    assert.is(leaks(text, { colors: false }).length > 0, !harmless.includes(name), name);
  }
});

checker('lets ordinary text and our colours pass, and no others', () => {
  for (const [name, text] of Object.entries(ORDINARY)) assert.equal(leaks(text, { colors: false }), [], name);
  assert.equal(leaks('\x1b[1m\x1b[38;5;32mcodex\x1b[39m\x1b[22m', { colors: true }), []);
  assert.equal(leaks('\x1b[1mcodex\x1b[22m', { colors: false }), ['U+001B at 0', 'U+001B at 9']);
  assert.equal(leaks('a\x1b[8mb', { colors: true }), ['U+001B at 1']);
});

checker.run();

const gate = suite('the gate');

for (const [name, text] of Object.entries(ATTACKS)) {
  gate(`attack: ${name}`, () => {
    assert.equal(leaks(safeText(text), { colors: false }), []);
    assert.is(safeText(safeText(text)), safeText(text), 'the second pass changes nothing');
    for (const line of [safeLine(text), quote(text), quote(text, 7)]) {
      assert.equal(leaks(line, { colors: false }), []);
      assert.not.match(line, /[\n\t]/);
    }
    assert.is(safeLine(safeLine(text)), safeLine(text));
  });
}

for (const [name, text] of Object.entries(ORDINARY)) {
  gate(`ordinary text: ${name}`, () => {
    assert.is(safeText(text), text);
    assert.is(safeText(`${text}\x1b`), `${text}␛`, 'beside something to show as well');
  });
}

gate('shows each code point by itself', () => {
  const shown: [string, string][] = [
    ['\x1b[31mred\x07', '␛[31mred␇'],
    ['a\0b\x7f', 'a␀b␡'],
    ['\x9b2J', '{U+009B}2J'],
    ['x\u202ey', 'x{U+202E}y'],
    ['a\u2028b\u2029c', 'a{U+2028}b{U+2029}c'],
    ['\ufeffa', '{U+FEFF}a'],
    ['\u{e0041}', '{U+E0041}'],
    ['\ud83d!', '{U+D83D}!'],
    ['pass\u200dword', 'pass{U+200D}word'],
    ['Zoe\u0308\u200dx', 'Zoe\u0308{U+200D}x'],
    ['a\u200cb', 'a{U+200C}b'],
    ['x\ufe0f', 'x{U+FE0F}'],
    ['1\ufe0f', '1{U+FE0F}'],
    ['❤\ufe0f\ufe0f', '❤\ufe0f{U+FE0F}'],
    ['{U+202E}', '{U+202E}'],
    ['pass\u00ad\u00adword', 'pass{U+00AD}{U+00AD}word'],
    ['a\u200bb ไ\u200bx', 'a{U+200B}b ไ{U+200B}x'],
    ['ไ\u200b\u200bท', 'ไ{U+200B}{U+200B}ท'],
    ['a\u200eb ש\u200e\u200f', 'a{U+200E}b ש\u200e{U+200F}'],
    ['葛\u{e0100}\u{e0101}', '葛\u{e0100}{U+E0101}'],
    ['🏴\u{e0067}\u{e007f}', '🏴{U+E0067}{U+E007F}'],
  ];
  for (const [text, expected] of shown) assert.is(safeText(text), expected);
});

gate('a long text with much to show comes out whole', () => {
  for (const [piece, shown] of [
    ['a\x1b', 'a␛'],
    ['\u202e\r\n', '{U+202E}\n'],
    ['é\ud83d', 'é{U+D83D}'],
  ] as const) {
    assert.ok(safeText(`${piece.repeat(5000)}end`) === `${shown.repeat(5000)}end`, shown);
  }
});

gate('line ends: CRLF is LF, a lone CR is seen', () => {
  assert.is(safeText('a\r\nb\rc\n\td'), 'a\nb␍c\n\td');
  assert.is(safeText('\r\r\n'), '␍\n');
  assert.is(safeText('سنة ه\u200d\r\n'), 'سنة ه\u200d\n', 'a final joiner, whatever the line end');
});

gate('counts the marks that it cuts', () => {
  const eight = '\u0301'.repeat(8);
  assert.is(safeText(`e${eight}`), `e${eight}`);
  assert.is(safeText(`e${eight}\u0302`), `e${eight}{U+0302}`);
  assert.is(safeText(`e${eight}\u0302\u0301\u0303f`), `e${eight}{U+0302…×3}f`);
  assert.is(safeText(`e${'\u0301'.repeat(10_000)}`), `e${eight}{U+0301…×9992}`);
});

gate('joins at most four emoji', () => {
  assert.is(safeText('👩\u200d👩\u200d👩\u200d👩\u200d👩'), '👩\u200d👩\u200d👩\u200d👩{U+200D}👩');
  assert.is(
    safeText('👩🏽\u200d👩🏽\u200d👩🏽\u200d👩🏽\u200d👩🏽'),
    '👩🏽\u200d👩🏽\u200d👩🏽\u200d👩🏽{U+200D}👩🏽',
  );
});

gate('one line', () => {
  assert.is(safeLine('first\nsecond'), 'first␤second');
  assert.is(safeLine('\n\t first\t\r\nsecond \n\n'), 'first ␤second');
  assert.is(safeLine('\n \t'), '');
  assert.is(safeLine('a\u2028b'), 'a{U+2028}b');
});

gate('quote cuts by cells', () => {
  assert.is(quote('short'), 'short');
  assert.is(quote('exactly ten'.slice(0, 10), 10), 'exactly te');
  assert.is(quote('exactly ten', 10), 'exactly t…');
  assert.is(quote('日本語日本語', 7), '日本語…');
  assert.is(quote('日本語日本語', 6), '日本…');
  assert.is(quote('\x1b\x1b\x1b\x1b', 3), '␛␛…');
  assert.is(quote('word word word', 6), 'word…');
  assert.is(quote('  \n padded \n', 6), 'padded');
  assert.is(quote('ab', 1), '…');
  assert.is(quote('ไ\u200bทท', 2), 'ไ…');
  assert.is(quote('🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}xx', 3), '🏴…');
  assert.is(quote('😀'.repeat(2000), 4), '😀…');
  assert.is(quote(`${' '.repeat(5000)}x`), 'x');
  assert.is(quote('x'.repeat(1 << 26), 4), 'xxx…');
});

/** Any code point and unpaired surrogates, the dangerous ones often. */
const anyText = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
      fc.integer({ min: 0, max: 0x9f }).map((code) => String.fromCharCode(code)),
      fc.constantFrom(
        '\u200d',
        '\u200c',
        '\ufe0f',
        '👩',
        '🏽',
        '❤',
        '1',
        '\u20e3',
        'ی',
        'ه',
        'क',
        '\u094d',
        '\r',
        '\n',
      ),
      fc.constantFrom(
        '\u0301'.repeat(7),
        '\u0301',
        '\u202e',
        'a',
        '\ud83d',
        '\ude00',
        '\u{e0041}',
        '\u1161',
        '\u061c',
        '\u00ad',
        '\u200b',
        '\u200e',
        'ש',
        'ท',
        '葛',
        '\u{e0100}',
        '🏴\u{e0067}\u{e0062}\u{e0065}',
        '\u{e007f}',
        '\u3164',
      ),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

gate('any text at all: nothing leaks, and the second pass changes nothing', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const safe = safeText(text);
      assert.equal(leaks(safe, { colors: false }), []);
      assert.is(safeText(safe), safe);
      const line = safeLine(text);
      assert.equal(leaks(line, { colors: false }), []);
      assert.is(safeLine(line), line);
      assert.not.match(line, /[\n\t]/);
    }),
    { numRuns: 3000 },
  );
});

gate('any text at all: a quote is no wider than asked', () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 30 }), (text, width) => {
      assert.ok(cells(quote(text, width)) <= width);
      assert.equal(leaks(quote(text, width), { colors: false }), []);
    }),
    { numRuns: 1000 },
  );
});

gate('every code point by itself', () => {
  for (let code = 0; code <= 0x10ffff; code++) {
    const safe = safeText(`a${String.fromCodePoint(code)}b`);
    const found = leaks(safe, { colors: false });
    if (found.length > 0) assert.equal(found, [], code.toString(16));
  }
});

gate.run();
