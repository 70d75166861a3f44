/**
 * The one gate for untrusted text in a Markdown document. A message is read line by line and printed anew; what
 * passes as it is written is the Markdown that all viewers read alike, and why they do. All else is escaped text.
 *
 * 1. Text: what begins a block for anybody has a backslash at the start of a line; blank lines part blocks.
 * 2. Headings: `#`, a space, below the transcript's own; never underlined. Rules: `***`, no front matter, no underline.
 * 3. Code: a fence with one word, none of its lines being a fence or a definition; else indented, not below a list; as text
 *    where it would leave a comment of HTML open.
 * 4. Code in a list or a quote only where it does no harm as text (HTML, link, attribute, heading, rule, definition); else
 *    at the margin.
 * 5. Lists: one marker on a line, spaces, text; the next level at the column of that text. Quotes: `> ` on each line.
 * 6. Tables: a pipe on both sides of each row; each cell is read alone, and so are its backticks and brackets.
 * 7. Code spans: one backtick, or two around one; three or more on a line become one, others are escaped. Where
 *    somebody could pair them otherwise, or where a line of code could begin a block, no span holds HTML or a link,
 *    nor goes on over lines.
 * 8. Links: `[text](address)` without brackets in the text, the address plain, of the web, a mailbox or beside the file.
 * 9. `<https://…>`, `<me@…>` and known references such as `&lt;`; any other `<` that could open a tag is `&lt;`.
 * 10. No image, definition, footnote, attribute, formula, comment, container: `![`, `]:`, `^[`, `{`, `$…$`, `%%`, `:::`
 *     have a backslash in them.
 */
import { printBlocks, printCode } from './markdown/blocks.ts';
import { safeMarkdownLine, visible } from './markdown/line.ts';

export { safeMarkdownLine };

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

/**
 * Untrusted Markdown as Markdown that is inert and readable in another document. Pure and synchronous.
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
  const { level = 2, reason = 'Shown as written: too long or too complex to be shown as Markdown.' } =
    options;
  const source = visible(text);
  let work = 0;
  if (source.length > MAX_WORK) for (const _ of source.matchAll(WORK)) work++;
  if (work > MAX_WORK) return `${safeMarkdownLine(reason)}\n\n${codeBlock(source, '')}`;
  return printBlocks(source, level);
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
 * Untrusted text as a code block that it cannot leave, invisible and control characters visible: in a code fence, or
 * indented if it holds one; as escaped text if it opens a comment of HTML as well. For a place at the margin that does not
 * go on with a list.
 *
 * @param info a language name for the opening fence; what is more than that is left out
 * @returns the block, without a newline at its end
 * @example
 * fence('a ``` b', 'text'); // '```text\na ``` b\n```'
 * fence('```\na\n```'); // '    ```\n    a\n    ```'
 */
export function fence(text: string, info = ''): string {
  return codeBlock(visible(text), info.replace(/[^\w.+#-]/g, ''));
}

function codeBlock(code: string, language: string): string {
  return printCode(code.replace(/\n$/, '').split('\n'), ['```', language]).join('\n');
}
