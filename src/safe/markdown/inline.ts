/**
 * The text of one paragraph, heading or cell. It is read from left to right and printed token by token, so that
 * what comes out is known: code spans on one line whose backticks pair in one way, links to good addresses, no HTML,
 * no image, no definition, and a backslash before whatever a viewer could take for something else.
 */
import { decodeString } from 'micromark-util-decode-string';
import { safeText } from '../text.ts';
import { destination, isPlainAddress } from './address.ts';

/** Where a reference leads: what stands between the parentheses of the link that takes its place, if it leads anywhere. */
export type References = (name: string) => string | undefined;

/** What begins a block in some viewer, at the start of a line of text; a backslash goes before its last character. */
const BLOCK_START = new RegExp(
  [
    '[#>=%]', // heading, quote, underline, comment
    '[-+*](?=\\s|$)|\\d+[.)](?=\\s|$)', // list item
    '[*_](?=[*_\\t\\p{Zs}]*(?:\\n|$))', // rule
    '[|:-](?=[-|:\\t\\p{Zs}]*(?:\\n|$))', // underline, rule, delimiter row of a table
    '[:~](?=[\\s:~]|$)|\\+(?=\\+\\+)|/(?=//)', // definition, container, fence, front matter
  ].join('|'),
  'uy',
);
/** Text that means nothing to any viewer, or a whole token. */
const PLAIN = /[^\\`<&![\]{$%^/\n]+/y;
const AUTOLINK = /<(?:https?:\/\/[\w\-.~:/?#@!&'(),;=+%]+|[\w.-]+@[\w-]+(?:\.[\w-]+){1,9})>/y;
/** References that mean the same to everybody, and no character that hides. */
const REFERENCE =
  /&(?:lt|gt|amp|quot|apos|nbsp|copy|reg|trade|hellip|[mn]dash|[lr]arr|[lr]s?aquo|[lr][sd]quo|times|middot|bull|deg|euro|sect);/y;
const PUNCTUATION = /[!-/:-@[-`{-~]/;
/** What a code span must not let out. */
const ALIVE = /<[a-z/!?]|\]\(|!\[/i;
/** What a viewer could make a link of; it takes backslashes and backticks with it. */
const ADDRESS = /\/\/|www\.|@/i;
/** Longer addresses are text. */
const MAX_TARGET = 8000;
const TAIL =
  /\(\s*(?:<([^<>\n]*)>|((?:[^\s<>()`]+|\([^\s<>()`]*\))*))(?:\s+("[^"`]*"|'[^'`]*'|\([^()`]*\)))?\s*\)/y;

interface Link {
  close: number;
  end: number;
  /** What stands between the parentheses. */
  target: string;
}

/** Where a code span that opens at a position ends, and the length of its delimiters. */
type Spans = Map<number, { ticks: number; end: number }>;

/** Pairs runs of backticks as CommonMark does: each with the next one of its length. Linear. */
function codeSpans(text: string): { spans: Spans; isSimple: boolean } {
  const runs: [at: number, length: number][] = [];
  for (const { index, 0: run } of text.matchAll(/\\[^`]|\\`|`+/g))
    if (run[0] === '`') runs.push([index, run.length]);
  // A backslash takes one backtick out of a run that opens, none out of a run that closes.
  const closers = new Map<number, number[]>();
  for (const { index, 0: run } of text.matchAll(/`+/g)) {
    const places = closers.get(run.length);
    if (places) places.push(index);
    else closers.set(run.length, [index]);
  }
  for (const places of closers.values()) places.reverse();
  const spans: Spans = new Map();
  let isSimple = !text.includes('\\`');
  let free = 0;
  for (const [at, ticks] of runs) {
    if (at < free) continue;
    const places = closers.get(ticks) ?? [];
    while (places.length > 0 && places.at(-1)! <= at) places.pop();
    const close = places.at(-1);
    const body = close === undefined ? '' : text.slice(at + ticks, close);
    if (close === undefined || body.trim() === '') {
      isSimple = false;
      continue;
    }
    free = close + ticks;
    spans.set(at, { ticks, end: free });
    if (body.includes('`')) isSimple = false;
  }
  return { spans, isSimple };
}

/** Whether the backticks of a text pair in one way only, whoever reads it. */
export function pairsInOneWay(text: string): boolean {
  return !text.includes('`') || codeSpans(text).isSimple;
}

/** The label of a reference as it is looked up. */
export function label(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLowerCase();
}

/** `address "title"` as every viewer reads it; `title` with its quotes. */
export function target(address: string, title = ''): string {
  const to = isPlainAddress(address) ? address : destination(decodeString(address));
  if (title.length <= 2) return to;
  const words = decodeString(title.slice(1, -1)).replace(/\s+/g, ' ');
  return `${to} "${safeText(words).replace(/[\\`<>[\]"&{}$!^]/g, (char) => `&#${char.charCodeAt(0)};`)}"`;
}

/** The brackets of a text: which pair, which are links. */
function brackets(text: string, spans: Spans, references: References) {
  const pairs = new Map<number, number>();
  const links = new Map<number, Link>();
  /** Brackets whose partner stands on another line. */
  const long = new Set<number>();
  /** Brackets in brackets. */
  const inner = new Set<number>();
  const open: [at: number, line: number][] = [];
  let lastLink = -1;
  let line = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    const span = char === '`' ? spans.get(at) : undefined;
    if (span) at = span.end - 1;
    else if (char === '\\' && text[at + 1] !== '\n') at++;
    else if (char === '\n') line++;
    else if (char === '[') open.push([at, line]);
    else if (char === ']' && open.length > 0) {
      const [start, startLine] = open.pop()!;
      pairs.set(start, at);
      if (startLine !== line) long.add(start);
      if (open.length > 0) inner.add(start);
      // A link holds no link.
      if (lastLink > start) continue;
      const link = linkAt(text, start, at, references);
      if (!link) continue;
      links.set(start, link);
      lastLink = start;
      at = link.end - 1;
    }
  }
  return { pairs, links, long, inner };
}

function linkAt(text: string, start: number, close: number, references: References): Link | undefined {
  if (text[close + 1] === '(') {
    TAIL.lastIndex = close + 1;
    const tail = TAIL.exec(text);
    if (!tail || tail[0].length > MAX_TARGET) return undefined;
    // What is written as it is printed stays.
    return { close, end: TAIL.lastIndex, target: target(tail[1] ?? tail[2]!, tail[3]) };
  }
  if (text[close + 1] === ':') return undefined;
  const second = text[close + 1] === '[' ? text.indexOf(']', close + 1) : -1;
  const name = second > close + 2 ? text.slice(close + 2, second) : text.slice(start + 1, close);
  const found = name.length < 1000 ? references(name) : undefined;
  return found === undefined
    ? undefined
    : { close, end: second === -1 ? close + 1 : second + 1, target: found };
}

/**
 * Untrusted text of one block as Markdown that every viewer reads alike.
 *
 * @param text lines with `\n` between them
 * @param literal text on one line as it is (`safeMarkdownLine`), for code that is safer as text
 * @param isSimple whether all backticks of the block pair in one way
 * @param atStart whether the text stands at the start of a line
 * @param formulas whether there are dollars that a viewer could pair
 */
export function inline(
  text: string,
  references: References,
  literal: (text: string) => string,
  isSimple = pairsInOneWay(text),
  atStart = true,
  formulas = text.indexOf('$') !== text.lastIndexOf('$'),
): string {
  const { spans } = text.includes('`') ? codeSpans(text) : { spans: new Map() as Spans };
  const { pairs, links, long, inner } = brackets(text, spans, references);
  /** Links that are open, by where their text ends. */
  const ends = new Map<number, Link>();
  /** Closing brackets that are escaped with their opening ones. */
  const escaped = new Set<number>();
  const out: string[] = [];
  /** Whether what was printed since the last blank could be an address. */
  let glued = false;
  let last = '';
  let at = 0;

  function put(piece: string): void {
    if (piece === '') return;
    out.push(piece);
    last = piece.at(-1)!;
    // Other blanks are part of an address to some.
    const blank = Math.max(piece.lastIndexOf(' '), piece.lastIndexOf('\n'), piece.lastIndexOf('\t'));
    glued = ADDRESS.test(piece.slice(blank + 1)) || (glued && blank === -1);
  }
  /** Puts what an address before it would eat. */
  function putApart(piece: string): void {
    if (glued) put(' ');
    out.push(piece);
    last = piece.at(-1)!;
  }

  function code(start: number, ticks: number, end: number): void {
    const source = text.slice(start + ticks, end - ticks);
    const isPlain = isSimple && atStart && !ALIVE.test(source);
    const body = source.replace(/[^\S\n]*\n[^\S\n]*/g, (blanks, index) => {
      // A line that begins with a letter begins no block.
      return isPlain && /\p{L}/u.test(source[index + blanks.length] ?? '') ? '\n' : ' ';
    });
    const inner = body.includes('`');
    if ((inner && (ticks !== 2 || /``/.test(body))) || (!isSimple && ALIVE.test(body))) {
      putApart(literal(body));
      return;
    }
    const fence = inner ? '``' : '`';
    if (last === '\\' || last === '`') put(' ');
    putApart(fence + body + fence);
    glued = false;
  }

  function startLine(): void {
    while (at < text.length && /[^\S\n]/.test(text[at]!)) at++;
    if (!atStart) return;
    BLOCK_START.lastIndex = at;
    const found = BLOCK_START.exec(text)?.[0];
    if (!found) return;
    put(`${found.slice(0, -1)}\\${found.at(-1)}`);
    at += found.length;
  }

  function bracket(start: number): void {
    at = start + 1;
    const close = pairs.get(start);
    const link = links.get(start);
    if (link) {
      ends.set(link.close, link);
      if (glued) put(' ');
      put(text.slice(start + 1, link.close).trim() === '' ? '[image' : '[');
      return;
    }
    const isAtStart =
      last === '' || last === '\n' || (last === '*' && (out.length < 2 || out.at(-2)!.endsWith('\n')));
    const next = close === undefined ? '' : text[close + 1];
    const isWiki = text[start + 1] === '[' && close !== undefined && text[close - 1] === ']';
    const isDefinition = next === ':' && isAtStart;
    // A label may go on across lines, and how far is read in several ways.
    const isLong = close === undefined || long.has(start);
    // Both, where one alone would pair with another bracket.
    const both = next === '(' || isWiki || isLong || (inner.has(start) && (isDefinition || text[at] === '['));
    if (close !== undefined && both) escaped.add(close);
    if (isLong || next === '(' || isDefinition || text[at] === '[') putApart('\\[');
    else put('[');
  }

  function closing(): void {
    const link = ends.get(at);
    if (link) {
      put(`](${link.target})`);
      at = link.end;
      glued = false;
    } else {
      if (escaped.has(at) || text[at + 1] === '(') putApart('\\]');
      else put(']');
      at++;
    }
  }

  startLine();
  while (at < text.length) {
    PLAIN.lastIndex = at;
    const plain = PLAIN.exec(text);
    if (plain) {
      // What GFM makes a link of behind every escape.
      put(plain[0].replace(/xmpp:(?=\S)/gi, '$& '));
      at = PLAIN.lastIndex;
      continue;
    }
    const char = text[at]!;
    const next = text[at + 1] ?? '';
    const span = char === '`' ? spans.get(at) : undefined;
    if (span) {
      code(at, span.ticks, span.end);
      at = span.end;
    } else if (char === '\n') {
      put('\n');
      at++;
      startLine();
    } else if (char === '\\' && PUNCTUATION.test(next)) {
      putApart(next === '<' ? '&lt;' : `\\${next}`);
      at += 2;
    } else if (char === '[') bracket(at);
    else if (char === ']') closing();
    else {
      const [piece, length] = special(char, next);
      if (piece.length > length) putApart(piece);
      else put(piece);
      at += length;
    }
  }

  /** What to print for one of the other special characters, and how much of the text it stands for. */
  function special(char: string, next: string): [piece: string, length: number] {
    if (char === '<') {
      AUTOLINK.lastIndex = at;
      const found = AUTOLINK.exec(text)?.[0];
      if (found && !glued) return [found, found.length];
      return [/[\s=-]|^$/.test(next) ? '<' : '&lt;', 1];
    }
    if (char === '&') {
      REFERENCE.lastIndex = at;
      const found = REFERENCE.exec(text)?.[0];
      if (found) return [found, found.length];
      return [/^&(?:#[\dx]|\w+;)/i.test(text.slice(at, at + 40)) ? '&amp;' : '&', 1];
    }
    if (char === '/' && next === '/') {
      const isWeb = /(?<![\w.+-])https?:$/i.test(text.slice(Math.max(0, at - 12), at));
      const isAlone = /\s|^$|\//.test(text[at + 2] ?? '');
      return isWeb || isAlone || last === '/' ? ['//', 2] : ['\\//', 2];
    }
    const isEscaped =
      char === '`' ||
      char === '{' ||
      (char === '$' && formulas) ||
      (char === '%' && last === '%') ||
      ((char === '!' || char === '^') && next === '[');
    return [isEscaped ? `\\${char}` : char, 1];
  }

  return out.join('');
}
