/**
 * What reading a text would cost. The parser is quadratic in places (delimiters of one paragraph, underlines,
 * containers in containers), and 64 KB of the worst keep it busy for minutes. One linear scan tells such text from
 * an answer, so that nobody can hold up a reader.
 */

/** Characters that the parser makes tokens of, and line ends. */
const TOKENS = /[\n*_~[\]`<&#;|!\\:@]/g;
/** Lines that begin in a container: each is a stack of tokens. */
const ITEMS = /^[ \t]*(?:[-+*>]|\d{1,9}[.)])/gm;
/** Delimiters that are paired by looking back over those of the same paragraph. */
const DELIMITERS = /[*_~[\]]/g;
/** Where one paragraph certainly ends: a blank line, or an item of a list. */
const PARAGRAPH_END = /\n(?=[ \t>]*(?:\n|$)| {0,3}[-+*] )/;
/** Lines that look like an underline or a rule, and quotes that begin after something else. */
const SEAMS = /^[ \t>]*[-=*_][-=*_ \t]*$|(?<!^[ \t]*>[^\n]*\n)^[ \t]*>/gm;
/** Markers of containers after the first of a line. */
const NESTED = /(?<=[>+*.)-][ \t]*)(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))/g;

function count(text: string, pattern: RegExp): number {
  let found = 0;
  pattern.lastIndex = 0;
  while (pattern.test(text)) found++;
  return found;
}

/** Milliseconds, roughly, that one reading of the text takes on a slow machine. Linear in its length. */
export function readingCost(text: string): number {
  let pairing = 0;
  for (const paragraph of text.split(PARAGRAPH_END)) pairing += count(paragraph, DELIMITERS) ** 2;
  const seams = count(text, SEAMS) + count(text, NESTED);
  const linear = 0.0015 * text.length + 0.03 * count(text, TOKENS) + 0.06 * count(text, ITEMS);
  return linear + 4e-5 * pairing + 1e-4 * seams ** 2;
}
