/**
 * The pipe itself: one input through the steps to the output, and what was found on the way. Knows no command:
 * it is given the check of a line, the format of an item and what is worth a word.
 */
import { createDiagnosis, type Diagnosis } from './diagnose.ts';
import type { Finding, Item, Line, Stage } from './event.ts';
import type { Input } from './input.ts';
import { createLineReader } from './lines.ts';
import type { Output } from './output.ts';
import { checkSession, endSession, type SessionChecker } from './protocol.ts';
import { consume, toTransform } from './stream.ts';

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
  const step = createStep(run);
  const reader = createLineReader({ maxLine: run.maxLine });
  const lines: Stage<Buffer, [Line[]]> = {
    each(bytes) {
      run.copy?.(bytes);
      return [reader.each(bytes)];
    },
    end: () => [reader.end()],
  };
  const steps = [toTransform(lines, 'bytes'), toTransform(step)];
  await consume<Piece>(input.stream, steps, async ({ text, isLast }) => {
    if (text !== '') run.clear();
    await run.output.write(text);
    return !isLast && !run.output.closed;
  });
  return step.diagnosis();
}

/** What a batch of lines gave. The step is ahead of the output, so it says itself which piece is the last. */
interface Piece {
  text: string;
  isLast: boolean;
}

/** A batch of lines to one text: what came in one chunk is written at once, and never held for the next. */
function createStep(run: Flow) {
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
    diagnosis.each(checked);
    if (diagnosis.eventful) settle();
    const item = checkSession(run.session, checked);
    item.findings?.forEach(run.report);
    if (line.damage === 'utf-16') {
      refused = true;
      settle();
    }
    return run.format.each(item);
  }

  return {
    /** What an input without any event looks like. */
    diagnosis: () => diagnosis.diagnosis(),
    each(lines: Line[]): Piece[] {
      let text = '';
      for (const line of lines) {
        if (run.enough()) break;
        text += format(line);
      }
      return [{ text, isLast: refused || run.enough() }];
    },
    end(): Piece[] {
      if (run.enough()) return [];
      if (diagnosis.diagnosis() === undefined) settle();
      const item = endSession(run.session, last);
      item?.findings?.forEach(run.report);
      return [{ text: (item ? run.format.each(item) : '') + (run.format.end?.() ?? ''), isLast: true }];
    },
  };
}
