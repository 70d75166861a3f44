/** The steps of a command that reads events, from bytes to text: the same for the program and the library. */
import { callback, checkOptions, type Expectations, integer, required, step } from './arguments.ts';
import type { Item, Step } from './event.ts';
import { createLineReader, HIGHEST_MAX_LINE } from './steps/lines.ts';
import { createParser } from './steps/parse.ts';
import { compose, map, tap } from './stream.ts';

/** The steps of a pipeline. Those that are missing let everything pass. */
export interface PipelineSteps {
  /** The longest line read, in bytes; default 64 MiB. */
  maxLine?: number | undefined;
  /** What is wrong with an item: `createValidator()`. */
  check?: Step<Item, Item>;
  /** Sees every item, checked, in order. */
  onItem?: ((item: Item) => void) | undefined;
  /** Which items go on: `createFilter()`. */
  choose?: Step<Item, Item> | undefined;
  /** Items to text: `createPretty(…)`, `createMarkdown(…)`, `ndjsonLines`. */
  format: Step<Item, string>;
}

const STEPS: Expectations<PipelineSteps> = {
  maxLine: integer(1, HIGHEST_MAX_LINE),
  check: step,
  onItem: callback,
  choose: step,
  format: required(step),
};

/**
 * Bytes to text, as one step. The text of a line is pushed before the next line is read. Each input needs a pipeline
 * of its own; the steps given may be used for several inputs, one after the other.
 *
 * @throws TypeError for an unknown step, a missing `format` or a wrong type
 * @example
 * const step = createPipeline({ check: createValidator(), choose: createFilter({ type: 'message' }), format: ndjsonLines });
 * await pipeline(process.stdin, toTransform(step, 'bytes'), process.stdout);
 */
export function createPipeline(steps: PipelineSteps): Step<Buffer, string> {
  checkOptions('createPipeline', STEPS, steps);
  const { maxLine, check, onItem, choose, format } = steps;
  const given = [check, onItem && tap(onItem), choose].filter((step) => step !== undefined);
  return compose(createLineReader({ maxLine }), createParser(), ...given, format);
}

/** Events as NDJSON, each line unchanged. Text and faults are left out. */
export const ndjsonLines: Step<Item, string> = map((item) =>
  item.kind === 'event' || item.kind === 'unknown' ? `${item.line.text}\n` : undefined,
);
