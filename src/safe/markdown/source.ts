/** Markdown source as lines and edits: what the other parts of the gate share. */

/** A piece of source that takes the place of another. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** Containers and blanks before a line's own content. Each alternative takes one way only: linear. */
export const LINE_PREFIX = '^(?:[^\\S\\n]|>|[-+*](?=[ \\t])|\\d{1,9}[.)](?=[ \\t])|\\[[ xX]\\](?=[ \\t]))*';

/** UTF-16 units before a line's own content: more is not looked at, and never given to the parser. */
export const MAX_PREFIX = 1000;

export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

/** The start of the line before the one that starts at `start`, or -1. */
export function previousLineStart(text: string, start: number): number {
  return start === 0 ? -1 : lineStart(text, start - 1);
}

/** The containers of the line before `at`, as they continue on the next line: `> - ` becomes `>   `. */
export function continuation(text: string, at: number): string {
  // The blank after a `>` belongs to it; where there is none, it would be missing from what follows.
  return text
    .slice(lineStart(text, at), at)
    .replace(/>(?=[^ \t>])/g, '> ')
    .replace(/[^\t>]/g, ' ');
}

/** Spaces in the place of tabs, to the same columns. */
export function expandTabs(prefix: string): string {
  let out = '';
  for (const char of prefix) out += char === '\t' ? ' '.repeat(4 - (out.length % 4)) : char;
  return out;
}

/**
 * Applies edits from left to right, insertions first. Of two that overlap, the one that begins later or is shorter
 * waits for the next reading.
 */
export function applyEdits(text: string, edits: Edit[]): string {
  const order = (edit: Edit) => (edit.end === edit.start ? Number.POSITIVE_INFINITY : edit.end);
  const sorted = edits.toSorted((a, b) => a.start - b.start || order(b) - order(a) || 0);
  let out = '';
  let at = 0;
  let last: Edit | undefined;
  for (const edit of sorted) {
    if (edit.start < at) continue;
    // The same edit for two reasons, such as a backslash.
    if (last && edit.start === last.start && edit.end === last.end && edit.text === last.text) continue;
    out += text.slice(at, edit.start) + edit.text;
    at = edit.end;
    last = edit;
  }
  return out + text.slice(at);
}
