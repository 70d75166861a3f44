/** Where text goes: stdout, or a file that is there whole or not at all. */
import {
  closeSync,
  fchmodSync,
  fchownSync,
  openSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';

/** An output that cannot be written, with the system's error as its cause. */
export class OutputError extends Error {
  /** What a message calls the output. */
  readonly output: string;
  constructor(output: string, cause: unknown) {
    super(`${output}: ${(cause as Error).message}`, { cause });
    this.name = 'OutputError';
    this.output = output;
  }
}

/** A place to write to. What goes wrong is thrown as an {@link OutputError}. */
export interface Output {
  /** Writes; resolves when it is written, and bytes may be used again. */
  write(text: string | Uint8Array): Promise<void> | void;
  /** Whether the reader has gone away. Nothing that is written afterwards matters. */
  readonly closed: boolean;
  /** Everything was written: makes it last. */
  finish(): Promise<void> | void;
  /** Something went wrong: leaves nothing half done. */
  abandon(): void;
}

/** A terminal, a pipe, or another stream that stays open. A reader that goes away is no error. */
export function streamOutput(name: string, stream: Writable): Output {
  let failure: NodeJS.ErrnoException | undefined;
  let closed = false;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') closed = true;
    else failure ??= error;
  });

  return {
    write(text) {
      if (failure) throw new OutputError(name, failure);
      if (closed) return;
      // An error has an event of its own.
      return new Promise<void>((resolve) => {
        stream.write(text, () => resolve());
      });
    },
    get closed() {
      return closed;
    },
    async finish() {
      // An error may be on its way: the callback of a last, empty write comes after it.
      if (!closed && !failure) await new Promise((resolve) => stream.write('', resolve));
      if (failure) throw new OutputError(name, failure);
    },
    abandon() {},
  };
}

/** A file or device that is open already, and stays so. */
export function openOutput(name: string, fd: number): Output {
  return {
    write: (data) => guard(name, () => writeWhole(fd, data)),
    closed: false,
    finish() {},
    abandon() {},
  };
}

/** A file that grows as it is written, such as the copy that `--tee` makes. Complete after each write. */
export function fileOutput(path: string): Output {
  const fd = guard(path, () => openSync(path, 'w'));
  return {
    ...openOutput(path, fd),
    finish: () => guard(path, () => closeSync(fd)),
    abandon: () => closeSync(fd),
  };
}

/**
 * A file that takes the place of `path` only when it is complete. The new one stands beside the old one until
 * then, with its permissions; a link is followed. What is no regular file (a device, a pipe) is written as it is.
 */
export function wholeFileOutput(path: string): Output {
  const found = guard(path, () => statSync(path, { throwIfNoEntry: false }));
  if (path === '' || (found && !found.isFile())) return fileOutput(path);
  const target = followLinks(path);
  // Its own name might be too long with an ending.
  const aside = join(dirname(target), `.palabre-fmt-${process.pid}.tmp`);
  const fd = guard(path, () => openSync(aside, 'wx'));
  if (found) takeAfter(fd, found);
  let isOpen = true;

  function close(): void {
    if (isOpen) closeSync(fd);
    isOpen = false;
  }

  return {
    ...openOutput(path, fd),
    finish() {
      guard(path, () => {
        close();
        renameSync(aside, target);
      });
    },
    abandon() {
      close();
      rmSync(aside, { force: true });
    },
  };
}

/** Gives the new file the permissions of the old one, and its owner where that is allowed. */
function takeAfter(fd: number, old: Stats): void {
  try {
    fchmodSync(fd, old.mode & 0o7777);
    fchownSync(fd, old.uid, old.gid);
  } catch {
    // Only root gives files away; the new file then belongs to whoever wrote it.
  }
}

function guard<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new OutputError(name, error);
  }
}

/** Where a link ends, also one whose file is not there yet. A loop of links fails when it is opened. */
function followLinks(path: string, hops = 40): string {
  try {
    return hops === 0 ? path : followLinks(resolve(dirname(path), readlinkSync(path)), hops - 1);
  } catch {
    return path;
  }
}

/** `writeSync` may write less than it was given, on a full disk for one. */
function writeWhole(fd: number, data: string | Uint8Array): void {
  let bytes = typeof data === 'string' ? Buffer.from(data) : data;
  while (bytes.length > 0) bytes = bytes.subarray(writeSync(fd, bytes));
}
