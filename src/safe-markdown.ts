/**
 * The one gate for untrusted text in a Markdown document: whatever comes from an event passes one of these
 * functions before it stands in a transcript.
 *
 * The source is edited, never written anew: a parser says where each construct begins and ends, small edits at
 * those places take its power away, and the result is parsed again until a parse finds nothing. Whatever needs
 * no edit stays as its author wrote it, byte for byte.
 *
 * Programs that show Markdown disagree in places, and a construct that is dead in one is alive in another. So
 * the text is read by three grammars, each must find nothing, and the rules for plain text ({@link TEXT_RULES})
 * also disarm what looks like a construct to somebody else.
 */
import { decodeNamedCharacterReference } from 'decode-named-character-reference';
import { parse, postprocess, preprocess } from 'micromark';
import { gfm } from 'micromark-extension-gfm';
import { decodeString } from 'micromark-util-decode-string';
import { normalizeIdentifier } from 'micromark-util-normalize-identifier';
import type { Event, Extension, Token } from 'micromark-util-types';
import { safeText } from './text.ts';

/** How {@link safeMarkdown} writes. */
export interface SafeMarkdownOptions {
  /** The heading level of the document around the text, 1 to 5; headings of the text stay below it. Default 2. */
  level?: number;
  /** Stands above a text that had to be fenced as a whole. One plain line. Default: an English sentence. */
  reason?: string;
}

/** A piece of text that takes the place of another. */
interface Edit {
  start: number;
  end: number;
  text: string;
}

/** UTF-16 units outside closed code fences that are given to the parser: more is shown in a fence. */
const MAX_LENGTH = 256 * 1024;
/** Rounds of edits; real text needs two or three, and what never settles is shown in a fence. */
const MAX_ROUNDS = 8;

const GFM = gfm();
const NO_HTML: Extension = { disable: { null: ['htmlFlow', 'htmlText'] } };
/**
 * How the text is read. Without HTML first, so that code is known as code and an unclosed `<script>` hides
 * nothing; with HTML, since a tag can begin where code was; without GFM, since tables, footnotes and bare
 * addresses change what is a code span.
 */
const GRAMMARS: Extension[][] = [[GFM, NO_HTML], [GFM], []];

// --- Lines and fences -------------------------------------------------------------------------------------

/** Containers and blanks before a line's own content. Each alternative takes one way only: linear. */
const LINE_PREFIX = '^(?:[^\\S\\n]|>|[-+*](?=[ \\t])|\\d{1,9}[.)](?=[ \\t])|\\[[ xX]\\](?=[ \\t]))*';
const OPENING_FENCE = /^(?:(`{3,})[^`]*|(~{3,}).*)$/;
/** A fence that does not begin at column 0: whether it is one depends on lists and quotes. */
const INNER_FENCE = new RegExp(`${LINE_PREFIX}(?:\`{3}|~{3})`);
/** Stands for the content of a fence; no text holds it after {@link safeText}. */
const TAKEN_OUT = '\x01';

/** A text without the contents of its fences. */
interface Skeleton {
  text: string;
  /** One for each {@link TAKEN_OUT} in `text`, in order. */
  bodies: string[];
}

/**
 * Takes out what stands between fences at column 0, and closes the last one where it is open. Such a fence is
 * code for every reader, whatever surrounds it, so its content needs no look and cannot be changed by mistake.
 * After the first fence inside a list or a quote only the parser can tell, and everything stays.
 */
function takeOutFences(text: string): Skeleton {
  const out: string[] = [];
  const bodies: string[] = [];
  let body: string[] = [];
  let fence = '';
  let closing: RegExp | undefined;
  let certain = true;
  for (const line of text.split('\n')) {
    if (closing) {
      if (!closing.test(line)) {
        body.push(line);
        continue;
      }
      if (body.length > 0) out.push(TAKEN_OUT);
      if (body.length > 0) bodies.push(body.join('\n'));
      body = [];
      closing = undefined;
      // A tab after a closing fence keeps it open for some readers.
      out.push(line.trimEnd());
      continue;
    }
    out.push(line);
    if (!certain) continue;
    const opening = OPENING_FENCE.exec(line);
    fence = opening?.[1] ?? opening?.[2] ?? '';
    if (fence !== '') closing = new RegExp(`^ {0,3}${fence[0]}{${fence.length},}[ \\t]*$`);
    else certain = !INNER_FENCE.test(line);
  }
  if (closing) {
    // A text that ends with a newline has an empty last line, which is no line of code.
    const last = body.length > 0 && body.at(-1) === '' ? body.pop() : undefined;
    if (body.length > 0) out.push(TAKEN_OUT);
    if (body.length > 0) bodies.push(body.join('\n'));
    out.push(fence);
    if (last !== undefined) out.push('');
  }
  return { text: out.join('\n'), bodies };
}

function putBack(text: string, bodies: string[]): string {
  let next = 0;
  return text.replaceAll(TAKEN_OUT, () => bodies[next++]!);
}

/** The containers of the line that holds `at`, as they continue on the next line: `> - ` becomes `>   `. */
function continuation(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  // The blank after a `>` belongs to it; where there is none, it would be missing from what follows.
  return text
    .slice(start, at)
    .replace(/>(?=[^ \t>])/g, '> ')
    .replace(/[^\t>]/g, ' ');
}

/** A blank line after the line that ends at `end`, where the next has content that could join it. */
function separation(text: string, start: number, end: number): string {
  if (end >= text.length || /^\n[ \t>]*(?:\n|$)/.test(text.slice(end, end + 1000))) return '';
  return `\n${continuation(text, start).trimEnd()}`;
}

// --- Addresses --------------------------------------------------------------------------------------------

const GOOD_SCHEME = /^(?:https?|mailto)$/i;

/** Whether every reading of an address, however often decoded, leads to the web, a mailbox or a neighbour. */
function isGoodAddress(source: string): boolean {
  let address = source;
  for (let round = 0; round < 8; round++) {
    const plain = address.replace(/[\0-\x20\x7F-\xA0\u2000-\u200F\u2028-\u202F\u2060\u3000\uFEFF]/g, '');
    const scheme = /^([^/?#\\:]*):/.exec(plain)?.[1];
    if (/^[/\\]{2}/.test(plain) || (scheme !== undefined && !GOOD_SCHEME.test(scheme))) return false;
    const decoded = decodeOnce(plain);
    if (decoded === address) return true;
    address = decoded;
  }
  return false;
}

function decodeOnce(address: string): string {
  return decodeString(address).replace(/%([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** An address as a destination that every parser reads alike: no blank, bracket, quote or escape in it. */
function destination(address: string): string {
  const encoded = address.replace(/[^\w\-.:/?#@$&+,;=%]/gu, (char) =>
    char === "'" || char === '(' || char === ')' || char === '*' || char === '!' || char === '~'
      ? `%${char.charCodeAt(0).toString(16).toUpperCase()}`
      : encodeURIComponent(char),
  );
  const good = isGoodAddress(encoded) ? encoded : `./${encoded}`;
  return good.replaceAll('&', '&amp;');
}

// --- Plain text -------------------------------------------------------------------------------------------

/** What a character of the source belongs to. Everything else is text. */
const Kind = {
  text: 0,
  code: 1,
  autolink: 2,
  destination: 3,
  syntax: 4,
  escape: 5,
  bareLink: 6,
  info: 7,
} as const;
type Kind = (typeof Kind)[keyof typeof Kind];

const TOKEN_KINDS: Partial<Record<string, Kind>> = {
  codeText: Kind.code,
  codeFlowValue: Kind.code,
  codeFencedFenceSequence: Kind.code,
  codeFencedFenceInfo: Kind.info,
  codeFencedFenceMeta: Kind.info,
  characterEscape: Kind.escape,
  resourceDestinationString: Kind.destination,
  definitionDestinationString: Kind.destination,
  literalAutolink: Kind.bareLink,
  atxHeadingSequence: Kind.syntax,
  blockQuotePrefix: Kind.syntax,
  definitionLabelMarker: Kind.syntax,
  definitionMarker: Kind.syntax,
  gfmFootnoteCall: Kind.syntax,
  labelImageMarker: Kind.syntax,
  labelMarker: Kind.syntax,
  linePrefix: Kind.syntax,
  listItemPrefix: Kind.syntax,
  referenceMarker: Kind.syntax,
  resourceMarker: Kind.syntax,
  setextHeadingLineSequence: Kind.syntax,
  tableDelimiterRow: Kind.syntax,
  taskListCheck: Kind.syntax,
  thematicBreak: Kind.syntax,
};

interface TextRule {
  pattern: RegExp;
  /** What the character that is disarmed must belong to: the first of the match, or the last. */
  kinds: readonly Kind[];
  judgedBy?: 'last';
  replace(match: RegExpExecArray, text: string, kinds: Uint8Array): Edit | undefined;
}

/** Puts a backslash before the character at the end of the match. */
function escapeLast(match: RegExpExecArray): Edit {
  const start = match.index + match[0].length - 1;
  return { start, end: start, text: '\\' };
}

/** Puts a backslash before the match. */
function escapeFirst(match: RegExpExecArray): Edit {
  return { start: match.index, end: match.index, text: '\\' };
}

function replaceBy(replacement: string): TextRule['replace'] {
  return ({ index, 0: match }) => ({ start: index, end: index + match.length, text: replacement });
}

const {
  text: TEXT,
  destination: DESTINATION,
  syntax: SYNTAX,
  escape: ESCAPE,
  bareLink: BARE_LINK,
  info: INFO,
} = Kind;

/** Whether a parser that links bare addresses could take what stands at `at` into one. */
function followsAddress(text: string, at: number): boolean {
  const run = /\S*$/.exec(text.slice(Math.max(0, at - 200), at))![0];
  return run.length === 200 || /\/\/|www\.|@/i.test(run);
}

/** What is disarmed by its look, wherever the grammar at hand sees text. */
const TEXT_RULES: TextRule[] = [
  {
    // HTML, whatever the parser thinks of it. Never `\<`: an address before it can eat the backslash.
    pattern: /<(?=[A-Za-z/!?])/g,
    kinds: [TEXT, SYNTAX, DESTINATION, ESCAPE, INFO, BARE_LINK],
    replace({ index }, text, kinds) {
      const start = kinds[index] === ESCAPE ? index - 1 : index;
      const glued = kinds[index] !== DESTINATION && followsAddress(text, start);
      return { start, end: index + 1, text: glued ? ' &lt;' : '&lt;' };
    },
  },
  {
    // A character that nobody sees or that a terminal obeys, written as a reference.
    pattern: /&(?:#\d+|#x[\da-f]+|[a-z][\da-z]*);/gi,
    kinds: [TEXT, SYNTAX, DESTINATION, INFO, BARE_LINK],
    replace(match) {
      const decoded = decodeReference(match[0].slice(1, -1));
      if (safeText(decoded) === decoded && !decoded.includes('\r')) return undefined;
      return { start: match.index + 1, end: match.index + 1, text: 'amp;' };
    },
  },
  // An image in any reading: a link instead, so that nothing is fetched when the document is opened.
  { pattern: /!(?=\[)/g, kinds: [TEXT, SYNTAX], replace: escapeFirst },
  // The end of a link's text, which another parser may find open.
  { pattern: /\](?=\()/g, kinds: [TEXT], replace: escapeFirst },
  // A definition for a parser that removes what stands before it, such as a checkbox.
  { pattern: /\](?=:)/g, kinds: [TEXT], replace: escapeFirst },
  // Inline footnotes.
  { pattern: /\^(?=\[)/g, kinds: [TEXT], replace: escapeFirst },
  // Comments, formulas and containers of other viewers: never two of these in a row.
  { pattern: /(?<=%)%/g, kinds: [TEXT], replace: escapeFirst },
  { pattern: /(?<=\$)\$/g, kinds: [TEXT], replace: escapeFirst },
  { pattern: /(?<=::):/g, kinds: [TEXT], replace: escapeFirst },
  // A heading where another parser begins a paragraph, or where `#x` is one.
  {
    pattern: new RegExp(`${LINE_PREFIX}#`, 'gm'),
    kinds: [TEXT],
    judgedBy: 'last',
    replace: escapeLast,
  },
  // The mark of a quote, far to the right in a paragraph.
  { pattern: /^[ \t>]*>/gm, kinds: [TEXT], judgedBy: 'last', replace: escapeLast },
  // The underline of a heading, or the bounds of a front matter.
  {
    pattern: new RegExp(`${LINE_PREFIX}[=-](?=(?:(?<==)=*|(?<=-)-*)[^\\S\\n]*$)`, 'gm'),
    kinds: [TEXT],
    judgedBy: 'last',
    replace: escapeLast,
  },
  // The delimiter row of a table that is a list item for others.
  {
    pattern: /^[ \t>]*-[ \t]+\|(?=[ \t:|-]*$)/gm,
    kinds: [TEXT, SYNTAX],
    judgedBy: 'last',
    replace: escapeLast,
  },
  // The head of a table for a parser that looks for one before it looks for fences.
  { pattern: /\\?\|/g, kinds: [INFO], replace: replaceBy('&#124;') },
  // An address that some parsers link by themselves, other than of the web or of a mailbox.
  {
    pattern: /(?<![:/])(?:[a-z][a-z\d+.-]*:)?\/\/(?=[^\s/])/gi,
    kinds: [TEXT],
    replace(match) {
      if (/^https?:/i.test(match[0])) return undefined;
      const start = match.index + match[0].length - 2;
      return { start, end: start, text: '\\' };
    },
  },
  { pattern: /(?<=xmpp):/gi, kinds: [TEXT], replace: escapeFirst },
  // A tab after an empty list marker: some readers see content, and the next line becomes part of it.
  {
    pattern: /(?<=[-+*.)])[ \t]*\t[ \t]*$/gm,
    kinds: [SYNTAX],
    replace: replaceBy(''),
  },
];

function decodeReference(name: string): string {
  if (!name.startsWith('#')) return decodeNamedCharacterReference(name) || '';
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

function textEdits(text: string, kinds: Uint8Array): Edit[] {
  const edits: Edit[] = [];
  for (const { pattern, kinds: where, judgedBy, replace } of TEXT_RULES) {
    for (const match of text.matchAll(pattern)) {
      const at = judgedBy === 'last' ? match.index + match[0].length - 1 : match.index;
      if (!where.includes(kinds[at] as Kind)) continue;
      const edit = replace(match, text, kinds);
      if (edit) edits.push(edit);
    }
  }
  return edits;
}

// --- Constructs -------------------------------------------------------------------------------------------

function eventsOf(text: string, extensions: Extension[]): Event[] {
  return postprocess(
    parse({ extensions })
      .document()
      .write(preprocess()(text, undefined, true)),
  );
}

/** A link or an image while its tokens are read. */
interface Link {
  label?: Token;
  labelText?: Token;
  resource?: Token;
  reference?: Token;
  referenceText?: Token;
  destination?: Token;
  isLiteral?: boolean;
}

const CONTAINERS = new Set(['blockQuote', 'listOrdered', 'listUnordered', 'gfmFootnoteDefinition']);

/** Spaces in the place of tabs, to the same columns. */
function expandTabs(prefix: string): string {
  let out = '';
  for (const char of prefix) out += char === '\t' ? ' '.repeat(4 - (out.length % 4)) : char;
  return out;
}

/** The edits that one reading of the text asks for. */
function editsFor(text: string, events: Event[], level: number): Edit[] {
  const kinds = new Uint8Array(text.length);
  const edits: Edit[] = [];
  const headings: Token[] = [];
  const definitions = new Map<string, string>();
  const unresolved: { link: Link; token: Token }[] = [];
  const links: { link: Link; token: Token }[] = [];
  let label = '';
  let fences: Token[] = [];
  let depth = 0;
  let isIndented = false;
  const slice = (token: Token) => text.slice(token.start.offset, token.end.offset);
  const insert = (at: number, inserted: string) => edits.push({ start: at, end: at, text: inserted });
  const replace = (token: Token, replacement: string) =>
    edits.push({ start: token.start.offset, end: token.end.offset, text: replacement });

  for (const [phase, token] of events) {
    const { type } = token;
    const start = token.start.offset;
    const end = token.end.offset;
    const link = links.at(-1)?.link;
    if (CONTAINERS.has(type)) depth += phase === 'enter' ? 1 : -1;
    if (phase === 'exit') {
      if (type === 'codeIndented') isIndented = false;
      if (type === 'link' || type === 'image') {
        const done = links.pop()!;
        if (done.link.resource) edits.push(...resourceEdits(text, done.link));
        else unresolved.push(done);
        if (type === 'image' && done.link.label!.end.offset - done.link.label!.start.offset === 3) {
          insert(done.link.label!.end.offset - 1, 'image');
        }
      } else if (type === 'codeFenced' && fences.length === 1) {
        // Its container, or the next heading of the transcript, would close it; not for every reader.
        const opening = fences[0]!.start.offset;
        const sequence = /^(`+|~+)/.exec(text.slice(opening, end))![0];
        insert(text[end - 1] === '\n' ? end - 1 : end, `\n${continuation(text, opening)}${sequence}`);
      }
      continue;
    }
    const kind = TOKEN_KINDS[type];
    if (kind !== undefined && kinds[start] !== Kind.info) kinds.fill(kind, start, end);
    switch (type) {
      case 'autolink':
        if (/^<(?:https?:|mailto:|[^:]*@)/i.test(slice(token))) kinds.fill(Kind.autolink, start, end);
        break;
      case 'paragraph':
      case 'setextHeadingText': {
        // Right after indented code this parser misses lists that the others see.
        const marker = /^(?:[-+*]|\d{1,9}[.)])(?=[ \t\n]|$)/.exec(text.slice(start, start + 12));
        if (marker) insert(start + marker[0].length - 1, '\\');
        break;
      }
      case 'codeText':
        // Where lists, quotes or tables are read differently, code on two lines is not code at all.
        if (/[<[\]|]/.test(slice(token))) {
          for (const { index, 0: broken } of slice(token).matchAll(/\n[ \t>]*/g)) {
            edits.push({ start: start + index, end: start + index + broken.length, text: ' ' });
          }
        }
        // An address takes backticks in for some readers, and the code comes alive.
        if (followsAddress(text, start)) insert(start, ' ');
        break;
      case 'codeIndented': {
        isIndented = true;
        const from = text.lastIndexOf('\n', start - 1) + 1;
        const prefix = text.slice(from, start);
        const previous = text.slice(text.lastIndexOf('\n', from - 2) + 1, Math.max(0, from - 1));
        // Right after a list item or a quote, some readers make it a part of that.
        if (/^[ \t>]*$/.test(prefix) && /^[ \t]*(?:>|[-+*]|\d{1,9}[.)])/.test(previous)) {
          if (!(prefix.includes('>') && /^[ \t>]*$/.test(previous))) insert(from, `${prefix.trimEnd()}\n`);
        }
        break;
      }
      case 'listItemPrefix': {
        const from = text.lastIndexOf('\n', start - 1) + 1;
        const prefix = text.slice(from, end);
        if (prefix.includes('\t')) edits.push({ start: from, end, text: expandTabs(prefix) });
        // What follows an empty item is not a part of it, but some readers take it in.
        if (/^[ \t]*\n(?![ \t\n>]|[-+*](?:\s|$)|\d{1,9}[.)](?:\s|$))./.test(text.slice(end, end + 200))) {
          insert(lineEnd(text, end), '\n');
        }
        // An empty item right after text: a heading's underline for some.
        if (/^[ \t>]*-$/.test(prefix.trimEnd()) && /^[ \t]*(?:\n|$)/.test(text.slice(end, end + 200))) {
          const previous = text.slice(text.lastIndexOf('\n', from - 2) + 1, Math.max(0, from - 1));
          if (/^[ \t>]*(?![-+*](?:\s|$)|\d{1,9}[.)](?:\s|$))[^ \t>]/.test(previous)) {
            insert(from, `${prefix.slice(0, prefix.lastIndexOf('-')).trimEnd()}\n`);
          }
        }
        break;
      }
      case 'linePrefix': {
        // Some readers do not see the columns of a tab after the marks of lists and quotes.
        const from = text.lastIndexOf('\n', start - 1) + 1;
        const prefix = text.slice(from, end);
        if (isIndented && depth > 0 && prefix.includes('\t')) {
          edits.push({ start: from, end, text: expandTabs(prefix) });
        }
        break;
      }
      case 'codeFenced':
        fences = [];
        break;
      case 'codeFencedFence':
        fences.push(token);
        // A tab after a closing fence keeps it open for some readers.
        if (fences.length === 2) {
          const fence = slice(token);
          if (fence.includes('\t')) replace(token, fence.trimEnd());
        }
        break;
      case 'atxHeading':
        headings.push(token);
        break;
      case 'setextHeadingLineSequence':
        insert(start, '\\');
        insert(lineEnd(text, end), separation(text, start, lineEnd(text, end)));
        break;
      case 'thematicBreak': {
        const rule = slice(token);
        if (!/^(?:\*{3,}|_{3,})$/.test(rule)) replace(token, '***');
        break;
      }
      case 'definition':
        insert(start, '\\');
        insert(end, separation(text, start, end));
        break;
      case 'gfmFootnoteDefinition':
        insert(start, '\\');
        break;
      case 'definitionLabelString':
        label = normalizeIdentifier(slice(token));
        break;
      case 'definitionDestinationString':
        if (!definitions.has(label)) definitions.set(label, decodeString(slice(token)));
        break;
      case 'link':
      case 'image':
        links.push({ link: {}, token });
        break;
      case 'label':
        if (link) link.label = token;
        break;
      case 'labelText':
        if (link) link.labelText = token;
        break;
      case 'resource':
        if (link) link.resource = token;
        break;
      case 'reference':
        if (link) link.reference = token;
        break;
      case 'referenceString':
        if (link) link.referenceText = token;
        break;
      case 'resourceDestination':
        if (link) link.destination = token;
        break;
      case 'resourceDestinationLiteral':
        if (link) link.isLiteral = true;
        break;
    }
  }

  const highest = Math.min(...headings.map((heading) => headingSize(text, heading)));
  const shift = level + 1 - highest;
  if (shift > 0) {
    for (const heading of headings) {
      const size = headingSize(text, heading);
      insert(heading.start.offset, '#'.repeat(Math.min(6 - size, shift)));
    }
  }

  // The definitions stay as text, so what is left out here is still there to read.
  let budget = text.length + 1000;
  for (const { link } of unresolved) {
    const name = slice(link.referenceText ?? link.labelText!);
    const address = definitions.get(normalizeIdentifier(name));
    if (address === undefined) continue;
    const resource = `(${destination(address)})`;
    budget -= resource.length;
    if (budget < 0) break;
    const at = link.label!.end.offset;
    edits.push({ start: at, end: link.reference?.end.offset ?? at, text: resource });
  }
  edits.push(...textEdits(text, kinds));
  for (const edit of edits) {
    // A bare address would take the backslash in, round after round.
    if (edit.text.startsWith('\\') && kinds[edit.start - 1] === Kind.bareLink) edit.text = ` ${edit.text}`;
  }
  return edits;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

function headingSize(text: string, heading: Token): number {
  return /^#*/.exec(text.slice(heading.start.offset, heading.start.offset + 6))![0].length;
}

function resourceEdits(text: string, link: Link): Edit[] {
  if (!link.destination) return [];
  const { start, end } = link.destination;
  const source = text.slice(start.offset, end.offset);
  if (link.isLiteral) {
    return [{ start: start.offset, end: end.offset, text: destination(decodeString(source.slice(1, -1))) }];
  }
  return isGoodAddress(source) ? [] : [{ start: start.offset, end: start.offset, text: './' }];
}

/** Applies edits from left to right; of two that overlap the later waits for the next reading. */
function apply(text: string, edits: Edit[]): string {
  const sorted = edits
    .filter((edit) => edit.end > edit.start || edit.text !== '')
    .sort((a, b) => a.start - b.start || a.end - b.end);
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

// --- The gate ---------------------------------------------------------------------------------------------

/** Whether the parser has anything to find. Text without these is dead in every reading. */
const ACTIVE = new RegExp(
  [
    '<[A-Za-z/!?]|\\[|^(?:`{3}|~{3}).*\\||&(?:#|[A-Za-z]+;)|//|xmpp:|\\$\\$|%%|:::|\\]:|\\^\\[',
    `${LINE_PREFIX}(?:#|=|-[ \\t]*-|-[^\\S\\n]*$|[_*][ \\t]+[_*]|\`{3}|~{3})`,
  ].join('|'),
  'im',
);

/** The text with nothing left to find, or nothing where it is too much for the parser or never settles. */
function settle(skeleton: string, level: number): string | undefined {
  let text = skeleton;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = text;
    for (const grammar of GRAMMARS) {
      if (text.length > MAX_LENGTH) return undefined;
      text = apply(text, editsFor(text, eventsOf(text, grammar), level));
    }
    if (text === before) return text;
  }
  return undefined;
}

export function safeMarkdown(text: string, options: SafeMarkdownOptions = {}): string {
  const { level = 2, reason = 'Shown as written: too long or too intricate to be shown as Markdown.' } =
    options;
  const visible = safeText(text.replace(/\r\n?/g, '\n'));
  const skeleton = takeOutFences(visible);
  const safe = ACTIVE.test(skeleton.text) ? settle(skeleton.text, level) : skeleton.text;
  if (safe === undefined) return `${safeMarkdownLine(reason)}\n\n${fence(visible)}`;
  return putBack(safe, skeleton.bodies);
}

export function safeMarkdownLine(text: string): string {
  return text;
}

export function fence(text: string, info = ''): string {
  const visible = safeText(text.replace(/\r\n?/g, '\n'));
  let longest = 2;
  for (const [run] of visible.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}${info.replace(/[^\w.+#-]/g, '')}\n${visible}${visible.endsWith('\n') || visible === '' ? '' : '\n'}${ticks}`;
}
