/**
 * The text format for people: a header, a block for each answer, a footer; or one line per event.
 *
 * Whatever an event holds stands behind a gutter or after one of the program's own marks, so that no agent can
 * imitate a header. The format reads no environment, no terminal and no clock: all of that is in its options.
 */
import {
  callback,
  checkOptions,
  type Expectations,
  flag,
  integer,
  labels,
  oneOf,
  required,
  style,
} from '../arguments.ts';
import type { EndingStep, Item } from '../event.ts';
import { LANGUAGES } from '../labels/labels.ts';
import { createBlocks } from './blocks.ts';
import { createCompact } from './compact.ts';
import { createDriver } from './driver.ts';
import type { PrettyOptions } from './view.ts';

export type { PrettyOptions } from './view.ts';

const OPTIONS: Expectations<PrettyOptions> = {
  style: required(style),
  labels: required(labels),
  language: required(oneOf(...LANGUAGES)),
  width: required(integer(0)),
  compact: flag,
  verbose: flag,
  render: callback,
  mark: callback,
  hyperlinks: flag,
  now: callback,
};

/**
 * The text of each item, whole lines or nothing. Events must have been through `validate`: one with missing
 * fields may throw unless it is a `fault`, which is shown as far as it goes. `end` belongs to the end of each
 * input: what is printed next is a session of its own, while the agents keep their colours.
 *
 * Content comes out entire. Without `render` and with `width` 0 each of its lines stands unchanged behind the
 * gutter (two cells: `│ `), unless it holds control characters; only blank lines at its end are
 * dropped. With `compact` only the first line of a content is shown, and cut.
 *
 * @param options.width cells of a line, 0 for unlimited
 * @throws TypeError for an unknown option, a missing one or a wrong type
 * @example
 * const pretty = createPretty({ style: createStyle({ level: 0 }), labels: labelsFor('en'), language: 'en', width: 0 });
 * const line = { number: 1, text: '' };
 * const event = { v: 1, type: 'notice', message: 'Early stop.' } as const;
 * pretty.each({ kind: 'event', line, event }, console.log); // '· Early stop.\n'
 */
export function createPretty(options: PrettyOptions): EndingStep<Item, string> {
  checkOptions('createPretty', OPTIONS, options);
  const view = options.compact ? createCompact(options) : createBlocks(options);
  const unknown = options.verbose ? view.unknown : () => '';
  return createDriver({ ...view, unknown }, options.now);
}
