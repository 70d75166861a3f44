/**
 * Viewers that are not CommonMark, or have extensions: what an answer becomes in them keeps every speaker's heading,
 * loads nothing and runs nothing.
 */
import katex from 'katex';
import MarkdownIt from 'markdown-it';
import abbr from 'markdown-it-abbr';
import attrs from 'markdown-it-attrs';
import container from 'markdown-it-container';
import deflist from 'markdown-it-deflist';
import footnote from 'markdown-it-footnote';
import texmath from 'markdown-it-texmath';
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import rehypeRaw from 'rehype-raw';
import rehypeStringify from 'rehype-stringify';
import remarkDirective from 'remark-directive';
import remarkFrontmatter from 'remark-frontmatter';
import remarkGfm from 'remark-gfm';
import remarkMath from 'remark-math';
import remarkParse from 'remark-parse';
import remarkRehype from 'remark-rehype';
import { Remarkable } from 'remarkable';
import showdown from 'showdown';
import { unified } from 'unified';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { safeMarkdown } from '../../src/safe/markdown.ts';
import { ANSWERS } from './answers.ts';
import { ATTACKS, hostileJoins, hostileMutants } from './markdown-attacks.ts';
import { isGoodAddress, NEIGHBOUR, transcript } from './markdown-checker.ts';

type Node = DefaultTreeAdapterTypes.Node;

const withPlugins = new MarkdownIt({ html: true, linkify: true })
  .use(attrs)
  .use(deflist)
  .use(footnote)
  .use(abbr)
  .use(container, 'note')
  .use(texmath, { engine: katex });
withPlugins.validateLink = () => true;
const remark = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .use(remarkMath)
  .use(remarkDirective)
  .use(remarkFrontmatter)
  .use(remarkRehype, { allowDangerousHtml: true })
  .use(rehypeRaw)
  .use(rehypeStringify, { allowDangerousHtml: true });
const showdownConverter = new showdown.Converter({
  tables: true,
  strikethrough: true,
  tasklists: true,
  ghCodeBlocks: true,
});
const remarkable = new Remarkable('full', { html: true });

const VIEWERS: Record<string, (markdown: string) => string> = {
  'markdown-it with plugins': (markdown) => withPlugins.render(markdown),
  remark: (markdown) => String(remark.processSync(markdown)),
  showdown: (markdown) => showdownConverter.makeHtml(markdown),
  remarkable: (markdown) => remarkable.render(markdown),
};

/** Elements of text, and of formulas, definitions and directives, all without effect. */
const HARMLESS = new Set(
  (
    'a blockquote br code del div em h1 h2 h3 h4 h5 h6 hr input li ol p pre s strong table tbody td th thead tr ul ' +
    'sup sub dl dt dd section ins mark span eq eqn math semantics mrow mi mo mn annotation'
  ).split(' '),
);
const HARMLESS_ATTRIBUTES =
  /^(?:href|title|class|align|start|type|checked|disabled|style|id|aria-.*|encoding|xmlns|data-footnote.*)$/;
const HARMLESS_STYLES = /^(?:text-align:|list-style-type: none|margin: |height:|vertical-align:|top:)/;

function textOf(node: Node): string {
  if ('value' in node) return node.value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}

function* walk(node: Node): Generator<Node> {
  yield node;
  if ('childNodes' in node) for (const child of node.childNodes) yield* walk(child);
}

/** What is wrong with an answer between two others, in a few words each. */
function faults(viewer: string, answer: string): string[] {
  const found: string[] = [];
  const headings: string[] = [];
  const root = parseFragment(VIEWERS[viewer]!(transcript([NEIGHBOUR, answer, NEIGHBOUR])));
  for (const node of walk(root)) {
    if (node.nodeName === '#comment') found.push('comment');
    if (!('tagName' in node)) continue;
    if (!HARMLESS.has(node.tagName)) found.push(`<${node.tagName}>`);
    if (node.tagName === 'h1' || node.tagName === 'h2') headings.push(textOf(node));
    for (const { name, value } of node.attrs) {
      if (!HARMLESS_ATTRIBUTES.test(name)) found.push(`attribute ${name}`);
      if (name === 'style' && !HARMLESS_STYLES.test(value)) found.push(`style ${value}`);
      if (name === 'href' && !isGoodAddress(value)) found.push(`address ${value}`);
    }
  }
  const expected = [1, 2, 3].map((number) => `${number}/3 · codex (implementer)`);
  if (headings.join('\n') !== ['Debate · the subject', ...expected, 'Result'].join('\n')) {
    found.push(`headings ${headings.join(' | ')}`);
  }
  return found;
}

/** The smallest inputs that came alive in some viewer, from the test suites of parsers, and what they become. */
const SMALLEST: [input: string, expected: string][] = [
  ['``` ```\naaa', '\\`\\`\\` \\`\\`\\`\naaa'],
  ['~~~a`b\n~~~\n', '~~~\n\n~~~\n'],
  [' ```\n aaa\naaa\n```\n', '```\naaa\naaa\n```\n'],
  ['````\naaa\n```\n``````\n', '````\naaa\n```\n````\n'],
  ['- +\n-', '- \\+\n  \\-'],
  ['- list\n- \n', '- list\n  \\- \n'],
  ['-\n\n-', '\\-\n\n\\-'],
  ['* x|x\n  ---|---\nx|x\n', '* x|x\n  \\---|---\n  x|x\n'],
  ['*\n      <div>\n     <div>\n', '\\*\n&lt;div>\n&lt;div>\n'],
  ['<mailto:a>', '&lt;mailto:a>'],
  ['<aa*@example.com>', '&lt;aa*@example.com>'],
  ['`\n<img src onerror="alert(1)">\n[x]: `', '\\`\n&lt;img src onerror="alert(1)">\n\n\\[x]: \\`'],
  ['* list item 1\n\n    ```\n    <parent>\n    ```', '* list item 1\n\n```\n<parent>\n```'],
  ['```js"onmouseover="alert(1)\nx\n```\n', '```\nx\n```\n'],
  ['> a\n{b}', '> a\n> \\{b}'],
  ['## H {data-x=y}', '### H \\{data-x=y}'],
  ['Uhh `totally`{yea=so} hm.', 'Uhh `totally`\\{yea=so} hm.'],
  ['``` { x=False }\n#\n```', '```\n#\n```'],
  ['kram\n: # header\n', 'kram\n\\: # header\n'],
  ['%>\n', '\\%>\n'],
  ['<33> <__>', '&lt;33> &lt;__>'],
  ['<!p>\n', '&lt;!p>\n'],
  ['$a\nb$', '\\$a\nb\\$'],
  ['[[a]] ![[b]] %%c%%', '\\[[a]\\] \\!\\[[b]\\] %\\%c%\\%'],
];

const JOINS = Number(process.env['MARKDOWN_JOINS'] ?? 150);
const viewers = suite('other viewers');

viewers('the smallest inputs that came alive', () => {
  for (const [input, expected] of SMALLEST) {
    assert.is(safeMarkdown(input), expected);
    for (const viewer of Object.keys(VIEWERS))
      assert.equal(faults(viewer, expected), [], `${viewer}: ${expected}`);
  }
});

viewers('the judges see what comes alive: raw text fails them', () => {
  for (const viewer of Object.keys(VIEWERS)) {
    for (const raw of ['<b>', '# T', '![a](b)', '<img src=x onerror=y>']) {
      assert.ok(faults(viewer, raw).length > 0, `${viewer}: ${raw}`);
    }
  }
});

for (const viewer of Object.keys(VIEWERS)) {
  viewers(`nothing comes alive in ${viewer}`, () => {
    const inputs = [
      ...ATTACKS,
      ...hostileJoins(JOINS, 5),
      ...hostileMutants(JOINS, 6, [...ATTACKS, ...ANSWERS]),
    ];
    for (const input of inputs) assert.equal(faults(viewer, safeMarkdown(input)), [], JSON.stringify(input));
  });
}

viewers.run();
