/** Binary input, by its first bytes. */
import type { Step } from '../event.ts';

/** A key of `labels.binary`. */
export type Binary = 'gzip' | 'zstd' | 'xz' | 'bzip2' | 'zip' | 'utf32' | 'other';

/** How the files of each program begin. */
const MAGIC: readonly (readonly [Binary, readonly number[]])[] = [
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ['bzip2', [0x42, 0x5a, 0x68]],
  ['zip', [0x50, 0x4b, 0x03, 0x04]],
  // A byte order mark, or the brace of the first event.
  ['utf32', [0xff, 0xfe, 0, 0]],
  ['utf32', [0x7b, 0, 0, 0]],
  ['utf32', [0, 0, 0xfe, 0xff]],
  ['utf32', [0, 0, 0, 0x7b]],
];
const LONGEST = Math.max(...MAGIC.map(([, bytes]) => bytes.length));
/** How many bytes are looked at for what no magic number tells. */
const SAMPLE = 512;

/**
 * What kind of binary data the first bytes of an input are; `undefined` for text, UTF-16 too, and for fewer bytes than
 * it takes to know.
 *
 * @example
 * binaryKind(Buffer.of(0x1f, 0x8b, 8, 0, 0)); // 'gzip'
 */
export function binaryKind(bytes: Buffer): Binary | undefined {
  for (const [kind, magic] of MAGIC) if (magic.every((byte, index) => bytes[index] === byte)) return kind;
  const sample = bytes.subarray(0, SAMPLE);
  // Zeros in every second place are UTF-16.
  const start = sample.toString('latin1', 0, 2);
  const isUtf16 = (start.includes('\0') && start !== '\0\0') || start === '\xfe\xff' || start === '\xff\xfe';
  const odd = sample.filter(isControl).length;
  return !isUtf16 && odd >= 8 && odd > sample.length / 20 ? 'other' : undefined;
}

/** A control character that no text has: not a tab, a line ending, a form feed, an escape or a bell. */
function isControl(byte: number): boolean {
  return byte < 0x07 || (byte > 0x0d && byte < 0x1b);
}

/**
 * A step that passes on the bytes of text. For binary data it passes on nothing and is done; `kind()` then tells what
 * it is. The first bytes are held back until there are enough of them to know.
 *
 * @example
 * const text = createTextOnly();
 * for (const bytes of chunks) text.each(bytes, console.log);
 * text.kind(); // undefined, or 'gzip'
 */
export function createTextOnly(): Required<Step<Buffer, Buffer>> & { kind(): Binary | undefined } {
  let held: Buffer | undefined = Buffer.alloc(0);
  let kind: Binary | undefined;

  function decide(bytes: Buffer, push: (bytes: Buffer) => void): void {
    held = undefined;
    kind = binaryKind(bytes);
    if (kind === undefined && bytes.length > 0) push(bytes);
  }

  return {
    each(chunk, push) {
      if (held === undefined) return push(chunk);
      held = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
      if (held.length >= LONGEST) decide(held, push);
    },
    end(push) {
      if (held) decide(held, push);
    },
    done: () => kind !== undefined,
    kind: () => kind,
  };
}
