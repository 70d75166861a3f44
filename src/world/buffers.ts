/**
 * Buffers that are used again. Memory that is new for every chunk takes longer than what is done with the chunk,
 * and fills up until it is collected.
 */

/** Buffers of one size, lent out and given back. */
export interface Pool {
  take(): Buffer;
  /** Takes a buffer back, by any part of it. What is not lent is left to the collector. */
  give(part: Buffer): void;
}

/** @param size of each buffer, in bytes */
export function createPool(size: number): Pool {
  const free: ArrayBufferLike[] = [];
  const lent = new Set<ArrayBufferLike>();
  return {
    take() {
      const buffer = Buffer.from(free.pop() ?? Buffer.allocUnsafeSlow(size).buffer);
      lent.add(buffer.buffer);
      return buffer;
    },
    give({ buffer }) {
      // Bytes from elsewhere may share their memory with anything.
      if (lent.delete(buffer)) free.push(buffer);
    },
  };
}

/** Text as UTF-8, in as few buffers as it needs. */
export interface Encoder {
  add(text: string): void;
  /** Everything added since the last call; to be given back once it is written. */
  take(): Buffer[];
  give(bytes: Buffer): void;
}

/**
 * An encoder. Text is best added as it comes: what has become bytes is no string for the collector to copy.
 *
 * @param size of its buffers, in bytes; a text that may not fit into one gets one of its own
 * @example
 * const encoder = createEncoder(1024);
 * encoder.add('one');
 * encoder.add('two');
 * encoder.take(); // [<Buffer 6f 6e 65 74 77 6f>]
 */
export function createEncoder(size: number): Encoder {
  const pool = createPool(size);
  let full: Buffer[] = [];
  let buffer = pool.take();
  let used = 0;

  function close(): void {
    if (used === 0) return;
    full.push(buffer.subarray(0, used));
    buffer = pool.take();
    used = 0;
  }

  return {
    add(text) {
      // No code unit of UTF-16 takes more than three bytes.
      const most = text.length * 3;
      if (most > size - used) close();
      if (most > size) full.push(Buffer.from(text));
      else used += buffer.write(text, used);
    },
    take() {
      close();
      const taken = full;
      full = [];
      return taken;
    },
    give: pool.give,
  };
}
