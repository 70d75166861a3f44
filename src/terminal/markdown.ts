/**
 * Agents' Markdown on a terminal: a parser's tree, written by a small renderer. Untrusted text passes the gate
 * twice, as a whole before it is parsed and piece by piece after entities and escapes are decoded, so that no
 * escape sequence but our own colours can come out. Nothing is lost: what is not understood, is too much for the
 * parser, or makes anything here fail, is shown as it was written.
 *
 * Import this module only where it is needed: it brings the parser with it.
 */
import type {
  AlignType,
  Association,
  Definition,
  Heading,
  List,
  Nodes,
  Parent,
  PhrasingContent,
  Table,
} from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { safeLine, safeText } from '../safe/text.ts';
import { highlight } from './highlight.ts';
import type { Paint, Style } from './style.ts';
import { cells, reach } from './width.ts';
import { wrap } from './wrap.ts';

/** UTF-16 code units; longer text is shown as written. */
const MAX_LENGTH = 256 * 1024;
/** Milliseconds on a slow machine; see {@link cost}. */
const MAX_COST = 1000;
/** Containers inside each other on one line. */
const MAX_DEPTH = 24;
/** Emphasis inside emphasis that is still painted. */
const MAX_PAINTS = 8;
/** Cells below which a column of a table, or the inside of a list or quote, is of no use. */
const MIN_COLUMN = 8;
const MIN_INSIDE = 10;
/** Cells of a rule where the width allows it. */
const RULE_WIDTH = 40;
const CODE_RULE_WIDTH = 80;
/** Code units of context that the gate needs to judge a joiner or count marks across two pieces. */
const CONTEXT = 64;

const COLOR_CODE = /\x1b\[[\d;]*m/g;

/** Where text is written: how wide, and in which colours and symbols. */
export interface MarkdownOptions {
  /** Display cells; 0 or Infinity is unlimited. */
  width: number;
  style: Style;
}

// The transforms look for addresses in all text once more, at a cost; the tokenizer finds them already.
const EXTENSIONS = {
  extensions: [gfm({ singleTilde: false })],
  mdastExtensions: gfmFromMarkdown().map(({ transforms: _, ...extension }) => extension),
};

/**
 * Renders Markdown to lines of at most `width` cells, without a gutter, each with its colours closed.
 * Headings keep their `#` and struck text its `~~`, since not every terminal shows a difference; without colour
 * emphasis and code keep their marks too. Line breaks of the source stay. Never throws.
 *
 * @param content untrusted text
 * @example
 * renderMarkdown('- one\n- two', { width: 40, style: createStyle({ level: 0 }) }); // ['• one', '• two']
 */
export function renderMarkdown(content: string, { width, style }: MarkdownOptions): string[] {
  const text = safeText(content);
  const limit = width > 0 ? width : Infinity;
  if (text.length > MAX_LENGTH || cost(text) > MAX_COST) return wrap(text, limit);
  try {
    const lines = createRenderer(text, style).blocks(fromMarkdown(text, EXTENSIONS).children, limit);
    return lines.length > 0 ? lines : [''];
  } catch {
    // The stack is the parser's limit and ours: deep nesting is no error of the reader's.
    return wrap(text, limit);
  }
}

/**
 * What the parser will need at most, in milliseconds: a linear estimate of its quadratic parts, with measured
 * factors. These are delimiters within a paragraph, brackets, instructions and comments that never end, underlined headings, lists inside lists, and lines
 * that go on after a quote or list without its marker.
 */
function cost(text: string): number {
  let delimiters = 0;
  let inParagraphs = 0;
  let brackets = 0;
  let openings = 0;
  let underlines = 0;
  let nested = 0;
  let lazy = 0;
  let lines = 0;
  let previousDepth = 0;
  for (const [line] of text.matchAll(/[^\n]+|\n(?=\n)/g)) {
    if (line.trim() === '') {
      inParagraphs += delimiters ** 2;
      delimiters = 0;
      previousDepth = 0;
      continue;
    }
    lines++;
    const depth = containerDepth(line);
    if (depth > MAX_DEPTH) return Infinity;
    if (depth > 1 || (depth === 1 && /^[ \t]/.test(line))) nested += depth;
    if (depth === 0 && previousDepth > 0) lazy++;
    previousDepth = depth;
    if (/^[ \t>]*(?:=+|-+)[ \t]*$/.test(line)) underlines++;
    for (let at = 0; at < line.length; at++) {
      const char = line[at]!;
      if (char === '*' || char === '_' || char === '~' || char === '`') delimiters++;
      else if (char === '[' || char === ']') brackets++;
      else if (char === '<' && (line[at + 1] === '?' || line[at + 1] === '!')) openings++;
    }
  }
  inParagraphs += delimiters ** 2;
  return (
    text.length * 0.005 +
    lines * 0.05 +
    inParagraphs * 1e-4 +
    brackets ** 2 * 1e-5 +
    openings * text.length * 1.2e-5 +
    underlines ** 2 * 5e-4 +
    nested ** 2 * 3e-4 +
    lazy ** 2 * 3e-5
  );
}

/** How many quotes and list items a line opens, and a level for every four columns that it is indented. */
function containerDepth(line: string): number {
  const marker = /[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$))/y;
  let depth = 0;
  while (depth <= MAX_DEPTH && marker.test(line)) depth++;
  return depth === 0 ? 0 : depth + Math.floor(line.search(/[^ \t]/) / 4);
}

function createRenderer(source: string, style: Style): { blocks: typeof blocks } {
  const { symbols } = style;
  /** Marks are kept where nothing else sets text off. */
  const bare = style.level === 0;

  function blocks(nodes: readonly Nodes[], width: number, tight = false): string[] {
    const lines: string[] = [];
    let previous: Nodes | undefined;
    for (const node of nodes) {
      const part = block(node, width);
      const isClose = tight || (node.type === 'definition' && previous?.type === 'definition');
      if (previous && !isClose) lines.push('');
      for (const line of part) lines.push(line);
      previous = node;
    }
    return lines;
  }

  function block(node: Nodes, width: number): string[] {
    switch (node.type) {
      case 'paragraph':
        return wrap(inline(node.children), width);
      case 'heading':
        return heading(node, width);
      case 'thematicBreak':
        return [style.dim(symbols.horizontal.repeat(Math.min(width, RULE_WIDTH)))];
      case 'blockquote':
        return behind(`${symbols.quote} `, `${symbols.quote} `, style.gutter, width, (inside) =>
          blocks(node.children, inside),
        );
      case 'list':
        return list(node, width);
      case 'code':
        return code(node.value, [node.lang, node.meta].filter(Boolean).join(' '), node.lang ?? '', width);
      case 'table':
        return table(node, width);
      case 'definition':
        return wrap(definition(node), width);
      case 'footnoteDefinition':
        return behind(`[^${labelOf(node)}]: `, '  ', style.dim, width, (inside) =>
          blocks(node.children, inside),
        );
      case 'html':
        return wrap(safeText(node.value), width);
      default:
        return wrap(written(node), width);
    }
  }

  function heading({ depth, children }: Heading, width: number): string[] {
    const paint = depth <= 2 ? style.heading : style.bold;
    return wrap(`${style.dim('#'.repeat(depth))} ${paint(inline(children))}`, width);
  }

  /** The source of a node, for what has no form of its own. */
  function written(node: Nodes): string {
    return source.slice(node.position?.start.offset, node.position?.end.offset);
  }

  /**
   * Lines behind a marker, those after the first behind `rest`. Where that leaves no room the marker stands on a
   * line of its own and the lines have the whole width.
   */
  function behind(
    first: string,
    rest: string,
    paint: Paint,
    width: number,
    content: (inside: number) => string[],
  ): string[] {
    const size = Math.max(cells(first), cells(rest));
    const inside = width - size;
    if (inside < MIN_INSIDE) {
      const marker = wrap(first, width).map((line) => paint(line));
      // A quote needs no marker that would tell nothing about the lines below it.
      return first === rest ? content(width) : [...marker, ...content(width)];
    }
    const lines = content(inside);
    if (lines.length === 0) lines.push('');
    return lines.map((line, index) => {
      const prefix =
        index === 0 ? first + ' '.repeat(size - cells(first)) : rest + ' '.repeat(size - cells(rest));
      if (line === '') return prefix.trim() === '' ? '' : paint(prefix.trimEnd());
      return prefix.trim() === ''
        ? prefix + line
        : paint(prefix.trimEnd()) + ' '.repeat(trailing(prefix)) + line;
    });
  }

  function list(node: List, width: number): string[] {
    const start = node.start ?? 1;
    const digits = String(start + node.children.length - 1).length;
    const lines: string[] = [];
    for (const [index, item] of node.children.entries()) {
      const box = item.checked ? symbols.checked : symbols.unchecked;
      const number = node.ordered ? `${String(start + index).padStart(digits)}. ` : '';
      const marker = typeof item.checked === 'boolean' ? `${number}${box} ` : number || `${symbols.bullet} `;
      const part = behind(marker, '', style.dim, width, (inside) =>
        blocks(item.children, inside, !item.spread),
      );
      if (index > 0 && node.spread) lines.push('');
      for (const line of part) lines.push(line);
    }
    return lines;
  }

  function code(value: string, info: string, language: string, width: number): string[] {
    const text = safeText(value);
    const label = safeLine(info);
    const written = highlight(text, language, style)
      .split('\n')
      .map((line) => codeLine(line, width));
    const widest = Math.max(...text.split('\n', 1000).map((line) => Math.min(reach(line), CODE_RULE_WIDTH)));
    const size = Math.min(width, Math.max(widest, RULE_WIDTH));
    const rule = (cells: number): string => symbols.horizontal.repeat(cells);
    const left = size - cells(label) - 4;
    const top = label === '' ? rule(size) : `${rule(2)} ${label} ${rule(Math.max(left, 0))}`;
    // A label too long for its rule stands above it.
    const head = left < 0 ? [...wrap(label, width).map(style.dim), style.dim(rule(size))] : [style.dim(top)];
    return [...head, ...written.flat(), style.dim(rule(size))];
  }

  /** One line of code; what does not fit goes on under a mark, since a line break means something in code. */
  function codeLine(line: string, width: number): string[] {
    const whole = wrap(line, width);
    if (whole.length === 1 || width < MIN_INSIDE) return whole;
    const mark = style.dim(symbols.continued);
    return wrap(line, width - 2).map((part, index) => (index === 0 ? part : `${mark} ${part}`));
  }

  function table(node: Table, width: number): string[] {
    const rows = node.children.map((row) =>
      row.children.map((cell) => inline(cell.children).replace(/[\n\t]/g, ' ')),
    );
    const columns = Math.max(...rows.map((row) => row.length));
    const natural = Array.from({ length: columns }, (_, column) =>
      Math.max(1, ...rows.map((row) => reach(uncoloured(row[column] ?? '')))),
    );
    const widths = share(natural, width - 3 * (columns - 1));
    if (!widths) return stacked(rows, width);

    const bar = ` ${style.dim(symbols.vertical)} `;
    const rule = style.dim(
      widths
        .map((size) => symbols.horizontal.repeat(size))
        .join(`${symbols.horizontal}${symbols.cross}${symbols.horizontal}`),
    );
    const parts = rows.map((row, index) => {
      const wrapped = widths.map((size, column) => {
        const cell = row[column] ?? '';
        return wrap(index === 0 && cell ? style.bold(cell) : cell, size);
      });
      const height = Math.max(...wrapped.map((lines) => lines.length));
      return Array.from({ length: height }, (_, at) =>
        wrapped
          .map((lines, column) => align(lines[at] ?? '', widths[column]!, node.align?.[column]))
          .join(bar)
          .trimEnd(),
      );
    });
    const isTall = parts.slice(1).some((lines) => lines.length > 1);
    return parts.flatMap((lines, index) => (index === 1 || (index > 1 && isTall) ? [rule, ...lines] : lines));
  }

  /** A table too narrow for its columns: each row as a list of its cells, named by the head. */
  function stacked(rows: readonly string[][], width: number): string[] {
    const [head = [], ...body] = rows;
    if (body.length === 0) return head.flatMap((cell) => wrap(style.bold(cell), width));
    return body.flatMap((row, index) => {
      const lines = row.flatMap((cell, column) => {
        const name = head[column] ? `${style.bold(head[column])}${style.dim(` ${symbols.chevron} `)}` : '';
        const indent = width < MIN_INSIDE ? 0 : 2;
        const parts = wrap(`${name}${cell}`, width - indent);
        return parts.map((part, at) => (at > 0 ? ' '.repeat(indent) + part : part));
      });
      return index > 0 ? ['', ...lines] : lines;
    });
  }

  function definition(node: Definition): string {
    const title = node.title ? ` "${safeLine(node.title)}"` : '';
    return `${style.dim(`[${labelOf(node)}]:`)} ${style.address(safeLine(node.url) + title)}`;
  }

  /** The text of a paragraph, a heading or a cell, with colours. */
  function inline(nodes: readonly PhrasingContent[]): string {
    /** What was written so far, without colours: the gate judges each piece in its place. */
    let plain = '';

    function gate(value: string): string {
      const context = plain.slice(-CONTEXT);
      const safe = safeText(context + value);
      const piece = safe.startsWith(context) ? safe.slice(context.length) : safeText(value);
      plain += piece;
      return piece;
    }

    /** Our own marks around text, where colour does not say the same. */
    function between(mark: string, content: () => string): string {
      return gate(mark) + content() + gate(mark);
    }

    function all(parent: Parent | { children: readonly Nodes[] }, depth: number): string {
      return parent.children.map((node) => one(node as PhrasingContent, depth)).join('');
    }

    /** Beside the text of a link: its address, unless the text says it already. */
    function address(url: string, title: string | null | undefined, text: string): string {
      const target = safeLine(url);
      const same = text === target || `http://${text}` === target || `mailto:${text}` === target;
      const name = title ? `"${safeLine(title)}"` : '';
      const parts = [same ? '' : target, name].filter(Boolean).join(' ');
      return parts ? style.address(gate(`${text ? ' ' : ''}(${parts})`)) : '';
    }

    function one(node: PhrasingContent, depth: number): string {
      const paint = (with_: Paint, text: string): string => (depth < MAX_PAINTS ? with_(text) : text);
      switch (node.type) {
        case 'text':
        case 'html':
          return gate(node.value);
        case 'emphasis':
          return paint(
            style.italic,
            between(bare ? '*' : '', () => all(node, depth + 1)),
          );
        case 'strong':
          return paint(
            style.bold,
            between(bare ? '**' : '', () => all(node, depth + 1)),
          );
        case 'delete':
          return paint(
            style.strike,
            between('~~', () => all(node, depth + 1)),
          );
        case 'inlineCode':
          return paint(
            style.code,
            between(bare ? '`' : '', () => gate(node.value)),
          );
        case 'break':
          return gate('\n');
        case 'link': {
          const from = plain.length;
          const text = paint(style.link, all(node, depth + 1));
          return text + address(node.url, node.title, plain.slice(from));
        }
        case 'image': {
          const from = plain.length;
          const text = paint(style.link, gate(node.alt ?? ''));
          return text + address(node.url, node.title, plain.slice(from));
        }
        case 'linkReference':
        case 'imageReference': {
          const text = (): string =>
            node.type === 'linkReference' ? all(node, depth + 1) : gate(node.alt ?? '');
          const name = node.referenceType === 'full' ? `[${labelOf(node)}]` : '';
          return gate('[') + paint(style.link, text()) + gate(']') + style.address(gate(name));
        }
        case 'footnoteReference':
          return style.address(gate(`[^${labelOf(node)}]`));
        default:
          return gate(written(node));
      }
    }

    const text = all({ children: nodes }, 0);
    // Pieces that are safe each by itself could still join: then no colour stands between them.
    return safeText(plain) === plain ? text : safeText(plain);
  }

  return { blocks };
}

/** A cell at one side of its column, or in the middle. */
function align(line: string, size: number, side: AlignType | undefined): string {
  const blanks = Math.max(0, size - cells(uncoloured(line)));
  const before = side === 'right' ? blanks : side === 'center' ? Math.floor(blanks / 2) : 0;
  return ' '.repeat(before) + line + ' '.repeat(blanks - before);
}

/** The name of a definition or of a reference to one. */
function labelOf(node: Association): string {
  return safeLine(node.label ?? node.identifier);
}

function trailing(text: string): number {
  return text.length - text.trimEnd().length;
}

function uncoloured(text: string): string {
  return text.replace(COLOR_CODE, '');
}

/** The widths of columns in `room` cells: what each needs, or the wide ones cut to the same; none if too narrow. */
function share(natural: readonly number[], room: number): number[] | undefined {
  const fits = (cap: number): boolean => natural.reduce((sum, size) => sum + Math.min(size, cap), 0) <= room;
  let cap = Math.max(...natural);
  if (!fits(cap)) {
    cap = Math.floor(room / natural.length);
    if (cap < 1) return undefined;
    while (fits(cap + 1)) cap++;
    if (cap < MIN_COLUMN) return undefined;
  }
  const widths = natural.map((size) => Math.min(size, cap));
  let left = room - widths.reduce((sum, size) => sum + size, 0);
  return widths.map((size, index) => {
    if (size === natural[index] || left <= 0) return size;
    left--;
    return size + 1;
  });
}
