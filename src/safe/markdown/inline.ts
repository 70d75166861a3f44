/**
 * The text of one paragraph, heading or cell. It is read from left to right and printed token by token, so that
 * what comes out is known: code spans on one line whose backticks pair in one way, links to good addresses, no HTML,
 * no image, no definition, and a backslash before whatever a viewer could take for something else.
 */
import { decodeString } from 'micromark-util-decode-string';
import { safeText } from '../text.ts';
import { destination, isPlainAddress } from './address.ts';
import { opensComment, safeMarkdownLine } from './line.ts';

/** Where a reference leads: what stands between the parentheses of the link that takes its place, if it leads anywhere. */
export type References = (name: string) => string | undefined;

/** What begins a block in some viewer, at the start of a line of text; a backslash goes before its last character. */
const BLOCK_START = new RegExp(
  [
    '[#>=%]', // heading, quote, underline, comment
    '(?:[-+*]|\\d+[.)])(?=[\\s|]|$)', // list item, a pipe does for kramdown
    '[*_](?=[*_\\t\\p{Zs}]*(?:\\n|$))', // rule
    '[|:+-](?=[-=+|:\\t\\p{Zs}]*(?:\\n|$))', // underline, rule, delimiter row of a table
    '(?=\\|?[\\t ]*:?[\\t ]*[-=]{2,}[\\t ]*:?[\\t ]*\\|)[|:-]', // start of a delimiter row: enough for showdown
    ':(?=[\\s:]|$)|~(?=\\s|~~|$)|\\+(?=\\+\\+)|/(?=//)', // definition, container, fence, front matter
  ].join('|'),
  'uy',
);
/** Text that means nothing to any viewer, or a whole token. */
const PLAIN = /[^\\`<&![\]{$%^/\n]+/y;
const AUTOLINK = /<(?:https?:\/\/[\w\-.~:/?#@!&'(),;=+%]+|[\w.-]+@[\w-]+(?:\.[\w-]+){1,9})>/y;
/** References that mean the same to everybody, and no character that hides. */
const REFERENCE =
  /&(?:lt|gt|amp|quot|apos|nbsp|copy|reg|trade|hellip|[mn]dash|[lr]arr|[lr]s?aquo|[lr][sd]quo|times|middot|bull|deg|euro|sect|bsol);/y;
/** At the end of a block: where one holds a command of TeX such as `\r`, Pandoc goes on to the next block. */
const LAST_BACKSLASH = /\\{1,2}\s*$/y;
const TEX_COMMAND = /\\[a-z]/i;
const PUNCTUATION = /[!-/:-@[-`{-~]/;
/** What a code span must not let out. */
const ALIVE = /<[a-z/!?]|\]\(|!\[/i;
/** What a viewer could make a link of; it takes backslashes and backticks with it. */
const ADDRESS = /\/\/|www\.|@/i;
/** What GFM makes a link of behind every escape: of a chat, or of a scheme that ends in `mailto`. */
const CHAT_ADDRESS = /(?:xmpp|(?<=[\w.+-])mailto):(?=\S)/gi;
/** What could mean more together with what follows: an address, a reference. */
const JOINS = /[/&#]/;
/** What a viewer that decodes an address to show it would show as nothing, or use to reorder text. */
const HIDDEN =
  /%(?:[01][\da-f]|7f|c2%(?:[89][\da-f]|ad)|cd%8f|d8%9c|e1%(?:85|9e|a0)|e2%8(?:0%(?:8[b-f]|a[89a-e])|1%a)|e3%85%a4|ef%b[8b]|ef%be%a0|ef%bf%b|f0%93%90%b|f0%9b%b2%a|f0%9d%85%b|f3%a0)/i;
const HIDDEN_HERE = new RegExp(HIDDEN, 'iy');
/** Characters: longer links and definitions are text. */
export const MAX_TARGET = 8000;
/** No character fits two parts of it: the time to find that there is no link would double with each such character. */
const TAIL =
  /^\((?:\s*(?:<([^<>\n]*)>|((?:[^\s<>()`]|\([^\s<>()`]*\))+)))?(?:\s+("[^"`]*"|'[^'`]*'|\([^()`]*\)))?\s*\)/;

/** What makes a link of the brackets before it. Older viewers allow blanks between; plain words do no harm there. */
const LINK_PART = /\(|\s+\((?![\w\s,.;-]*\))/y;

/** A superscript, up to the next blank, would cut a code span in two. A target in `<>` counts as one character: its blanks go. */
const SUPERSCRIPT = /\^(?:[[(]|(?:(?=(\(<[^<>\n]*>|[^\s`^\\]|\\\S?))\1)*[`^])/y;

/** Markers of list items to Pandoc, `a)`, `iv.`, `(@x)`: what follows stands at the start of a line. */
const PANDOC_MARKS = '(?:(?:\\(?(?:[a-z]|[ivxlcdm]{1,9}|@[\\w-]{0,20})[.)]|\\(\\d{1,9}\\))[^\\S\\n]+)';
const MARKS_BEFORE_BLOCK = new RegExp(`${PANDOC_MARKS}{1,9}`, 'iy');
const BEFORE_DEFINITION = new RegExp(`^${PANDOC_MARKS}{0,9}\\*?$`, 'i');

/** What is printed at a place of the text, and where the text goes on. */
type Edits = Map<number, { print: string; end: number }>;

/** Where a code span that opens at a position ends, and the length of its delimiters. */
type Spans = Map<number, { ticks: number; end: number }>;

/** A code span of one backtick, of two around single ones, or on one line of more around text without any. */
const SPAN = /\\[\s\S]|(?<!`)(?:`[^`]+`|``(?!`)[^`]+(?:`[^`]+)*``|(`{3,})[^`\n]+\1)(?!`)/g;

/** The code spans of a text, and whether every viewer pairs its backticks so. Linear. */
export function codeSpans(text: string): { spans: Spans; isSimple: boolean } {
  const spans: Spans = new Map();
  if (!text.includes('`')) return { spans, isSimple: true };
  let rest = '';
  let end = 0;
  for (const { index, 0: span } of text.matchAll(SPAN)) {
    const ticks = span.search(/[^`]/);
    if (ticks === 0 || span.slice(ticks, -ticks).trim() === '') continue;
    spans.set(index, { ticks, end: index + span.length });
    rest += text.slice(end, index) + span.slice(ticks, -ticks);
    end = index + span.length;
  }
  // Two viewers look for the end of a run of tildes inside code spans too.
  return { spans, isSimple: !(rest + text.slice(end)).includes('`') && !text.includes('~~~') };
}

/** The label of a reference as it is looked up. */
export function label(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLowerCase();
}

/** `address "title"` as every viewer reads it; `title` with its quotes. */
export function target(address: string, title = ''): string {
  // Some do not see where an empty address ends.
  const to = address === '' ? '#' : isPlainAddress(address) ? address : destination(decodeString(address));
  if (title.length <= 2) return to;
  const words = decodeString(title.slice(1, -1)).replace(/\s+/g, ' ');
  return `${to} "${safeText(words).replace(/[\\`<>[\]"&{}$!^]/g, (char) => `&#${char.charCodeAt(0)};`)}"`;
}

/**
 * How the brackets of a text are printed that do not stand as they are: links, and what could be part of a link, an
 * image or a definition to somebody.
 */
function brackets(text: string, spans: Spans, references: References): Edits {
  const edits: Edits = new Map();
  if (!/[[\]]/.test(text)) return edits;
  /** Where those that are not closed yet stand, and where their lines begin. */
  const open: { at: number; line: number }[] = [];
  const disarm = (...places: number[]) => {
    for (const at of places) edits.set(at, { print: `\\${text[at]}`, end: at + 1 });
  };
  let last = -1;
  let line = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '`') at = (spans.get(at)?.end ?? at + 1) - 1;
    else if (char === '\\' && text[at + 1] !== '\n') at++;
    else if (char === '\n') line = at + 1;
    else if (char === '[') {
      open.push({ at, line });
      last = at;
    } else if (char === ']') {
      const start = open.pop();
      const isFlat = start?.at === last;
      const next = text[at + 1];
      const isAddressed = found(LINK_PART, text, at + 1) !== undefined;
      last = at;
      if (!start) {
        if (isAddressed) disarm(at);
        continue;
      }
      // To some, `[^1]` is a footnote whatever follows.
      const link = isFlat && text[start.at + 1] !== '^' ? linkAt(text, start.at, at, references) : undefined;
      if (link) {
        const isEmpty = text.slice(start.at + 1, at).trim() === '';
        edits.set(start.at, { print: isEmpty ? '[image' : '[', end: start.at + 1 });
        edits.set(at, link);
        at = link.end - 1;
        continue;
      }
      const isDefinition = next === ':' && BEFORE_DEFINITION.test(text.slice(start.line, start.at));
      const isDouble = !isFlat && (/[[^]/.test(text[start.at + 1]!) || text[at - 1] === ']');
      // How far a label goes on across lines is read in several ways.
      if (isAddressed || isDefinition || isDouble || start.line !== line) disarm(start.at, at);
    }
  }
  for (const { at } of open) disarm(at);
  return edits;
}

/** The end of a link whose text stands between two brackets, if it is one. */
function linkAt(text: string, start: number, close: number, references: References) {
  const next = text[close + 1];
  if (next === '(') {
    const tail = TAIL.exec(text.slice(close + 1, close + 1 + MAX_TARGET));
    if (!tail) return undefined;
    return { print: `](${target(tail[1] ?? tail[2] ?? '', tail[3])})`, end: close + 1 + tail[0].length };
  }
  const second = next === '[' ? text.indexOf(']', close + 1) : -1;
  const name = second > close + 2 ? text.slice(close + 2, second) : text.slice(start + 1, close);
  const found = next === ':' || name.length > 1000 ? undefined : references(name);
  return found === undefined ? undefined : { print: `](${found})`, end: Math.max(close, second) + 1 };
}

/** What has been printed of a text. */
interface Writer {
  out: string[];
  /** The last character. */
  last: string;
  /** Whether what was printed since the last blank could be an address. */
  isGlued: boolean;
}

function put(writer: Writer, piece: string): void {
  writer.out.push(piece);
  writer.last = piece.at(-1)!;
  // Other blanks are part of an address to some.
  const blank = Math.max(piece.lastIndexOf(' '), piece.lastIndexOf('\n'), piece.lastIndexOf('\t'));
  writer.isGlued = ADDRESS.test(piece.slice(blank + 1)) || (writer.isGlued && blank === -1);
}

/** Puts what an address before it would eat. */
function putApart(writer: Writer, piece: string): void {
  if (writer.isGlued) put(writer, ' ');
  writer.out.push(piece);
  writer.last = piece.at(-1)!;
}

function putCode(writer: Writer, source: string, isSimple: boolean, isFirst: boolean): void {
  const isPlain = isSimple && isFirst && !ALIVE.test(source);
  const body = source.replace(/(?<![^\S\n])[^\S\n]*\n[^\S\n]*/g, (blanks, index) => {
    // A line that begins with a letter begins no block.
    return isPlain && /\p{L}/u.test(source[index + blanks.length] ?? '') ? '\n' : ' ';
  });
  if ((!isSimple && ALIVE.test(body)) || opensComment(body)) {
    // What the backticks kept apart stays so.
    if (JOINS.test(writer.last)) put(writer, ' ');
    putApart(writer, safeMarkdownLine(body.replace(CHAT_ADDRESS, '$& ')).replaceAll('^', '\\^'));
    if (JOINS.test(writer.last)) put(writer, ' ');
    return;
  }
  const hasTicks = body.includes('`');
  if (writer.last === '\\' || writer.last === '`') put(writer, ' ');
  // A backtick with blanks on both sides is text to some.
  if (hasTicks) putApart(writer, `\`\`${body}\`\``);
  else putApart(writer, `\`${/^\s/.test(body) ? body.trim() : body}\``);
  writer.isGlued = false;
}

/** Whitespace at the start of a line is left out, and a backslash takes the power of what begins a block there. */
function startLine(writer: Writer, text: string, start: number, isFirst: boolean): number {
  let at = start;
  while (at < text.length && /[^\S\n]/.test(text[at]!)) at++;
  if (!isFirst) return at;
  const marks = found(MARKS_BEFORE_BLOCK, text, at) ?? '';
  const mark = found(BLOCK_START, text, at + marks.length);
  if (!mark) return at;
  put(writer, `${marks}${mark.slice(0, -1)}\\${mark.at(-1)}`);
  return at + marks.length + mark.length;
}

function found(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** What is printed for a special character, and how much of the text it stands for. */
function special(
  text: string,
  at: number,
  writer: Writer,
  hasFormulas: boolean,
): [print: string, length: number] {
  const char = text[at]!;
  const next = text[at + 1] ?? '';
  if (char === '\\' && found(LAST_BACKSLASH, text, at) !== undefined && TEX_COMMAND.test(text))
    return ['&bsol;', next === '\\' ? 2 : 1];
  if (char === '\\' && PUNCTUATION.test(next)) return [next === '<' ? '&lt;' : `\\${next}`, 2];
  if (char === '<') {
    const link = writer.isGlued ? undefined : found(AUTOLINK, text, at);
    if (link && !HIDDEN.test(link)) return [link, link.length];
    return [/[\s=-]|^$/.test(next) ? '<' : '&lt;', 1];
  }
  if (char === '&') {
    const reference = found(REFERENCE, text, at);
    if (reference) return [reference, reference.length];
    return [/^&(?:#[\dx]|\w+;)/i.test(text.slice(at, at + 40)) ? '&amp;' : '&', 1];
  }
  if (char === '/' && next === '/') {
    const isWeb = /(?<![\w.+-])https?:$/i.test(text.slice(Math.max(0, at - 12), at));
    const isAlone = /\s|^$|\//.test(text[at + 2] ?? '');
    return isWeb || isAlone || writer.last === '/' ? ['//', 2] : ['\\//', 2];
  }
  const isHidden = writer.isGlued && found(HIDDEN_HERE, text, at) !== undefined;
  const isEscaped =
    '`{'.includes(char) ||
    (char === '$' && hasFormulas) ||
    (char === '%' && (writer.last === '%' || isHidden)) ||
    (char === '!' && next === '[') ||
    (char === '^' && found(SUPERSCRIPT, text, at) !== undefined);
  return [isEscaped ? `\\${char}` : char, 1];
}

/** How a text stands in its block. */
interface InlineOptions {
  /** Whether all backticks of the block pair in one way. Default: those of the text do. */
  isSimple?: boolean;
  /** Whether the text stands at the start of a line. Default true. */
  isFirst?: boolean;
  /** Whether there are dollars that a viewer could pair. Default: two in the text. */
  hasFormulas?: boolean;
}

/** What the text of a block may hold that is not printed as it is, or stands at the start of a line. */
const NOT_PLAIN = /[\\`<&![\]{$%^/]|[OPop]:|(?:^|\n)(?!\p{L}(?!\w{0,8}[.)]\s))/u;

/** Untrusted text of one block, lines with `\n` between them, as Markdown that every viewer reads alike. */
export function inline(text: string, references: References, options: InlineOptions = {}): string {
  if (!NOT_PLAIN.test(text)) return text;
  const code = codeSpans(text);
  const { isSimple = code.isSimple, isFirst = true } = options;
  const { hasFormulas = text.indexOf('$') !== text.lastIndexOf('$') } = options;
  const edits = brackets(text, code.spans, references);
  const writer: Writer = { out: [], last: '', isGlued: false };
  let at = startLine(writer, text, 0, isFirst);
  while (at < text.length) {
    const plain = found(PLAIN, text, at);
    const span = code.spans.get(at);
    const edit = edits.get(at);
    if (plain) {
      put(writer, plain.replace(CHAT_ADDRESS, '$& '));
      at += plain.length;
    } else if (span) {
      putCode(writer, text.slice(at + span.ticks, span.end - span.ticks), isSimple, isFirst);
      at = span.end;
    } else if (text[at] === '\n') {
      put(writer, '\n');
      at = startLine(writer, text, at + 1, isFirst);
    } else if (edit) {
      if (edit.print.startsWith('](')) {
        put(writer, edit.print);
        writer.isGlued = false;
      } else putApart(writer, edit.print);
      at = edit.end;
    } else {
      const [print, length] = special(text, at, writer, hasFormulas);
      if (print.length > length || (length > 1 && print[0] === '\\')) putApart(writer, print);
      else put(writer, print);
      at += length;
    }
  }
  return writer.out.join('');
}
