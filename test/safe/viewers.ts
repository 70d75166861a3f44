/**
 * Viewers that are not CommonMark, or have extensions. Each takes a batch of documents at once, since those that are
 * programs are started once for a batch.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
import { isGoodAddress, NEIGHBOUR, transcript } from './markdown-checker.ts';

type Node = DefaultTreeAdapterTypes.Node;

/** Documents to HTML, one each. */
export type Viewer = (documents: string[]) => string[];

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

function each(render: (markdown: string) => string): Viewer {
  return (documents) => documents.map(render);
}

/** Those that npm has. */
export const VIEWERS: Record<string, Viewer> = {
  'markdown-it with plugins': each((markdown) => withPlugins.render(markdown)),
  remark: each((markdown) => String(remark.processSync(markdown))),
  showdown: each((markdown) => showdownConverter.makeHtml(markdown)),
  remarkable: each((markdown) => remarkable.render(markdown)),
};

/** Between documents where a program cannot read JSON. No transcript holds it: control characters are shown. */
const SEPARATOR = '\x1E';

function run(command: string, args: string[], input: string, cwd?: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 30,
    timeout: 600_000,
    ...(cwd !== undefined && { cwd }),
  });
  if (error || status !== 0) throw new Error(`${command}: ${error?.message ?? stderr.slice(0, 2000)}`);
  return stdout;
}

function inFolder<T>(use: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'palabre-fmt-viewer-'));
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A program that reads an array of documents as JSON and writes an array of HTML. */
function script(command: string, args: string[]): Viewer {
  return (documents) => JSON.parse(run(command, args, JSON.stringify(documents))) as string[];
}

function ruby(library: string, render: string): Viewer {
  const code = `require 'json'; require '${library}'; ${render}`;
  return script('ruby', [
    '-EUTF-8',
    '-e',
    `${code}; puts JSON.generate(JSON.parse(STDIN.read).map(&render))`,
  ]);
}

function python(extensions: string[]): Viewer {
  const list = JSON.stringify(extensions);
  return script('/usr/bin/python3', [
    '-c',
    `import json, sys, markdown; print(json.dumps([markdown.markdown(text, extensions=${list}) for text in json.load(sys.stdin)]))`,
  ]);
}

/** Pandoc runs a reader written in Lua, which reads each document as Pandoc's Markdown. */
const PANDOC_READER = `
function Reader(input)
  local out = {}
  for document in string.gmatch(tostring(input), '[^${SEPARATOR}]+') do
    table.insert(out, pandoc.write(pandoc.read(document, 'markdown-implicit_header_references'), 'html'))
  end
  return pandoc.Pandoc({ pandoc.RawBlock('html', table.concat(out, '${SEPARATOR}')) })
end`;

function pandoc(documents: string[]): string[] {
  return inFolder((folder) => {
    writeFileSync(join(folder, 'each.lua'), PANDOC_READER);
    const input = documents.join(SEPARATOR);
    return run('pandoc', ['-f', 'each.lua', '-t', 'html', '--no-highlight'], input, folder).split(SEPARATOR);
  });
}

/** Lowdown reads one file, so a shell starts it for each. */
function lowdown(documents: string[]): string[] {
  return inFolder((folder) => {
    documents.forEach((text, index) => {
      writeFileSync(join(folder, `${index}.md`), text);
    });
    const options = '--html-no-skiphtml --html-no-escapehtml --out-no-smarty --parse-math';
    const loop = `for i in $(seq 0 ${documents.length - 1}); do lowdown -Thtml ${options} $i.md; printf '\\036'; done`;
    return run('sh', ['-c', loop], '', folder).split(SEPARATOR).slice(0, documents.length);
  });
}

const HUGO_CONFIG = {
  disableKinds: ['taxonomy', 'term', 'RSS', 'sitemap', '404', 'robotsTXT'],
  markup: {
    highlight: { codeFences: false },
    goldmark: {
      renderer: { unsafe: true },
      parser: { attribute: { block: true, title: true } },
      extensions: { definitionList: true, footnote: true, linkify: true, table: true, typographer: false },
    },
  },
};

/** Hugo renders with goldmark. Its own shortcodes, which it reads before Markdown and in code, are kept from it. */
function goldmark(documents: string[]): string[] {
  return inFolder((folder) => {
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
    for (const name of ['layouts', 'data']) run('mkdir', ['-p', join(folder, name)], '');
    write('config.json', JSON.stringify(HUGO_CONFIG));
    write('data/documents.json', JSON.stringify(documents.map((text) => text.replaceAll('{{', '{ {'))));
    write(
      'layouts/index.html',
      '{{ $out := slice }}{{ range site.Data.documents }}{{ $out = $out | append (string (. | markdownify)) }}{{ end }}' +
        '{{ $out | jsonify | safeHTML }}',
    );
    run('hugo', ['--quiet'], '', folder);
    return JSON.parse(readFileSync(join(folder, 'public/index.html'), 'utf8')) as string[];
  });
}

/** Those that are programs, by what a Debian package brings. */
const PROGRAMS: Record<string, Viewer> = {
  // As Jekyll does. The other grammar of kramdown knows no fence of backticks.
  kramdown: ruby(
    'kramdown',
    "render = ->(text) { Kramdown::Document.new(text, input: 'GFM', hard_wrap: false).to_html }",
  ),
  'python-markdown as in MkDocs': python(['toc', 'tables', 'fenced_code']),
  'python-markdown with extensions': python(['extra', 'admonition', 'sane_lists', 'toc']),
  redcarpet: ruby(
    'redcarpet',
    'markdown = Redcarpet::Markdown.new(Redcarpet::Render::HTML, tables: true, fenced_code_blocks: true, ' +
      'autolink: true, strikethrough: true, superscript: true, footnotes: true, highlight: true, ' +
      'no_intra_emphasis: true, lax_spacing: true); render = ->(text) { markdown.render(text) }',
  ),
  lowdown,
  goldmark,
  pandoc,
};

/** Those of the programs that are installed; the others say why not. */
export const INSTALLED: Record<string, Viewer> = {};
/** Names of those that are not. */
export const MISSING: string[] = [];
for (const [name, viewer] of Object.entries(PROGRAMS)) {
  try {
    if (viewer(['# a'])[0]?.includes('<h1')) INSTALLED[name] = viewer;
    else MISSING.push(name);
  } catch {
    MISSING.push(name);
  }
}

/** Elements of text, and of formulas, definitions and directives, all without effect. */
const HARMLESS = new Set(
  (
    'a blockquote br code del div em h1 h2 h3 h4 h5 h6 hr input li ol p pre s strong table tbody td th thead tr ul ' +
    'sup sub dl dt dd section ins mark span eq eqn math semantics mrow mi mo mn annotation q u colgroup col'
  ).split(' '),
);
const HARMLESS_ATTRIBUTES =
  /^(?:href|title|class|align|start|type|checked|disabled|style|id|aria-.*|role|tabindex|encoding|xmlns|data-footnote.*|data-cites)$/;
const HARMLESS_STYLES =
  /^(?:text-align: ?\w+;?|list-style-type: ?none;?|margin: |height:|vertical-align:|top:|width: ?\d+%;?$)/;

function textOf(node: Node): string {
  if ('value' in node) return node.value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}

function* walk(node: Node): Generator<Node> {
  yield node;
  if ('childNodes' in node) for (const child of node.childNodes) yield* walk(child);
}

/** The transcript's own headings, each with the text that stands between it and the next. */
function speakers(root: Node): [heading: string, text: string][] {
  const found: [string, string][] = [];
  const read = (node: Node) => {
    if (node.nodeName === 'h1' || node.nodeName === 'h2') found.push([textOf(node), '']);
    // Pandoc makes a section of each heading.
    else if (node.nodeName === 'section' && 'childNodes' in node) node.childNodes.forEach(read);
    else if (found.length > 0) found.at(-1)![1] += textOf(node).replace(/\s+/g, ' ');
  };
  if ('childNodes' in root) root.childNodes.forEach(read);
  return found;
}

/** The transcript's own headings in a page. */
export function headings(html: string): string[] {
  return speakers(parseFragment(html)).map(([heading]) => heading);
}

function document(answer: string): string {
  return transcript([NEIGHBOUR, answer, NEIGHBOUR]);
}

/** What is wrong with each of some answers that stand between two others, in a few words; nothing where all is well. */
export function faults(viewer: Viewer, answers: readonly string[]): string[][] {
  const [calm, ...pages] = viewer(['plain', ...answers].map(document)).map((html) => parseFragment(html));
  const expected = speakers(calm!);
  return pages.map((root) => {
    const found: string[] = [];
    for (const node of walk(root)) {
      if (node.nodeName === '#comment') found.push('comment');
      if (!('tagName' in node)) continue;
      if (!HARMLESS.has(node.tagName)) found.push(`<${node.tagName}>`);
      for (const { name, value } of node.attrs) {
        if (!HARMLESS_ATTRIBUTES.test(name)) found.push(`attribute ${name}`);
        if (name === 'style' && !HARMLESS_STYLES.test(value)) found.push(`style ${value}`);
        if (name === 'href' && !isGoodAddress(value)) found.push(`address ${value}`);
      }
    }
    const seen = speakers(root);
    expected.forEach(([heading, text], index) => {
      if (seen[index]?.[0] !== heading) found.push(`heading ${seen[index]?.[0]} instead of ${heading}`);
      // 0 is the title, 2 the answer itself.
      else if (index !== 2 && seen[index]![1].trim() !== text.trim())
        found.push(`what follows ${heading} changed: ${seen[index]![1]}`);
    });
    if (seen.length > expected.length) found.push('more headings');
    return found;
  });
}
