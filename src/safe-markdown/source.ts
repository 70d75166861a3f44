/** Markdown source as lines and edits: what the other parts of the gate share. */

/** A piece of source that takes the place of another. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** Containers and blanks before a line's own content. Each alternative takes one way only: linear. */
export const LINE_PREFIX = '^(?:[^\\S\\n]|>|[-+*](?=[ \\t])|\\d{1,9}[.)](?=[ \\t])|\\[[ xX]\\](?=[ \\t]))*';

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

/** Applies edits from left to right; of two that overlap, the later waits for the next reading. */
export function applyEdits(text: string, edits: Edit[]): string {
  const sorted = edits.toSorted((a, b) => a.start - b.start || a.end - b.end);
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
