/** A format with a selection shows of each chosen event what it shows of that event without one. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { EndingStep, Item } from '../../src/event.ts';
import { createPretty } from '../../src/format/pretty.ts';
import { createMarkdown } from '../../src/format/transcript.ts';
import { labelsFor } from '../../src/labels/labels.ts';
import { createSessionChecker } from '../../src/protocol/checker.ts';
import { createSelection, type FilterOptions, GROUPS } from '../../src/steps/filter.ts';
import { createValidator } from '../../src/steps/validate.ts';
import { collect } from '../../src/stream.ts';
import { createStyle } from '../../src/terminal/style.ts';
import { FIXTURES, item, read } from '../fixtures.ts';
import { fc } from '../random.ts';
import { pushed, pushedAtEnd } from './push.ts';

const selection = suite('selection');

const WORDS = { labels: labelsFor('en'), language: 'en' } as const;
const PRETTY = { ...WORDS, style: createStyle({ level: 0 }), width: 60 };
const FORMATS: Record<string, () => EndingStep<Item, string>> = {
  blocks: () => createPretty(PRETTY),
  compact: () => createPretty({ ...PRETTY, compact: true }),
  markdown: () => createMarkdown({ title: 'T', ...WORDS, notices: true }),
};

const STREAMS = FIXTURES.map((name) => {
  const check = createValidator({ checker: createSessionChecker({ only: ['missing-done'] }) });
  const lines = read(name).split('\n').filter(Boolean);
  const items = collect<Item>((push) => {
    for (const [index, text] of lines.entries()) check.each(item(text, index + 1), push);
    check.end(push);
  });
  return { name, items };
});

const some = <Value>(values: readonly Value[]) => fc.subarray([...values], { maxLength: 2 });

const OPTIONS: fc.Arbitrary<FilterOptions> = fc.record(
  {
    type: some([...Object.keys(GROUPS), 'message', 'error', 'turn-start']),
    notType: some([...Object.keys(GROUPS), 'done', 'ask-response']),
    agent: some(['codex', 'claude', 'vibe', 'user']),
    turn: some(['1', '2..3', '3..']),
    session: some([1, 2]),
    grep: fc.constantFrom(/the/u, /\?$/mu),
    invert: fc.boolean(),
  },
  { requiredKeys: [] },
);

selection('what is shown of a chosen event does not depend on what else is chosen', () => {
  let compared = 0;
  fc.assert(
    fc.property(fc.constantFrom(...STREAMS), OPTIONS, ({ items, name }, options) => {
      for (const [format, create] of Object.entries(FORMATS)) {
        const [whole, chosen] = [create(), create()];
        const choose = createSelection(options);
        for (const each of items) {
          // That a session broke off is told with the next event, but is not of it.
          const { brokeOff, ...bare } = each;
          const [told] = collect<Item>((push) => choose.each(bare, push));
          const [all, text] = [pushed(whole, bare).trim(), pushed(chosen, told!).trim()];
          const where = `${format} ${name}:${each.line.number}`;
          if (told!.hidden) assert.is(text, '', where);
          else assert.ok(text.endsWith(all), `${where}: ${text}\nends with ${all}`);
          if (!told!.hidden && all !== '') compared++;
        }
      }
    }),
    { numRuns: 200 },
  );
  assert.ok(compared > 1000, `${compared} events`);
});

selection('a transcript of a Chat loses nothing, whatever is left out of it', () => {
  for (const { name, items } of STREAMS.filter(({ name }) => name.startsWith('chat-'))) {
    const types = new Set(items.flatMap((each) => (each.kind === 'event' ? [each.event.type] : [])));
    for (const notType of [...types]
      .filter((type) => type !== 'start')
      .flatMap((type) => [[type], [type, 'done']])) {
      const choose = createSelection({ notType });
      const format = createMarkdown(WORDS);
      const text = collect<Item>((push) => {
        for (const each of items) choose.each(each, push);
      })
        .map((each) => pushed(format, each))
        .join('');
      const whole = text + pushedAtEnd(format);
      assert.match(whole, /^# Chat/, `${name} without ${notType}`);
      for (const each of items)
        if (each.kind === 'event' && each.event.type === 'chat-message' && !notType.includes('chat-message'))
          assert.ok(whole.includes(each.event.content.split('\n')[0]!), `${name} without ${notType}`);
    }
  }
});

selection.run();
