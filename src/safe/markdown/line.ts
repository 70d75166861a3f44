import { safeText } from '../text.ts';

/** Line ends as LF, and nothing that hides or reorders text. */
export function visible(text: string): string {
  return safeText(text.replace(/\r\n?/g, '\n'));
}

/**
 * Whether a text opens a comment of HTML that does not close in it with `-->`: Python-Markdown looks for the end in all that
 * follows, in code as well, and hangs where it finds `-- >`.
 */
export function opensComment(text: string): boolean {
  const end = /--\s*>/g;
  for (let at = text.indexOf('<!--'); at >= 0; at = text.indexOf('<!--', end.lastIndex)) {
    end.lastIndex = at + 4;
    if (end.exec(text)?.[0] !== '-->') return true;
  }
  return false;
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
