/** What is disarmed by its look, wherever the grammar at hand sees text. */
import { decodeNamedCharacterReference } from 'decode-named-character-reference';
import { safeText } from '../text.ts';
import { type Edit, LINE_PREFIX } from './source.ts';

/** What a character of the source belongs to; 0 is text. `syntax` is of blocks, `bracket` of links and images. */
export const Kind = {
  text: 0,
  code: 1,
  autolink: 2,
  destination: 3,
  syntax: 4,
  escape: 5,
  bareLink: 6,
  info: 7,
  bracket: 8,
} as const;
export type Kind = (typeof Kind)[keyof typeof Kind];

const {
  text: TEXT,
  destination: DESTINATION,
  syntax: SYNTAX,
  escape: ESCAPE,
  bareLink: BARE_LINK,
  info: INFO,
  bracket: BRACKET,
} = Kind;

interface TextRule {
  pattern: RegExp;
  /** What the character that is disarmed must belong to: the first of the match, or the last. */
  kinds: readonly Kind[];
  judgedBy?: 'last';
  /** Only where tables are known: elsewhere it would break them. */
  gfmOnly?: true;
  edit(match: RegExpExecArray, text: string, kinds: Uint8Array): Edit | undefined;
}

/** Puts a backslash before the match. */
function escapeFirst({ index }: RegExpExecArray): Edit {
  return { start: index, end: index, text: '\\' };
}

/** Puts a backslash before the last character of the match. */
function escapeLast({ index, 0: match }: RegExpExecArray): Edit {
  const start = index + match.length - 1;
  return { start, end: start, text: '\\' };
}

function replaceBy(replacement: string): TextRule['edit'] {
  return ({ index, 0: match }) => ({ start: index, end: index + match.length, text: replacement });
}

/** Whether a parser that links bare addresses could take what stands at `at` into one. */
export function followsAddress(text: string, at: number): boolean {
  const from = Math.max(0, at - 200);
  let start = at;
  while (start > from && !/\s/.test(text[start - 1]!)) start--;
  return start === at - 200 || /\/\/|www\.|@/i.test(text.slice(start, at));
}

function atLineStart(content: string): RegExp {
  return new RegExp(LINE_PREFIX + content, 'gm');
}

const RULES: readonly TextRule[] = [
  {
    // HTML, whatever the parser thinks of it. Never `\<`: an address before it can eat the backslash.
    pattern: /<(?=[A-Za-z/!?])/g,
    kinds: [TEXT, SYNTAX, DESTINATION, ESCAPE, INFO, BARE_LINK],
    edit({ index }, text, kinds) {
      const start = kinds[index] === ESCAPE ? index - 1 : index;
      const glued = kinds[index] !== DESTINATION && followsAddress(text, start);
      return { start, end: index + 1, text: glued ? ' &lt;' : '&lt;' };
    },
  },
  {
    // A character that nobody sees or that a terminal obeys, written as a reference.
    pattern: /&(?:#\d+|#x[\da-f]+|[a-z][\da-z]*);/gi,
    kinds: [TEXT, SYNTAX, DESTINATION, ESCAPE, INFO, BARE_LINK],
    edit({ index, 0: reference }, text, kinds) {
      const decoded = decodeReference(reference.slice(1, -1));
      if (safeText(decoded) === decoded) return undefined;
      // Escaped is enough, but where an address can eat the backslash.
      if (kinds[index] === ESCAPE && !followsAddress(text, index)) return undefined;
      return { start: index + 1, end: index + 1, text: 'amp;' };
    },
  },
  // An image in any reading: a link instead, so that nothing is fetched when the document is opened.
  { pattern: /!(?=\[)/g, kinds: [TEXT, BRACKET], edit: escapeFirst },
  // The end of a link's text, which another parser may find open.
  { pattern: /\](?=\()/g, kinds: [TEXT], edit: escapeFirst },
  // A definition (or an abbreviation) for a parser that removes what stands before it, such as a checkbox.
  {
    pattern: atLineStart('\\*?\\[(?=(?:\\\\.|[^[\\]\\\\\\n])*\\]:)'),
    kinds: [TEXT],
    judgedBy: 'last',
    edit: escapeLast,
  },
  { pattern: /\](?=:)/g, kinds: [INFO], edit: replaceBy('&#93;') },
  // The label of a definition that a parser looks for across lines, code blocks included.
  {
    pattern: atLineStart('\\[(?=(?:\\\\.|[^\\]\\n\\\\])*\\\\?$)'),
    kinds: [TEXT],
    judgedBy: 'last',
    edit: escapeLast,
  },
  // Inline footnotes.
  { pattern: /\^(?=\[)/g, kinds: [TEXT], edit: escapeFirst },
  // Comments, formulas and containers of other viewers: never two (three) of these in a row.
  { pattern: /(?<=%)%/g, kinds: [TEXT], edit: escapeFirst },
  { pattern: /(?<=\$)\$/g, kinds: [TEXT], edit: escapeFirst },
  { pattern: /(?<=::):/g, kinds: [TEXT], edit: escapeFirst },
  // A heading where another parser begins a paragraph, or where `#x` is one.
  { pattern: atLineStart('#'), kinds: [TEXT], judgedBy: 'last', edit: escapeLast },
  // The mark of a quote, far to the right in a paragraph.
  { pattern: /^[ \t>]*>/gm, kinds: [TEXT], judgedBy: 'last', edit: escapeLast },
  // The underline of a heading, or the bounds of a front matter.
  {
    pattern: atLineStart('[=-](?=(?:(?<==)=*|(?<=-)-*)[^\\S\\n]*$)'),
    kinds: [TEXT],
    judgedBy: 'last',
    edit: escapeLast,
  },
  // A fence for those who do not look for backticks after it.
  { pattern: atLineStart('`(?=``)'), kinds: [TEXT], judgedBy: 'last', edit: escapeLast },
  // The delimiter row of a table, for a parser whose table begins in a list item, in code or at a fence.
  {
    pattern: atLineStart('[|:-](?=[|:\\- \\t]*$)'),
    kinds: [TEXT],
    judgedBy: 'last',
    gfmOnly: true,
    edit: escapeLast,
  },
  { pattern: /^[ \t>]*-[ \t]+\|(?=[ \t:|-]*$)/gm, kinds: [TEXT, SYNTAX], judgedBy: 'last', edit: escapeLast },
  { pattern: /\\?\|/g, kinds: [INFO], edit: replaceBy('&#124;') },
  // An address that some parsers link by themselves, other than of the web or of a mailbox.
  {
    pattern: /(?<![:/])(?:[a-z][a-z\d+.-]{0,30}:)?\/\/(?=[^\s/])/gi,
    kinds: [TEXT],
    edit({ index, 0: match }) {
      if (/^https?:/i.test(match)) return undefined;
      const start = index + match.length - 2;
      return { start, end: start, text: '\\' };
    },
  },
  { pattern: /(?<=xmpp):/gi, kinds: [TEXT], edit: escapeFirst },
  // A tab after an empty list marker: some readers see content, and the next line becomes part of it.
  { pattern: /(?<=[-+*.)])[ \t]*\t[ \t]*$/gm, kinds: [SYNTAX], edit: replaceBy('') },
];

function decodeReference(name: string): string {
  if (!name.startsWith('#')) return decodeNamedCharacterReference(name) || '';
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

/**
 * The edits that the look of the text asks for.
 *
 * @param kinds the {@link Kind} of every UTF-16 unit, as one grammar sees it
 * @param knowsTables whether that grammar is GFM
 */
export function textEdits(text: string, kinds: Uint8Array, knowsTables: boolean): Edit[] {
  const edits: Edit[] = [];
  for (const { pattern, kinds: where, judgedBy, gfmOnly, edit } of RULES) {
    if (gfmOnly && !knowsTables) continue;
    for (const match of text.matchAll(pattern)) {
      const at = judgedBy === 'last' ? match.index + match[0].length - 1 : match.index;
      if (!where.includes(kinds[at] as Kind)) continue;
      const made = edit(match, text, kinds);
      if (made) edits.push(made);
    }
  }
  return edits;
}
