/** Tables of Markdown: columns as wide as they need to be, or a list of rows where the width is too short. */
import type { AlignType, Table } from 'mdast';
import { inline, type Place } from './inline.ts';
import type { Style } from './style.ts';
import { cells, reach } from './width.ts';
import { linked, longestWord, uncoloured, wrap } from './wrap.ts';

/** Cells below which a column is of no use. */
const MIN_COLUMN = 8;
/** Cells below which a line has no room for an indentation. */
export const MIN_INSIDE = 10;
/** Cells between two columns: a blank, a bar, a blank. */
const GAP = 3;

/**
 * A table in at most `width` cells. Each column gets its longest word first; what is left goes to the columns with
 * the most text for their width. Addresses of links are listed below the table, by number.
 *
 * @param width display cells; Infinity is unlimited
 */
export function table(node: Table, width: number, place: Place): string[] {
  const notes: string[] = [];
  const rows = node.children.map((row) =>
    row.children.map((cell) => inline(cell.children, place, notes).replace(/[\n\t]/g, ' ')),
  );
  const widths = columnWidths(rows, width);
  const lines = widths
    ? columns(rows, widths, node.align ?? [], place.style)
    : stacked(rows, width, place.style);
  if (notes.length === 0) return lines;
  const shown = (address: string): string => (place.hyperlinks ? linked(address, address) : address);
  return [
    ...lines,
    '',
    ...notes.flatMap((address, index) => wrap(`[${index + 1}] ${shown(address)}`, width)),
  ];
}

function columns(
  rows: readonly string[][],
  widths: readonly number[],
  sides: readonly AlignType[],
  { symbols, dim, bold }: Style,
): string[] {
  const bar = ` ${dim(symbols.vertical)} `;
  const rule = dim(
    widths
      .map((size) => symbols.horizontal.repeat(size))
      .join(`${symbols.horizontal}${symbols.cross}${symbols.horizontal}`),
  );
  const parts = rows.map((row, index) => {
    const wrapped = widths.map((size, column) => {
      const cell = row[column] ?? '';
      return wrap(index === 0 && cell ? bold(cell) : cell, size);
    });
    const height = Math.max(...wrapped.map((lines) => lines.length));
    return Array.from({ length: height }, (_, at) =>
      wrapped
        .map((lines, column) => align(lines[at] ?? '', widths[column]!, sides[column]))
        .join(bar)
        .trimEnd(),
    );
  });
  const isTall = parts.slice(1).some((lines) => lines.length > 1);
  return parts.flatMap((lines, index) => (index === 1 || (index > 1 && isTall) ? [rule, ...lines] : lines));
}

/** A table too narrow for its columns: each row as a list of its cells, named by the head. */
function stacked(rows: readonly string[][], width: number, { symbols, dim, bold }: Style): string[] {
  const [head = [], ...body] = rows;
  if (body.length === 0) return head.flatMap((cell) => wrap(bold(cell), width));
  return body.flatMap((row, index) => {
    const lines = row.flatMap((cell, column) => {
      const name = head[column] ? `${bold(head[column])}${dim(` ${symbols.chevron} `)}` : '';
      const indent = width < MIN_INSIDE ? 0 : 2;
      const parts = wrap(`${name}${cell}`, width - indent);
      return parts.map((part, at) => (at > 0 ? ' '.repeat(indent) + part : part));
    });
    return index > 0 ? ['', ...lines] : lines;
  });
}

/** A cell at one side of its column, or in the middle. */
function align(line: string, size: number, side: AlignType | undefined): string {
  const blanks = Math.max(0, size - cells(uncoloured(line)));
  const before = side === 'right' ? blanks : side === 'center' ? Math.floor(blanks / 2) : 0;
  return ' '.repeat(before) + line + ' '.repeat(blanks - before);
}

/** The widths of the columns in cells; undefined where `width` is too narrow for columns. */
function columnWidths(rows: readonly string[][], width: number): number[] | undefined {
  const count = Math.max(...rows.map((row) => row.length));
  const texts = Array.from({ length: count }, (_, column) =>
    rows.map((row) => uncoloured(row[column] ?? '')),
  );
  const natural = texts.map((column) => Math.max(1, ...column.map(reach)));
  const words = texts.map((column) => Math.max(1, ...column.map(longestWord)));
  const room = width - GAP * (count - 1);
  // Where even the words do not fit, the longest of them are broken.
  return sum(words) <= room ? share(words, natural, room) : share(words.map(shortest), words, room);
}

function shortest(size: number): number {
  return Math.min(size, MIN_COLUMN);
}

/** `room` cells for columns that need `least` and would have `most`; the rest goes to the columns that lack most. */
function share(least: readonly number[], most: readonly number[], room: number): number[] | undefined {
  if (sum(most) <= room) return [...most];
  if (sum(least) > room) return undefined;
  const widths = [...least];
  for (let left = room - sum(least); left > 0; left--) {
    const lines = widths.map((size, column) => most[column]! / size);
    const needy = lines.indexOf(Math.max(...lines));
    widths[needy] = widths[needy]! + 1;
  }
  return widths;
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0);
}
