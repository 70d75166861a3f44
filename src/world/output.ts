/** Where text goes: stdout, or a file that is there whole or not at all. */
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

/** Milliseconds from one look at a named pipe, whether somebody reads it, to the next. */
const INTERVAL = 50;

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
      // An error has an event of its own.
      return new Promise<void>((resolve) => {
        stream.write(bytesOf(text), () => resolve());
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

/**
 * A file that grows as it is written, such as the copy that `--tee` makes. Complete after each write. A named pipe is
 * waited for until somebody reads it.
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

/** Opens a named pipe. The system would wait for a reader as well, but then no signal could end us. */
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

/** A pipe of our own. */
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
 * A file that takes the place of `path` only when it is complete. The new one stands beside the old one until
 * then, with its permissions; a link is followed. A device or a pipe is written to directly.
 */
export async function wholeFileOutput(path: string): Promise<Output> {
  const found = guard(path, () => statSync(path, { throwIfNoEntry: false }));
  if (path === '' || (found && !found.isFile())) return fileOutput(path);
  const target = followLinks(path);
  // Imported late, since it takes a twentieth of every start.
  const { randomBytes } = await import('node:crypto');
  // Its own name might be too long with an ending. The process id would not make it unique: in a container it is always the same.
  const aside = join(dirname(target), `.palabre-fmt-${randomBytes(6).toString('hex')}.tmp`);
  const fd = guard(path, () => replacing(path, found, () => openSync(aside, 'wx')));
  if (found) takeAfter(fd, found);
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

/** What the system says where a file may be written, but none can be put in its place: a mount point, a folder of others. */
const IN_PLACE_ONLY = ['EBUSY', 'EXDEV', 'EACCES', 'EPERM', 'EROFS'];

/** Does a part of replacing a file. Where that is not possible, the error has a code that tells a way round it. */
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
export function followLinks(path: string, hops = 40): string {
  try {
    return hops === 0 ? path : followLinks(resolve(dirname(path), readlinkSync(path)), hops - 1);
  } catch {
    return path;
  }
}

const encoder = new TextEncoder();

/** Takes half the time of `Buffer.from`, which looks twice at each character. */
function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? encoder.encode(data) : data;
}

/** `writeSync` may write less than it was given, on a full disk for one. */
function writeWhole(fd: number, data: string | Uint8Array): void {
  let bytes = bytesOf(data);
  while (bytes.length > 0) bytes = bytes.subarray(writeSync(fd, bytes));
}
