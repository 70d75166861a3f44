/** Items to sessions, and a session on one line. The program's `list` is compared with jq in `test/cli/list.test.ts`. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Item } from '../../src/event.ts';
import { createTable, tabbed } from '../../src/format/list.ts';
import { labelsFor } from '../../src/labels/labels.ts';
import { safeJson } from '../../src/safe/json.ts';
import { createList, type ListOptions, type SessionEntry } from '../../src/steps/list.ts';
import { collect } from '../../src/stream.ts';
import { createStyle } from '../../src/terminal/style.ts';
import { cells } from '../../src/terminal/width.ts';
import { item, read } from '../fixtures.ts';
import { ATTACKS, leaks } from '../safe/attacks.ts';

const list = suite('list');

function itemsOf(text: string): Item[] {
  return text
    .split('\n')
    .map((line, index) => [line, index + 1] as const)
    .filter(([line]) => line !== '')
    .map(([line, number]) => item(line, number));
}

/** The sessions of inputs, one after the other. */
function sessions(inputs: string[], choice?: ListOptions): SessionEntry[] {
  const stage = createList(choice);
  return collect((push) => {
    for (const text of inputs) {
      for (const one of itemsOf(text)) stage.each(one, push);
      stage.end(push);
    }
  });
}

const brief = ({ number, line, mode, outcome, answers, total }: SessionEntry) =>
  `${number} ${line} ${mode} ${outcome} ${answers}/${total}`;

list('one entry for each session, where it begins', () => {
  assert.equal(sessions([read('two-sessions'), read('killed-mid-line')]).map(brief), [
    '1 1 debate finished 1/1',
    '2 8 ask finished 2/2',
    '3 1 debate unfinished 0/2',
  ]);
  assert.equal(sessions([read('debate-context')]).map(brief), ['1 2 debate finished 2/2']);
  assert.equal(sessions([read('resume-without-yes'), '', read('dry-run-ask')]).map(brief), [
    '1 1 ask dry-run null/null',
  ]);
  const start = read('debate-summary').split('\n')[0]!;
  const done = '{"v":1,"type":"done","outputPath":null}';
  const turn = '{"v":1,"type":"turn-start","turn":1,"totalTurns":4,"agent":"codex","role":"critic"}';
  // Told twice, broken off by the next one, and what stands outside of a session.
  assert.equal(sessions([[start, start, turn, start, done, done].join('\n')]).map(brief), [
    '1 2 debate unfinished 0/4',
    '2 4 debate ended null/null',
  ]);
  assert.equal(sessions([[turn, start, done].join('\n')]).map(brief), [
    '1 1 debate ended 0/4',
    '2 2 debate ended null/null',
  ]);
});

list('a session is told as soon as it is over', () => {
  const stage = createList();
  const items = itemsOf(read('two-sessions'));
  const told = items.map((one) => collect((push) => stage.each(one, push)).length);
  const ends = items.flatMap((one, index) =>
    one.kind === 'event' && one.event.type === 'done' ? [index] : [],
  );
  assert.equal(
    told.flatMap((count, index) => (count > 0 ? [index] : [])),
    ends,
  );
  assert.equal(collect(stage.end), []);
});

list('an entry has what the stream says', () => {
  const [entry] = sessions([read('debate-crash')]);
  const { agents, errors, topic, startedAt, outputPath, seconds } = entry!;
  assert.equal(
    agents.map(({ name, role, answers }) => [name, role, answers]),
    [
      ['codex', 'implementer', 1],
      ['claude', 'reviewer', 0],
    ],
  );
  assert.is(errors.length, 1);
  assert.is(errors[0]!.kind, 'non-zero-exit');
  assert.is(errors[0]!.phase, 'debate');
  assert.is.not(topic, '');
  assert.match(startedAt!, /^2026-.*Z$/);
  assert.match(outputPath!, /\.md$/);
  assert.is(seconds, null);
});

list('choices must all hold, their values are alternatives', () => {
  const inputs = ['debate-crash', 'debate-early-stop', 'ask', 'chat-export', 'dry-run-ask'].map(read);
  const chosen = (choice: ListOptions) => sessions(inputs, choice).map(({ number }) => number);
  assert.equal(chosen({}), [1, 2, 3, 4, 5]);
  assert.equal(chosen({ outcome: ['failed', 'stopped-early'] }), [1, 2]);
  assert.equal(chosen({ mode: ['ask'] }), [3, 5]);
  assert.equal(chosen({ mode: ['ask'], outcome: ['finished'] }), [3]);
  assert.equal(chosen({ session: [{ from: 2, to: 3 }] }), [2, 3]);
  assert.equal(chosen({ agent: ['nobody'] }), []);
  assert.equal(chosen({ agent: ['vibe'], mode: ['ask'] }), [3, 5]);
  const { topic } = sessions([inputs[0]!])[0]!;
  assert.ok(chosen({ grep: new RegExp(topic.split(' ')[0]!, 'mu') }).includes(1));
  assert.equal(chosen({ grep: /no such words/u }), []);
});

list('an event with wrong fields counts by its type', () => {
  const stage = createList();
  const fault = (type: string, number: number): Item =>
    ({
      kind: 'fault',
      line: { number, text: '' },
      findings: [],
      value: { v: 1, type, agents: 5 },
    }) as unknown as Item;
  const entries = collect<SessionEntry>((push) => {
    stage.each(fault('start', 3), push);
    stage.each(fault('error', 4), push);
    stage.end(push);
  });
  assert.equal(entries.map(brief), ['1 3 null unfinished null/null']);
});

list('the words of answers and summaries are counted by agent, anew in each session', () => {
  const said = (type: string, agent: string, content: unknown) => ({ v: 1, type, agent, content });
  const events = [
    {
      v: 1,
      type: 'start',
      mode: 'debate',
      agents: [{ name: 'codex' }, { name: 'claude' }, { name: 'vibe' }],
    },
    said('message', 'codex', 'two words'),
    said('message', 'claude', ' **three**\tsmall\r\nwords\n'),
    said('summary-message', 'codex', 'one'),
    said('message', 'claude', 5),
    { v: 1, type: 'done', outputPath: null },
    { v: 1, type: 'start', mode: 'debate', agents: [{ name: 'codex' }] },
    said('message', 'codex', 'four words, no more'),
  ];
  const items = events.map((event, index) => item(JSON.stringify(event), index + 1));
  const words = (options?: { words: boolean }) => {
    const stage = createList({}, options);
    const entries = collect<SessionEntry>((push) => {
      for (const one of items) stage.each(one, push);
      stage.end(push);
      stage.each(items[3]!, push);
      stage.end(push);
    });
    return entries.map(({ agents }) => agents.map(({ name, words }) => `${name} ${words}`));
  };
  assert.equal(words(), [['codex 3', 'claude 3', 'vibe 0'], ['codex 4'], ['codex 1']]);
  assert.equal(words({ words: false }), [['codex 0', 'claude 0', 'vibe 0'], ['codex 0'], ['codex 0']]);
});

const ENTRY: SessionEntry = {
  number: 1,
  line: 1,
  mode: 'debate',
  topic: 'Tabs or spaces?',
  startedAt: '2026-03-09T10:00:00.000Z',
  timeZone: 'Europe/Paris',
  seconds: null,
  outcome: 'stopped-early',
  answers: 2,
  total: 4,
  agents: [
    { name: 'codex', role: 'implementer', answers: 1, words: 3 },
    { name: 'claude', role: 'reviewer', answers: 1, words: 3 },
  ],
  errors: [],
  outputPath: null,
};

const row = suite('list: a line');

row('for a program: tabs, ISO times, no translation', () => {
  const values = '2026-03-09T10:00:00.000Z\tdebate\tstopped-early\t2/4\tcodex, claude\tTabs or spaces?';
  assert.is(tabbed(ENTRY, 'a\tb.ndjson'), `${values}\ta b.ndjson\n`);
  assert.is(
    tabbed(
      { ...ENTRY, startedAt: null, mode: null, answers: null, total: null, topic: 'a\tb\r\nc' },
      'stdin',
    ),
    '\t\tstopped-early\t\tcodex, claude\ta b c\tstdin\n',
  );
  assert.is(tabbed({ ...ENTRY, mode: 'chat', total: null }, 'a').split('\t')[3], '2');
});

/** A line of the table, without colour. */
function line(entry: SessionEntry, width: number, file?: string, language: 'en' | 'fr' = 'en'): string {
  return createTable({ style: createStyle({ level: 0 }), labels: labelsFor(language), width })(entry, file);
}

row('for a person: columns that stand in the same place for every session', () => {
  assert.is(
    line(ENTRY, 0),
    '✓  2026-03-09 11:00  Debate  stopped early  2/4    codex, claude             Tabs or spaces?\n',
  );
  assert.is(
    line({ ...ENTRY, outcome: 'failed', mode: 'ask' }, 0, 'a.ndjson', 'fr'),
    '✗  2026-03-09 11:00  Ask    échec          2/4    codex, claude             Tabs or spaces?  a.ndjson\n',
  );
  const nothing = { ...ENTRY, startedAt: null, mode: null, answers: null, total: null, agents: [] };
  assert.is(line(nothing, 0).indexOf('Tabs'), line(ENTRY, 0).indexOf('Tabs'));
});

row('cut to the width, with the file last', () => {
  for (const width of [1, 2, 3, 4, 10, 14, 20, 40, 80, 100, 120, 200]) {
    for (const file of [undefined, 'sessions/2026/march/monday.ndjson']) {
      const text = line({ ...ENTRY, topic: 'long '.repeat(50) }, width, file);
      assert.ok(cells(text.slice(0, -1)) <= width, `${width}: ${text}`);
    }
  }
  const windows = line(ENTRY, 100, 'C:\\Users\\user\\sessions\\2026\\monday.ndjson');
  assert.match(windows, /\? {2,}monday\.ndjson\n$/);
});

row('the topic has room at any width: the other columns make it, what says least first', () => {
  const entry = { ...ENTRY, topic: 'Which of the two libraries should read the configuration?' };
  const at = (width: number) => line(entry, width, 'sessions/2026/monday-morning.ndjson').trimEnd();
  assert.equal([30, 40, 60, 80, 120].map(at), [
    '✓  Which of the t…  monday-mo…',
    '✓  2026-03-09  Which of the…  monday-mo…',
    '✓  2026-03-09  Which of the two libraries sho…  monday-morn…',
    '✓  2026-03-09  stopped early  2/4    Which of the two librari…  monday-morning.…',
    '✓  2026-03-09  Debate  stopped early  2/4    codex, claude   Which of the two libraries shoul…  monday-morning.ndjson',
  ]);
  assert.is(
    line(entry, 80),
    '✓  2026-03-09  stopped early  2/4    codex, claude   Which of the two libraries…\n',
  );
});

row('nothing in an event has power over a terminal, or makes a second line', () => {
  for (const [name, attack] of Object.entries(ATTACKS)) {
    const agents = [{ name: attack, role: attack, answers: 1, words: 1 }];
    const errors = [{ phase: attack, kind: attack, agent: attack, message: attack }];
    const hostile = {
      ...ENTRY,
      mode: attack,
      topic: attack,
      startedAt: attack,
      timeZone: attack,
      agents,
      errors,
    };
    for (const text of [tabbed(hostile, attack), line(hostile, 0, attack), line(hostile, 80, attack)]) {
      assert.equal(leaks(text, { colors: false }), [], name);
      assert.is(text.indexOf('\n'), text.length - 1, name);
    }
    assert.is(tabbed(hostile, attack).split('\t').length, 7, name);
    const json = safeJson(hostile);
    assert.equal(leaks(json, { colors: false }), [], name);
    assert.equal(JSON.parse(json), hostile, name);
  }
});

row('no mark of CI stands in JSON, which reads the same', () => {
  const topic = '##vso[task.complete] ##[group]x ##teamcity[a] # ## ###';
  const json = safeJson({ topic });
  assert.not.match(json, /##\w*\[/);
  assert.is(JSON.parse(json).topic, topic);
});

list.run();
row.run();
