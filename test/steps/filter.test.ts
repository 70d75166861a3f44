import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseRange } from '../../src/arguments.ts';
import type { Item, PalabreEvent, Step } from '../../src/event.ts';
import { createFilter, createSelection, extractField, type FilterOptions } from '../../src/steps/filter.ts';
import { collect } from '../../src/stream.ts';
import { item } from '../fixtures.ts';

const filter = suite('filter');

const STREAM = [
  { type: 'warning', message: 'folder missing' },
  {
    type: 'start',
    mode: 'debate',
    topic: 'T',
    agents: [{ name: 'codex', role: 'implementer', type: 'cli' }],
  },
  { type: 'turn-start', turn: 1, totalTurns: 2, agent: 'codex', role: 'implementer' },
  { type: 'thinking-start', agent: 'codex', role: 'implementer' },
  { type: 'thinking-end' },
  { type: 'message', turn: 1, agent: 'codex', role: 'implementer', content: 'first line\nSecond risk' },
  { type: 'message', turn: 2, agent: 'claude', role: 'reviewer', content: 'Agreed' },
  { type: 'agent-chunk', agent: 'codex', content: 'new kind' },
  { type: 'done', outputPath: null },
  { type: 'warning', message: 'before the second' },
  { type: 'start', mode: 'ask', topic: 'U', agents: [] },
  { type: 'ask-response', response: 1, agent: 'vibe', role: 'critic', content: 'A risk' },
  { type: 'chat-message', agent: 'vibe', role: 'critic', content: 'chat' },
  { type: 'summary-message', agent: 'claude', role: 'summarizer', content: 'sum' },
  {
    type: 'error',
    phase: 'ask',
    kind: 'timeout',
    message: 'Risk of waiting',
    turn: 2,
    details: { stderr: 'boom' },
  },
  { type: 'done', outputPath: '/x' },
].map((event, index) => item(JSON.stringify({ v: 1, ...event }), index + 1));

function through(step: Step<Item, Item>, items: readonly Item[]): Item[] {
  return collect((push) => {
    for (const each of items) step.each(each, push);
  });
}

/** The line numbers of what is chosen. */
function chosen(options: FilterOptions, items: readonly Item[] = STREAM): number[] {
  return through(createFilter(options), items).map(({ line }) => line.number);
}

const ALL = STREAM.map(({ line }) => line.number);

filter('nothing asked chooses all', () => {
  assert.equal(chosen({}), ALL);
  assert.equal(chosen({ type: [], turn: [], session: [] }), ALL);
});

filter('types, groups, and both', () => {
  assert.equal(chosen({ type: ['message'] }), [6, 7]);
  assert.equal(chosen({ type: ['message', 'done'] }), [6, 7, 9, 16]);
  assert.equal(chosen({ type: ['@content'] }), [6, 7, 8, 12, 13, 14]);
  assert.equal(chosen({ type: ['@thinking'] }), [4, 5]);
  assert.equal(chosen({ type: ['@debate'] }), [3, 6, 7]);
  assert.equal(chosen({ type: ['@ask'] }), [12]);
  assert.equal(chosen({ type: ['@summary'] }), [14]);
  assert.equal(chosen({ type: ['@chat'] }), [13]);
  assert.equal(chosen({ type: ['@log'] }), [1, 10]);
  assert.equal(chosen({ type: ['@session', 'agent-chunk'] }), [2, 8, 9, 11, 15, 16]);
  assert.equal(chosen({ type: ['toString', '__proto__'] }), []);
});

filter('types to leave out', () => {
  assert.equal(chosen({ notType: ['@content', '@log', 'done'] }), [2, 3, 4, 5, 11, 15]);
  assert.equal(chosen({ type: ['@content'], notType: ['message'] }), [8, 12, 13, 14]);
});

filter('fields: every option must hold, values are alternatives', () => {
  assert.equal(chosen({ agent: ['claude'] }), [7, 14]);
  assert.equal(chosen({ agent: ['claude', 'vibe'] }), [7, 12, 13, 14]);
  assert.equal(chosen({ agent: ['claude'], role: ['reviewer'] }), [7]);
  assert.equal(chosen({ kind: ['timeout'] }), [15]);
  assert.equal(chosen({ phase: ['debate'] }), []);
});

filter('turns and responses', () => {
  assert.equal(chosen({ turn: [{ from: 1, to: 1 }] }), [3, 6, 12]);
  assert.equal(chosen({ turn: [{ from: 2, to: Infinity }] }), [7, 15]);
});

filter('sessions, with the warnings that come before them', () => {
  assert.equal(chosen({ session: [{ from: 1, to: 1 }] }), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.equal(chosen({ session: [{ from: 2, to: 9 }] }), [10, 11, 12, 13, 14, 15, 16]);
});

filter('sessions are counted across inputs, and the end of one closes it', () => {
  const stage = createFilter({ session: [{ from: 2, to: 2 }] });
  const start = item('{"v":1,"type":"start"}');
  const warning = item('{"v":1,"type":"warning","message":"w"}');
  assert.equal(through(stage, [start, warning]), []);
  stage.end();
  assert.equal(through(stage, [warning, start]), [warning, start]);
});

filter('a search looks into content and message, line by line', () => {
  assert.equal(chosen({ grep: /^second/imu }), [6]);
  assert.equal(chosen({ grep: /risk/imu }), [6, 12, 15]);
  assert.equal(chosen({ grep: /risk/mu }), [6, 12]);
  assert.equal(chosen({ grep: /folder/u }), [1]);
});

filter('a field that must be there', () => {
  assert.equal(chosen({ field: 'details.stderr' }), [15]);
  assert.equal(chosen({ field: 'outputPath' }), [9, 16]);
  assert.equal(chosen({ field: 'constructor.name' }), []);
});

filter('inverted, the whole selection', () => {
  assert.equal(chosen({ invert: true }), []);
  const options = { type: ['@content'], agent: ['claude'], session: [{ from: 1, to: 1 }] };
  assert.equal(
    chosen({ ...options, invert: true }),
    ALL.filter((line) => !chosen(options).includes(line)),
  );
});

filter('text and faults are never chosen', () => {
  const others = [item('npm warn'), item('{'), item('{"v":2}')];
  assert.equal(chosen({}, others), []);
  assert.equal(chosen({ invert: true, type: ['x'] }, others), []);
});

filter('a field as text', () => {
  const event = {
    v: 1,
    type: 'x',
    s: 'a\nb',
    n: 3,
    z: null,
    o: { p: [true, 'q'] },
    f: false,
    e: '',
  } as unknown as PalabreEvent;
  assert.is(extractField(event, 's'), 'a\nb');
  assert.is(extractField(event, 'n'), '3');
  assert.is(extractField(event, 'z'), 'null');
  assert.is(extractField(event, 'f'), 'false');
  assert.is(extractField(event, 'e'), '');
  assert.is(extractField(event, 'o'), '{"p":[true,"q"]}');
  assert.is(extractField(event, 'o.p.1'), 'q');
  assert.is(extractField(event, 'o.p.length'), undefined);
  assert.is(extractField(event, 'missing'), undefined);
  assert.is(extractField(event, 'toString'), undefined);
  assert.is(extractField(event, 's.length'), undefined);
});

filter('ranges', () => {
  assert.equal(parseRange('2'), { from: 2, to: 2 });
  assert.equal(parseRange('2..4'), { from: 2, to: 4 });
  assert.equal(parseRange('3..'), { from: 3, to: Infinity });
  assert.equal(parseRange('..4'), { from: 1, to: 4 });
  for (const text of ['', '..', '0', '4..2', '-1', 'a', '1...2', '1..2..3', '1.5', '..0']) {
    assert.is(parseRange(text), undefined, text);
  }
});

/** The line numbers of what a format is to show. */
function shown(options: FilterOptions, items: readonly Item[] = STREAM): number[] {
  const all = through(createSelection(options), items);
  assert.is(all.length, items.length, 'everything goes on');
  return all.filter(({ hidden }) => !hidden).map(({ line }) => line.number);
}

filter('a selection keeps the frame of the sessions', () => {
  assert.equal(shown({}), ALL);
  assert.equal(shown({ type: 'message' }), [2, 6, 7, 9, 11, 15, 16]);
  assert.equal(shown({ kind: 'cancelled' }), [2, 9, 11, 15, 16]);
  assert.equal(shown({ type: 'message', notType: 'done' }), [2, 6, 7, 11, 15]);
  assert.equal(shown({ agent: 'codex', notType: '@session' }), [3, 4, 6, 8]);
  assert.equal(shown({ agent: 'codex', invert: true }), chosen({ agent: 'codex', invert: true }));
  assert.equal(shown({ type: '@session', invert: true }), ALL);
});

filter('a selection leaves the frame of another session out', () => {
  assert.equal(shown({ session: 2 }), chosen({ session: 2 }));
  assert.equal(shown({ session: 2, type: 'chat-message' }), [11, 13, 15, 16]);
  assert.equal(shown({ session: 2, invert: true }), chosen({ session: 1 }));
  // Not all of the session is unwanted.
  assert.equal(
    shown({ session: 1, type: '@content', invert: true }),
    [1, 2, 3, 4, 5, 9, 10, 11, 12, 13, 14, 15, 16],
  );
});

filter('a selection has no stray text, and the marks of what cannot be read where their session is', () => {
  const text = item('noise', 3);
  const broken = item('{', 4);
  const items = [STREAM[1]!, text, broken];
  assert.equal(shown({ type: 'message' }, items), [2, 4]);
  assert.equal(shown({ session: 2 }, items), []);
});

filter('that a session broke off is told where that session is shown', () => {
  const items: Item[] = [STREAM[1]!, { ...STREAM[10]!, brokeOff: true }];
  const marks = (options: FilterOptions) => {
    return through(createSelection(options), items).map(({ brokeOff = false }) => brokeOff);
  };
  assert.equal(marks({ type: 'done' }), [false, true]);
  assert.equal(marks({ session: 1 }), [false, true]);
  assert.equal(marks({ session: 2 }), [false, false]);
});

filter('what no event had is known at the end', () => {
  const after = (options: FilterOptions, items: readonly Item[] = STREAM) => {
    const stage = createFilter(options);
    through(stage, items);
    return stage.unmet();
  };
  assert.equal(after({ agent: ['codex', 'nobody'] })?.agents, ['nobody']);
  assert.equal(after({ agent: 'nobody' })?.others, ['codex', 'claude', 'vibe']);
  assert.is(after({ agent: 'nobody' }, []), undefined);
  assert.is(after({ field: 'details.stderr' })?.field, undefined);
  assert.is(after({ field: 'details.stdout' })?.field, 'details.stdout');
});

filter('a range may be typed with a hyphen', () => {
  assert.equal(parseRange('2-4'), { from: 2, to: 4 });
  assert.is(parseRange('4-2'), undefined);
  assert.is(parseRange('-4'), undefined);
});

filter.run();
