/**
 * Bytes to lines. split2 splits them, and is given whole lines only: it would scan an unfinished line again at every
 * chunk, and its own limit depends on where the chunks are cut.
 */
import { isUtf8 } from 'node:buffer';
import split2 from 'split2';
import type { EndingStep, Line } from '../event.ts';

/** The byte that ends a line. */
const LF = 0x0a;
/** The byte that ends a message of `xargs -0`. */
export const NUL = 0x00;
const CR = 0x0d;
const BYTE_ORDER_MARK = 0xfeff;
const MIB = 1024 * 1024;
/**
 * Bytes whose lines are given before more are read. Where all lines of a chunk of 64 KiB are in memory at once, the
 * collector of garbage moves them twice: `validate` takes 40 % more CPU for short events, and 20 MB more memory.
 */
const PART = 16 * 1024;

/** The encoding that a byte order mark at the start of an input names. */
export function markedEncoding(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const pair = head.length < 2 ? 0 : head.readUInt16BE(0);
  return pair === 0xfffe ? 'utf-16le' : pair === 0xfeff ? 'utf-16be' : undefined;
}

/**
 * The encoding of a stream of events, by a byte order mark or by its first two bytes: one of them is zero where an
 * ASCII character, such as the `{` of an event, is written in UTF-16.
 */
export function encodingOf(head: Buffer): 'utf-8' | 'utf-16le' | 'utf-16be' {
  const marked = markedEncoding(head);
  if (marked || head.length < 2) return marked ?? 'utf-8';
  const [first = 0, second = 0] = head;
  if (second === 0 && isAscii(first)) return 'utf-16le';
  return first === 0 && isAscii(second) ? 'utf-16be' : 'utf-8';
}

function isAscii(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || byte === LF || byte === CR;
}

/** The default of the longest line that is read, in bytes. */
export const DEFAULT_MAX_LINE = 64 * MIB;
/** The longest line that can be asked for, in bytes: a string of Node's holds little more. */
export const HIGHEST_MAX_LINE = 500 * MIB;

/**
 * A step that cuts chunks of bytes into lines. A line is given as soon as its newline has come, and the last
 * one at the end of the input; the result never depends on where the chunks were cut. LF and CRLF end a
 * line. A byte order mark at the start of a line is dropped.
 *
 * `damage` says where a line is not what the input held: over `maxLine` bytes (dropped, never held in memory), bytes
 * that are not UTF-8 (replaced by U+FFFD). An input in UTF-16, known by its byte order mark or by its first
 * character, is read like any other; its first line says `utf-16`.
 *
 * @param options.maxLine in bytes of UTF-8, without the line ending; default 64 MiB
 * @param options.separator the byte that ends a line; default LF, which takes a CR before it along
 * @param options.isTyped the text may hold any character, NUL too: it is UTF-16 only where a mark says so
 * @example
 * const reader = createLineReader();
 * reader.each(Buffer.from('one\ntw'), console.log); // { number: 1, text: 'one' }
 * reader.end(console.log); // { number: 2, text: 'tw', unterminated: true }
 */
export function createLineReader({
  maxLine = DEFAULT_MAX_LINE,
  separator = LF,
  isTyped = false,
}: {
  maxLine?: number | undefined;
  separator?: number;
  isTyped?: boolean;
} = {}): EndingStep<Buffer, Line> {
  /** The byte before the separator that belongs to the line ending as well. */
  const ending = separator === LF ? CR : undefined;
  let number = 0;
  let batch: Line[] = [];
  let mark: Pick<Line, 'damage' | 'unterminated'> | undefined;

  // The mapper keeps the lines for itself and returns nothing, so split2 has nothing to push and stays in
  // step: when `write` returns, every line of what was written is in the batch.
  const splitter = split2(String.fromCharCode(separator), (raw: string) => {
    const to = raw.charCodeAt(raw.length - 1) === ending ? -1 : undefined;
    // Files that were joined (`cat a b`) may each begin with a byte order mark.
    const from = raw.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0;
    const text = from === 0 && to === undefined ? raw : raw.slice(from, to);
    number++;
    const line: Line = mark ? { number, text, ...mark } : { number, text };
    if (isConverted) line.damage ??= 'utf-16';
    isConverted = false;
    batch.push(line);
  });

  let held: Buffer[] = []; // the pieces of the line that has no newline yet
  let heldBytes = 0;
  let dropping = false; // the current line is too long: only its length is counted
  let lastByte = 0; // of the line being dropped; a CR before the newline does not count
  let isStarted = false;
  let decoder: InstanceType<typeof TextDecoder> | undefined; // of an input that is UTF-16
  let isConverted = false; // the next line is the first one, and its bytes are not those of the input

  function give(push: (line: Line) => void): void {
    const lines = batch;
    batch = [];
    for (const line of lines) push(line);
  }

  function drop(): void {
    number++;
    const bytes = heldBytes - (lastByte === ending ? 1 : 0);
    batch.push({ number, text: '', damage: 'line-too-long', bytes });
    dropping = false;
    heldBytes = 0;
  }

  function hold(bytes: Buffer): void {
    if (bytes.length === 0) return;
    heldBytes += bytes.length;
    lastByte = bytes[bytes.length - 1]!;
    if (dropping) return;
    // One byte more than the limit may still turn out to be the CR of a line ending.
    if (heldBytes > maxLine + 1 || (heldBytes > maxLine && lastByte !== ending)) {
      dropping = true;
      held = [];
    } else {
      held.push(bytes);
    }
  }

  /** Takes whole lines, each with its newline. */
  function split(bytes: Buffer): void {
    if (bytes.length <= maxLine && isUtf8(bytes)) {
      splitter.write(bytes);
      return;
    }
    for (let from = 0; from < bytes.length; ) {
      const newline = bytes.indexOf(separator, from);
      const line = bytes.subarray(from, newline);
      if (line.length - (line.at(-1) === ending ? 1 : 0) > maxLine) {
        heldBytes = line.length;
        lastByte = line.at(-1) ?? 0;
        drop();
      } else {
        mark = isUtf8(line) ? mark : { ...mark, damage: 'invalid-utf8' };
        splitter.write(bytes.subarray(from, newline + 1));
        mark = undefined;
      }
      from = newline + 1;
    }
  }

  function read(bytes: Buffer): void {
    if (dropping) {
      const newline = bytes.indexOf(separator);
      hold(newline < 0 ? bytes : bytes.subarray(0, newline));
      if (newline < 0) return;
      drop();
      bytes = bytes.subarray(newline + 1);
    }
    const first = heldBytes > 0 ? bytes.indexOf(separator) + 1 : 0;
    if (first > 0) {
      const pieces = [...held, bytes.subarray(0, first)];
      held = [];
      heldBytes = 0;
      split(Buffer.concat(pieces));
      bytes = bytes.subarray(first);
    }
    const end = bytes.lastIndexOf(separator) + 1;
    if (end > 0) split(bytes.subarray(0, end));
    hold(bytes.subarray(end));
  }

  /** Detects the encoding once enough bytes have come. */
  function start(chunk: Buffer, ended: boolean): void {
    const head = Buffer.concat([...held, chunk]);
    if (head.length < 3 && !ended) {
      held = [head];
      return;
    }
    held = [];
    isStarted = true;
    const encoding = isTyped ? (markedEncoding(head) ?? 'utf-8') : encodingOf(head);
    if (encoding !== 'utf-8') decoder = new TextDecoder(encoding);
    isConverted = decoder !== undefined;
    feed(head.length > 2 && head.readUIntBE(0, 3) === 0xefbbbf ? head.subarray(3) : head, false);
  }

  /** Takes bytes in the encoding of the input. */
  function feed(bytes: Buffer, ended: boolean): void {
    read(decoder ? Buffer.from(decoder.decode(bytes, { stream: !ended })) : bytes);
  }

  return {
    each(chunk, push) {
      for (let at = 0; at < chunk.length; at += PART) {
        const part = chunk.subarray(at, at + PART);
        if (isStarted) feed(part, false);
        else start(part, false);
        give(push);
      }
    },
    end(push) {
      if (!isStarted) start(Buffer.alloc(0), true);
      if (decoder) feed(Buffer.alloc(0), true);
      if (dropping) drop();
      if (heldBytes > 0) {
        mark = { unterminated: true };
        const last = Buffer.concat([...held, Buffer.of(separator)]);
        split(last);
      }
      give(push);
    },
  };
}
