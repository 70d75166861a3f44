/**
 * The text format for people: a header, a block for each answer, a footer; or one line per event.
 *
 * Whatever an event holds stands behind a gutter or after one of the program's own marks, so that no agent can
 * imitate a header. The format reads no environment, no terminal and no clock: all of that is in its options.
 */
import type { EventType, Finding, Item, LineCode, PalabreEvent, Stage } from '../event.ts';
import { newSession, nextInput, observe, observeItem } from '../protocol/observe.ts';
import { mend } from '../schema/mend.ts';
import { createBlocks } from './blocks.ts';
import { createCompact } from './compact.ts';
import type { PrettyOptions, View } from './view.ts';
import { sentence } from './words.ts';

export type { PrettyOptions } from './view.ts';

/** Why a line is no event. What is wrong in the order of events is for the report alone. */
const NO_EVENT: ReadonlySet<string> = new Set<LineCode>([
  'not-an-event',
  'line-too-long',
  'truncated-line',
  'unsupported-version',
]);

/**
 * The text of each item, whole lines or nothing. Events must have been through `validate`: one with missing
 * fields may throw unless it is a `fault`, which is shown as far as it goes. `end` belongs to the end of each
 * input: what is printed next is a session of its own, while the agents keep their colours.
 *
 * Content comes out entire. Without `render` and with `width` 0 each of its lines stands unchanged behind the
 * gutter (two cells: `│ `), as far as it holds nothing that a terminal obeys; only blank lines at its end are
 * dropped. With `compact` only the first line of a content is shown, and cut.
 *
 * @param options.width cells of a line, 0 for unlimited
 * @example
 * const pretty = createPretty({ style: createStyle({ level: 0 }), labels: labelsFor('en'), language: 'en', width: 0 });
 * const line = { number: 1, text: '' };
 * pretty.each({ kind: 'event', line, event: { v: 1, type: 'notice', message: 'Early stop.' } }); // '· Early stop.\n'
 */
export function createPretty(options: PrettyOptions): Stage<Item, string> {
  const { labels, verbose = false, now } = options;
  const view = options.compact ? createCompact(options) : createBlocks(options);
  let session = newSession();
  /** Whether this input was said to be of another version: once is enough. */
  let versionShown = false;

  function showEvent(event: PalabreEvent): string {
    session = observe(session, event, now);
    return handler(view, event.type)(event, session);
  }

  function showFinding(finding: Finding): string {
    if (finding.code === 'unsupported-version') {
      if (versionShown) return '';
      versionShown = true;
    }
    return view.fault(finding.line, sentence(finding, labels));
  }

  function show(item: Item): string {
    switch (item.kind) {
      case 'event':
        return showEvent(item.event);
      case 'unknown':
        return verbose ? view.unknown(item.event.type, item.line.text) : '';
      case 'text':
        return view.text(item.line.text);
      case 'fault':
        return item.value ? showEvent(mend(item.value)) : '';
    }
  }

  return {
    each(item) {
      const before = item.brokeOff ? view.unfinished(session) : '';
      if (item.hidden) {
        session = observeItem(session, item, now);
        return before;
      }
      if (item.kind !== 'fault' || item.value) return before + show(item);
      return (
        before +
        item.findings
          .filter(({ code }) => NO_EVENT.has(code))
          .map(showFinding)
          .join('')
      );
    },
    end() {
      session = nextInput(session);
      versionShown = false;
      view.reset();
      return '';
    },
  };
}

/** The handler of a type. The table and the event agree by their common type, which TypeScript cannot follow. */
function handler(view: View, type: EventType) {
  if (!Object.hasOwn(view.events, type)) throw new TypeError(`no event type: ${type}`);
  return view.events[type] as (event: PalabreEvent, session: ReturnType<typeof newSession>) => string;
}
