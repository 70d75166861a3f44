/** What a reader knows of a session, from what the stream shows: `PROTOCOL.md` and `CLI.md` in examples. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Item, PalabreEvent } from '../../src/event.ts';
import { createSessionChecker } from '../../src/protocol/checker.ts';
import {
  atWork,
  newSession,
  nextInput,
  observe,
  observeItem,
  outcome,
  type Session,
  seconds,
  tally,
} from '../../src/protocol/observe.ts';
import { events, FIXTURES, item } from '../fixtures.ts';

const test = suite('observe');

type Event = { type: string; [field: string]: unknown };

const START = {
  type: 'start',
  mode: 'debate',
  topic: 'Tabs?',
  turns: 4,
  agents: [
    { name: 'codex', role: 'implementer', type: 'cli' },
    { name: 'claude', role: 'reviewer', type: 'cli' },
  ],
  summaryEnabled: true,
  summaryAgent: 'vibe',
  earlyStop: true,
  filesCount: 0,
  session: {
    startedAt: '2026-03-09T10:00:00.000Z',
    localDate: '2026-03-09',
    timeZone: 'Europe/Paris',
    cwd: '/home/user/project',
  },
};
const ASK = { ...START, mode: 'ask' };
const CHAT = {
  type: 'start',
  mode: 'chat',
  topic: '',
  agents: START.agents.slice(0, 1),
  session: START.session,
};
const DONE = { type: 'done', outputPath: null };
const NOTICE = { type: 'notice', message: 'Early stop: both agree.' };
const error = (kind: string): Event => ({
  type: 'error',
  phase: 'debate',
  kind,
  message: 'No.',
  agent: 'codex',
});
const turn = (number: number, agent = 'codex'): Event[] => [
  { type: 'turn-start', turn: number, totalTurns: 4, agent, role: 'critic' },
  { type: 'thinking-start', agent, role: 'critic' },
  { type: 'thinking-end' },
  { type: 'message', turn: number, agent, role: 'critic', content: 'three small words' },
];
const response = (number: number): Event[] => [
  { type: 'ask-response-start', response: number, totalResponses: 2, agent: 'codex', role: 'critic' },
  { type: 'ask-response', response: number, agent: 'codex', role: 'critic', content: 'Yes.' },
];
const summary: Event[] = [
  { type: 'summary-start', agent: 'vibe', role: 'summarizer' },
  { type: 'summary-message', agent: 'vibe', role: 'summarizer', content: 'In short, tabs.' },
];
const exchange: Event[] = [
  {
    type: 'chat-user-message',
    agent: 'user',
    role: 'architect',
    content: 'Why?',
    createdAt: '2026-03-09T10:00:05Z',
  },
  { type: 'chat-message', agent: 'codex', role: 'critic', content: 'So.', createdAt: '2026-03-09T10:00:09Z' },
];
const opinion: Event[] = [
  { type: 'chat-consultation-start', agent: 'vibe', role: 'scout' },
  {
    type: 'chat-consultation',
    agent: 'vibe',
    role: 'scout',
    content: 'No idea.',
    createdAt: '2026-03-09T10:01:00Z',
  },
];
const four = [1, 2, 3, 4].flatMap((number) => turn(number));

function after(stream: readonly Event[], before = newSession()): Session {
  return stream.reduce<Session>(
    (session, event) => observe(session, { v: 1, ...event } as unknown as PalabreEvent),
    before,
  );
}

/** The outcome, and the count as `2/4` where one may be told. */
function told(stream: readonly Event[]): string {
  const session = after(stream);
  const count = tally(session);
  return [outcome(session), ...(count ? [`${count.answers}/${count.total ?? '?'}`] : [])].join(' ');
}

/** A stream without the events of some types, as `filter -T` leaves it. */
const without = (stream: readonly Event[], ...types: string[]): Event[] =>
  stream.filter(({ type }) => !types.includes(type));
const only = (stream: readonly Event[], ...types: string[]): Event[] =>
  stream.filter(({ type }) => types.includes(type));

const FULL = [START, ...four, ...summary, DONE];
const EARLY = [START, ...turn(1), ...turn(2), NOTICE, ...summary, DONE];
const FAILED = [START, ...turn(1), ...turn(2).slice(0, 2), error('timeout'), { type: 'thinking-end' }, DONE];
const TALK = [CHAT, ...exchange, ...opinion, ...exchange, DONE];

test('whole sessions', () => {
  assert.is(told(FULL), 'finished 4/4');
  assert.is(told([{ ...START, summaryEnabled: false }, ...four, DONE]), 'finished 4/4');
  assert.is(told(EARLY), 'stopped-early 2/4');
  assert.is(told([START, ...turn(1), DONE]), 'stopped-early 1/4');
  assert.is(told(FAILED), 'failed 1/4');
  assert.is(told([START, ...turn(1), error('cancelled'), DONE]), 'cancelled 1/4');
  assert.is(told([START, ...turn(1)]), 'unfinished 1/4');
  assert.is(told([START, ...turn(1), error('timeout')]), 'unfinished 1/4');
  assert.is(told([ASK, ...response(1), ...response(2), ...summary, DONE]), 'finished 2/2');
  assert.is(told([ASK, ...response(1), error('timeout'), DONE]), 'failed 1/2');
  assert.is(told(TALK), 'finished 2/?');
  assert.is(told([CHAT, error('cancelled'), DONE]), 'cancelled');
  assert.is(told([{ type: 'dry-run', mode: 'debate', agents: START.agents }]), 'dry-run');
});

test('a resumed session goes on where it stopped: what counts are the numbers', () => {
  const resume = { type: 'notice', message: 'Resume · 2 saved responses\nSubject: Tabs?' };
  assert.is(told([resume, START, ...turn(3), ...turn(4), ...summary, DONE]), 'finished 4/4');
  assert.is(told([resume, ASK, ...response(2), ...summary, DONE]), 'finished 2/2');
  assert.is(told([resume, START, ...turn(3), ...turn(4).slice(0, 2), error('timeout'), DONE]), 'failed 3/4');
  assert.is(told([resume, START, ...turn(3).slice(0, 2), error('timeout'), DONE]), 'failed 2/4');
  assert.is(told([resume, START, ...turn(3).slice(0, 1)]), 'unfinished 2/4');
  assert.is(told([resume, START, ...summary, DONE]), 'finished');
  assert.is(told([resume]), 'ended');
});

test('an outcome is claimed only where the stream shows it', () => {
  for (const stream of [FULL, EARLY, FAILED, [ASK, ...response(1), ...response(2), DONE], TALK]) {
    // Answers without openers, openers without answers, an end alone.
    const answers = ['start', 'message', 'ask-response', 'summary-message', 'chat-message', 'done'];
    const openers = ['start', 'turn-start', 'ask-response-start', 'chat-user-message', 'done'];
    for (const types of [answers, openers, ['start', 'done'], ['done'], ['message'], ['start', 'message']]) {
      const left = only(stream, ...types);
      const started = left.some(({ type }) => type === 'start');
      const told_ =
        types.length === 2 && types[1] === 'message' && !left.some(({ type }) => type === 'message');
      assert.is(told(left), told_ && started ? 'unfinished' : 'ended', `${types}: ${stream[1]!.type}`);
    }
  }
  // What an error interrupted shows that something is missing.
  assert.is(told(without(FAILED, 'error')), 'ended');
  assert.is(told(only(FAILED, 'start', 'error', 'done')), 'failed');
  assert.is(told(only(FAILED, 'start', 'message', 'error', 'done')), 'failed');
  assert.is(told(only(FAILED, 'error')), 'failed');
  assert.is(told(without(FAILED, 'start')), 'failed 1/4');
  // Nobody allowed this Debate to stop early: its error was filtered out.
  assert.is(told([{ ...START, earlyStop: false }, ...turn(1), DONE]), 'ended 1/4');
  assert.is(told([ASK, ...response(1), DONE]), 'ended 1/2');
  // Without its start: the openers tell how many there were to be.
  assert.is(told(without(FULL, 'start')), 'finished 4/4');
  assert.is(told(without(EARLY, 'start')), 'stopped-early 2/4');
  assert.is(told([...turn(1), DONE]), 'ended 1/4');
  assert.is(told(without(FULL, 'done')), 'unfinished 4/4');
  assert.is(told(without(FULL, 'start', 'done')), 'ended 4/4');
  assert.is(told(without(FULL, 'thinking-start', 'thinking-end')), 'finished 4/4');
});

test('every fixture: what happened in it', () => {
  const found = FIXTURES.map((name) => {
    const all: Session[] = [];
    let session = newSession();
    for (const event of events(name)) {
      const next = observe(session, event as unknown as PalabreEvent);
      if (next !== session) all.push(session);
      session = next;
    }
    return `${name}: ${[...all, session]
      .filter(({ begun }) => begun)
      .map(outcome)
      .join(' ')}`;
  });
  assert.equal(
    found.filter((line) => !/: finished$/.test(line)),
    [
      'ask-error: failed',
      'chat-cancelled-idle: cancelled',
      'chat-cancelled-thinking: cancelled',
      'chat-consult-error: failed',
      'chat-send-error: failed',
      'debate-cancelled: cancelled',
      'debate-crash: failed',
      'debate-early-stop: stopped-early',
      'debate-empty-output: failed',
      'debate-summary-error: failed',
      'debate-usage-limit: failed',
      'dry-run-ask: dry-run',
      'dry-run-debate: dry-run',
      'early-stop-reason: stopped-early',
      'killed-mid-line: unfinished',
      'resume-without-yes: ',
      'retry-at-time: failed',
      'retry-iso: failed',
      'retry-twice: failed',
      'summary-fails: failed',
      'two-sessions: finished finished',
      'unknown-events: stopped-early',
    ],
  );
});

test('who took part, and how often they answered', () => {
  const session = after([START, ...turn(1), ...turn(2, 'claude'), ...turn(3), ...summary, DONE]);
  assert.equal(
    [...session.agents.values()],
    [
      { name: 'codex', role: 'implementer', answers: 2, opinions: 0 },
      { name: 'claude', role: 'reviewer', answers: 1, opinions: 0 },
      { name: 'vibe', role: 'summarizer', answers: 0, opinions: 0 },
    ],
  );
  const chat = after([CHAT, ...exchange, ...opinion, DONE]);
  assert.equal(
    [...chat.agents.values()].map(({ name, answers, opinions }) => [name, answers, opinions]),
    [
      ['codex', 1, 0],
      ['vibe', 0, 1],
    ],
  );
  assert.is(chat.opinions, 1);
  assert.is(chat.agents.has('user'), false);
});

test('what start and error say', () => {
  const { topic, timeZone, startedAt, cwd, summaryGiven, errors, outputPath } = after([
    ...FAILED.slice(0, -1),
    { type: 'done', outputPath: '/x.md' },
  ]);
  assert.equal(
    [topic, timeZone, startedAt, cwd],
    ['Tabs?', 'Europe/Paris', '2026-03-09T10:00:00.000Z', '/home/user/project'],
  );
  assert.equal([summaryGiven, outputPath], [false, '/x.md']);
  assert.equal(errors, [{ phase: 'debate', kind: 'timeout', agent: 'codex', message: 'No.' }]);
  assert.is(after(EARLY).lastNotice, NOTICE.message);
  assert.is(after([START, NOTICE, ...turn(1), NOTICE, ...turn(2), DONE]).lastNotice, undefined);
});

test('seconds by the times of the stream, or by the clock of whoever watches', () => {
  assert.is(seconds(after([CHAT, ...exchange, DONE])), 9);
  assert.ok(Number.isNaN(seconds(after(FULL))));
  let time = Date.parse(START.session.startedAt) + 500;
  const now = () => time;
  const watched = observe(newSession(), { v: 1, ...START } as unknown as PalabreEvent, now);
  time += 65_000;
  assert.is(seconds(watched, now), 65);
  // A record is read long after.
  const read = observe(newSession(), { v: 1, ...START } as unknown as PalabreEvent, now);
  assert.ok(Number.isNaN(seconds(read, now)));
});

test('sessions are numbered over all inputs, and what is said before one belongs to it', () => {
  const warning = { type: 'warning', message: 'w' };
  const numbers: number[] = [];
  let session = newSession();
  for (const event of [warning, ...FULL, warning, START, START, DONE, DONE]) {
    session = after([event], session);
    numbers.push(session.number);
  }
  assert.equal([numbers[0], numbers[FULL.length], ...numbers.slice(FULL.length + 1)], [1, 1, 2, 2, 2, 2, 2]);
  assert.is(after([warning], nextInput(session)).number, 3);
  assert.is(nextInput(nextInput(session)).number, 3);
});

test('a notice after done opens no session: what follows it belongs to the one before, but for a start', () => {
  const ended = after(FULL);
  const noticed = after([NOTICE, NOTICE], ended);
  assert.is(noticed.number, 2);
  for (const late of [DONE, error('timeout'), ...turn(5)])
    assert.is(after([NOTICE, late], after(FULL)).number, 1);
  assert.is(after([DONE], noticed), ended);
  assert.is(after([START], noticed).number, 2);
  // Another input is another session, also after a notice.
  assert.is(after([DONE], nextInput(after([NOTICE], after(FULL)))).number, 2);
});

test('who thinks, until something else happens', () => {
  let time = 5000;
  const step = (before: Session, text: string) => observeItem(before, item(text), () => time);
  const thinking = '{"v":1,"type":"thinking-start","agent":"codex","role":"critic"}';
  const remarks = [
    '{"v":1,"type":"notice","message":"slow today"}',
    '{"v":1,"type":"warning","message":"slow today"}',
    '{"v":1,"type":"weather"}',
    'npm warn deprecated',
    '{"v":1,"type":',
  ];
  let session = step(newSession(), thinking);
  time = 6000;
  for (const remark of remarks) session = step(session, remark);
  assert.equal(session.thinking, { agent: 'codex', since: 5000 });
  session = step(session, thinking.replace('codex', 'claude'));
  assert.equal(session.thinking, { agent: 'claude', since: 6000 });
  for (const { type } of [...FULL, error('timeout')]) {
    if (type === 'thinking-start') continue;
    assert.is(step(step(newSession(), thinking), `{"v":1,"type":"${type}"}`).thinking, undefined, type);
  }
  for (const remark of remarks) assert.is(step(newSession(), remark).thinking, undefined);
});

test('an event with wrong or missing fields counts by its type', () => {
  const types = [
    ...new Set([...FULL, ...EARLY, ...FAILED, ...TALK, { type: 'dry-run' }].map(({ type }) => type)),
  ];
  const wrong = [5, null, [], {}, 'x', [null], [{ name: 5 }]];
  for (const type of types) {
    for (const value of wrong) {
      const names = [
        'mode',
        'topic',
        'agents',
        'session',
        'turns',
        'turn',
        'response',
        'totalTurns',
        'agent',
      ];
      const fields = Object.fromEntries(
        [...names, 'content', 'message', 'kind', 'outputPath'].map((name) => [name, value]),
      );
      const fault = {
        kind: 'fault',
        line: { number: 1, text: '' },
        findings: [],
        value: { v: 1, type, ...fields },
      };
      const session = observeItem(after([START, ...turn(1)]), fault as unknown as Item);
      assert.type(outcome(session), 'string', `${type} ${JSON.stringify(value)}`);
    }
  }
  assert.is(told([{ type: 'start' }, { type: 'turn-start' }, { type: 'message' }, DONE]), 'finished 1/?');
});

test('no more is kept of a session than a thousand agents and errors', () => {
  const crowd = Array.from({ length: 5000 }, (_, index) => ({ name: `agent-${index}`, role: 'scout' }));
  const session = after([
    { ...START, agents: crowd },
    ...Array.from({ length: 5000 }, () => error('timeout')),
  ]);
  assert.is(session.agents.size, 1000);
  assert.is(session.errors.length, 1000);
});

test('who was asked, and how long the answer took', () => {
  let time = Date.parse(START.session.startedAt);
  const watch = (stream: readonly Event[]) =>
    stream.reduce<Session>((session, event) => {
      time += 1500;
      return observe(session, { v: 1, ...event } as unknown as PalabreEvent, () => time);
    }, newSession());
  const [opener, thinking, thought, answer] = turn(2) as [Event, Event, Event, Event];
  const asked = watch([START, opener]);
  assert.equal(asked.open, { pair: 'turn', agent: 'codex', role: 'critic', number: 2, since: time });
  assert.is(atWork(asked), asked.open);
  assert.is(watch([START, opener, thinking, thought, answer]).took, 4.5);
  time = Date.parse(START.session.startedAt);
  assert.ok(Number.isNaN(watch([START, opener, { ...answer, turn: 3 }]).took), 'another answer');
  // Read an hour after it happened.
  time = Date.parse(START.session.startedAt) + 3_600_000;
  assert.ok(Number.isNaN(watch([START, opener, answer]).took), 'a record');
  assert.ok(Number.isNaN(after([START, opener, answer]).took), 'without a clock');
});

test('who was asked and will not answer, once', () => {
  const [opener, , , answer] = turn(1) as [Event, Event, Event, Event];
  const unanswered = (...stream: Event[]) => after([START, opener, ...stream]).unanswered?.agent;
  assert.is(unanswered(), undefined);
  assert.is(unanswered(answer), undefined);
  assert.is(unanswered(NOTICE), undefined);
  for (const other of [
    { ...answer, agent: 'claude' },
    { ...answer, turn: 2 },
    { ...opener, turn: 2 },
    summary[0]!,
    { ...error('timeout'), agent: 'claude' },
    { ...error('cancelled'), agent: undefined },
    DONE,
  ]) {
    assert.is(unanswered(other), 'codex', JSON.stringify(other));
    assert.is(unanswered(other, NOTICE), undefined);
  }
  assert.is(unanswered(error('timeout')), undefined, 'the error names them');
  assert.is(unanswered(error('timeout'), DONE), undefined);
});

test('in a Chat, whoever thinks is asked', () => {
  const [question, answer] = exchange as [Event, Event];
  const asked = after([CHAT, question]);
  assert.is(atWork(asked), undefined);
  assert.is(after([DONE], asked).unanswered, undefined, 'nobody was named');
  const thinking = { type: 'thinking-start', agent: 'codex', role: 'critic' };
  assert.is(atWork(after([CHAT, question, thinking]))?.agent, 'codex');
  assert.is(after([CHAT, question, thinking, answer]).unanswered, undefined);
  assert.is(after([CHAT, question, thinking, { ...answer, agent: 'vibe' }]).unanswered?.agent, 'codex');
  // Thinking that nothing opened, as in a stream that was filtered.
  assert.equal(atWork(after([CHAT, thinking])), { agent: 'codex', since: 0 });
});

test('nothing is claimed where thinking or an opinion shows that questions and answers are missing', () => {
  const thinking: Event[] = [
    { type: 'thinking-start', agent: 'codex', role: 'critic' },
    { type: 'thinking-end' },
  ];
  for (const event of thinking) assert.is(told([event, DONE]), 'ended');
  assert.is(told([START, ...turn(1), ...thinking, DONE]), 'ended');
  // After an error it may be the end of what was open.
  assert.is(told([START, ...turn(1), error('timeout'), thinking[1]!, DONE]), 'failed 1/4');
  const opinion = { type: 'chat-consultation', agent: 'vibe', role: 'critic', content: 'No.' };
  assert.is(told([CHAT, { ...opinion, type: 'chat-consultation-start' }, opinion, DONE]), 'ended');
});

test('as many sessions as the checker counts, whatever the order', () => {
  const dryRun = { type: 'dry-run', mode: 'ask', agents: [] };
  const steps: Event[] = [START, dryRun, ...turn(1), error('timeout'), DONE, NOTICE];
  function compare(row: Event[]): void {
    const checker = createSessionChecker();
    let session = newSession();
    for (const event of row) {
      checker.each(item(JSON.stringify({ v: 1, ...event })));
      session = observe(session, event as unknown as PalabreEvent);
    }
    checker.end();
    const names = row.map(({ type }) => type).join(' ');
    assert.is(nextInput(session).number - 1, checker.outcomes().sessions, names);
    if (row.length < 4) for (const event of steps) compare([...row, event]);
  }
  for (const event of steps) compare([event]);
});

test('a dry-run inside a session is no session of its own', () => {
  const dryRun = { type: 'dry-run', mode: 'ask', agents: [] };
  assert.is(told([START, dryRun]), 'unfinished');
  assert.is(told([START, dryRun, DONE]), 'ended');
  assert.is(told([dryRun, error('timeout'), DONE]), 'failed');
});

test('an error has no time: the times before it do not say how long the session took', () => {
  const asked = { type: 'chat-user-message', agent: 'user', createdAt: '2026-03-09T10:00:03.000Z' };
  assert.is(seconds(after([CHAT, asked])), 3);
  assert.ok(Number.isNaN(seconds(after([CHAT, asked, error('timeout'), DONE]))));
  // Nor do the times that a filter left.
  const answer = { ...asked, type: 'chat-message', agent: 'codex' };
  assert.is(seconds(after([CHAT, asked, answer, DONE])), 3);
  assert.ok(Number.isNaN(seconds(after([CHAT, answer, DONE]))));
});

test.run();
