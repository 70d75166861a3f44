/**
 * Agents' Markdown on a terminal: a parser's tree, written by a small renderer. Untrusted text passes the gate
 * twice, as a whole before it is parsed and piece by piece after entities and escapes are decoded, so that no
 * escape sequence but our own colours can come out. Nothing is lost: what is not understood, is too much for the
 * parser, or makes anything here fail, is shown as it was written.
 *
 * Import this module only where it is needed: it brings the parser with it.
 */
import type { Code, Definition, Heading, List, Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { safeLine, safeText } from '../safe/text.ts';
import { highlight } from './highlight.ts';
import { inline, labelOf, type Place, written } from './inline.ts';
import type { Paint, Style } from './style.ts';
import { MIN_INSIDE, table } from './table.ts';
import { cells, reach } from './width.ts';
import { uncoloured, wrap } from './wrap.ts';

/** UTF-16 code units; longer text is shown as written. */
const MAX_LENGTH = 256 * 1024;
/** Milliseconds on a slow machine; see {@link cost}. */
const MAX_COST = 1000;
/** Containers inside each other on one line. */
const MAX_DEPTH = 24;
/** Cells of a thematic break where the width allows it. */
const RULE_WIDTH = 40;
/** Cells of the rules around the shortest code. */
const MIN_CODE_RULE = 10;

/** Where text is written: how wide, and in which colours and symbols. */
export interface RenderOptions {
  /** Display cells; 0 or Infinity is unlimited. */
  width: number;
  /** Display cells that tables and code may take, where that is more than `width`. Default: `width`. */
  wide?: number;
  style: Style;
  /** Whether the terminal knows hyperlinks (OSC 8): addresses that are shown lead there. Default: false. */
  hyperlinks?: boolean;
}

// The transforms look for addresses in all text once more, at a cost; the tokenizer finds them already.
const EXTENSIONS = {
  extensions: [gfm({ singleTilde: false })],
  mdastExtensions: gfmFromMarkdown().map(({ transforms: _, ...extension }) => extension),
};

/**
 * Renders Markdown to lines of at most `width` cells, without a gutter, each with its colours closed.
 * Headings keep their `#`; without colour, emphasis, struck text and code keep their marks too. Line breaks of the
 * source stay. Never throws.
 *
 * @param content untrusted text
 * @example
 * renderMarkdown('- one\n- two', { width: 40, style: createStyle({ level: 0 }) }); // ['• one', '• two']
 */
export function renderMarkdown(content: string, options: RenderOptions): string[] {
  const { width, wide = width, style, hyperlinks = false } = options;
  const text = safeText(content);
  const limit = width > 0 ? width : Infinity;
  if (text.length > MAX_LENGTH || cost(text) > MAX_COST) return wrap(text, limit);
  try {
    const room = { prose: limit, wide: Math.max(limit, wide) };
    const lines = blocks(fromMarkdown(text, EXTENSIONS).children, room, { source: text, style, hyperlinks });
    return lines.length > 0 ? lines : [''];
  } catch {
    // Too deep for the stack, the parser's or ours: that must not end the program.
    return wrap(text, limit);
  }
}

/**
 * An upper bound of the parser's time in milliseconds, computed in linear time, with measured factors. Its quadratic
 * parts are delimiters within a paragraph, brackets, unclosed instructions and comments, underlined headings, nested
 * lists, and lazy continuation lines of quotes and lists.
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

const unpainted: Paint = (text) => text;

/** Display cells for prose, and for tables and code. */
interface Room {
  prose: number;
  wide: number;
}

/** @param tight whether blocks follow each other without a blank line */
function blocks(nodes: readonly Nodes[], room: Room, place: Place, tight = false): string[] {
  const lines: string[] = [];
  let previous: Nodes | undefined;
  for (const node of nodes) {
    const isClose = tight || (node.type === 'definition' && previous?.type === 'definition');
    if (previous && !isClose) lines.push('');
    for (const line of block(node, room, place)) lines.push(line);
    previous = node;
  }
  return lines;
}

function block(node: Nodes, room: Room, place: Place): string[] {
  const { style } = place;
  const { symbols } = style;
  switch (node.type) {
    case 'paragraph':
      return wrap(inline(node.children, place), room.prose);
    case 'heading':
      return heading(node, room, place);
    case 'thematicBreak':
      return [style.dim(symbols.horizontal.repeat(Math.min(room.prose, RULE_WIDTH)))];
    case 'blockquote': {
      const mark = `${symbols.quote} `;
      return behind([mark, mark], style.dim, room, (inside) => blocks(node.children, inside, place));
    }
    case 'list':
      return list(node, room, place);
    case 'code':
      return code(node, room.wide, style);
    case 'table':
      return table(node, room.wide, place);
    case 'definition':
      return wrap(definition(node), room.prose);
    case 'footnoteDefinition':
      return behind([`[^${labelOf(node)}]: `, '  '], unpainted, room, (inside) =>
        blocks(node.children, inside, place),
      );
    case 'html':
      return wrap(safeText(node.value), room.prose);
    default:
      return wrap(written(node, place), room.prose);
  }
}

function heading({ depth, children }: Heading, room: Room, place: Place): string[] {
  const { style } = place;
  const paint = depth <= 2 ? style.heading : style.bold;
  return wrap(`${style.dim('#'.repeat(depth))} ${paint(inline(children, place))}`, room.prose);
}

function definition(node: Definition): string {
  const title = node.title ? ` "${safeLine(node.title)}"` : '';
  return `[${labelOf(node)}]: ${safeLine(node.url)}${title}`;
}

/**
 * Lines after a marker: the first after `first`, the others after `rest`. Where that leaves no room, the marker gets a
 * line of its own and the text the whole width.
 */
function behind(
  [first, rest]: readonly [string, string],
  paint: Paint,
  room: Room,
  content: (inside: Room) => string[],
): string[] {
  const size = Math.max(cells(first), cells(rest));
  if (room.prose - size < MIN_INSIDE) {
    const marker = wrap(first, room.prose).map((line) => paint(line));
    // The marker of a quote on a line of its own would mean nothing.
    return first === rest ? content(room) : [...marker, ...content(room)];
  }
  const lines = content({ prose: room.prose - size, wide: room.wide - size });
  if (lines.length === 0) lines.push('');
  return lines.map((line, index) => {
    const marker = index === 0 ? first : rest;
    const mark = marker.trimEnd();
    const blanks = ' '.repeat(size - cells(mark));
    if (line === '') return mark && paint(mark);
    return (mark && paint(mark)) + blanks + line;
  });
}

function list(node: List, room: Room, place: Place): string[] {
  const { dim, success, symbols } = place.style;
  const start = node.start ?? 1;
  const digits = String(start + node.children.length - 1).length;
  const lines: string[] = [];
  for (const [index, item] of node.children.entries()) {
    const box = item.checked ? symbols.checked : symbols.unchecked;
    const number = node.ordered ? `${String(start + index).padStart(digits)}. ` : '';
    const marker = typeof item.checked === 'boolean' ? `${number}${box} ` : number || `${symbols.bullet} `;
    const paint = item.checked ? success : number || item.checked === false ? unpainted : dim;
    const part = behind([marker, ''], paint, room, (inside) =>
      blocks(item.children, inside, place, !item.spread),
    );
    if (index > 0 && node.spread) lines.push('');
    for (const line of part) lines.push(line);
  }
  return lines;
}

/** Code between two rules of its width, with the info string of its fence in the upper one. */
function code({ value, lang, meta }: Code, width: number, style: Style): string[] {
  const { dim, symbols } = style;
  const text = safeText(value);
  const label = safeLine([lang, meta].filter(Boolean).join(' '));
  const lines = highlight(text, lang ?? '', style)
    .split('\n')
    .flatMap((line) => codeLine(line, width, style));
  let size = Math.max(MIN_CODE_RULE, label === '' ? 0 : cells(label) + 6);
  for (const line of lines) size = Math.max(size, reach(uncoloured(line)));
  size = Math.min(size, width);
  const rule = (cells: number): string => dim(symbols.horizontal.repeat(cells));
  const left = size - cells(label) - 4;
  // A label too long for the rule gets lines above it.
  const head =
    label === ''
      ? [rule(size)]
      : left < 0
        ? [...wrap(label, width), rule(size)]
        : [`${rule(2)} ${label} ${rule(left)}`];
  return [...head, ...lines.map((line) => panel(line, size, style)), rule(size)];
}

/** A line of code on its background, which is as wide as the rules. */
function panel(line: string, size: number, { level, code }: Style): string {
  if (level === 0) return line;
  return code(line + ' '.repeat(Math.max(0, size - cells(uncoloured(line)))));
}

/** One line of code, wrapped after a mark, since line breaks are significant in code. */
function codeLine(line: string, width: number, { comment, symbols }: Style): string[] {
  const whole = wrap(line, width);
  if (whole.length === 1 || width < MIN_INSIDE) return whole;
  const mark = comment(symbols.continued);
  return wrap(line, width - 2).map((part, index) => (index === 0 ? part : `${mark} ${part}`));
}
