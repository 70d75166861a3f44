/** The pictures of the READMEs are what the program shows today. */
import { readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FOLDER, pictures } from './pictures/make.ts';
import { toSvg } from './pictures/svg.ts';

const test = suite('pictures');

/** The pieces of text of a picture, with where they stand and how they look. */
function pieces(svg: string): [text: string, attributes: string][] {
  return Array.from(svg.matchAll(/<text ([^>]*)>([^<]*)<\/text>/g), ([, attributes, text]) => [
    text!,
    attributes!,
  ]);
}

test('colours and ways of writing last until they are taken back', () => {
  const svg = toSvg('\x1b[31m\x1b[1mred\x1b[22m still\x1b[39m not\n\x1b[2mdim\nbelow\x1b[22m', 'x');
  const [red, still, not, dim, below] = pieces(svg);
  assert.match(red![1], /class="c1" font-weight="bold"$/);
  assert.match(still![1], /class="c1"$/);
  assert.match(not![1], /lengthAdjust="spacingAndGlyphs"$/);
  assert.match(dim![1], /fill-opacity="\.6"$/);
  assert.match(below![1], /y="64".*fill-opacity="\.6"$/);
});

test('a piece stands at its column and is as wide as its cells', () => {
  const svg = toSvg('日本\x1b[38;5;30m x  z \x1b[39m\x1b[48;5;235my\x1b[49m', 'x');
  const [, x, y] = pieces(svg);
  assert.is(x![0], 'x\u00a0\u00a0z');
  assert.match(x![1], /^x="58" .*textLength="33\.6".* fill="#008787"$/);
  assert.match(y![1], /^x="100" /);
  assert.match(svg, /<rect x="100" y="16" width="8\.4" height="17" fill="#262626"\/><text x="100" /);
});

test('the basic colours are those of a light page, and on a dark page others', () => {
  const svg = toSvg('\x1b[31mred\x1b[39m \x1b[41mon red\x1b[49m', 'x');
  const [, light, dark] = /<style>(.*)@media\(prefers-color-scheme:dark\)\{(.*)\}<\/style>/.exec(svg)!;
  for (const [sheet, red] of [
    [light, '#cf222e'],
    [dark, '#ff7b72'],
  ]) {
    assert.ok(sheet!.includes(`.c1{fill:${red}}`), sheet);
    assert.match(sheet!, /^\.box\{fill:#\w{6};stroke:#\w{6}\}\.text\{fill:#\w{6}\}/);
  }
  assert.match(svg, /<rect [^>]* height="17" class="c1"\/>/);
});

test('text is text, and what is not known is a mistake', () => {
  assert.match(
    toSvg('a < b & "c"', '<t>'),
    /<title>&lt;t&gt;<[^$]*>a\u00a0&lt;\u00a0b\u00a0&amp;\u00a0&quot;c&quot;</,
  );
  assert.throws(() => toSvg('\x1b[5mblink', 'x'), /no colour code: 5/);
  assert.throws(() => toSvg('\x1b[2Jgone', 'x'), /a control character/);
});

const made = pictures();
if (!made) console.log('skipped: script is not installed');
(made ? test : test.skip)('they are not stale (npm run pictures)', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.svg'));
  assert.equal(files.sort(), [...made!.keys()].sort());
  for (const [name, svg] of made!) assert.is(readFileSync(`${FOLDER}${name}`, 'utf8'), svg, name);
});

test.run();
