/** Highlights the matches of a search in a line for the terminal. */
import type { Paint } from './style.ts';
import { CODES } from './wrap.ts';

/**
 * A function that paints what `pattern` matches in a line, colour codes ignored. A match that spans two lines is not
 * marked.
 *
 * @example
 * createMarker(/risk/u, style.match)('a risk'); // `risk` is painted
 */
export function createMarker(pattern: RegExp, paint: Paint): (line: string) => string {
  const search = new RegExp(pattern, `${pattern.flags.replace(/[gy]/g, '')}g`);
  return (line) => {
    const pieces = line.split(CODES);
    const visible = pieces.filter((_, index) => index % 2 === 0).join('');
    const found = Array.from(
      visible.matchAll(search),
      ({ index, 0: { length } }) => [index, index + length] as const,
    );
    let start = 0;
    return pieces
      .map((piece, index) => {
        if (index % 2 === 1) return piece;
        const from = start;
        start += piece.length;
        return paintRanges(piece, from, found, paint);
      })
      .join('');
  };
}

/** A piece that begins at `from`, with the parts painted that lie in one of the ranges. */
function paintRanges(
  piece: string,
  from: number,
  ranges: readonly (readonly [start: number, end: number])[],
  paint: Paint,
): string {
  let out = '';
  let at = 0;
  for (const [start, end] of ranges) {
    const first = Math.max(at, start - from);
    const last = Math.min(piece.length, end - from);
    if (first >= last) continue;
    out += piece.slice(at, first) + paint(piece.slice(first, last));
    at = last;
  }
  return out + piece.slice(at);
}
