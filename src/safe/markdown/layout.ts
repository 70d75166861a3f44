/**
 * Where lines belong. Parsers agree on plain lists, quotes and code, and disagree on their seams: tabs after a
 * marker, lines without the indent of their container, empty items, code right after a container. What is code for
 * one is text for another there, so the seams are written in the one way that all read alike. Ordinary answers
 * have none of them.
 */
import type { Event, Token } from 'micromark-util-types';
import {
  continuation,
  type Edit,
  expandTabs,
  lineEnd,
  lineStart,
  MAX_PREFIX,
  previousLineStart,
} from './source.ts';
import { followsAddress, Kind } from './text-rules.ts';

const CONTAINERS = new Set(['blockQuote', 'listOrdered', 'listUnordered', 'gfmFootnoteDefinition']);
const MARKER = '(?:[-+*]|\\d{1,9}[.)])(?=\\s|$)';
const STARTS_CONTAINER = new RegExp(`^[ \\t]*(?:>|${MARKER})`);
const STARTS_LIKE_ITEM = new RegExp(`^${MARKER}`);

/** The edits that the seams of the text ask for. */
export function layoutEdits(text: string, events: Event[], kinds: Uint8Array, knowsTables: boolean): Edit[] {
  const edits: Edit[] = [];
  let depth = 0;
  const hasInnerCode = holdsInnerCode(events);
  let isFirstItem = false;
  /** Where the last indent of a list item ends. */
  let itemIndentEnd = -1;
  let fences: Token[] = [];
  let fence = '';

  function insert(at: number, inserted: string): void {
    edits.push({ start: at, end: at, text: inserted });
  }

  /** A blank line before the line that starts at `start`, in the containers that both lines share. */
  function separate(start: number, content: number): void {
    const prefix = /^[ \t>]*/.exec(text.slice(start, Math.min(content, start + MAX_PREFIX)))![0];
    insert(start, `${prefix.trimEnd()}\n`);
  }

  /** Whether the line at `start` holds text of a paragraph, and not only marks or a fence. */
  function isText(start: number): boolean {
    if (start < 0) return false;
    const line = text.slice(start, lineEnd(text, start));
    const at = start + /^[ \t>]*/.exec(line)![0].length;
    return at < start + line.length && kinds[at] !== Kind.syntax && !/^[ \t>]*(?:`{3}|~{3})/.test(line);
  }

  /** Whether the line before the one at `start` opens or continues a container that this one is not in. */
  function followsContainer(start: number, content: number): boolean {
    const before = previousLineStart(text, start);
    const prefix = text.slice(start, content);
    if (before < 0 || !/^[ \t>]*$/.test(prefix)) return false;
    const previous = text.slice(before, Math.min(start - 1, before + MAX_PREFIX));
    // The containers that both are in do not count: items by their columns, quotes by their marks.
    const columns = expandTabs(text.slice(start, Math.max(start, itemIndentEnd))).length;
    const quotes = text.slice(Math.max(start, itemIndentEnd), content).split('>').length - 1;
    const rest = (columns > 0 ? expandTabs(previous) : previous).slice(columns);
    return STARTS_CONTAINER.test(rest.replace(new RegExp(`^(?:[ \\t]*>){0,${quotes}}`), ''));
  }

  for (const [phase, token] of events) {
    const start = token.start.offset;
    const end = token.end.offset;
    const line = () => lineStart(text, start);
    if (CONTAINERS.has(token.type)) depth += phase === 'enter' ? 1 : -1;
    if (phase === 'exit') {
      if (token.type === 'codeFenced' && fences.length === 1) {
        // Its container, or the next heading of the transcript, would close it; not for every reader.
        insert(text[end - 1] === '\n' ? end - 1 : end, `\n${continuation(text, start)}${fence}`);
      }
      continue;
    }
    switch (token.type) {
      case 'listItemIndent':
        itemIndentEnd = end;
        break;
      case 'listOrdered':
      case 'listUnordered':
        isFirstItem = true;
        break;
      case 'listItemPrefix': {
        const first = isFirstItem;
        isFirstItem = false;
        // Such an item cannot begin in a paragraph; where it does not, others still see the paragraph.
        const isWeak = !/^(?:[-+*]|1[.)])[ \t]*[^ \t\n]/.test(text.slice(start, start + MAX_PREFIX));
        const isUnderline = /^-[ \t]*(?:\n|$)/.test(text.slice(start, start + MAX_PREFIX));
        const from = line();
        if (isWeak && (first || isUnderline) && /^[ \t>]*$/.test(text.slice(from, start))) {
          if (isText(previousLineStart(text, from))) separate(from, start);
        }
        break;
      }
      case 'paragraph':
      case 'setextHeadingText': {
        // Right after indented code, micromark misses lists that the others see.
        const marker = STARTS_LIKE_ITEM.exec(text.slice(start, start + 12));
        if (marker) insert(start + marker[0].length - 1, '\\');
        if (followsContainer(line(), start)) separate(line(), start);
        if (depth > 0) edits.push(...indentLazyLines(text, start, end, hasInnerCode));
        break;
      }
      case 'codeIndented':
        if (followsContainer(line(), start)) separate(line(), start);
        break;
      case 'codeFenced':
        fences = [];
        break;
      case 'codeFencedFence':
        fences.push(token);
        // A tab after a closing fence keeps it open for some readers.
        if (fences.length === 2) {
          const closing = text.slice(start, end);
          if (closing.includes('\t')) edits.push({ start, end, text: closing.trimEnd() });
        }
        break;
      case 'codeFencedFenceSequence':
        fence = text.slice(start, end);
        break;
      case 'codeText':
        edits.push(...codeTextEdits(text, start, end, depth > 0, knowsTables));
        break;
    }
  }
  edits.push(...tabEdits(text, kinds));
  return edits;
}

/** Whether a list or a quote holds indented code. */
function holdsInnerCode(events: Event[]): boolean {
  let depth = 0;
  return events.some(([phase, { type }]) => {
    if (CONTAINERS.has(type)) depth += phase === 'enter' ? 1 : -1;
    return type === 'codeIndented' && depth > 0;
  });
}

/**
 * Gives the lines of a paragraph in a list or quote the indent that they may leave out, where a line before them
 * has four blanks: some readers take that for code, which a paragraph cannot go on from. With code of that kind in
 * any list or quote, always: where they end decides what is code.
 */
function indentLazyLines(text: string, start: number, end: number, always: boolean): Edit[] {
  const edits: Edit[] = [];
  const expected = expandTabs(continuation(text, start));
  let deep = always || /(?: {4}|\t)[ \t]*$/.test(text.slice(lineStart(text, start), start));
  for (let at = lineEnd(text, start) + 1; at < end; at = lineEnd(text, at) + 1) {
    const prefix = /^[ \t>]*/.exec(text.slice(at, Math.min(end, at + MAX_PREFIX)))![0];
    if (deep && expandTabs(prefix).length < expected.length) {
      edits.push({ start: at, end: at + prefix.length, text: expected });
    }
    deep ||= / {4}|\t/.test(prefix);
  }
  return edits;
}

function codeTextEdits(
  text: string,
  start: number,
  end: number,
  isInContainer: boolean,
  knowsTables: boolean,
): Edit[] {
  const edits: Edit[] = [];
  const source = text.slice(start, end);
  // Where lists, quotes or tables are read differently, code on two lines is not code at all. A line's end in a
  // code span is a space for the reader. (Without tables, rows of one would be joined.)
  if (knowsTables && source.includes('\n') && /[<[\]|]/.test(source)) {
    for (const { index, 0: broken } of source.matchAll(/\n[ \t>]*/g)) {
      edits.push({ start: start + index, end: start + index + broken.length, text: ' ' });
    }
  }
  // An address takes backticks in for some readers, and the code comes alive.
  if (followsAddress(text, start)) edits.push({ start, end: start, text: ' ' });
  // Three backticks at the start of a line end a list for some readers, whatever follows them.
  const length = /^`+/.exec(source)![0].length;
  if (isInContainer && length >= 3 && /^[ \t>]*$/.test(text.slice(lineStart(text, start), start))) {
    const runs = new Set(source.slice(length, -length).match(/`+/g));
    const shorter = ['`', '``'].find((ticks) => !runs.has(ticks));
    if (shorter) {
      edits.push({ start, end: start + length, text: shorter }, { start: end - length, end, text: shorter });
    }
  }
  return edits;
}

/** Spaces in the place of tabs between the marks of containers and before code in them. */
function tabEdits(text: string, kinds: Uint8Array): Edit[] {
  const edits: Edit[] = [];
  for (const { index: start } of text.matchAll(/^[^\S\n]*(?:[-+*>]|\d{1,9}[.)])[^\n\t]*\t/gm)) {
    let end = start;
    while (end < text.length && text[end] !== '\n' && kinds[end] === Kind.syntax) end++;
    const prefix = text.slice(start, end);
    if (/[-+*>.)].*\t/.test(prefix)) edits.push({ start, end, text: expandTabs(prefix) });
  }
  return edits;
}
