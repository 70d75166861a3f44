import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { safeText } from '../../src/safe/text.ts';
import { highlight } from '../../src/terminal/highlight.ts';
import { renderMarkdown } from '../../src/terminal/markdown.ts';
import { type ColorLevel, createStyle } from '../../src/terminal/style.ts';
import { cells, fit, reach } from '../../src/terminal/width.ts';
import { wrap } from '../../src/terminal/wrap.ts';
import { events, FIXTURES } from '../fixtures.ts';
import { fc } from '../random.ts';
import { ATTACKS, leaks, ORDINARY } from '../safe/attacks.ts';

const plain = createStyle({ level: 0 });
const color = createStyle({ level: 1 });

function uncoloured(text: string): string {
  return text.replace(/\x1b\[[\d;]*m/g, '');
}

/** Lines, compared byte by byte. */
function same(lines: readonly string[], expected: readonly string[], message?: string): void {
  assert.is(lines.join('\n'), expected.join('\n'), message);
}

// --- Width ------------------------------------------------------------------------------------------------

const width = suite('width');

width('cells of what a person sees as one character', () => {
  const table: [string, number][] = [
    ['', 0],
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 1],
    ['日本', 4],
    ['ｶﾅ', 2],
    ['（）', 4],
    ['한국어', 6],
    ['한국어'.normalize('NFD'), 6],
    ['ภาษาไทย', 7],
    ['น้ำ', 2],
    ['שָׁלוֹם', 4],
    ['می‌خواهم', 7],
    ['😀', 2],
    ['❤️', 2],
    ['☎︎', 1],
    ['1️⃣', 2],
    ['🇫🇷', 2],
    ['🇫🇷🇯🇵', 4],
    ['👍🏽', 2],
    ['👨‍👩‍👧‍👦', 2],
    ['🤦🏻‍♂️', 2],
    ['│ ─ ● ✓ ✗ › … ☐ ☑', 17],
    ['␛{U+202E}', 9],
  ];
  for (const [text, expected] of table) assert.is(cells(text), expected, text);
});

width('reach is what a terminal needs that draws each part by itself', () => {
  assert.is(reach('👨‍👩‍👧‍👦'), 8);
  assert.is(reach('👍🏽'), 4);
  assert.is(reach('❤️'), 2);
  assert.is(reach('日本 abc'), 8);
});

width('fit cuts between characters', () => {
  assert.is(fit('abcdef', 4), 'abcd');
  assert.is(fit('日本語', 5), '日本');
  assert.is(fit('e\u0301e\u0301', 1), 'e\u0301');
  assert.is(fit('👩🏽x', 3), '');
  assert.is(fit('x', 0), '');
});

width.run();

// --- Wrapping ---------------------------------------------------------------------------------------------

const wrapping = suite('wrap');

wrapping('at blanks, which are dropped there', () => {
  same(wrap('one two three', 8), ['one two', 'three']);
  same(wrap('one two three', 7), ['one two', 'three']);
  same(wrap('one  two   three', 7), ['one', 'two', 'three']);
  same(wrap('one two', 7), ['one two']);
  same(wrap('one two ', 7), ['one two']);
});

wrapping('line breaks, blank lines and indentation stay', () => {
  same(wrap('a\n\n  b\n', 9), ['a', '', '  b', '']);
  same(wrap('    indented text here', 12), ['    indented', 'text here']);
  same(wrap('', 9), ['']);
  same(wrap('   ', 2), ['']);
  same(wrap('          word', 6), ['word']);
});

wrapping('breaks a word only where it is longer than a line', () => {
  same(wrap('see supercalifragilistic', 6), ['see', 'superc', 'alifra', 'gilist', 'ic']);
  same(wrap('at https://example.org/a/path now', 24), ['at', 'https://example.org/a/pa', 'th now']);
  same(wrap('at https://example.org/a/path now', 26), ['at', 'https://example.org/a/path', 'now']);
  same(wrap('no\u00a0break at\u00a0all', 8), ['no\u00a0break', 'at\u00a0all']);
});

wrapping('wide characters break anywhere but before closing marks', () => {
  same(wrap('日本語のテキスト', 7), ['日本語', 'のテキ', 'スト']);
  same(wrap('日本語。「文」', 6), ['日本', '語。', '「文」']);
  same(wrap('ab日本cd', 4), ['ab日', '本cd']);
  same(wrap('日本', 1), ['日', '本'], 'at width 1 a wide one has a line of its own');
});

wrapping('characters of several code points stay whole', () => {
  same(wrap('e\u0301e\u0301e\u0301', 2), ['e\u0301e\u0301', 'e\u0301']);
  same(wrap('👨‍👩‍👧‍👦👨‍👩‍👧‍👦', 4), ['👨‍👩‍👧‍👦', '👨‍👩‍👧‍👦']);
  same(wrap('🇫🇷🇯🇵', 3), ['🇫🇷', '🇯🇵']);
  same(wrap('👍🏽👍🏽', 4), ['👍🏽', '👍🏽']);
});

wrapping('tabs go to the next stop of four', () => {
  same(wrap('a\tb\n\tc\td日\te', 40), ['a   b', '    c   d日 e']);
  same(wrap('a\tb', 0), ['a   b']);
});

wrapping('no limit: only line breaks break', () => {
  const text = `${'word '.repeat(100)}\nnext  `;
  same(wrap(text, 0), text.split('\n'));
  same(wrap(text, Infinity), text.split('\n'));
});

wrapping('colours are closed on each line and opened on the next', () => {
  same(wrap('\x1b[1mone two\x1b[22m three', 5), ['\x1b[1mone\x1b[22m', '\x1b[1mtwo\x1b[22m', 'three']);
  same(wrap('\x1b[1ma \x1b[31mb c\x1b[39m d\x1b[22m', 3), [
    '\x1b[1ma \x1b[22m\x1b[1m\x1b[31mb\x1b[39m\x1b[22m',
    '\x1b[1m\x1b[31mc\x1b[39m\x1b[22m\x1b[1m d\x1b[22m',
  ]);
  same(wrap('\x1b[38;5;30mab\x1b[39m', 1), ['\x1b[38;5;30ma\x1b[39m', '\x1b[38;5;30mb\x1b[39m']);
  same(wrap('wo\x1b[4mrd\x1b[24mly x', 6), ['wo\x1b[4mrd\x1b[24mly', 'x'], 'a code is no place to break');
});

/** Safe text of many scripts, long words and blanks. */
const someText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom(
        ' ',
        '  ',
        '\n',
        '\t',
        'word',
        'averylongwordindeed',
        '日本',
        '。',
        '👨‍👩‍👧‍👦',
        '🇫🇷',
        '👍🏽',
        'e\u0301',
        'हिन्दी',
      ),
      fc.constantFrom(
        ...Object.values(ORDINARY),
        ...Object.values(ATTACKS).map((text) => text.slice(0, 100)),
      ),
    ),
    { maxLength: 20 },
  )
  .map((parts) => safeText(parts.join('')));

const letters = (text: string): string => uncoloured(text).replace(/[ \n\t]/g, '');

wrapping('any text: no line is wider than asked, nothing is lost', () => {
  fc.assert(
    fc.property(someText, fc.integer({ min: 2, max: 40 }), (text, limit) => {
      const lines = wrap(text, limit);
      for (const line of lines) assert.ok(cells(line) <= limit, JSON.stringify(line));
      assert.is(letters(lines.join('')), letters(text));
    }),
    { numRuns: 700 },
  );
});

wrapping('any text in colours: the same lines, each closed', () => {
  const paints = [color.bold, color.code, color.dim, color.link, (text: string) => text];
  fc.assert(
    fc.property(
      fc.array(fc.tuple(someText, fc.nat({ max: 4 })), { maxLength: 5 }),
      fc.integer({ min: 2, max: 40 }),
      (pieces, limit) => {
        const painted = pieces.map(([text, index]) => paints[index]!(text)).join('');
        const lines = wrap(painted, limit);
        for (const line of lines) {
          assert.equal(openAtEnd(line), [], JSON.stringify(line));
          assert.ok(cells(uncoloured(line)) <= limit, JSON.stringify(line));
        }
        assert.is(letters(lines.join('')), letters(painted));
      },
    ),
    { numRuns: 1000 },
  );
});

/** The codes that a line leaves open. */
function openAtEnd(line: string): string[] {
  const closes: Record<string, RegExp> = {
    22: /^[12]$/,
    23: /^3$/,
    24: /^4$/,
    27: /^7$/,
    29: /^9$/,
    39: /^3\d|^9\d/,
    49: /^4\d|^10\d/,
  };
  let open: string[] = [];
  for (const [, code] of line.matchAll(/\x1b\[([\d;]*)m/g)) {
    const closed = closes[code!];
    open = closed ? open.filter((one) => !closed.test(one)) : [...open, code!];
  }
  return open;
}

wrapping.run();

// --- Highlighting -----------------------------------------------------------------------------------------

const highlighting = suite('highlight');

/** Code with what was painted in marks, by the first letters of their kinds; `f` is the name of a function. */
function tokens(code: string, language: string): string {
  const mark = (name: string) => (text: string) => `<${name}>${text}</${name}>`;
  const style = {
    ...color,
    keyword: mark('w'),
    string: mark('s'),
    comment: mark('c'),
    number: mark('n'),
    key: mark('k'),
    call: mark('f'),
    variable: mark('v'),
  };
  return highlight(code, language, style);
}

highlighting('strings, comments, numbers, words, keys, functions and variables', () => {
  const table: [string, string, string][] = [
    ['ts', "const a = 'it\\'s'; // for", "<w>const</w> a = <s>'it\\'s'</s>; <c>// for</c>"],
    ['TypeScript', 'return x.return + 42', '<w>return</w> x.return + <n>42</n>'],
    ['js', '/* a\n"b" */ `c\n{d}` "http://e"', '<c>/* a\n"b" */</c> <s>`c\n{d}`</s> <s>"http://e"</s>'],
    ['js', 'x /* no end\nfor', 'x <c>/* no end\nfor</c>'],
    ['js', 'if (a) run(b.c(1))', '<w>if</w> (a) <f>run</f>(b.<f>c</f>(<n>1</n>))'],
    ['tsx', 'a<b> = <Box id={1} />', 'a<b> = <k><Box</k> id={<n>1</n>} <k>/></k>'],
    ['go', 'func (s *S) Run() {', '<w>func</w> (s *S) <f>Run</f>() {'],
    ['java', 'new Thing("a").go();', '<w>new</w> <f>Thing</f>(<s>"a"</s>).<f>go</f>();'],
    ['c', '#include <a.h>\nint main(void)', '<k>#include</k> <a.h>\n<w>int</w> <f>main</f>(<w>void</w>)'],
    ['cs', 'var x = F(1); // y', '<w>var</w> x = <f>F</f>(<n>1</n>); <c>// y</c>'],
    ['php', 'echo $name;', '<w>echo</w> <v>$name</v>;'],
    [
      'py',
      '@cache\ndef f(): # it\'s\n  """if\n"""',
      '<k>@cache</k>\n<w>def</w> <f>f</f>(): <c># it\'s</c>\n  <s>"""if\n"""</s>',
    ],
    [
      'sh',
      'if [ $# -gt 1 ]; then # why',
      '<w>if</w> [ <v>$#</v> <k>-gt</k> <n>1</n> ]; <w>then</w> <c># why</c>',
    ],
    [
      'bash',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is shell.
      'cp --force "$HOME/a ${b:-c}" \'$d\'',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is shell.
      'cp <k>--force</k> <s>"</s><v>$HOME</v><s>/a </s><v>${b:-c}</v><s>"</s> <s>\'$d\'</s>',
    ],
    ['ruby', 'def go(a) @b = :c end', '<w>def</w> <f>go</f>(a) <v>@b</v> = <k>:c</k> <w>end</w>'],
    ['rust', "fn f<'a>(x: &'a str) -> char { 'c' }", "<w>fn</w> f<'a>(x: &'a str) -> char { <s>'c'</s> }"],
    ['rust', 'println!("a")', '<f>println!</f>(<s>"a"</s>)'],
    [
      'json',
      '{"a": true, "b": -1.5, "c": "d"}',
      '{<k>"a"</k>: <w>true</w>, <k>"b"</k>: <n>-1.5</n>, <k>"c"</k>: <s>"d"</s>}',
    ],
    ['yaml', "name: it's fine # that's it", "<k>name</k>: it's fine <c># that's it</c>"],
    [
      'yaml',
      'a b:\n  - "c": "d: e"\n    f: [1, yes]\n    url: http://x:1',
      '<k>a b</k>:\n  - <k>"c"</k>: <s>"d: e"</s>\n    <k>f</k>: [<n>1</n>, <w>yes</w>]\n    <k>url</k>: http://x:<n>1</n>',
    ],
    ['toml', '[a.b]\nc = "d" # e', '<k>[a.b]</k>\n<k>c</k> = <s>"d"</s> <c># e</c>'],
    [
      'html',
      '<a href="x" id=\'y\'>it\'s "so" &amp;</a><!-- b -->',
      '<k><a</k> <f>href</f>=<s>"x"</s> <f>id</f>=<s>\'y\'</s><k>></k>it\'s "so" <n>&amp;</n><k></a</k><k>></k><c><!-- b --></c>',
    ],
    ['css', '.a:hover { color: #fff; }', '<f>.a</f>:hover { <k>color</k>: <n>#fff</n>; }'],
    [
      'sql',
      "SELECT count(a) FROM b WHERE c = 'd' -- e",
      "<w>SELECT</w> <f>count</f>(a) <w>FROM</w> b <w>WHERE</w> c = <s>'d'</s> <c>-- e</c>",
    ],
    ['dockerfile', 'FROM node:20\nRUN echo $A', '<w>FROM</w> node:<n>20</n>\n<w>RUN</w> echo <v>$A</v>'],
    ['text', 'for "a" 1', 'for "a" 1'],
    ['__proto__', 'for "a" 1', 'for "a" 1'],
    ['', 'for "a" 1', 'for "a" 1'],
  ];
  for (const [language, code, expected] of table) assert.is(tokens(code, language), expected, language);
});

const LANGUAGES = 'js tsx c php rust py sh ruby dockerfile yaml toml json html css sql diff'.split(' ');

highlighting('hostile code costs no more than its length', () => {
  const units = [
    '"',
    "'",
    '`',
    '/*',
    '<!--',
    '<a',
    '${',
    '$',
    'a',
    'a(',
    '- ',
    ' ',
    'a:',
    '--',
    '#',
    '[',
    '.a',
    '@a',
    '&',
    '"a":',
    '\\',
    '"""',
    '=',
    '\n',
    'a b ',
    ' - a',
    '#a{',
  ];
  for (const unit of units) {
    const code = unit.repeat(Math.floor(60_000 / unit.length));
    for (const language of LANGUAGES) assert.is(uncoloured(highlight(code, language, color)), code, unit);
  }
});

highlighting('a diff by its lines', () => {
  assert.is(
    highlight('--- a\n@@ 1 @@\n-a\n+b\n c', 'diff', color),
    `${color.comment('--- a')}\n${color.key('@@ 1 @@')}\n${color.removed('-a')}\n${color.added('+b')}\n c`,
  );
});

highlighting('changes nothing but colour, and nothing without', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'ab1 "\'`\\/*#-\n$<>:={}.@&[]') }), (code) => {
      for (const language of LANGUAGES) {
        assert.is(uncoloured(highlight(code, language, color)), code);
        assert.is(highlight(code, language, plain), code);
      }
    }),
  );
});

highlighting.run();

// --- Markdown ---------------------------------------------------------------------------------------------

const markdown = suite('renderMarkdown');

function at(limit: number, content: string): string[] {
  return renderMarkdown(content, { width: limit, style: plain });
}

markdown('paragraphs keep their line breaks', () => {
  const text = 'One parser, and only the line reader is split from it.\nCost: 40 lines.\n\nNext.';
  same(at(80, text), [
    'One parser, and only the line reader is split from it.',
    'Cost: 40 lines.',
    '',
    'Next.',
  ]);
  same(at(40, text), [
    'One parser, and only the line reader is',
    'split from it.',
    'Cost: 40 lines.',
    '',
    'Next.',
  ]);
  same(at(80, 'hard  \nbreak\\\nhere'), ['hard', 'break', 'here']);
});

markdown('nothing and blanks', () => {
  for (const text of ['', ' ', '\n\n', ' \t\n ']) same(at(40, text), ['']);
});

markdown('headings', () => {
  const text = '# One\n\nTwo\n===\n\n###### Six *times*\ntext';
  same(at(80, text), ['# One', '', '# Two', '', '###### Six *times*', '', 'text']);
  same(at(40, '## A heading that is longer than forty cells'), [
    '## A heading that is longer than forty',
    'cells',
  ]);
  assert.is(
    renderMarkdown('# One', { width: 40, style: color }).join(),
    '\x1b[2m#\x1b[22m \x1b[1m\x1b[4mOne\x1b[24m\x1b[22m',
  );
});

markdown('emphasis, strong, struck, code: marks without colour, colour without marks', () => {
  const text = 'a *b* **c** ~~d~~ `e <f>` _g **h**_ and 2~3 snake_case_name';
  same(at(80, text), ['a *b* **c** ~~d~~ `e <f>` *g **h*** and 2~3 snake_case_name']);
  same(renderMarkdown('*b* **c** ~~d~~ `e`', { width: 40, style: color }), [
    '\x1b[3mb\x1b[23m \x1b[1mc\x1b[22m \x1b[9md\x1b[29m \x1b[40m\x1b[97me\x1b[39m\x1b[49m',
  ]);
});

markdown('lists hang', () => {
  const text = [
    '- a consumer that reads one line per second and never stops',
    '- [ ] open',
    '- [x] done',
    '  1. nested',
    '  2. too',
  ].join('\n');
  same(at(80, text), [
    '• a consumer that reads one line per second and never stops',
    '[ ] open',
    '[✓] done',
    '    1. nested',
    '    2. too',
  ]);
  same(at(40, text), [
    '• a consumer that reads one line per',
    '  second and never stops',
    '[ ] open',
    '[✓] done',
    '    1. nested',
    '    2. too',
  ]);
  same(renderMarkdown('- a\n- [x] b', { width: 40, style: createStyle({ level: 0, ascii: true }) }), [
    '- a',
    '[x] b',
  ]);
});

markdown('ordered lists keep their first number and line up', () => {
  same(at(40, '9. nine\n10. ten\n11. eleven goes on over the end of the line'), [
    ' 9. nine',
    '10. ten',
    '11. eleven goes on over the end of the',
    '    line',
  ]);
  same(at(80, '0) zero\n1) one'), ['0. zero', '1. one']);
});

markdown('loose items, several blocks in an item, empty items', () => {
  same(at(40, '- a\n\n- b\n\n  c\n-\n- d'), ['• a', '', '• b', '', '  c', '', '•', '', '• d']);
  same(at(40, '- a\n\n      code\n'), ['• a', '', '  ──────────', '  code', '  ──────────']);
});

markdown('quotes nest', () => {
  const text = '> That holds only if the consumer is as fast as that.\n> > nested\n>\n> - list';
  same(at(80, text), [
    '▎ That holds only if the consumer is as fast as that.',
    '▎',
    '▎ ▎ nested',
    '▎',
    '▎ • list',
  ]);
  same(at(40, text), [
    '▎ That holds only if the consumer is as',
    '▎ fast as that.',
    '▎',
    '▎ ▎ nested',
    '▎',
    '▎ • list',
  ]);
});

markdown('deep nesting gives up its indentation, not its words', () => {
  const text = `${'> '.repeat(12)}deep words in here`;
  for (const limit of [4, 10, 20, 40]) {
    const lines = at(limit, text);
    for (const line of lines) assert.ok(cells(line) <= limit);
    assert.is(lines.join('').replace(/[ ▎]/g, ''), 'deepwordsinhere');
  }
});

markdown('code stands between rules, named by its language, and is not touched', () => {
  const text = '```ts title="x"\nif (a < b) {\n\treturn *c* &amp; `d`;\n\n}\n```';
  same(at(80, text), [
    '── ts title="x" ─────────',
    'if (a < b) {',
    '    return *c* &amp; `d`;',
    '',
    '}',
    '─────────────────────────',
  ]);
  same(at(40, '~~~\nconst line = "longer than the forty cells";\nshort\n~~~'), [
    '───────────────────────────────────',
    'const line = "longer than the forty',
    '↳ cells";',
    'short',
    '───────────────────────────────────',
  ]);
  same(at(12, '```a-language-with-a-long-name\nx\n```'), [
    'a-language-w',
    'ith-a-long-n',
    'ame',
    '────────────',
    'x',
    '────────────',
  ]);
  same(at(40, '    indented\n\n```\nnever closed'), [
    '──────────',
    'indented',
    '──────────',
    '',
    '────────────',
    'never closed',
    '────────────',
  ]);
});

markdown('code is highlighted where there is colour', () => {
  same(renderMarkdown('```ts\nreturn 1;\n```', { width: 10, style: color }), [
    '\x1b[2m──\x1b[22m ts \x1b[2m────\x1b[22m',
    // The background goes on to the end of the rule.
    '\x1b[40m\x1b[97m\x1b[93mreturn\x1b[39m\x1b[97m \x1b[36m1\x1b[39m\x1b[97m; \x1b[39m\x1b[49m',
    '\x1b[2m──────────\x1b[22m',
  ]);
});

const TABLE = [
  '| Option | Lines | Risk | Remark |',
  '|:--|--:|:-:|---|',
  '| A | 40 | low | |',
  '| **B** | 120 | medium | 日本語 and a much longer remark |',
].join('\n');

markdown('tables fit the width', () => {
  same(at(80, TABLE), [
    'Option │ Lines │  Risk  │ Remark',
    '───────┼───────┼────────┼────────────────────────────────',
    'A      │    40 │  low   │',
    '**B**  │   120 │ medium │ 日本語 and a much longer remark',
  ]);
  same(at(40, TABLE), [
    'Option │ Lines │  Risk  │ Remark',
    '───────┼───────┼────────┼───────────────',
    'A      │    40 │  low   │',
    '───────┼───────┼────────┼───────────────',
    '**B**  │   120 │ medium │ 日本語 and a',
    '       │       │        │ much longer',
    '       │       │        │ remark',
  ]);
});

markdown('a column has its longest word before another has more', () => {
  const wide = [
    '| engine | language | throughput | latency | memory | licence | remark |',
    '|---|---|--:|--:|--:|---|---|',
    '| quick | TypeScript | 120 MB/s | 3 ms | 58 MB | MIT | reads each line once and keeps none |',
    '| plain | Go | 90 MB/s | 5 ms | 40 MB | BSD | |',
  ].join('\n');
  same(at(80, wide), [
    'engine │ language   │ throughput │ latency │ memory │ licence │ remark',
    '───────┼────────────┼────────────┼─────────┼────────┼─────────┼─────────────────',
    'quick  │ TypeScript │   120 MB/s │    3 ms │  58 MB │ MIT     │ reads each line',
    '       │            │            │         │        │         │ once and keeps',
    '       │            │            │         │        │         │ none',
    '───────┼────────────┼────────────┼─────────┼────────┼─────────┼─────────────────',
    'plain  │ Go         │    90 MB/s │    5 ms │  40 MB │ BSD     │',
  ]);
});

markdown('a word is broken only where no column has room', () => {
  same(at(36, '|a|b|\n|-|-|\n|averyveryverylongwordindeed|two words here|'), [
    'a                           │ b',
    '────────────────────────────┼───────',
    'averyveryverylongwordindeed │ two',
    '                            │ words',
    '                            │ here',
  ]);
  same(at(30, '|a|b|\n|-|-|\n|averyveryverylongwordindeed|two words here|'), [
    'a                      │ b',
    '───────────────────────┼──────',
    'averyveryverylongwordi │ two',
    'ndeed                  │ words',
    '                       │ here',
  ]);
});

markdown('any table: whole words wherever all longest words fit', () => {
  const word = fc.stringMatching(/^[a-z]{1,12}$/);
  const cell = fc.array(word, { minLength: 1, maxLength: 5 });
  const rows = fc
    .integer({ min: 1, max: 6 })
    .chain((count) =>
      fc.array(fc.array(cell, { minLength: count, maxLength: count }), { minLength: 2, maxLength: 4 }),
    );
  fc.assert(
    fc.property(rows, fc.integer({ min: 20, max: 100 }), ([head, ...body], limit) => {
      const line = (row: string[][]) => `|${row.map((words) => words.join(' ')).join('|')}|`;
      const text = [line(head!), `|${'-|'.repeat(head!.length)}`, ...body.map(line)].join('\n');
      const lines = at(limit, text);
      for (const each of lines) assert.ok(cells(each) <= limit, each);
      const all = [head!, ...body];
      const longest = head!.map((_, column) =>
        Math.max(...all.flatMap((row) => row[column]!.map((w) => w.length))),
      );
      if (longest.reduce((sum, size) => sum + size + 3, -3) > limit) return;
      const shown = new Set(lines.join(' ').split(/[ │]+/));
      for (const words of all.flat(2)) assert.ok(shown.has(words), JSON.stringify([text, limit, words]));
    }),
  );
});

markdown('addresses in cells are notes below', () => {
  const address = 'https://example.org/a/very/long/path/to/the/page';
  const cells = [
    '[docs](https://d.example "T")',
    `<${address}>`,
    '[again](https://d.example)',
    'https://b.example',
  ];
  same(at(60, `|a|b|c|d|\n|-|-|-|-|\n|${cells.join('|')}|`), [
    'a            │ b   │ c         │ d',
    '─────────────┼─────┼───────────┼──────────────────',
    'docs [1] "T" │ [2] │ again [1] │ https://b.example',
    '',
    '[1] https://d.example',
    `[2] ${address}`,
  ]);
});

markdown('tables and code may be wider than prose', () => {
  const row = (text: string) => `| ${text} | ${text} |`;
  const text = `one two three\n\n\`\`\`\none two three four\n\`\`\`\n\n${row('a b c')}\n|-|-|\n${row('d e f')}`;
  same(renderMarkdown(text, { width: 8, wide: 20, style: plain }), [
    'one two',
    'three',
    '',
    '──────────────────',
    'one two three four',
    '──────────────────',
    '',
    'a b c │ a b c',
    '──────┼──────',
    'd e f │ d e f',
  ]);
  // Lists and quotes take as much from both.
  same(
    renderMarkdown('> one two three four\n>\n>     one two three four', {
      width: 14,
      wide: 20,
      style: plain,
    }),
    [
      '▎ one two',
      '▎ three four',
      '▎',
      '▎ ──────────────────',
      '▎ one two three four',
      '▎ ──────────────────',
    ],
  );
});

markdown('a table too narrow for its columns is stacked', () => {
  same(at(24, TABLE), [
    'Option › A',
    'Lines › 40',
    'Risk › low',
    'Remark ›',
    '',
    'Option › **B**',
    'Lines › 120',
    'Risk › medium',
    'Remark › 日本語 and a',
    '  much longer remark',
  ]);
});

markdown('tables with missing, surplus and odd cells', () => {
  same(at(80, '|a|b|\n|-|-|\n|1|\n|1|2|3|\n| `x\\|y` | [l](u) |'), [
    'a     │ b     │',
    '──────┼───────┼──',
    '1     │       │',
    '1     │ 2     │ 3',
    '`x|y` │ l [1] │',
    '',
    '[1] u',
  ]);
  same(at(80, '|only|\n|-|'), ['only']);
});

markdown('links show their address once', () => {
  const text = [
    '[the docs](https://example.org/docs "The title"), <https://a.example>, https://b.example/x_y_z',
    'www.c.example, me@d.example, [https://good.example](https://evil.example), [](https://e.example)',
  ].join('\n');
  same(at(0, text), [
    'the docs (https://example.org/docs "The title"), https://a.example, https://b.example/x_y_z',
    'www.c.example, me@d.example, https://good.example (https://evil.example), (https://e.example)',
  ]);
  same(at(40, 'see [the docs](https://example.org/docs/a/page)'), [
    'see the docs',
    '(https://example.org/docs/a/page)',
  ]);
});

/** A line with its hyperlinks as `<address|text>`. */
function links(line: string): string {
  return line.replace(/\x1b\]8;;([^\x1b]+)\x1b\\([^\x1b]*)\x1b\]8;;\x1b\\/g, '<$1|$2>');
}

markdown('what shows its address leads there, where the terminal knows hyperlinks', () => {
  const at = (text: string, width = 0) =>
    renderMarkdown(text, { width, style: plain, hyperlinks: true }).map(links);
  const [good, evil] = ['https://good.example', 'https://evil.example'];
  same(at(good), [`<${good}|${good}>`]);
  same(at(`[the *docs*](${good} "T")`), [`the *docs* (<${good}|${good}> "T")`]);
  same(at(`[${good}](${evil})`), [`${good} (<${evil}|${evil}>)`]);
  same(at('https://example.org/a/long/path', 16), [
    '<https://example.org/a/long/path|https://example.>',
    '<https://example.org/a/long/path|org/a/long/path>',
  ]);
  same(at(`|a|\n|-|\n|[b](${good})|`), ['a', '─────', 'b [1]', '', `[1] <${good}|${good}>`]);
  const none =
    '[a](javascript:x) [b](file:///c) [d](https://é.example) me@a.example [e](https://a.example/&#x202e;) [f]()';
  for (const line of at(none)) assert.not.match(line, /</);
  same(renderMarkdown(good, { width: 0, style: plain }), [good]);
});

markdown('references keep their label, definitions their place', () => {
  same(
    at(
      80,
      '[text][one], [two][], [two], ![alt][one], [none], [none][no]\n\n[one]: https://1.example\n[two]: <b c> "T"',
    ),
    [
      '[text][one], [two], [two], [alt][one], [none], [none][no]',
      '',
      '[one]: https://1.example',
      '[two]: b c "T"',
    ],
  );
});

markdown('images are their text and address', () => {
  same(at(80, '![a *diagram*](img/a.png "T") ![](b.png)'), ['a diagram (img/a.png "T") (b.png)']);
});

markdown('rules', () => {
  same(at(80, 'a\n\n***\n\nb'), ['a', '', '─'.repeat(40), '', 'b']);
  same(at(20, '- - -'), ['─'.repeat(20)]);
});

markdown('footnotes', () => {
  same(at(40, 'A note[^1] and[^none].\n\n[^1]: The note itself goes on over the line\n\n    and on.'), [
    'A note[^1] and[^none].',
    '',
    '[^1]: The note itself goes on over the',
    '      line',
    '',
    '      and on.',
  ]);
});

markdown('HTML is the text it is', () => {
  same(
    at(
      80,
      '<details><summary>More</summary>\n\nInline <b onclick="x">html</b><br>\n\n<!-- remark\n\nnever closed',
    ),
    [
      '<details><summary>More</summary>',
      '',
      'Inline <b onclick="x">html</b><br>',
      '',
      '<!-- remark',
      '',
      'never closed',
    ],
  );
});

markdown('entities and escapes are decoded, and then judged', () => {
  same(at(80, '&copy; &amp;amp; \\*x\\* &#x202e;y &#8203; &nosuch;'), [
    '© &amp; *x* {U+202E}y {U+200B} &nosuch;',
  ]);
  same(at(80, '[a](x&#x9b;y "&#x202e;") ![&#x2066;](b)'), ['a (x\ufffdy "{U+202E}") {U+2066} (b)']);
  same(at(80, '```a&#x202e;\nx\n```')[0]!.split(' ').slice(1, 2), ['a{U+202E}']);
});

markdown('pieces do not join to what the gate would not pass', () => {
  const marks = '\u0301'.repeat(8);
  assert.equal(leaks(at(0, `e${marks}\`${marks}\`*x*`).join('\n'), { colors: false }), []);
  for (const level of [0, 1, 2, 3] as const) {
    const style = createStyle({ level });
    const pile = `e${`\`${marks}\``.repeat(50)}`;
    const chain = '**👩**&zwj;'.repeat(50);
    for (const text of [pile, chain, 'a&zwj;b', '**a**&zwnj;b', '❤*&#xfe0f;*&#xfe0f;']) {
      assert.equal(
        leaks(uncoloured(renderMarkdown(text, { width: 0, style }).join('\n')), { colors: false }),
        [],
      );
    }
  }
});

markdown('wherever the context of a piece is cut, marks do not pile up', () => {
  const marks = '\u0301'.repeat(8);
  for (let length = 40; length < 70; length++) {
    const text = `❤\ufe0f${'x'.repeat(length)}e${marks}\`${marks}\``;
    assert.equal(
      leaks(uncoloured(renderMarkdown(text, { width: 0, style: color }).join()), { colors: false }),
      [],
    );
  }
});

markdown('the raw text passes the gate before the parser changes it', () => {
  same(at(40, 'a\0b\r**c\r**\r\nd'), ['a␀b␍**c␍**', 'd']);
});

markdown('spelling that needs joiners survives emphasis', () => {
  same(renderMarkdown('**می**\u200cخواهم', { width: 0, style: color }), ['\x1b[1mمی\x1b[22m\u200cخواهم']);
});

// --- Nothing leaks, nothing is lost -----------------------------------------------------------------------

const FORMS = [
  (text: string) => text,
  (text: string) => `**${text}** [${text}](${text}) \`${text}\` ![${text}](x)`,
  (text: string) => `# ${text}\n\n> ${text}\n\n- ${text}\n\n| ${text} | b |\n|--|--|\n| a | ${text} |`,
  (text: string) =>
    `\`\`\`${text}\n${text}\n\`\`\`\n\n<div>${text}</div>\n\n[^a]: ${text}\n[${text}]: ${text}`,
  (text: string) => `| a | b |\n|--|--|\n| [${text}](${text} "${text}") | <${text}> ![x](${text}) |`,
  (text: string) => [...text].map((char) => `&#${char.codePointAt(0)};`).join(''),
  (text: string) => [...text].map((char) => `&#x${char.codePointAt(0)!.toString(16)};`).join('*b*'),
];

for (const [name, text] of Object.entries(ATTACKS)) {
  markdown(`attack: ${name}`, () => {
    for (const form of FORMS) {
      for (const [level, limit] of [
        [0, 0],
        [0, 20],
        [3, 80],
      ] as [ColorLevel, number][]) {
        const lines = renderMarkdown(form(text), { width: limit, style: createStyle({ level }) });
        assert.equal(leaks(lines.join('\n'), { colors: level > 0 }), []);
        for (const line of lines) {
          if (limit > 0) assert.ok(cells(uncoloured(line)) <= limit, JSON.stringify(line));
          assert.equal(openAtEnd(line), [], JSON.stringify(line));
          assert.not.match(line, /[\n\t]/);
        }
      }
    }
  });
}

for (const [name, text] of Object.entries(ORDINARY)) {
  markdown(`ordinary text: ${name}`, () => {
    const isPlain = !/[\n`]/.test(text);
    if (isPlain) same(at(0, text), [text]);
    assert.is(letters(at(0, `**${text}**`).join('')).includes(letters(text).slice(0, 5)), true);
  });
}

/** Markdown of all kinds, in any order. */
const someMarkdown = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '# ',
        '- ',
        '1. ',
        '> ',
        '```',
        '~~~ js\n',
        '| a | b |\n|--|--|\n',
        '|',
        '*',
        '**',
        '_',
        '~~',
        '`',
        '[',
        '](',
        ')',
        '![',
        '<',
        '>',
      ),
      fc.constantFrom(
        '\n',
        '\n\n',
        '    ',
        '  ',
        '\t',
        '---\n',
        '===\n',
        '[a]: b\n',
        '[^a]',
        '[^a]: c\n',
        '<!--',
        '<b>',
        '&amp;',
        '&#27;',
        '\\',
        'https://a.example/b',
        '- [x] ',
      ),
      fc.string({ unit: 'binary', maxLength: 6 }),
      fc.constantFrom(
        'word',
        'longerwordhere',
        '日本語',
        '👨‍👩‍👧‍👦',
        'हिन्दी',
        'می\u200cخواهم',
        '\x1b[2J',
        '\u202e',
      ),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

markdown('any Markdown at any width: nothing leaks, no line is too wide, every line is closed', () => {
  fc.assert(
    fc.property(
      someMarkdown,
      fc.integer({ min: 2, max: 60 }),
      fc.constantFrom<ColorLevel>(0, 2),
      (text, limit, level) => {
        const lines = renderMarkdown(text, {
          width: limit,
          style: createStyle({ level, ascii: level === 0 }),
        });
        assert.equal(leaks(lines.join('\n'), { colors: level > 0 }), []);
        for (const line of lines) {
          assert.ok(cells(uncoloured(line)) <= limit, JSON.stringify([text, line]));
          assert.equal(openAtEnd(line), [], JSON.stringify([text, line]));
        }
      },
    ),
    { numRuns: 700 },
  );
});

markdown('any Markdown with hyperlinks: each is closed on its line, and shows a part of its address', () => {
  fc.assert(
    fc.property(someMarkdown, fc.integer({ min: 2, max: 60 }), (text, limit) => {
      const lines = renderMarkdown(`https://a.example/b ${text}`, {
        width: limit,
        style: color,
        hyperlinks: true,
      });
      let seen = 0;
      for (const line of lines) {
        const rest = uncoloured(line).replace(
          /\x1b\]8;;(https?:[\x21-\x7e]+)\x1b\\([^\x1b]+)\x1b\]8;;\x1b\\/g,
          (_, address, shown) => {
            seen++;
            assert.ok(address.includes(shown), JSON.stringify([text, line]));
            return shown;
          },
        );
        assert.equal(leaks(rest, { colors: false }), [], JSON.stringify([text, line]));
        assert.ok(cells(rest) <= limit, JSON.stringify([text, line]));
      }
      assert.ok(seen > 0 || lines.join('').includes('```'), JSON.stringify([text, lines]));
    }),
    { numRuns: 300 },
  );
});

markdown('any words in Markdown are in the output', () => {
  const words = fc.stringMatching(/^[a-z]{6,10}$/);
  const form = fc.constantFrom(
    (w: string) => `${w} `,
    (w: string) => `**${w}** `,
    (w: string) => `\`${w}\` `,
    (w: string) => `[${w}](https://x.example/${w}) `,
    (w: string) => `[${w}][${w}] `,
    (w: string) => `\n\n[${w}]: ${w} "${w}"\n\n`,
    (w: string) => `\n- ${w}\n`,
    (w: string) => `\n> ${w}\n`,
    (w: string) => `\n\n# ${w}\n`,
    (w: string) => `\n\n| ${w} | a |\n|--|--|\n| b | ${w} |\n\n`,
    (w: string) => `\n\`\`\`${w}\n${w}\n\`\`\`\n`,
    (w: string) => `<${w}>`,
    (w: string) => `\n\n<div ${w}>\n${w}\n\n`,
    (w: string) => `![${w}](${w}) `,
    (w: string) => `[^${w}] \n\n[^${w}]: ${w}\n\n`,
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(words, form), { maxLength: 12 }), (pieces) => {
      const text = pieces.map(([word, make]) => make(word)).join('');
      const output = at(0, text).join('\n');
      for (const [word] of pieces) assert.ok(output.includes(word), JSON.stringify([text, output]));
    }),
    { numRuns: 400 },
  );
});

markdown('every word of the fixtures is in the output, at every width', () => {
  let seen = 0;
  for (const name of FIXTURES) {
    for (const { content } of events(name)) {
      if (typeof content !== 'string') continue;
      const source = content.replace(/^\s*[-*] \[[ x]\]/gm, '').replace(/^\s*\d+\. /gm, '');
      for (const limit of [0, 20, 40, 80]) {
        const lines = renderMarkdown(content, { width: limit, style: color });
        for (const line of lines) if (limit > 0) assert.ok(cells(uncoloured(line)) <= limit);
        assert.equal(leaks(lines.join('\n'), { colors: true }), []);
        // A word longer than a line is broken; the marks before the rest of it are ours.
        const output = uncoloured(lines.join('')).replace(/[\s↳▎│]/g, '');
        for (const [word] of safeText(source).matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
          assert.ok(output.includes(word), JSON.stringify([name, limit, word]));
          seen++;
        }
      }
    }
  }
  assert.ok(seen > 1000);
});

markdown('too much for the parser: the text as written, soon', () => {
  const deep = `${'> '.repeat(5000)}deep`;
  same(at(0, deep), [deep]);
  const long = `**word** ${'x'.repeat(256 * 1024)}`;
  same(at(0, long), [long]);
  const units = [
    '*a_ ',
    '>',
    '> ',
    '<?',
    '- - - x\n',
    '- a\n  - b\n',
    '1. ',
    '`a ',
    ']',
    '[a](',
    '![a](b)',
    'a\n=\n',
    '> a\nb\n',
    '~~a ',
    '<a ',
    '&a',
    '|a',
    '"',
  ];
  for (const unit of units) {
    const text = unit.repeat(Math.ceil(65536 / unit.length));
    assert.ok(letters(at(80, text).join('')).length > 0, unit);
  }
  let runs = '';
  for (let length = 1; runs.length < 65536; length++) runs += `${'`'.repeat(length)} a `;
  assert.ok(letters(at(80, runs).join('')).length > 0, 'runs of backticks');
});

markdown.run();
