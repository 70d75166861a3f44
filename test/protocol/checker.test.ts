import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EVENT_TYPES, type EventType, type Finding, type Item, type SessionCode } from '../../src/event.ts';
import { sentence } from '../../src/format/words.ts';
import { labelsFor } from '../../src/labels/labels.ts';
import { createSessionChecker, type SessionOptions } from '../../src/protocol/checker.ts';
import {
  PAIRS,
  SESSION,
  SESSION_FAULTS,
  type SessionInput,
  type SessionState,
  THINKING,
  THINKING_FAULTS,
  type ThinkingInput,
  type ThinkingState,
} from '../../src/protocol/tables.ts';
import { BROKEN, events, FIXTURES, item, read } from '../fixtures.ts';
import { DIAGRAM_BEGIN, DIAGRAM_END, diagram } from './drawing.ts';

const test = suite('protocol');

/**
 * A stream in short: events divided by blanks, each a type, perhaps a number and an agent, as in `turn-start:2@claude`.
 * `start` takes its mode, `error` its kind and `done` its path in place of a number. `!` is broken JSON, `?` text.
 */
function stream(short: string): Item[] {
  return short
    .trim()
    .split(/\s+/)
    .map((word, index) => {
      if (word === '!') return item('{"v":1,"type":"mess', index + 1);
      if (word === '?') return item('npm warn', index + 1);
      const [, type, value, agent] = /^([\w-]+)(?::([^@]+))?(?:@(.+))?$/.exec(word)!;
      const field = { start: 'mode', error: 'kind', done: 'outputPath', 'ask-response': 'response' }[type!];
      const number = type === 'ask-response-start' ? 'response' : 'turn';
      const named = field ?? number;
      const given = value === undefined ? {} : { [named]: /^\d+$/.test(value) ? Number(value) : value };
      return item(JSON.stringify({ v: 1, type, ...given, ...(agent && { agent }) }), index + 1);
    });
}

function run(short: string, options?: SessionOptions): { found: readonly Finding[]; brief: string[] } {
  const checker = createSessionChecker(options);
  const found = [...stream(short).flatMap((one) => checker.each(one)), ...checker.end()];
  return { found, brief: found.map(({ code, line }) => `${line} ${code}`) };
}

const found = (short: string, options?: SessionOptions): string[] => run(short, options).brief;

function outcomes(...inputs: string[]): string {
  const checker = createSessionChecker({ only: [] });
  for (const input of inputs) {
    for (const one of stream(input)) checker.each(one);
    checker.end();
  }
  const { sessions, finished, failed, cancelled, unfinished } = checker.outcomes();
  assert.is(sessions, finished + failed + cancelled + unfinished);
  return `${finished} ${failed} ${cancelled} ${unfinished}`;
}

const TURN = (number: number, agent = 'codex'): string =>
  `turn-start:${number}@${agent} thinking-start@${agent} thinking-end message:${number}@${agent}`;
const TALK = 'chat-user-message@user thinking-start@codex thinking-end chat-message@codex';
const SUMMARY = 'summary-start@vibe thinking-start@vibe thinking-end summary-message@vibe';

test('a stream whose beginning was cut off has one fault, wherever the cut is', () => {
  for (const name of FIXTURES.filter((name) => name !== BROKEN)) {
    const items = events(name).map((event, index) => item(JSON.stringify(event), index + 1));
    const start = items.findIndex((one) => one.kind === 'event' && one.event.type === 'start');
    const next = items.findIndex(
      (one, at) => at > start && one.kind === 'event' && one.event.type === 'start',
    );
    for (let cut = start + 1; start >= 0 && cut < (next < 0 ? items.length : next); cut++) {
      const checker = createSessionChecker();
      const findings = [...items.slice(cut).flatMap((one) => checker.each(one)), ...checker.end()];
      const visible = items
        .slice(cut, next < 0 ? undefined : next)
        .some((one) => one.kind === 'event' && !/notice|warning/.test(one.event.type));
      assert.equal(
        findings.map(({ code }) => code),
        visible ? ['event-before-start'] : [],
        `${name}, cut at ${cut}`,
      );
    }
  }
  // What it opens itself counts again.
  assert.equal(found('message:2@codex turn-start:3@claude thinking-end message:3@claude done'), [
    '1 event-before-start',
    '3 thinking-not-opened',
  ]);
});

test('every valid fixture is legal, and a killed one is', () => {
  for (const name of FIXTURES) {
    const checker = createSessionChecker();
    const lines = read(name).split('\n').filter(Boolean);
    const all = lines.flatMap((text, index) => checker.each(item(text, index + 1)));
    assert.equal([...all, ...checker.end()], [], name);
    assert.is(checker.outcomes().unfinished, name === BROKEN ? 1 : 0, name);
  }
});

test('what has no finding costs no array', () => {
  const checker = createSessionChecker();
  const results = new Set(events('debate-summary').map((event) => checker.each(item(JSON.stringify(event)))));
  results.add(checker.end());
  assert.is(results.size, 1);
});

/** Streams with one fault, and the sentence for it. */
const SENTENCES: [SessionCode, string, string][] = [
  [
    'event-before-start',
    'notice turn-start:1 message:1 done',
    '2: `turn-start` before any `start`; a session begins with `start`',
  ],
  ['missing-done', 'warning start:debate notice', '3: the session of line 2 ends without `done`'],
  [
    'missing-done',
    `start:debate ${TURN(1)} start:debate done`,
    '6: a new session begins, but the one of line 1 has no `done`',
  ],
  [
    'missing-done',
    'start:debate error dry-run',
    '3: a new session begins, but the one of line 1 has no `done`',
  ],
  ['duplicate-done', 'start:debate done notice done', '4: a second `done`; the session ended at line 2'],
  [
    'event-after-done',
    `start:debate done ${TURN(1)}`,
    '3: `turn-start` after the `done` of line 2; only a new `start` or `dry-run` may follow',
  ],
  [
    'duplicate-start',
    'start:debate notice start:debate done',
    '3: a second `start`; the session was opened at line 1',
  ],
  [
    'event-after-error',
    'start:debate error turn-start:1 message:1 done',
    '3: `turn-start` after the `error` of line 2; only `thinking-end` and `done` may follow',
  ],
  ['duplicate-error', 'start:debate error warning error done', '4: a second `error`; the first is at line 2'],
  [
    'wrong-mode',
    `start:debate ${TALK} done`,
    '2: `chat-user-message` in a session of mode debate, opened at line 1; it belongs to chat',
  ],
  [
    'wrong-mode',
    'start:chat summary-start summary-message done',
    '2: `summary-start` in a session of mode chat, opened at line 1; it belongs to debate, ask',
  ],
  [
    'turn-order',
    `start:debate ${TURN(1)} ${TURN(3)} ${TURN(4)} done`,
    '6: `turn-start` of turn 3; turn 2 was expected',
  ],
  [
    'turn-order',
    'start:ask ask-response-start:2 ask-response:2 ask-response-start:2 ask-response:2 done',
    '4: `ask-response-start` of response 2; response 3 was expected',
  ],
  [
    'turn-order',
    `start:debate ${TURN(1)} ${SUMMARY} ${TURN(2)} done`,
    '10: `turn-start` after the summary that began at line 6; `done` was expected',
  ],
  [
    'turn-order',
    `start:debate ${TURN(1)} ${SUMMARY} ${SUMMARY} done`,
    '10: `summary-start` after the summary that began at line 6; `done` was expected',
  ],
  [
    'turn-mismatch',
    'start:debate turn-start:1@codex message:3@claude done',
    '3: `message` of turn 3 by claude; turn 1 was opened by codex at line 2',
  ],
  [
    'turn-mismatch',
    'start:ask ask-response-start:1@codex ask-response:1@claude done',
    '3: `ask-response` of response 1 by claude; response 1 was opened by codex at line 2',
  ],
  [
    'turn-mismatch',
    'start:debate summary-start@vibe summary-message@codex done',
    '3: `summary-message` by codex; the `summary-start` of line 2 names vibe',
  ],
  [
    'turn-mismatch',
    `start:chat ${TALK} chat-consultation-start@vibe chat-consultation@codex done`,
    '7: `chat-consultation` by codex; the `chat-consultation-start` of line 6 names vibe',
  ],
  [
    'answer-without-start',
    'start:debate message:1@codex done',
    '2: `message` of turn 1 by codex; no `turn-start` opened it',
  ],
  [
    'answer-without-start',
    'start:ask ask-response:1@codex done',
    '2: `ask-response` of response 1 by codex; no `ask-response-start` opened it',
  ],
  [
    'answer-without-start',
    'start:chat chat-message@codex done:/x',
    '2: `chat-message` by codex; no `chat-user-message` came before it',
  ],
  [
    'start-without-answer',
    `start:debate turn-start:1@codex ${SUMMARY} done`,
    '3: `summary-start`; the `message` of turn 1 by codex, opened at line 2, was expected first',
  ],
  [
    'start-without-answer',
    'start:ask ask-response-start:1@codex thinking-start@codex done',
    '4: `done`; the `ask-response` of response 1 by codex, opened at line 2, was expected first',
  ],
  [
    'start-without-answer',
    `start:chat chat-user-message ${TALK} done`,
    '3: `chat-user-message`; the `chat-message` to the `chat-user-message` of line 2 was expected first',
  ],
  [
    'thinking-not-closed',
    'start:debate turn-start:1@codex thinking-start@codex message:1@codex done',
    '4: `message`; the `thinking-end` for the `thinking-start` of line 3 was expected first',
  ],
  [
    'thinking-not-closed',
    'start:debate thinking-start thinking-start thinking-end done',
    '3: `thinking-start`; the `thinking-end` for the `thinking-start` of line 2 was expected first',
  ],
  [
    'thinking-not-closed',
    'start:debate thinking-start done',
    '3: `done`; the `thinking-end` for the `thinking-start` of line 2 was expected first',
  ],
  [
    'thinking-not-opened',
    'start:debate thinking-end done',
    '2: `thinking-end`, but no `thinking-start` is open',
  ],
  [
    'thinking-not-opened',
    'start:debate error thinking-end done',
    '3: `thinking-end`, but no `thinking-start` is open',
  ],
  [
    'thinking-mismatch',
    'start:debate turn-start:1@codex thinking-start@claude thinking-end message:1@codex done',
    '3: `thinking-start` of claude; the `turn-start` of line 2 names codex',
  ],
  [
    'consultation-before-message',
    'start:chat chat-consultation-start@vibe chat-consultation@vibe done:/x',
    '2: `chat-consultation-start` before any message; a consultation needs one',
  ],
  [
    'dry-run-not-alone',
    `dry-run ${TURN(4)} done`,
    '2: `turn-start` after the `dry-run` of line 1, which is the only event of its stream',
  ],
  [
    'dry-run-not-alone',
    'dry-run done',
    '2: `done` after the `dry-run` of line 1, which is the only event of its stream',
  ],
  [
    'dry-run-not-alone',
    'start:debate dry-run done',
    '2: `dry-run` in the session of line 1; it is the only event of its stream',
  ],
  [
    'done-path-after-nothing',
    'start:chat chat-agents error:cancelled done:/x.md',
    '4: `done` with the path /x.md, but the Chat had no message; `outputPath` must be null',
  ],
];

test('each fault is one finding, and one sentence that says where', () => {
  for (const [code, short, expected] of SENTENCES) {
    const { found: findings } = run(short);
    assert.equal(
      findings.map((one) => one.code),
      [code],
      short,
    );
    const [one] = findings;
    assert.is(`${one!.line}: ${sentence(one!, labelsFor('en'))}`, expected, short);
    assert.is(one!.severity, 'error');
    assert.is(one!.path, null);
    for (const language of ['en', 'fr'] as const) {
      const text = sentence(one!, labelsFor(language));
      assert.not.match(text, /\{|undefined/, `${short}: ${text}`);
      assert.is.not(text, one!.message, 'the table has the sentence');
    }
  }
});

test('a sentence names the line where it began, after an earlier fault too', () => {
  const last = (short: string): string => sentence(run(short).found.at(-1)!, labelsFor('en'));
  assert.match(last('start:debate summary-message turn-start:1 message:1 done'), 'that began at line 2');
  assert.match(last('start:debate error error error done'), 'the first is at line 2');
  assert.match(last('start:debate done notice done done'), 'ended at line 4');
});

test('every code and every sentence of the table is shown above', () => {
  const codes = new Set<string>(SENTENCES.map(([code]) => code));
  const messages = new Set(SENTENCES.flatMap(([, short]) => run(short).found.map(({ message }) => message)));
  const table = Object.keys(labelsFor('en').findings).filter((key) => codes.has(key.split('.')[0]!));
  assert.equal([...messages].sort(), table.sort());
});

/** What the contract calls legal, and what follows from it. */
const LEGAL = [
  // An open pair, or open thinking, before an error; thinking may end after it, or never.
  'start:debate turn-start:1@codex error done',
  'start:debate turn-start:1@codex thinking-start@codex error thinking-end done',
  'start:debate turn-start:1@codex thinking-start@codex error done:/x',
  'start:chat chat-user-message thinking-start error thinking-end done',
  // A turn without thinking, fewer turns, no summary, no turn at all.
  'start:debate turn-start:1 message:1 done',
  'start:debate done',
  `start:debate ${SUMMARY} done`,
  // Whoever answers in Chat; agents that no one named.
  'start:chat chat-user-message@user thinking-start@vibe thinking-end chat-message@claude done:/x',
  'start:chat chat-agent-changed@new chat-agents chat-user-message chat-message chat-agent-changed@x done',
  // An error that disagrees; a null path; a path without work, but in Chat.
  'start:debate turn-start:1@codex error:timeout@claude done',
  'start:debate done:/x',
  `start:chat ${TALK} chat-consultation-start@vibe thinking-start@vibe thinking-end chat-consultation@vibe done`,
  // Notices and unknown types, anywhere.
  'warning x-new notice start:debate notice turn-start:1 x-new warning message:1 error notice done x-new notice',
  'notice',
  'x-new ',
  // A resumed session goes on where it stopped, or has nothing left but its summary.
  `notice start:debate ${TURN(3)} ${TURN(4)} ${SUMMARY} done:/x`,
  'notice start:ask ask-response-start:2 ask-response:2 done',
  `notice start:debate ${SUMMARY} done:/x`,
  // Sessions in a row.
  'start:debate done start:ask done dry-run dry-run start:chat done notice start:chat done',
  // A mode that did not exist yet.
  `start:panel ${TURN(4)} ${TALK} chat-consultation-start chat-consultation ${SUMMARY} ${TURN(5)} done:/x`,
];

test('what is legal', () => {
  for (const short of LEGAL) assert.equal(found(short), [], short);
});

test('said once in a session, and again in the next', () => {
  assert.equal(found(`${TURN(1)} ${TURN(2)} done ${TURN(1)}`), [
    '1 event-before-start',
    '10 event-after-done',
  ]);
  assert.equal(found(`start:chat ${TURN(1)} ${TURN(2)} done start:chat ${TURN(1)} done`), [
    '2 wrong-mode',
    '12 wrong-mode',
  ]);
  assert.equal(found('start:debate error message message error done message error done message'), [
    '3 event-after-error',
    '5 duplicate-error',
    '7 event-after-done',
  ]);
  assert.equal(found('start:debate done message done message done'), ['3 event-after-done']);
  assert.equal(found(`dry-run ${TURN(1)} done dry-run done`), ['2 dry-run-not-alone', '8 dry-run-not-alone']);
});

test('what is reported does not spoil what follows', () => {
  // A wrong number or agent at the start, and the right one in the answer; and the other way round.
  for (const next of [2, 8])
    assert.equal(found(`start:debate turn-start:7 message:1 ${TURN(next)} done`), ['3 turn-mismatch']);
  assert.equal(found(`start:debate ${TURN(1)} turn-start:7 message:2 ${TURN(3)} done`), ['6 turn-order']);
  assert.equal(found(`start:debate ${TURN(1)} turn-start:7 message:7 ${TURN(8)} done`), ['6 turn-order']);
  assert.equal(found(`start:debate turn-start:1 message:7 ${TURN(2)} done`), ['3 turn-mismatch']);
  assert.equal(
    found('start:debate turn-start:1@codex thinking-start@vibe thinking-end message:1@vibe done'),
    ['3 thinking-mismatch'],
  );
  assert.equal(found('start:chat error chat-user-message done:/x'), ['3 event-after-error']);
  assert.equal(found('start:debate dry-run'), ['2 dry-run-not-alone']);
  assert.equal(found(`start:debate ${TURN(1)} ${TURN(2)} ask-response:1 ${TURN(3)} done`), ['10 wrong-mode']);
  // Two faults are two.
  assert.equal(
    found('start:debate turn-start:1@codex thinking-start@vibe thinking-end message:1@claude done'),
    ['3 thinking-mismatch', '5 turn-mismatch'],
  );
  assert.equal(found(`start:debate ${TURN(1)} turn-start:3 message:3 ${TURN(5)} done`), [
    '6 turn-order',
    '8 turn-order',
  ]);
  assert.equal(found(`start:debate turn-start:1 turn-start:2 turn-start:3 message:3 done`), [
    '3 start-without-answer',
    '4 start-without-answer',
  ]);
  assert.equal(found(`start:debate turn-start:1 turn-start:2 message:2 ${TURN(3)} message:1 done`), [
    '3 start-without-answer',
    '9 answer-without-start',
  ]);
  assert.equal(found(`start:debate message:5 ${TURN(1)} ${TURN(6)} done`), [
    '2 answer-without-start',
    '7 turn-order',
  ]);
  assert.equal(found(`message:3 ${TURN(7)} done`), ['1 event-before-start', '2 turn-order']);
  // One event of another mode, in the middle of a pair.
  assert.equal(found('start:debate turn-start:1 chat-user-message message:1 done:/x'), ['3 wrong-mode']);
  assert.equal(found('start:debate turn-start:1 ask-response:1 message:1 done'), ['3 wrong-mode']);
  assert.equal(found('start:debate ask-response-start:1 done'), ['2 wrong-mode']);
});

test('a `done` that comes too early is one fault, whatever it leaves open', () => {
  assert.equal(found('start:debate turn-start:1 thinking-start done thinking-end message:1'), [
    '5 event-after-done',
  ]);
  assert.equal(found('start:debate turn-start:1 thinking-start done thinking-end message:1 done'), [
    '5 event-after-done',
  ]);
  assert.equal(found(`start:chat done:/x ${TALK}`), ['3 event-after-done']);
  // Left open for good: seen at the `done`, told with what comes next.
  assert.equal(found('start:debate turn-start:1 done notice start:ask done'), ['3 start-without-answer']);
  assert.equal(found('start:debate turn-start:1 done done'), ['3 start-without-answer', '4 duplicate-done']);
});

test('a session that broke off stands alone', () => {
  assert.equal(found('start:debate turn-start:1 thinking-start notice'), ['4 missing-done']);
  assert.equal(found('start:chat chat-user-message thinking-start thinking-end'), ['4 missing-done']);
  assert.equal(found(`start:debate turn-start:1 thinking-start start:ask done`), ['4 missing-done']);
  assert.equal(found(`start:debate turn-start:1 dry-run message:1 done`), ['3 missing-done']);
  assert.equal(found('start:debate start:debate'), ['2 duplicate-start', '2 missing-done']);
  // Without a `start` no `done` is owed.
  assert.equal(found(TURN(3)), ['1 event-before-start']);
  assert.equal(found(`${TURN(3)} start:debate ${TURN(1)} done`), ['1 event-before-start']);
});

test('an unreadable line may have been anything', () => {
  assert.equal(found(`start:debate turn-start:1 ! ${TURN(2)} ${TURN(4)} done`), ['8 turn-order']);
  assert.equal(found(`start:debate ${TURN(1)} ! message:2 ${TURN(3)} done`), []);
  assert.equal(found(`! ${TURN(1)} done`), []);
  assert.equal(found('start:debate done ! turn-start:1 message:1 done'), []);
  assert.equal(found('start:debate turn-start:1 ? done'), [], 'text may stand in the place of an event');
  assert.equal(found('start:debate ! done start:debate turn-start:1 done'), ['6 start-without-answer']);
  // A lost `done`.
  assert.equal(found('start:debate !'), []);
  assert.equal(found('start:debate ! notice ?'), []);
  assert.equal(found('start:debate error ! start:ask done'), []);
  assert.equal(found('start:debate ! turn-start:1'), ['3 missing-done'], 'it was not the `done`');
  assert.equal(found('start:debate turn-start:1 ?'), ['3 missing-done'], 'last words are no `done`');
});

test('an invalid event counts by its type, and the fields it lacks agree with everything', () => {
  const checker = createSessionChecker();
  const fault = (value: { type: EventType; [field: string]: unknown }, number: number): Item => ({
    kind: 'fault',
    line: { number, text: '' },
    findings: [],
    value,
  });
  const short = stream(`start:debate ${TURN(1)} turn-start:2@codex message:2@codex ${TURN(3)} done`);
  const broken = (number: number, type: EventType, fields = {}) => {
    short[number - 1] = fault({ type, ...fields }, number);
  };
  broken(1, 'start', { mode: 5 });
  broken(3, 'thinking-start', { agent: null });
  broken(6, 'turn-start', { turn: '2', agent: 5 });
  broken(7, 'message', { turn: 0 });
  broken(8, 'turn-start', { turn: 2.5 });
  broken(12, 'done', { outputPath: 5 });
  assert.equal([...short.flatMap((one) => checker.each(one)), ...checker.end()], []);
  // Whichever of the two was right: the answer does not say.
  const wrong = `start:debate ${TURN(1)} turn-start:7 message`;
  for (const next of [3, 8]) assert.equal(found(`${wrong} ${TURN(next)} done`), ['6 turn-order']);
  assert.equal(found(`${wrong} ${TURN(4)} done`), ['6 turn-order', '8 turn-order']);
  assert.equal(found(`start:debate ${TURN(1)} turn-start message:2 ${TURN(4)} done`), ['8 turn-order']);
});

test('each input is a stream of its own', () => {
  const checker = createSessionChecker();
  const read = (short: string) => [...stream(short).flatMap((one) => checker.each(one)), ...checker.end()];
  assert.equal(
    read('start:debate turn-start:1 ?').map(({ line }) => line),
    [3],
  );
  assert.equal(read('notice start:debate done !'), []);
  assert.equal(
    read('turn-start:1').map(({ code }) => code),
    ['event-before-start'],
  );
  assert.equal(read('notice'), []);
});

test('how sessions ended', () => {
  assert.is(outcomes('start:debate done'), '1 0 0 0');
  assert.is(outcomes('dry-run', 'dry-run dry-run'), '3 0 0 0');
  assert.is(outcomes('start:debate error:timeout done'), '0 1 0 0');
  assert.is(outcomes('start:debate error:cancelled done'), '0 0 1 0');
  assert.is(outcomes('start:debate error:cancelled error:timeout error:cancelled done'), '0 1 0 0');
  assert.is(outcomes('start:debate done error:timeout'), '0 1 0 0', 'an error, if late');
  assert.is(outcomes('start:debate error:cancelled', 'start:debate', 'start:debate !'), '0 0 0 3');
  assert.is(outcomes('start:debate start:debate done'), '1 0 0 0', 'a duplicate is no session');
  assert.is(outcomes('start:debate message start:ask done start:ask error done dry-run'), '2 1 0 1');
  assert.is(outcomes('notice', 'x-new', '? !'), '0 0 0 0');
  assert.is(outcomes('turn-start:1 message:1 done'), '1 0 0 0', 'the start was filtered away');
  assert.is(outcomes('message:1 message:2'), '0 0 0 1');
  assert.is(outcomes('start:debate done message:1 done'), '1 0 0 0', 'still the same session');
});

test('`only` reports its codes alone', () => {
  const only: SessionOptions = { only: ['missing-done'] };
  assert.equal(found('message:1 message:2 summary-message', only), []);
  assert.equal(found('start:debate message:3 message:1 done message', only), []);
  assert.equal(found('start:debate message:3 message:1', only), ['3 missing-done']);
  assert.equal(found('start:debate message:3 start:debate done', only), ['3 missing-done']);
  assert.equal(found('dry-run done message', only), []);
});

test('the tables are whole: every key is legal or a fault with a next state', () => {
  const states = Object.keys(SESSION) as SessionState[];
  const inputs: SessionInput[] = ['start', 'dry-run', 'work', 'thinking-end', 'error', 'done'];
  for (const state of states) {
    for (const input of inputs) {
      const legal = SESSION[state][input];
      const fault = SESSION_FAULTS[state]?.[input];
      assert.is((legal === undefined) !== (fault === undefined), true, `${state}, ${input}`);
    }
  }
  for (const state of Object.keys(THINKING) as ThinkingState[]) {
    for (const input of ['thinking-start', 'thinking-end', 'step'] as ThinkingInput[]) {
      const legal = THINKING[state][input];
      const fault = THINKING_FAULTS[state]?.[input];
      assert.is((legal === undefined) !== (fault === undefined), true, `${state}, ${input}`);
    }
  }
  const paired = Object.values(PAIRS).flatMap(({ opener, answer }) => [opener, answer]);
  assert.is(new Set(paired).size, 10);
});

test('no order of events makes it throw, and no event gives more than two findings', () => {
  // All streams of three events after each of some beginnings.
  const words = [...EVENT_TYPES.map((type) => (type === 'start' ? 'start:chat' : type)), '!', '?', 'x-new'];
  for (const beginning of ['notice', 'start:debate', `start:ask error`, `start:chat ${TALK}`, 'dry-run']) {
    const head = stream(beginning);
    for (const a of words) {
      for (const b of words) {
        for (const c of words) {
          const checker = createSessionChecker();
          for (const one of [...head, ...stream(`${a} ${b} ${c}`)]) assert.ok(checker.each(one).length <= 2);
          assert.ok(checker.end().length <= 2);
          const { sessions, finished, failed, cancelled, unfinished } = checker.outcomes();
          assert.is(sessions, finished + failed + cancelled + unfinished);
        }
      }
    }
  }
});

test('the diagram of CONTRIBUTING.md is the one that the tables give (npm run diagram)', () => {
  const page = readFileSync(new URL('../../CONTRIBUTING.md', import.meta.url), 'utf8');
  const begin = page.indexOf(`${DIAGRAM_BEGIN}\n`);
  assert.ok(begin >= 0, DIAGRAM_BEGIN);
  assert.is(page.slice(begin + DIAGRAM_BEGIN.length + 1, page.indexOf(DIAGRAM_END)), diagram());
});

test.run();
