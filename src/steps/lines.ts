/**
 * Bytes to lines. split2 splits them, and is given whole lines only: it would scan an unfinished line again at every
 * chunk, and its own limit depends on where the chunks are cut.
 */
import { isUtf8 } from 'node:buffer';
import split2 from 'split2';
import { checkOptions, type Expectations, flag, integer } from '../arguments.ts';
import type { EndingStep, Line } from '../event.ts';

/** The byte that ends a line. */
const LF = 0x0a;
/** The byte that ends a message of `xargs -0`. */
export const NUL = 0x00;
const CR = 0x0d;
const BYTE_ORDER_MARK = 0xfeff;
const MIB = 1024 * 1024;

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

/** How a line differs from the input. */
type Mark = Pick<Line, 'damage' | 'unterminated'>;

/** Bytes in the encoding of an input as UTF-8. The encoding is known once two bytes have come, or the end. */
function createDecoder(isTyped: boolean): EndingStep<Buffer, Buffer> & { isConverting(): boolean } {
  /** What has come before the encoding is known. */
  let head: Buffer | undefined = Buffer.alloc(0);
  let decoder: InstanceType<typeof TextDecoder> | undefined;

  function decode(bytes: Buffer, push: (bytes: Buffer) => void, stream = true): void {
    push(decoder ? Buffer.from(decoder.decode(bytes, { stream })) : bytes);
  }

  function start(bytes: Buffer, push: (bytes: Buffer) => void): void {
    const encoding = isTyped ? (markedEncoding(bytes) ?? 'utf-8') : encodingOf(bytes);
    if (encoding !== 'utf-8') decoder = new TextDecoder(encoding);
    head = undefined;
    decode(bytes, push);
  }

  return {
    isConverting: () => decoder !== undefined,
    each(bytes, push) {
      if (!head) return decode(bytes, push);
      head = Buffer.concat([head, bytes]);
      if (head.length >= 2) start(head, push);
    },
    end(push) {
      if (head) start(head, push);
      if (decoder) decode(Buffer.alloc(0), push, false);
    },
  };
}

/** Whole lines of UTF-8, each with its newline, as numbered lines of text. */
function createSplitter(separator: number, isConverting: () => boolean) {
  let number = 0;
  let push: (line: Line) => void;
  /** What `push` threw. split2 would make an event of it. */
  let failure: { error: unknown } | undefined;
  let mark: Mark | undefined;
  let isFirst = true;

  // The mapper gives the lines itself and returns nothing, so split2 has nothing to push and stays in step: when
  // `write` returns, all lines of what was written have been given.
  const splitter = split2(String.fromCharCode(separator), (raw: string) => {
    if (failure) return;
    const to = separator === LF && raw.charCodeAt(raw.length - 1) === CR ? -1 : undefined;
    // Files that were joined (`cat a b`) may each begin with a byte order mark.
    const from = raw.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0;
    const text = from === 0 && to === undefined ? raw : raw.slice(from, to);
    // Nothing but a byte order mark or a CR stands after the last newline.
    if (text === '' && mark?.unterminated) return;
    number++;
    const line: Line = mark ? { number, text, ...mark } : { number, text };
    if (isFirst && isConverting()) line.damage ??= 'utf-16';
    isFirst = false;
    try {
      push(line);
    } catch (error) {
      failure = { error };
    }
  });

  return {
    /** Lines go to `receive` from now on. */
    giveTo(receive: (line: Line) => void): void {
      push = receive;
    },
    add(bytes: Buffer, marked?: Mark): void {
      mark = marked;
      splitter.write(bytes);
      const thrown = failure;
      failure = undefined;
      if (thrown) throw thrown.error;
    },
    /** Counts a line that is too long. */
    skip(bytes: number): void {
      push({ number: ++number, text: '', damage: 'line-too-long', bytes });
    },
  };
}

interface LineReaderOptions {
  maxLine?: number | undefined;
  separator?: number;
  isTyped?: boolean;
}

const LINE_READER: Expectations<LineReaderOptions> = {
  maxLine: integer(1, HIGHEST_MAX_LINE),
  separator: integer(0, 255),
  isTyped: flag,
};

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
 * @throws TypeError for an unknown option or a wrong type
 * @example
 * const reader = createLineReader();
 * reader.each(Buffer.from('one\ntw'), console.log); // { number: 1, text: 'one' }
 * reader.end(console.log); // { number: 2, text: 'tw', unterminated: true }
 */
export function createLineReader(options: LineReaderOptions = {}): EndingStep<Buffer, Line> {
  checkOptions('createLineReader', LINE_READER, options);
  const { maxLine = DEFAULT_MAX_LINE, separator = LF, isTyped = false } = options;
  const decoder = createDecoder(isTyped);
  const lines = createSplitter(separator, decoder.isConverting);
  let held: Buffer[] = []; // the pieces of the line that has no newline yet
  let heldBytes = 0;
  let lastByte = 0; // of that line
  let dropping = false; // it is too long: only its length is still counted

  /** The length of a line without its line ending, of which the newline is gone already. */
  function lengthOf(bytes: number, last: number | undefined): number {
    return bytes - (separator === LF && last === CR ? 1 : 0);
  }

  function hold(bytes: Buffer): void {
    if (bytes.length === 0) return;
    heldBytes += bytes.length;
    lastByte = bytes[bytes.length - 1]!;
    if (!dropping) held.push(bytes);
    // One byte more than the limit may still turn out to be the CR of a line ending.
    dropping ||= lengthOf(heldBytes, lastByte) > maxLine;
    if (dropping) held = [];
  }

  /** Takes what is held, as a line or as whole lines. */
  function release(): Buffer {
    const bytes = Buffer.concat(held);
    held = [];
    heldBytes = 0;
    return bytes;
  }

  function drop(): void {
    lines.skip(lengthOf(heldBytes, lastByte));
    dropping = false;
    heldBytes = 0;
  }

  /** Takes whole lines, each with its newline. */
  function split(bytes: Buffer, mark?: Mark): void {
    if (bytes.length <= maxLine && isUtf8(bytes)) {
      lines.add(bytes, mark);
      return;
    }
    for (let from = 0; from < bytes.length; ) {
      const newline = bytes.indexOf(separator, from);
      const line = bytes.subarray(from, newline);
      const length = lengthOf(line.length, line.at(-1));
      if (length > maxLine) lines.skip(length);
      else
        lines.add(
          bytes.subarray(from, newline + 1),
          isUtf8(line) ? mark : { ...mark, damage: 'invalid-utf8' },
        );
      from = newline + 1;
    }
  }

  function read(bytes: Buffer): void {
    const first = heldBytes > 0 ? bytes.indexOf(separator) + 1 : 0;
    if (dropping && first > 0) {
      hold(bytes.subarray(0, first - 1));
      drop();
    } else if (first > 0) {
      held.push(bytes.subarray(0, first));
      split(release());
    }
    const end = Math.max(first, bytes.lastIndexOf(separator) + 1);
    if (end > first) split(bytes.subarray(first, end));
    hold(bytes.subarray(end));
  }

  return {
    each(chunk, push) {
      lines.giveTo(push);
      decoder.each(chunk, read);
    },
    end(push) {
      lines.giveTo(push);
      decoder.end(read);
      if (dropping) drop();
      if (heldBytes > 0) {
        held.push(Buffer.of(separator));
        split(release(), { unterminated: true });
      }
    },
  };
}
