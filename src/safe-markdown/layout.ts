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
  previousLineStart,
} from './source.ts';
import { followsAddress, Kind } from './text-rules.ts';

const CONTAINERS = new Set(['blockQuote', 'listOrdered', 'listUnordered', 'gfmFootnoteDefinition']);
const MARKER = '(?:[-+*]|\\d{1,9}[.)])(?=\\s|$)';
const STARTS_CONTAINER = new RegExp(`^[ \\t]*(?:>|${MARKER})`);
const STARTS_LIKE_ITEM = new RegExp(`^${MARKER}`);
/** Longer than any prefix that {@link isTooCostly} lets through. */
const MAX_PREFIX = 1000;

/** The edits that the seams of the text ask for. */
export function layoutEdits(text: string, events: Event[], kinds: Uint8Array): Edit[] {
  const edits: Edit[] = [];
  let depth = 0;
  let isFirstItem = false;
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

  /** The kind of the first character of the line at `start` that is no blank or quote mark; nothing if blank. */
  function firstKind(start: number): Kind | undefined {
    if (start < 0) return undefined;
    const blank = /^[ \t>]*/.exec(text.slice(start, start + MAX_PREFIX))![0].length;
    const at = start + blank;
    return at >= text.length || text[at] === '\n' ? undefined : (kinds[at] as Kind);
  }

  /** Whether the line before the one at `start` opens or continues a container that this one is not in. */
  function followsContainer(start: number, content: number): boolean {
    const before = previousLineStart(text, start);
    if (before < 0 || !/^[ \t>]*$/.test(text.slice(start, content))) return false;
    const previous = text.slice(before, Math.min(start - 1, before + MAX_PREFIX));
    if (!STARTS_CONTAINER.test(previous) || /^[ \t]*$/.test(previous)) return false;
    // Both in a quote, and the line before is blank there.
    if (text.slice(start, content).includes('>')) return !/^[ \t>]*$/.test(previous);
    return true;
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
      case 'listOrdered':
      case 'listUnordered':
        isFirstItem = true;
        break;
      case 'listItemPrefix': {
        const first = isFirstItem;
        isFirstItem = false;
        // Such an item cannot begin in a paragraph; where it does not, others still see the paragraph.
        const isWeak = !/^(?:[-+*]|1[.)])[ \t]*[^ \t\n]/.test(text.slice(start, start + MAX_PREFIX));
        const from = line();
        if (isWeak && first && /^[ \t>]*$/.test(text.slice(from, start))) {
          if (firstKind(previousLineStart(text, from)) === Kind.text) separate(from, start);
        }
        break;
      }
      case 'paragraph':
      case 'setextHeadingText': {
        // Right after indented code, micromark misses lists that the others see.
        const marker = STARTS_LIKE_ITEM.exec(text.slice(start, start + 12));
        if (marker) insert(start + marker[0].length - 1, '\\');
        if (followsContainer(line(), start)) separate(line(), start);
        if (depth > 0) edits.push(...indentLazyLines(text, start, end));
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
        edits.push(...codeTextEdits(text, start, end, depth > 0));
        break;
    }
  }
  edits.push(...tabEdits(text, kinds));
  return edits;
}

/**
 * Gives the lines of a paragraph in a list or quote the indent that they may leave out, where a line before them
 * has four blanks: some readers take that for code, which a paragraph cannot go on from.
 */
function indentLazyLines(text: string, start: number, end: number): Edit[] {
  const edits: Edit[] = [];
  const expected = expandTabs(continuation(text, start));
  let deep = /(?: {4}|\t)[ \t]*$/.test(text.slice(lineStart(text, start), start));
  for (let at = lineEnd(text, start) + 1; at < end; at = lineEnd(text, at) + 1) {
    const prefix = /^[ \t>]*/.exec(text.slice(at, Math.min(end, at + MAX_PREFIX)))![0];
    if (deep && expandTabs(prefix).length < expected.length) {
      edits.push({ start: at, end: at + prefix.length, text: expected });
    }
    deep ||= / {4}|\t/.test(prefix);
  }
  return edits;
}

function codeTextEdits(text: string, start: number, end: number, isInContainer: boolean): Edit[] {
  const edits: Edit[] = [];
  const source = text.slice(start, end);
  // Where lists, quotes or tables are read differently, code on two lines is not code at all. A line's end in a
  // code span is a space for the reader.
  if (source.includes('\n') && /[<[\]|]/.test(source)) {
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
