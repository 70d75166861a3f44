/** Text cut to the cells of a terminal, with an ellipsis in place of the rest. */
import { plainName, safeLine } from '../safe/text.ts';
import type { Span, Style } from './style.ts';
import { cells, fit } from './width.ts';

/** A cell holds one character and at most eight marks on it, of two code units each. */
const CELL_UNITS = 18;
/** Names and roles longer than this are cut. */
export const NAME_WIDTH = 60;

/**
 * Most names, roles and facts: nothing in them is unsafe, blank at an end, or other than one cell wide. Without this short
 * cut, `pretty --compact` takes an eighth more CPU.
 */
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;

/** Characters without a shape of their own, useless where their neighbour was cut off: joiners, direction marks, tags. */
const LOOSE = '\\u00AD\\u061C\\u200B-\\u200F\\u{E0020}-\\u{E007F}';
const LOOSE_END = new RegExp(`[\\s${LOOSE}]+$`, 'u');
const LOOSE_START = new RegExp(`^[\\udc00-\\udfff]?[\\p{M}${LOOSE}]*`, 'u');

/** A safe line of at most `width` cells. Reads no more of it than it shows. */
export function shorten(line: string, width: number, ellipsis = '…'): string {
  const most = width * CELL_UNITS;
  return line.length <= most && cells(line) <= width ? line : cut(line.slice(0, most), width, ellipsis);
}

function cut(line: string, width: number, ellipsis: string): string {
  const end = fit(ellipsis, width);
  return fit(line, width - cells(end)).replace(LOOSE_END, '') + end;
}

/** The last cells of a safe line, at most `width` of them, with an ellipsis in place of its beginning. */
export function ending(line: string, width: number, ellipsis = '…'): string {
  if (line.length <= width && cells(line) <= width) return line;
  const room = width - cells(ellipsis);
  const most = room * CELL_UNITS;
  let tail = wholeEnd(line.slice(-most));
  while (cells(tail) > room) tail = wholeEnd(tail.slice(Math.max(1, Math.ceil((cells(tail) - room) / 2))));
  return ellipsis + tail;
}

/** The text without half a surrogate pair, or combining marks without their base, at its start. */
function wholeEnd(text: string): string {
  return text.replace(LOOSE_START, '').replace(/^[\udc00-\udfff]/, '');
}

/**
 * A piece of untrusted text for a sentence: `safeLine`, cut to at most `width` cells with an ellipsis at the end.
 * Reads no more of the text than it shows.
 *
 * @param width display cells, at least 1; default 80
 * @param ellipsis default `…`
 * @example
 * quote('\x1b]0;title\x07 and more', 10); // '␛]0;title…'
 */
export function quote(text: string, width = 80, ellipsis = '…'): string {
  if (text.length <= width && PLAIN.test(text)) return text;
  // `trimStart` would take other blanks as well, which are shown.
  const start = text.search(/[^ \n\t]/);
  const head = text.slice(Math.max(0, start), Math.max(0, start) + width * CELL_UNITS + 1);
  const whole = head.length <= width * CELL_UNITS;
  // The head may end with half a surrogate pair.
  return whole
    ? shorten(safeLine(text), width, ellipsis)
    : cut(safeLine(head.replace(/[\ud800-\udbff]$/, '')), width, ellipsis);
}

/** An agent's name in its colour. Untrusted names are made safe. */
export function agentName(name: string, style: Style): Span {
  return { text: quote(plainName(name), NAME_WIDTH, style.symbols.ellipsis) || '?', paint: style.name(name) };
}
