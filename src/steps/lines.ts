/**
 * Bytes to lines. split2 does the splitting, and is only ever given whole lines: left to itself it would scan
 * an unfinished line again at every chunk, and its own limit depends on where the chunks are cut.
 */
import { isUtf8 } from 'node:buffer';
import split2 from 'split2';
import type { Line, Stage } from '../event.ts';

/** The byte that ends a line. */
const LF = 0x0a;
/** The byte that ends a message of `xargs -0`. */
export const NUL = 0x00;
const CR = 0x0d;
const MIB = 1024 * 1024;

/** The longest line read unless told otherwise, in bytes. */
export const DEFAULT_MAX_LINE = 64 * MIB;
/** The longest line that can be asked for, in bytes: a string of Node's holds little more. */
export const HIGHEST_MAX_LINE = 500 * MIB;

/**
 * A stage that cuts chunks of UTF-8 into lines. A line is given as soon as its newline has come, and the last
 * one at the end of the input; the result never depends on where the chunks were cut. LF and CRLF end a
 * line. A byte order mark at the start is dropped.
 *
 * What cannot be read is marked with `damage`: a line over `maxLine` bytes (dropped, never held in memory),
 * bytes that are no UTF-8 (replaced by U+FFFD), and an input that a byte order mark calls UTF-16, which
 * gives this one mark and nothing more.
 *
 * @param options.maxLine in bytes, without the line ending; default 64 MiB
 * @param options.separator the byte that ends a line; default LF, which takes a CR before it along
 * @example
 * const reader = createLineReader();
 * reader.each(Buffer.from('one\ntw')); // [{ number: 1, text: 'one' }]
 * reader.end(); // [{ number: 2, text: 'tw', unterminated: true }]
 */
export function createLineReader({
  maxLine = DEFAULT_MAX_LINE,
  separator = LF,
} = {}): Required<Stage<Buffer, Line[]>> {
  /** What belongs to the line ending as well. */
  const ending = separator === LF ? CR : undefined;
  let number = 0;
  let batch: Line[] = [];
  let mark: Pick<Line, 'damage' | 'unterminated'> | undefined;

  // The mapper keeps the lines for itself and returns nothing, so split2 has nothing to push and stays in
  // step: when `write` returns, every line of what was written is in the batch.
  const splitter = split2(String.fromCharCode(separator), (raw: string) => {
    const text = raw.charCodeAt(raw.length - 1) === ending ? raw.slice(0, -1) : raw;
    number++;
    batch.push(mark ? { number, text, ...mark } : { number, text });
  });

  let held: Buffer[] = []; // the pieces of the line that has no newline yet
  let heldBytes = 0;
  let dropping = false; // the line at hand is too long: only its length is still counted
  let lastByte = 0; // of the line being dropped; a CR before the newline is no part of it
  let state: 'start' | 'lines' | 'refused' = 'start';

  function take(): Line[] {
    const lines = batch;
    batch = [];
    return lines;
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
      // A copy: the chunk may be read into again.
      held.push(Buffer.from(bytes));
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

  /** Looks for a byte order mark, once enough bytes have come to know. */
  function start(chunk: Buffer, ended: boolean): void {
    const head = Buffer.concat([...held, chunk]);
    const first = head[0] ?? 0;
    const undecided = head.length < (first === 0xef ? 3 : first >= 0xfe ? 2 : 1);
    if (undecided && !ended) {
      held = [head];
      return;
    }
    held = [];
    const pair = head.length > 1 ? head.readUInt16BE(0) : 0;
    if (pair === 0xfeff || pair === 0xfffe) {
      state = 'refused';
      batch.push({ number: 1, text: '', damage: 'utf-16' });
      return;
    }
    state = 'lines';
    read(head.length > 2 && head.readUIntBE(0, 3) === 0xefbbbf ? head.subarray(3) : head);
  }

  return {
    each(chunk) {
      if (state === 'lines') read(chunk);
      else if (state === 'start') start(chunk, false);
      return take();
    },
    end() {
      if (state === 'start') start(Buffer.alloc(0), true);
      if (dropping) drop();
      if (heldBytes > 0) {
        mark = { unterminated: true };
        const last = Buffer.concat([...held, Buffer.of(separator)]);
        split(last);
      }
      return take();
    },
  };
}
