/** Wrapping by display cells, with colour codes that are closed at the end of each line and opened on the next. */
import { cells, clusterCells, clusterReach, nextCluster, reach } from './width.ts';

/** Cells from one tab stop to the next. */
const TAB = 4;

/**
 * Our own colour codes and hyperlinks; text that passed the gate holds no other escape. In the result of `split`, every
 * second piece is a code.
 */
export const CODES = /(\x1b\[[\d;]*m|\x1b\]8;;[^\x1b]*\x1b\\)/g;
const LINK = '\x1b]8;;';
const LINK_END = '\x1b]8;;\x1b\\';

/** Text between two colour codes, and the codes that are open there, outermost first. */
interface Run {
  start: number;
  open: readonly string[];
}

/** Built from a string: the bundle can escape what is not ASCII in strings only, and an ASCII bundle loads faster. */
function firstOf(characters: string): RegExp {
  return new RegExp(`^[${characters}]`, 'u');
}

/** Never first on a line. */
const CLOSING = firstOf('、。，．・：；！？）］｝」』】〉》〕”’…ーゝ々ぁぃぅぇぉっゃゅょァィゥェォッャュョ');
/** Never last on a line. */
const OPENING = firstOf('（［｛「『【〈《〔“‘');

/**
 * Lines of at most `width` display cells. A line is broken at blanks, which are dropped there, and between wide
 * characters; inside a word only where it is longer than a whole line. Indentation stays. Tabs are expanded to
 * stops of four cells. No cluster of characters is split unless it alone is wider than the line; a character
 * of two cells takes a line of its own at width 1.
 *
 * @param text safe text, with line breaks and with colour codes of `Style` or without
 * @param width display cells; 0 or Infinity is unlimited: then only line breaks break, and blanks stay
 * @example
 * wrap('one two three', 8); // ['one two', 'three']
 */
export function wrap(text: string, width: number): string[] {
  const { plain, runs } = parse(text);
  const limit = width > 0 ? width : Infinity;
  const lines: string[] = [];
  let at = 0;
  /** The run that holds the start of the line; lines only move forward. */
  let first = 0;
  for (const line of plain.split('\n')) {
    for (const [from, to] of breakLine(line, limit)) {
      while (first + 1 < runs.length && runs[first + 1]!.start <= at + from) first++;
      lines.push(styled(plain, runs, first, at + from, at + to));
    }
    at += line.length + 1;
  }
  return lines;
}

/** Splits colour codes from the text, and expands tabs. */
function parse(text: string): { plain: string; runs: Run[] } {
  const runs: Run[] = [];
  const hasTabs = text.includes('\t');
  let plain = '';
  let column = 0;
  let open: string[] = [];
  for (const [index, piece] of text.split(CODES).entries()) {
    if (index % 2 === 1) {
      const closed = open.filter((code) => closingOf(code) !== piece);
      open = closingOf(piece) === undefined ? closed : [...open, piece];
    } else if (piece !== '') {
      runs.push({ start: plain.length, open });
      const expanded = hasTabs ? expandTabs(piece, column) : { text: piece, column };
      plain += expanded.text;
      column = expanded.column;
    }
  }
  return { plain, runs };
}

/** The code that ends another; undefined for one that ends others itself. */
function closingOf(code: string): string | undefined {
  if (code.startsWith(LINK)) return code === LINK_END ? undefined : LINK_END;
  const number = Number.parseInt(code.slice(2), 10);
  if (number === 1 || number === 2) return '\x1b[22m';
  if (number === 3 || number === 4 || number === 7 || number === 9) return `\x1b[2${number}m`;
  if ((number >= 30 && number <= 38) || (number >= 90 && number <= 97)) return '\x1b[39m';
  if ((number >= 40 && number <= 48) || (number >= 100 && number <= 107)) return '\x1b[49m';
  return undefined;
}

function expandTabs(text: string, start: number): { text: string; column: number } {
  const pieces: string[] = [];
  let column = start;
  for (const piece of text.split(/(?<=[\t\n])/)) {
    const end = piece.at(-1);
    const content = end === '\t' ? piece.slice(0, -1) : piece;
    column = end === '\n' ? 0 : column + cells(content);
    const blanks = end === '\t' ? TAB - (column % TAB) : 0;
    column += blanks;
    pieces.push(content, ' '.repeat(blanks));
  }
  return { text: pieces.join(''), column };
}

/** A part of the text with its codes, each closed again. */
function styled(plain: string, runs: readonly Run[], first: number, from: number, to: number): string {
  let out = '';
  for (let index = first; index < runs.length && runs[index]!.start < to; index++) {
    const { start, open } = runs[index]!;
    const piece = plain.slice(Math.max(start, from), Math.min(runs[index + 1]?.start ?? to, to));
    if (piece === '') continue;
    const close = open.map((code) => closingOf(code)).reverse();
    out += open.join('') + piece + close.join('');
  }
  return out;
}

/** Where the parts of one line begin and end. */
function breakLine(line: string, width: number): [from: number, to: number][] {
  if (width === Infinity) return [[0, line.length]];
  if (reach(line) <= width) return [[0, trimmedEnd(line, 0, line.length)]];
  const parts: [number, number][] = [];
  let start = 0;
  let used = 0;
  /** The last place where the line may be broken, and the cells since. */
  let breakAt = 0;
  let sinceBreak = 0;
  let previous = '';

  /** Takes one unit of text that begins at `at`, after breaking the line where it does not fit. */
  const place = (at: number, reach: number): void => {
    while (used + reach > width && at > start) {
      const end = breakAt > start ? breakAt : at;
      const to = trimmedEnd(line, start, end);
      // Blanks alone are an indentation wider than the line has room for.
      if (to > start) parts.push([start, to]);
      used = breakAt > start ? sinceBreak : 0;
      start = end;
    }
    used += reach;
    sinceBreak += reach;
  };

  for (let at = 0; at < line.length; ) {
    const cluster = nextCluster(line, at);
    const end = at + cluster.length;
    if (cluster === ' ') {
      used++;
      breakAt = end;
      sinceBreak = 0;
    } else {
      if (mayBreak(previous, cluster)) {
        breakAt = at;
        sinceBreak = 0;
      }
      if (clusterCells(cluster) <= width) place(at, clusterReach(cluster));
      else {
        let inside = at;
        for (const char of cluster) {
          place(inside, clusterReach(char));
          inside += char.length;
        }
      }
    }
    previous = cluster;
    at = end;
  }
  parts.push([start, trimmedEnd(line, start, line.length)]);
  return parts;
}

/** Between wide characters, and between them and others, where East Asian punctuation allows it. */
function mayBreak(previous: string, next: string): boolean {
  if (previous === '' || previous === ' ') return false;
  if (clusterCells(previous) < 2 && clusterCells(next) < 2) return false;
  return (
    !CLOSING.test(next) &&
    !OPENING.test(previous) &&
    !/^[,.;:!?)\]}\u00A0]/.test(next) &&
    previous !== '\u00A0'
  );
}

function trimmedEnd(line: string, start: number, end: number): number {
  let to = end;
  while (to > start && line.charCodeAt(to - 1) === 0x20) to--;
  return to;
}

/** Cells of the longest piece of a text without colours that {@link wrap} breaks only where a line is shorter. */
export function longestWord(text: string): number {
  let longest = 0;
  let used = 0;
  let previous = '';
  for (let at = 0; at < text.length; ) {
    const cluster = nextCluster(text, at);
    if (cluster === ' ') used = 0;
    else used = (mayBreak(previous, cluster) ? 0 : used) + clusterReach(cluster);
    longest = Math.max(longest, used);
    previous = cluster;
    at += cluster.length;
  }
  return longest;
}

/** A text as a hyperlink (OSC 8), whose address is ASCII without blanks. */
export function hyperlink(text: string, address: string): string {
  return `${LINK}${address}\x1b\\${text}${LINK_END}`;
}

/**
 * A text as a hyperlink to the address that it shows; as it is where the address holds more than the ASCII
 * characters of a URL, or is not a web address.
 *
 * @param address safe text
 */
export function linked(text: string, address: string): string {
  return /^https?:\/\/[\x21-\x7e]{1,2000}$/.test(address) ? hyperlink(text, address) : text;
}

/** A text without our colour codes and hyperlinks. */
export function uncoloured(text: string): string {
  return text.replace(CODES, '');
}
