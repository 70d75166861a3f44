/**
 * The pipe itself: one input through the steps to the output, and what was found on the way. Knows no command:
 * it is given the check of a line, the format of an item and what is worth a word.
 */

import type { Finding, Item, Line, Stage } from '../event.ts';
import { checkSession, endSession, type SessionChecker } from '../protocol/checker.ts';
import { createLineReader } from '../steps/lines.ts';
import { consume, toTransform } from '../stream.ts';
import { createEncoder } from '../world/buffers.ts';
import type { Input } from '../world/input.ts';
import type { Output } from '../world/output.ts';
import { createDiagnosis, type Diagnosis } from './diagnose.ts';

/** Bytes of a chunk that are made into text at once. */
const PART = 16 * 1024;
/** Bytes of a buffer for the text of a chunk. */
const ENCODED = 256 * 1024;

/** What happens to one input. */
export interface Flow {
  /** Bytes. */
  maxLine: number;
  /** A line to an item, checked; `undefined` for a line to pass over. */
  check(line: Line): Item | undefined;
  /** The rules of a session. */
  session: SessionChecker;
  /** An item to text; `end` closes what is still open. */
  format: Stage<Item, string>;
  /** Called before text is written: the place must be free. */
  clear(): void;
  /** Called with each finding. */
  report(finding: Finding): void;
  /** Called once it is known that findings are worth a list: an input without any event is told what it looks like. */
  settle(): void;
  /** True once nothing more is wanted. */
  enough(): boolean;
  output: Output;
  /** Gets every byte of the input as well. */
  copy?: ((bytes: Buffer) => void) | undefined;
}

/**
 * Lets one input flow through. Resolves with what an input without any event looks like (`undefined` for
 * one that has events), or early when the reader of the output has gone or enough was written.
 *
 * @throws the system's error when the input cannot be read; OutputError when the output cannot be written
 */
export async function flow(input: Input, run: Flow): Promise<Diagnosis | undefined> {
  const encoder = createEncoder(ENCODED);
  const step = createStep(run, encoder.add);
  const chunks: Stage<Buffer, Piece[]> = {
    each(bytes) {
      run.copy?.(bytes);
      const isLast = step.each(bytes);
      input.release?.(bytes);
      return [{ bytes: encoder.take(), isLast }];
    },
    end() {
      step.end();
      return [{ bytes: encoder.take(), isLast: true }];
    },
  };
  await consume<Piece>(input.stream, [toTransform(chunks, 'bytes')], async ({ bytes, isLast }) => {
    for (const buffer of bytes) {
      run.clear();
      await run.output.write(buffer);
      encoder.give(buffer);
    }
    return !isLast && !run.output.closed;
  });
  return step.diagnosis();
}

/** What a chunk gave. The step is ahead of the output, so it says itself which piece is the last. */
interface Piece {
  bytes: Buffer[];
  isLast: boolean;
}

/**
 * Bytes to text. What came in one chunk is written at once, and never held for the next. All of it is one step of the
 * pipe, and a part of a chunk becomes bytes again before the next is read: a line that waits for another step, or a
 * text for its end, is copied by the collector of garbage, and the young generation grows by what it copies.
 */
function createStep(run: Flow, add: (text: string) => void) {
  const reader = createLineReader({ maxLine: run.maxLine });
  const diagnosis = createDiagnosis();
  let settled = false;
  let last = 0;
  let refused = false;

  function settle(): void {
    if (!settled) run.settle();
    settled = true;
  }

  function format(line: Line): string {
    last = line.number;
    const checked = run.check(line);
    if (!checked) return '';
    if (!settled) {
      diagnosis.each(checked);
      if (diagnosis.eventful) settle();
    }
    const item = checkSession(run.session, checked);
    item.findings?.forEach(run.report);
    if (line.damage === 'utf-16') {
      refused = true;
      settle();
    }
    return run.format.each(item);
  }

  function addAll(lines: Line[]): void {
    let text = '';
    for (const line of lines) {
      if (run.enough()) break;
      text += format(line);
    }
    add(text);
  }

  return {
    /** What an input without any event looks like. */
    diagnosis: () => diagnosis.diagnosis(),
    /** Whether nothing more is wanted. */
    each(bytes: Buffer): boolean {
      for (let at = 0; at < bytes.length; at += PART) {
        addAll(reader.each(bytes.subarray(at, at + PART)));
        if (refused || run.enough()) return true;
      }
      return false;
    },
    end(): void {
      addAll(reader.end());
      if (refused || run.enough()) return;
      if (diagnosis.diagnosis() === undefined) settle();
      const item = endSession(run.session, last);
      item?.findings?.forEach(run.report);
      if (item) add(run.format.each(item));
      add(run.format.end?.() ?? '');
    },
  };
}
