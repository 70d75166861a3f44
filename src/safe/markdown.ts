/**
 * The one gate for untrusted text in a Markdown document: whatever comes from an event passes one of these
 * functions before it stands in a transcript.
 *
 * A message is read line by line and printed anew, in a small part of Markdown that every viewer reads alike. What
 * is written in that part comes out byte for byte; anything else is text, with a backslash before what is special.
 *
 * 1. Paragraphs: lines that begin with no mark of any viewer. A blank line stands around every other block
 *    but a list or a heading below text.
 * 2. Headings: one to six `#` and a space at column 0, as many more as put them below the transcript's own.
 * 3. Fences at column 0, one word behind them, closed by exactly the same fence: no line of the code begins so.
 * 4. Indented code where no list stands before it; elsewhere it becomes a fence.
 * 5. Lists: one marker, spaces and text, deeper ones at the column of the text above; code in them only where it
 *    does no harm to a viewer that takes it for text, else it stands at column 0. Quotes: the same behind `> `.
 * 6. Tables with a pipe on both sides of every row, each cell a text of its own. Rules: `***`.
 * 7. Code spans: one backtick (two around one), a line of one begins with a letter; all other backticks are escaped, so
 *    that there is one pairing, and where there could be another no span holds HTML or a link.
 * 8. Links: plain text, an address without blanks and brackets that leads to the web, a mailbox or beside the document.
 * 9. `<https://…>`, `<me@…>`, known references such as `&lt;`; every other `<` before a character is `&lt;`.
 * 10. No `![`, `^[`, `[[`, `{`, `$` in pairs, `%%`, `:::`, definition or underline: each has a backslash in it.
 */

import { definitions, HASH, printBlocks } from './markdown/blocks.ts';
import { safeText } from './text.ts';

/** How {@link safeMarkdown} writes. */
export interface SafeMarkdownOptions {
  /** The heading level of the document around the text, 1 to 5; headings of the text stay below it. Default 2. */
  level?: number;
  /** Stands above a text that had to be fenced as a whole. One plain line. Default: an English sentence. */
  reason?: string;
}

/** Lines and special characters of one text: more, a second's work and far beyond any answer, stand in a fence. */
const MAX_WORK = 300_000;
const WORK = /[\n`<&[\]!{$^\\|]/g;
const HASHES = new RegExp(`${HASH}+`, 'g');

/** Line ends as LF, and nothing that hides or reorders text. */
function visible(text: string): string {
  return safeText(text.replace(/\r\n?/g, '\n'));
}

/**
 * Untrusted Markdown as Markdown that is inert and readable in a document of one's own. Pure and synchronous.
 *
 * What it promises, in every viewer of Markdown:
 * - no HTML, no image, no link but to the web, a mailbox or a place beside the document;
 * - no heading at or above `level`, no rule or front matter of dashes, no definition of a link or a footnote;
 * - every construct ends with the text: put between blank lines, it changes nothing before or after it;
 * - invisible and control characters are visible;
 * - code blocks keep every byte (but invisible characters), and plain text is returned as it is;
 * - the result is its own result again, unless it is a fence under the reason.
 *
 * It takes time in proportion to the length of the text. One of more than 300,000 lines and special characters is
 * shown in a code fence as a whole, under one line that says so.
 *
 * @param text any string
 * @example
 * safeMarkdown('# Hi <b onclick=x>there</b>'); // '### Hi &lt;b onclick=x>there&lt;/b>'
 * safeMarkdown('![plan](https://a.example/p.png)'); // '\\![plan](https://a.example/p.png)': a link
 */
export function safeMarkdown(text: string, options: SafeMarkdownOptions = {}): string {
  const { level = 2, reason = 'Shown as written: too long or too intricate to be shown as Markdown.' } =
    options;
  const source = visible(text);
  let work = 0;
  if (source.length > MAX_WORK) for (const _ of source.matchAll(WORK)) work++;
  if (work > MAX_WORK) return `${safeMarkdownLine(reason)}\n\n${fenceVisible(source, '')}`;
  const printed = printBlocks(source, {
    references: definitions(source),
    literal: safeMarkdownLine,
  });
  if (!printed.includes(HASH)) return printed;
  let highest = 6;
  for (const [hashes] of printed.matchAll(HASHES)) highest = Math.min(highest, hashes.length);
  const shift = Math.max(0, level + 1 - highest);
  return printed.replace(HASHES, (hashes) => '#'.repeat(Math.min(6, hashes.length + shift)));
}

/** Characters that mean something to a parser wherever they stand. */
const SPECIAL = /[\\`*[\]|~${]|(?<=[%:])[%:]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
/**
 * Untrusted text on one line that shows as it is: a name, a role, a topic, a path or a message, for a heading, a
 * table cell or a paragraph. Nothing in it is Markdown, HTML or a link; line breaks and runs of blanks become a
 * space. Not for code spans, and not to be applied twice.
 *
 * @example
 * safeMarkdownLine('a*b | <i>\nC#'); // 'a\\*b \\| &lt;i> C#'
 */
export function safeMarkdownLine(text: string): string {
  return visible(text)
    .replace(/\s+/g, ' ')
    .trim()
    .replace(SPECIAL, '\\$&')
    .replace(/^\d{1,9}(?=[.)])/, '$&\\')
    .replace(/^[>=+:#%-]|(?<=\s)#/g, '\\$&')
    .replace(/(?<=\S)\.(?=\p{L})|(?<=www)\.|@|(?<=[:/])\/|(?<=xmpp|mailto):/giu, '\\$&')
    .replace(/&(?=#[\dx]|\w+;)/gi, '&amp;')
    .replaceAll('<', '&lt;');
}

/**
 * Untrusted text on one line as a code span, such as a path: what stands in it needs no escape and is copied as it
 * is. Line breaks and runs of blanks become a space. A text with a backtick, a pipe or a `<`, which viewers may pair
 * or cut otherwise, is escaped like any other line; an empty one stays empty.
 *
 * @example
 * safeCode('C:\\my_dir\\*.ts'); // '`C:\\my_dir\\*.ts`'
 * safeCode('a`b'); // 'a\\`b'
 */
export function safeCode(text: string): string {
  const code = visible(text).replace(/\s+/g, ' ').trim();
  return code === '' || /[`|<]/.test(code) ? safeMarkdownLine(code) : `\`${code}\``;
}

/**
 * Untrusted text in a code fence that it cannot close, invisible and control characters visible.
 *
 * @param info a language name for the opening fence; what is more than that is left out
 * @returns the fence, without a newline at its end
 * @example
 * fence('a ``` b', 'text'); // '````text\na ``` b\n````'
 */
export function fence(text: string, info = ''): string {
  return fenceVisible(visible(text), info);
}

function fenceVisible(code: string, info: string): string {
  let longest = 2;
  let run = 0;
  for (let at = 0; at < code.length; at++) {
    run = code.charCodeAt(at) === 0x60 ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  const ticks = '`'.repeat(longest + 1);
  const newline = code.endsWith('\n') ? '' : '\n';
  return `${ticks}${info.replace(/[^\w.+#-]/g, '')}\n${code}${newline}${ticks}`;
}
