/** Safe text to lines: pieces with their colours, wrapped behind a prefix. */

import { safeLine, safeText } from '../safe/text.ts';
import type { Paint, Style } from '../terminal/style.ts';
import { cells, fit } from '../terminal/width.ts';
import { wrap } from '../terminal/wrap.ts';

/** A piece of one line, safe already, and how it is painted. */
export interface Span {
  text: string;
  paint?: Paint;
}

/** What stands before the first line and before the others, painted, and how many cells each takes. */
export interface Prefix {
  first: string;
  rest: string;
  cells: number;
}

/** The gutter that keeps untrusted text away from column 0. */
export function gutter(style: Style, paint: Paint = style.gutter): Prefix {
  const bar = `${paint(style.symbols.vertical)} `;
  return { first: bar, rest: bar, cells: 2 };
}

/** A symbol of our own before the first line, the gutter before the others. */
export function marked(style: Style, symbol: string, paint: Paint): Prefix {
  // Each character of our own takes one cell; to ask would load the tables of Unicode.
  const size = symbol.length + 1;
  const rest = style.gutter(style.symbols.vertical) + ' '.repeat(size - 1);
  return { first: `${paint(symbol)} `, rest, cells: size };
}

/** The room for text behind a prefix: `width` 0 is unlimited and stays so. */
export function room(width: number, used: number): number {
  return width > 0 ? Math.max(1, width - used) : 0;
}

/** The painted lines of some spans that follow each other on one line, wrapped where they do not fit. */
export function flow(spans: readonly Span[], prefix: Prefix, width: number): string[] {
  const text = spans.map((span) => span.text).join('');
  const lines = width > 0 ? wrap(text, room(width, prefix.cells)) : [text];
  /** The span that the next line begins in, and where that span begins in the text. */
  let index = 0;
  let start = 0;
  let at = 0;
  return lines.map((line, row) => {
    const from = text.indexOf(line, at);
    at = from + line.length;
    let painted = '';
    for (; index < spans.length; index++) {
      const span = spans[index]!;
      const piece = span.text.slice(Math.max(0, from - start), at - start);
      if (piece) painted += span.paint ? span.paint(piece) : piece;
      if (start + span.text.length > at) break;
      start += span.text.length;
    }
    return behind(row === 0 ? prefix.first : prefix.rest, painted);
  });
}

/** The cells of some spans on one line. */
export function spanCells(spans: readonly Span[]): number {
  return spans.reduce((sum, { text }) => sum + cells(text), 0);
}

/** A line behind its prefix, without blanks at the end of an empty one. */
export function behind(prefix: string, line: string): string {
  return line === '' ? prefix.trimEnd() : prefix + line;
}

/** Untrusted text of several lines to safe, wrapped ones. Blank lines at the end are dropped. */
export function textLines(text: string, width: number): string[] {
  const lines = safeText(text).split('\n');
  while (lines.length > 1 && lines.at(-1) === '') lines.pop();
  return width > 0 ? lines.flatMap((line) => wrap(line, width)) : lines;
}

/** A cell holds one character and at most eight marks on it, of two code units each. */
const CELL_UNITS = 18;

/** A safe line of at most `width` cells; an ellipsis stands for the rest. Reads no more than it shows. */
export function shorten(line: string, width: number, style: Style): string {
  const most = width * CELL_UNITS;
  if (line.length <= most && cells(line) <= width) return line;
  const ellipsis = fit(style.symbols.ellipsis, width);
  return fit(line.slice(0, most), width - cells(ellipsis)).trimEnd() + ellipsis;
}

/** Untrusted text on one safe line of at most `width` cells. */
export function cut(text: string, width: number, style: Style): string {
  return shorten(safeLine(text), width, style);
}
