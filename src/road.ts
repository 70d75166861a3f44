/** The way from bytes to text: what every command that reads events is, in the program and in the library. */
import type { Item, Stage, Step } from './event.ts';
import { createLineReader } from './steps/lines.ts';
import { createParser } from './steps/parse.ts';
import { compose, map, tap } from './stream.ts';

/** The parts of a road. Those that are missing let everything pass. */
export interface Road {
  /** The longest line read, in bytes; default 64 MiB. */
  maxLine?: number | undefined;
  /** What is wrong with an item: `createValidator()`. */
  check?: Step<Item, Item>;
  /** Sees every item, checked, in order. */
  onItem?: ((item: Item) => void) | undefined;
  /** Which items go on: `createFilter()`. */
  choose?: Step<Item, Item>;
  /** Items to text: `texts(createPretty(…))`. */
  format: Step<Item, string>;
}

/**
 * Bytes to text, as one step. The text of a line is there before the next line is looked at; each input needs a
 * road of its own, while the parts may serve several inputs one after the other.
 *
 * @example
 * const step = road({ check: createValidator(), choose: createFilter({ type: ['message'] }), format: ndjsonLines });
 * await pipeline(process.stdin, toTransform(step, 'bytes'), process.stdout);
 */
export function road({ maxLine, check, onItem, choose, format }: Road): Step<Buffer, string> {
  const given = [check, onItem && tap(onItem), choose].filter((step) => step !== undefined);
  return compose(createLineReader({ maxLine }), createParser(), ...given, format);
}

/** A format as a step of a road. Empty text is nothing. */
export function texts(format: Stage<Item, string>): Step<Item, string> {
  return {
    each(item, push) {
      const text = format.each(item);
      if (text !== '') push(text);
    },
    end(push) {
      const text = format.end?.();
      if (text) push(text);
    },
  };
}

/** Events as NDJSON, each line as it came. Text and faults are left out. */
export const ndjsonLines: Step<Item, string> = map((item) =>
  item.kind === 'event' || item.kind === 'unknown' ? `${item.line.text}\n` : undefined,
);
