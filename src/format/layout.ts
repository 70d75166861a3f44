/** Safe text to lines: pieces with their colours, wrapped behind a prefix. */

import { safeText } from '../safe/text.ts';
import type { Paint, Span, Style } from '../terminal/style.ts';
import { cells } from '../terminal/width.ts';
import { wrap } from '../terminal/wrap.ts';

/** Where values would have less room than this beside their labels, they stand under them. */
const VALUE_WIDTH = 20;

/** What stands before the first line and before the others, painted, and the cells that each takes. */
export interface Prefix {
  first: string;
  rest: string;
  size: number;
}

/** The gutter that keeps untrusted text away from column 0. */
export function gutter(style: Style, paint: Paint = style.dim): Prefix {
  const bar = `${paint(style.symbols.vertical)} `;
  return { first: bar, rest: bar, size: 2 };
}

/** A symbol of our own before the first line, a gutter of its colour before the others. */
export function symbolPrefix(style: Style, symbol: string, paint: Paint): Prefix {
  // Each character of our own takes one cell; to ask would load the tables of Unicode.
  const size = symbol.length + 1;
  const rest = paint(style.symbols.vertical) + ' '.repeat(size - 1);
  return { first: `${paint(symbol)} `, rest, size };
}

/** The room for text behind a prefix: `width` 0 is unlimited and stays so. */
export function room(width: number, used: number): number {
  return width > 0 ? Math.max(1, width - used) : 0;
}

/** The painted lines of some spans that follow each other on one line, wrapped where they do not fit. */
export function flow(spans: readonly Span[], prefix: Prefix, width: number): string[] {
  if (width === 0) {
    let painted = '';
    for (const { text, paint } of spans) if (text) painted += paint ? paint(text) : text;
    return [behind(prefix.first, painted)];
  }
  const text = spans.map((span) => span.text).join('');
  const lines = wrap(text, room(width, prefix.size));
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

/** A label and its value: one flow of spans for each line. */
export type Row = [label: string, ...lines: Span[][]];

/** Labels and values in two columns, or one after the other where the width leaves too little for values. */
export function columns(rows: readonly Row[], bar: Prefix, width: number): string[] {
  const column = Math.max(0, ...rows.map(([label]) => cells(label))) + 2;
  const isWide = width === 0 || width >= bar.size + column + VALUE_WIDTH;
  const indent = isWide ? column : 2;
  const blank = bar.rest + ' '.repeat(indent);
  const rest: Prefix = { first: blank, rest: blank, size: bar.size + indent };
  return rows.flatMap(([label, ...values]) => {
    const gap = ' '.repeat(isWide ? column - cells(label) : 2);
    const [value = [], ...others] = values;
    const size = spanCells(value);
    const beside = bar.size + cells(label) + gap.length + size;
    if (width > 0 && beside > width && value.some(({ whole }) => whole)) {
      const indent = bar.size + 2 + size > width ? '' : '  ';
      return [
        ...flow([{ text: label }], bar, width),
        ...flow(value, { ...bar, first: bar.first + indent }, 0),
      ];
    }
    if (!isWide && (others.length > 0 || beside > width)) {
      return [...flow([{ text: label }], bar, width), ...values.flatMap((spans) => flow(spans, rest, width))];
    }
    const first = bar.first + label + gap;
    return values.flatMap((spans, index) => flow(spans, index === 0 ? { ...rest, first } : rest, width));
  });
}

/** Facts with a separator between them; one that does not fit begins a line of its own. */
export function facts(list: readonly Span[], prefix: Prefix, width: number, separator: string): string[] {
  if (list.length === 1) return flow(list, prefix, width);
  const lines: Span[][] = [];
  for (const fact of list) {
    const line = lines.at(-1);
    const longer = line && [...line, { text: ` ${separator} ` }, fact];
    if (longer && (width === 0 || prefix.size + spanCells(longer) <= width)) lines[lines.length - 1] = longer;
    else lines.push([fact]);
  }
  const rest = { ...prefix, first: prefix.rest };
  return lines.flatMap((line, index) => flow(line, index === 0 ? prefix : rest, width));
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
