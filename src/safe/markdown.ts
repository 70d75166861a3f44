/**
 * The one gate for untrusted text in a Markdown document: whatever comes from an event passes one of these
 * functions before it stands in a transcript.
 *
 * The source is edited, never written anew: a parser says where each construct begins and ends, small edits at
 * those places take its power away, and the result is parsed again until a parse finds nothing. Whatever needs
 * no edit stays as its author wrote it, byte for byte.
 *
 * Programs that show Markdown disagree in places, and a construct that is dead in one is alive in another. So
 * the text is read by three grammars, and each must find nothing; what looks like a construct to somebody else is
 * disarmed by its look (`text-rules.ts`), and seams that parsers read differently are written in the one way
 * that all read alike (`layout.ts`).
 */

import { editsFor, GRAMMARS } from './markdown/constructs.ts';
import { readingCost } from './markdown/cost.ts';
import { applyEdits, LINE_PREFIX, MAX_PREFIX } from './markdown/source.ts';
import { safeText } from './text.ts';

/** How {@link safeMarkdown} writes. */
export interface SafeMarkdownOptions {
  /** The heading level of the document around the text, 1 to 5; headings of the text stay below it. Default 2. */
  level?: number;
  /** Stands above a text that had to be fenced as a whole. One plain line. Default: an English sentence. */
  reason?: string;
}

/** UTF-16 units outside closed code fences that are given to the parser: more is shown in a fence. */
const MAX_LENGTH = 256 * 1024;
/** What all readings of one text may cost together, in the milliseconds of {@link readingCost}. */
const MAX_COST = 2000;
/** Rounds of edits; real text needs two or three, and what never settles is shown in a fence. */
const MAX_ROUNDS = 8;

/** A line that is nothing but containers and blanks for longer than anybody writes: too deep for any pattern. */
const DEEP = new RegExp(`^[ \\t\\f\\v\\p{Zs}>+*.)\\-\\dxX\\[\\]]{${MAX_PREFIX}}`, 'mu');

const OPENING_FENCE = /^(`{3,})([^`]*)$|^(~{3,})(.*)$/;
const CLOSING_FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*$/;
/** A language, perhaps with a file name or line numbers. Anything else in an info is for the parser to see. */
const PLAIN_INFO = /^[\w .,:=/+#{}-]*$/;
/** A fence that does not begin at column 0: whether it is one depends on lists and quotes. */
const INNER_FENCE = new RegExp(`${LINE_PREFIX}(?:\`{3}|~{3})`);
/** Stands for the content of a fence; no text holds it after {@link safeText}. */
const TAKEN_OUT = '\x01';

/** A text without the contents of its fences. */
interface Skeleton {
  text: string;
  /** One for each {@link TAKEN_OUT} in `text`, in order. */
  bodies: string[];
  /** The lines that are no part of these fences. */
  outside: string;
}

/**
 * Takes out what stands between fences at column 0, and closes the last one where it is open. Such a fence is
 * code for every reader, whatever surrounds it, so its content needs no look and cannot be changed by mistake.
 * After the first fence inside a list or a quote only the parser can tell, and everything stays.
 */
function takeOutFences(text: string): Skeleton {
  if (!/`{3}|~{3}/.test(text)) return { text, bodies: [], outside: text };
  const kept: string[] = [];
  const outside: string[] = [];
  const bodies: string[] = [];
  /** The fence that is open, and the lines after it. */
  let fence = '';
  let body: string[] = [];
  let isCertain = true;

  function close(line: string): void {
    if (body.length > 0) {
      kept.push(TAKEN_OUT);
      bodies.push(body.join('\n'));
    }
    kept.push(line);
    fence = '';
    body = [];
  }

  for (const line of text.split('\n')) {
    if (fence !== '') {
      // A tab after a closing fence keeps it open for some readers.
      if (CLOSING_FENCE.exec(line)?.[1]?.startsWith(fence))
        close(line.includes('\t') ? line.trimEnd() : line);
      else body.push(line);
      continue;
    }
    kept.push(line);
    const opening = isCertain && /[`~]/.test(line) ? OPENING_FENCE.exec(line) : null;
    fence = opening?.[1] ?? opening?.[3] ?? '';
    if (!PLAIN_INFO.test(opening?.[2] ?? opening?.[4] ?? '') || fence === '') outside.push(line);
    if (fence === '' && isCertain) isCertain = DEEP.test(line) ? false : !INNER_FENCE.test(line);
  }
  if (fence !== '') {
    // A text that ends with a newline has an empty last line, which is no line of code.
    const endsWithNewline = body.at(-1) === '';
    if (endsWithNewline) body.pop();
    close(fence);
    if (endsWithNewline) kept.push('');
  }
  return { text: kept.join('\n'), bodies, outside: outside.join('\n') };
}

function putBack(text: string, bodies: string[]): string {
  let next = 0;
  return text.replaceAll(TAKEN_OUT, () => bodies[next++]!);
}

/** Whether the parser has anything to find. Text without these is dead in every reading. */
const ACTIVE = new RegExp(
  [
    '<[A-Za-z/!?]|\\[|&(?:#|[A-Za-z]+;)|//|xmpp:|\\$\\$|%%|:::|\\]:',
    `${LINE_PREFIX}(?:#|=|-[ \\t]*-|-[^\\S\\n]*$|[_*][ \\t]+[_*]|\`{3}|~{3})`,
  ].join('|'),
  'im',
);

/** The text with nothing left to find; nothing where it is too much for the parser or never settles. */
function settle(source: string, level: number): string | undefined {
  if (DEEP.test(source)) return undefined;
  let text = source;
  let cost = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = text;
    for (const grammar of GRAMMARS) {
      if (text.length > MAX_LENGTH) return undefined;
      if (!grammar.differsBy.test(text)) continue;
      cost += readingCost(text);
      if (cost > MAX_COST) return undefined;
      text = applyEdits(text, editsFor(text, grammar, level));
    }
    if (text === before) return text;
  }
  return undefined;
}

/** Line ends as LF, and nothing that hides or reorders text. */
function visible(text: string): string {
  return safeText(text.replace(/\r\n?/g, '\n'));
}

/**
 * Untrusted Markdown as Markdown that is inert and readable in a document of one's own. Pure and synchronous.
 *
 * What it promises, in every CommonMark or GFM viewer:
 * - no HTML, no image, no link but to the web, a mailbox or a place beside the document;
 * - no heading at or above `level`, no rule or front matter of dashes, no definition of a link or a footnote;
 * - every construct ends with the text: put between blank lines, it changes nothing before or after it;
 * - invisible and control characters are visible;
 * - code keeps every byte (but invisible characters), and text that does none of the above is returned as it is;
 * - the result is its own result again.
 *
 * A text that is too long or too intricate for the parser (256 Ki UTF-16 units outside code fences, fewer of
 * what is slow to parse) is shown in a code fence as a whole, under one line that says so.
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
  const skeleton = takeOutFences(source);
  const isInert = !DEEP.test(skeleton.outside) && !ACTIVE.test(skeleton.outside);
  const safe = isInert ? skeleton.text : settle(skeleton.text, level);
  if (safe === undefined) return `${safeMarkdownLine(reason)}\n\n${fenceVisible(source, '')}`;
  return putBack(safe, skeleton.bodies);
}

/** Characters that mean something to a parser wherever they stand. */
const SPECIAL = /[\\`*[\]|~$]|(?<=[%:])[%:]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
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
    .replace(/^[>=+:#-]|(?<=\s)#/g, '\\$&')
    .replace(/(?<=\S)\.(?=\p{L})|(?<=www)\.|@|(?<=[:/])\/|(?<=xmpp|mailto):/giu, '\\$&')
    .replace(/&(?=#?\w+;)/g, '&amp;')
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
  const newline = code === '' || code.endsWith('\n') ? '' : '\n';
  return `${ticks}${info.replace(/[^\w.+#-]/g, '')}\n${code}${newline}${ticks}`;
}
