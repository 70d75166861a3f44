/**
 * Looks at whole transcripts the way their readers do: four independent Markdown parsers with HTML let
 * through, their output read by an HTML parser. Says what an untrusted message brought alive or broke.
 */
import { spawnSync } from 'node:child_process';
import { HtmlRenderer, Parser } from 'commonmark';
import MarkdownIt from 'markdown-it';
import { Marked } from 'marked';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import type { CompileContext } from 'micromark-util-types';
import { type DefaultTreeAdapterTypes, parse, serialize } from 'parse5';
import { safeText } from '../../src/safe/text.ts';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

/** The mark that a renderer leaves where it let raw HTML through, tags that an HTML parser drops included. */
const RAW = '<raw-html></raw-html>';

const markdownIt = new MarkdownIt({ html: true, linkify: true });
// The strictest reader of an address is the one that shows every address.
markdownIt.validateLink = () => true;
// Older releases did this by default.
markdownIt.linkify.set({ fuzzyLink: true });
for (const rule of ['html_inline', 'html_block'] as const) {
  markdownIt.renderer.rules[rule] = (tokens, index) => RAW + tokens[index]!.content;
}
const commonmarkParser = new Parser();
const commonmarkRenderer = new HtmlRenderer();
for (const rule of ['html_inline', 'html_block'] as const) {
  (commonmarkRenderer as unknown as Record<string, unknown>)[rule] = function (
    this: { lit(text: string): void },
    node: { literal: string },
  ): void {
    this.lit(RAW + node.literal);
  };
}
const marked = new Marked({ renderer: { html: (token) => RAW + token.text } });

function letHtmlThrough(this: CompileContext): void {
  this.lineEndingIfNeeded();
  this.raw(RAW);
  this.setData('ignoreEncode', true);
}
// Without the tag filter, which would hide a leak.
const { enter, exit } = gfmHtml();
const micromarkOptions = {
  allowDangerousHtml: true,
  allowDangerousProtocol: true,
  extensions: [gfm()],
  htmlExtensions: [
    { enter, exit },
    {
      enter: {
        htmlFlow: letHtmlThrough,
        htmlText: letHtmlThrough,
      },
    },
  ],
};

/** Markdown to HTML, by parser. */
export const PARSERS: Record<string, (markdown: string) => string> = {
  'markdown-it': (markdown) => markdownIt.render(markdown),
  commonmark: (markdown) => commonmarkRenderer.render(commonmarkParser.parse(markdown)),
  marked: (markdown) => marked.parse(markdown, { async: false }),
  micromark: (markdown) => micromark(markdown, micromarkOptions as never),
};

const EXTENSIONS = ['table', 'strikethrough', 'autolink', 'tasklist', 'footnotes'].flatMap((name) => [
  '-e',
  name,
]);
/** Whether GitHub's own parser is here. */
export const hasCmark = spawnSync('cmark-gfm', ['--version']).status === 0;
if (hasCmark) {
  PARSERS['cmark-gfm'] = (markdown) =>
    spawnSync('cmark-gfm', ['--unsafe', ...EXTENSIONS], {
      input: markdown,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    }).stdout;
}

/** What Markdown makes, with the attributes that it gives. Images and footnotes are not among it. */
const ALLOWED: Record<string, readonly string[]> = {
  a: ['href', 'title'],
  blockquote: [],
  br: [],
  code: ['class'],
  del: [],
  em: [],
  h1: [],
  h2: [],
  h3: [],
  h4: [],
  h5: [],
  h6: [],
  hr: [],
  input: ['type', 'disabled', 'checked'],
  li: [],
  ol: ['start'],
  p: [],
  pre: [],
  s: [],
  strong: [],
  table: [],
  tbody: [],
  td: ['align', 'style'],
  th: ['align', 'style'],
  thead: [],
  tr: [],
  ul: [],
};

const HOST = 'transcript.invalid';

/** Whether an address leads to the web, to a mailbox, or to a place beside the transcript. */
export function isGoodAddress(href: string): boolean {
  let url: URL;
  try {
    url = new URL(href, `https://${HOST}/folder/page`);
  } catch {
    // No browser follows it, but a viewer that decodes it once more might.
    return /^https?:/i.test(href);
  }
  if (url.protocol === 'mailto:') return true;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return false;
  return url.host === HOST || /^https?:/i.test(href);
}

function* walk(node: Node): Generator<Element | DefaultTreeAdapterTypes.CommentNode> {
  if (node.nodeName === '#comment') yield node as DefaultTreeAdapterTypes.CommentNode;
  if ('tagName' in node) yield node;
  if ('childNodes' in node) for (const child of node.childNodes) yield* walk(child);
}

function textOf(node: Node): string {
  if ('value' in node) return node.value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}

function isHighHeading(node: Node): boolean {
  return node.nodeName === 'h1' || node.nodeName === 'h2';
}

/** What is wrong in one part of the document, in a few words each. */
function faultsIn(nodes: Node[]): string[] {
  const faults: string[] = [];
  for (const top of nodes) {
    const text = textOf(top);
    if (safeText(text) !== text) faults.push('an invisible character');
    for (const node of walk(top)) {
      if (!('tagName' in node)) {
        faults.push('comment');
        continue;
      }
      const allowed = Object.hasOwn(ALLOWED, node.tagName) ? ALLOWED[node.tagName]! : undefined;
      if (!allowed) faults.push(`<${node.tagName}>`);
      else for (const { name } of node.attrs) if (!allowed.includes(name)) faults.push(`attribute ${name}`);
      if (isHighHeading(node)) faults.push('a heading of the transcript');
      const href = node.attrs.find(({ name }) => name === 'href')?.value;
      if (href !== undefined && !isGoodAddress(href)) faults.push(`address ${href}`);
      const style = node.attrs.find(({ name }) => name === 'style')?.value ?? 'text-align:left';
      if (!/^text-align:\s?(left|right|center);?$/.test(style)) faults.push(`style ${style}`);
    }
  }
  return faults;
}

/** A message whose rendering must not change, whatever stands before and after it. */
export const NEIGHBOUR = [
  'A neighbour: [foo], [bar], [1], [t][1], [1][], [link], [i], ![a][i], [^1], [^note], ^[x] and `code`.',
  '',
  '- one',
  '- two *stars* and | a pipe',
  '',
  '```js',
  'const fence = "`";',
  '```',
  '',
  'The last word',
].join('\n');

interface Section {
  heading: string;
  nodes: Node[];
}

/** The document, cut at the headings of the transcript's own level; [0] is what stands before the first. */
function sections(html: string): { parts: Section[]; outside: string[] } {
  const document = parse(`<!doctype html><title></title><body>${html}`);
  const root = document.childNodes.find((node) => node.nodeName === 'html') as Element;
  const outside = root.attrs.map(({ name }) => `attribute of html: ${name}`);
  const body = root.childNodes.find((node) => node.nodeName === 'body') as Element;
  for (const { name } of body.attrs) outside.push(`attribute of body: ${name}`);
  const head = root.childNodes.find((node) => node.nodeName === 'head') as Element;
  if (head.childNodes.length !== 1) outside.push('something in the head');
  if (root.childNodes.length !== 2) outside.push('something beside the body');
  const parts: Section[] = [{ heading: '', nodes: [] }];
  for (const node of body.childNodes) {
    if (isHighHeading(node)) parts.push({ heading: `${node.nodeName} ${textOf(node)}`, nodes: [] });
    else parts.at(-1)!.nodes.push(node);
  }
  return { parts, outside };
}

/** The transcript's frame around messages: each under a heading of level 2 at column 0 after a blank line. */
export function transcript(messages: string[]): string {
  const turns = messages.map(
    (message, index) => `## ${index + 1}/${messages.length} · codex (implementer)\n\n${message}\n\n`,
  );
  return `# Debate · the subject\n\n${turns.join('')}## Result\n\nThe session is complete.\n`;
}

function serializeNodes(nodes: Node[]): string {
  return nodes
    .map((node) => ('tagName' in node ? `<${node.tagName}>${serialize(node)}` : textOf(node).trim()))
    .join('');
}

/** How a neighbour looks when nothing disturbs it, by parser. */
const CALM = new Map<string, string>();
function calm(parser: string): string {
  let html = CALM.get(parser);
  if (html === undefined) {
    const { parts } = sections(PARSERS[parser]!(transcript([NEIGHBOUR, 'plain', NEIGHBOUR])));
    html = serializeNodes(parts[2]!.nodes);
    CALM.set(parser, html);
  }
  return html;
}

/** Something that a message did in one of the parsers. */
export interface Failure {
  parser: string;
  /** The index of the message, or -1 where it cannot be told. */
  message: number;
  what: string;
}

/**
 * What these messages do to a transcript in which each has {@link NEIGHBOUR} before and after it. An empty list
 * is a safe transcript.
 *
 * @param messages as they would stand in the file
 */
export function failures(messages: string[], parsers: string[] = Object.keys(PARSERS)): Failure[] {
  const found: Failure[] = [];
  const all = messages.flatMap((message) => [message, NEIGHBOUR]);
  all.unshift(NEIGHBOUR);
  const document = transcript(all);
  for (const parser of parsers) {
    const report = (message: number, what: string) => found.push({ parser, message, what });
    let html: string;
    try {
      html = PARSERS[parser]!(document);
    } catch (error) {
      report(-1, `crash: ${(error as Error).message.split('\n')[0]}`);
      continue;
    }
    const { parts, outside } = sections(html);
    for (const what of outside) report(-1, what);
    const headings = all.map((_, index) => `h2 ${index + 1}/${all.length} · codex (implementer)`);
    const expected = ['', 'h1 Debate · the subject', ...headings, 'h2 Result'];
    if (parts.length !== expected.length || parts.some((part, index) => part.heading !== expected[index])) {
      const at = expected.findIndex((heading, index) => parts[index]?.heading !== heading);
      // The message before the first heading that is missing or wrong; parts[2] is the first message.
      report(at < 3 ? -1 : Math.floor((at - 3) / 2), `headings differ: ${parts[at]?.heading ?? 'missing'}`);
      continue;
    }
    parts.forEach((part, index) => {
      // parts: [before, title, neighbour, message 0, neighbour, message 1, …, result]
      const message = Math.floor((index - 3) / 2);
      for (const what of faultsIn(part.nodes)) report(index < 3 ? -1 : message, what);
      const isNeighbour = index >= 2 && index % 2 === 0 && index < parts.length - 1;
      if (isNeighbour && serializeNodes(part.nodes) !== calm(parser)) {
        report(index < 4 ? 0 : message, 'a neighbour changed');
      }
    });
    if (textOf({ childNodes: parts.at(-1)!.nodes } as Node).trim() !== 'The session is complete.') {
      report(messages.length - 1, 'the end changed');
    }
  }
  return found;
}
