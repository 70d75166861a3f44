/** Where text goes: stdout, or a file that is replaced as a whole or not at all. */
import {
  accessSync,
  closeSync,
  constants,
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
import { Socket } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between two attempts to open a named pipe that has no reader yet. */
const INTERVAL = 50;

/** An output that cannot be written; `cause` is the system's error. */
export class OutputError extends Error {
  /** What a message calls the output. */
  readonly output: string;
  constructor(output: string, cause: unknown) {
    super(`${output}: ${(cause as Error).message}`, { cause });
    this.name = 'OutputError';
    this.output = output;
  }
}

/** A place to write to. Every failure is thrown as an {@link OutputError}. */
export interface Output {
  /** Resolves when everything is written, and the buffer may be reused. */
  write(text: string | Uint8Array): Promise<void> | void;
  /** Whether the reader has gone away. Later writes are ignored. */
  readonly closed: boolean;
  /** Called after the last write: puts the file in its place, closes it. */
  finish(): Promise<void> | void;
  /** Called after a failure: removes a file that is not complete. */
  abandon(): void;
}

/** A terminal, a pipe, or another stream that stays open. A reader that goes away is not an error. */
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
      // Errors arrive as an event as well, which handles them.
      return new Promise<void>((resolve) => {
        stream.write(bytesOf(text), () => resolve());
      });
    },
    get closed() {
      return closed;
    },
    async finish() {
      // A pending error is emitted before the callback of this empty write.
      if (!closed && !failure) await new Promise((resolve) => stream.write('', resolve));
      if (failure) throw new OutputError(name, failure);
    },
    abandon() {},
  };
}

/** A file or device that is open already, and is left open. */
export function openOutput(name: string, fd: number): Output {
  return {
    write: (data) => guard(name, () => writeWhole(fd, data)),
    closed: false,
    finish() {},
    abandon() {},
  };
}

/**
 * A file that is written in place, such as the copy that `--tee` makes; complete after each write. A named pipe is opened
 * once it has a reader.
 */
export async function fileOutput(path: string): Promise<Output> {
  const isPipe = guard(path, () => statSync(path, { throwIfNoEntry: false }))?.isFIFO();
  if (isPipe) return pipeOutput(path, await openPipe(path));
  return ownOutput(
    path,
    guard(path, () => openSync(path, 'w')),
  );
}

/** A file that we have opened, and close. */
function ownOutput(name: string, fd: number) {
  let isOpen = true;
  function close(): void {
    if (isOpen) closeSync(fd);
    isOpen = false;
  }
  return { ...openOutput(name, fd), finish: () => guard(name, close), abandon: close };
}

/** Opens a named pipe once it has a reader. A blocking `open` would do so too, but no signal could then end the program. */
async function openPipe(path: string): Promise<number> {
  for (;;) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw new OutputError(path, error);
    }
    await sleep(INTERVAL);
  }
}

/** A pipe that we have opened, and close. */
function pipeOutput(path: string, fd: number): Output {
  const stream = new Socket({ fd, readable: false });
  const output = streamOutput(path, stream);
  const { finish } = output;
  return Object.assign(output, {
    async finish() {
      await finish();
      stream.destroy();
    },
    abandon: () => stream.destroy(),
  });
}

/**
 * A file that replaces `path` only when it is complete. Until then it is a temporary file in the same folder, with the
 * permissions of the old one. Links are followed. A device or a pipe is written to directly.
 */
export async function wholeFileOutput(path: string): Promise<Output> {
  const found = guard(path, () => statSync(path, { throwIfNoEntry: false }));
  if (path === '' || (found && !found.isFile())) return fileOutput(path);
  const target = followLinks(path);
  // Imported late: it takes a twentieth of the start-up time.
  const { randomBytes } = await import('node:crypto');
  // The name of the target plus a suffix could be too long. A process id would not be unique: in a container it is often 1.
  const aside = join(dirname(target), `.palabre-fmt-${randomBytes(6).toString('hex')}.tmp`);
  const fd = guard(path, () => replacing(path, found, () => openSync(aside, 'wx')));
  if (found) copyPermissions(fd, found);
  const file = ownOutput(path, fd);
  return {
    ...file,
    finish() {
      file.finish();
      guard(path, () => replacing(path, found, () => renameSync(aside, target)));
    },
    abandon() {
      file.abandon();
      rmSync(aside, { force: true });
    },
  };
}

/** Errors where a file can be written but not replaced: a mount point, a folder without write permission. */
const IN_PLACE_ONLY = ['EBUSY', 'EXDEV', 'EACCES', 'EPERM', 'EROFS'];

/** Runs one step of replacing a file. Where it can only be written in place, the error has the code `IN_PLACE_ONLY`. */
function replacing<T>(path: string, old: Stats | undefined, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!old || !isWritable(path) || !IN_PLACE_ONLY.includes(code)) throw error;
    throw Object.assign(new Error('no file can take its place', { cause: error }), { code: 'IN_PLACE_ONLY' });
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Gives the new file the permissions of the old one, and its owner where that is allowed. */
function copyPermissions(fd: number, old: Stats): void {
  try {
    fchmodSync(fd, old.mode & 0o7777);
    fchownSync(fd, old.uid, old.gid);
  } catch {
    // Only root may change the owner; else the new file belongs to the user who runs the program.
  }
}

function guard<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new OutputError(name, error);
  }
}

/** The target of a link, even if it does not exist yet. A loop of links fails when it is opened. */
export function followLinks(path: string, hops = 40): string {
  try {
    return hops === 0 ? path : followLinks(resolve(dirname(path), readlinkSync(path)), hops - 1);
  } catch {
    return path;
  }
}

const encoder = new TextEncoder();

/** What text is encoded into, again and again. To measure each text for memory of its own is a tenth of `pretty`. */
const encoded = new Uint8Array(1024 * 1024);
/** Bytes of UTF-8 for one code unit, at most. */
const MOST_BYTES = 3;

/** Text as UTF-8, good until the next call. */
function bytesOf(data: string | Uint8Array): Uint8Array {
  if (typeof data !== 'string') return data;
  if (data.length * MOST_BYTES > encoded.length) return encoder.encode(data);
  return encoded.subarray(0, encoder.encodeInto(data, encoded).written);
}

/** `writeSync` may write less than it was given, on a full disk for one. */
function writeWhole(fd: number, data: string | Uint8Array): void {
  let bytes = bytesOf(data);
  while (bytes.length > 0) bytes = bytes.subarray(writeSync(fd, bytes));
}
