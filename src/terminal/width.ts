/**
 * How many cells of a terminal a text takes. Text is cut into clusters (what a person sees as one character),
 * by a pattern rather than by `Intl.Segmenter`: ten times as fast, and the same on every version of Node.
 */
import { eastAsianWidth } from 'get-east-asian-width';
import { matcher } from '../safe/text.ts';

/** Where a terminal does not tell its width. */
export const USUAL_COLUMNS = 80;

/** With its skin tone or variation selector, or the tags of a region's flag. */
const EMOJI = '\\p{Extended_Pictographic}[\\p{Emoji_Modifier}\\uFE0E\\uFE0F\\u{E0030}-\\u{E007F}]*';
/** Marks, joiners, and the vowels and finals of decomposed Hangul: no cell of their own. */
const EXTEND = '[\\p{M}\\u200C\\u200D\\u1160-\\u11FF\\uD7B0-\\uD7FB]';

/** One cluster: a flag, an emoji sequence, or any character, with what extends it. */
const CLUSTER = new RegExp(`(?:\\p{Regional_Indicator}{2}|${EMOJI}(?:\\u200D${EMOJI})*|[^])${EXTEND}*`, 'uy');

/** Text whose every code unit takes one cell: Latin letters, dashes, quotation marks and the ellipsis. */
const NARROW = /^[\x20-\x7E\xA0-\xAC\xAE-\u02FF\u2010-\u2027]*$/;
const EMOJI_WIDE = /^\p{Regional_Indicator}{2}|\uFE0F|\p{Emoji_Modifier}|\p{Emoji_Presentation}/u;
/** Spacing marks (Indic vowels) advance the cursor on most terminals; the others never do. */
const hasNoCell = matcher(
  '(?:[\\p{Mn}\\p{Me}\\u200B-\\u200F\\u1160-\\u11FF\\uD7B0-\\uD7FB\\p{Cc}]|' +
    '(?![\\u0600-\\u0605\\u06DD\\u070F\\u0890\\u0891\\u08E2])\\p{Cf})',
);

/** What is seen as one character, from `at` on. */
export function nextCluster(text: string, at: number): string {
  const code = text.charCodeAt(at);
  // No cluster begins with a pair of these, but a second one may be extended.
  if (code < 0x7f && code !== 0x23 && code !== 0x2a && !(text.charCodeAt(at + 1) >= 0x300)) return text[at]!;
  CLUSTER.lastIndex = at;
  return CLUSTER.exec(text)?.[0] ?? '';
}

/** The sum over the code points: what a terminal shows that draws each part of a sequence by itself. */
function sumCells(cluster: string): number {
  let sum = 0;
  for (const char of cluster) if (!hasNoCell(char)) sum += eastAsianWidth(char.codePointAt(0)!);
  return sum;
}

/** The cells of one cluster: 0, 1, 2, or more where spacing marks follow. */
export function clusterCells(cluster: string): number {
  return cluster.length > 1 && EMOJI_WIDE.test(cluster) ? 2 : sumCells(cluster);
}

/**
 * The most cells that a terminal in use takes for one cluster. Many draw `👩‍👩‍👧` as three emoji; a line
 * that is wrapped by this measure never runs past the edge, whatever the terminal.
 */
export function clusterReach(cluster: string): number {
  return cluster.length === 1 ? sumCells(cluster) : Math.max(clusterCells(cluster), sumCells(cluster));
}

/**
 * The display cells of a text without escape sequences: wide characters and emoji take 2, marks and joiners 0.
 *
 * @example
 * cells('日本 é'); // 6
 */
export function cells(text: string): number {
  return sumOf(text, clusterCells);
}

/** The cells of a text by {@link clusterReach}. */
export function reach(text: string): number {
  return sumOf(text, clusterReach);
}

function sumOf(text: string, measure: (cluster: string) => number): number {
  if (NARROW.test(text)) return text.length;
  let sum = 0;
  for (let at = 0; at < text.length; ) {
    const cluster = nextCluster(text, at);
    sum += measure(cluster);
    at += cluster.length;
  }
  return sum;
}

/** The longest start of `text` that fits into `width` cells, whole clusters only, by {@link clusterReach}. */
export function fit(text: string, width: number): string {
  if (NARROW.test(text)) return text.slice(0, width);
  let used = 0;
  let end = 0;
  while (end < text.length) {
    const cluster = nextCluster(text, end);
    used += clusterReach(cluster);
    if (used > width) break;
    end += cluster.length;
  }
  return text.slice(0, end);
}
