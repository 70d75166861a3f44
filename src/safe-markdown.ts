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
import { editsFor, GRAMMARS } from './safe-markdown/constructs.ts';
import { applyEdits, LINE_PREFIX } from './safe-markdown/source.ts';
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
/** Rounds of edits; real text needs two or three, and what never settles is shown in a fence. */
const MAX_ROUNDS = 8;

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
      text = applyEdits(text, editsFor(text, grammar, level));
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
