/**
 * From every valid fixture, every stream that one fault gives. What is legal, and where a stream stops being
 * so, is said by a regular expression over the whole stream; the code is said by the tables below, from what
 * was done and where it is seen. Neither knows the tables of the checker.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EVENT_TYPES, type Finding, isEventType, type SessionCode } from '../../src/event.ts';
import { createSessionChecker } from '../../src/protocol/checker.ts';
import { checkShape } from '../../src/steps/validate.ts';
import { BROKEN, events, FIXTURES, item } from '../fixtures.ts';
import { mutants as fieldMutants } from './mutants.ts';

const test = suite('mutants');

type Event = Record<string, unknown> & { type: string };

const STREAMS = FIXTURES.filter((name) => name !== BROKEN).map((name) => ({
  name,
  stream: events(name) as Event[],
}));

/** Everything that is found in a stream, by line and code. Who asks for its end alone is told the same of that. */
function check(lines: string[]): string[] {
  const checker = createSessionChecker();
  const brief = createSessionChecker({ only: ['missing-done'] });
  const found: Finding[] = [];
  function take(all: readonly Finding[], few: readonly Finding[]): void {
    assert.equal(
      few,
      all.filter(({ code }) => code === 'missing-done'),
    );
    assert.is(brief.brokeOff(), checker.brokeOff());
    found.push(...all);
  }
  lines.forEach((text, index) => {
    const checked = checkShape(item(text, index + 1));
    found.push(...(checked.findings ?? []));
    take(checker.each(checked), brief.each(checked));
  });
  take(checker.end(), brief.end());
  assert.equal(brief.outcomes(), checker.outcomes());
  return found.map(({ code, line }) => `${line} ${code}`);
}

const written = (stream: Event[]): string[] => stream.map((event) => JSON.stringify(event));

// ---------------------------------------------------------------------------------------------------------
// What is legal.

/** `x` and `y` are the start and end of thinking; pairs are TM, AB (Ask), UV (summary), QP and CK (Chat). */
const LETTERS: Record<string, string> = {
  'turn-start': 'T',
  message: 'M',
  'ask-response-start': 'A',
  'ask-response': 'B',
  'summary-start': 'U',
  'summary-message': 'V',
  'chat-user-message': 'Q',
  'chat-message': 'P',
  'chat-consultation-start': 'C',
  'chat-consultation': 'K',
  'thinking-start': 'x',
  'thinking-end': 'y',
  'dry-run': 'R',
  error: 'E',
  done: 'D',
  'chat-agents': 'G',
  'chat-agent-changed': 'G',
};
const ANSWERS: Record<string, string> = { M: 'T', B: 'A', V: 'U', P: 'Q', K: 'C' };
/** A start, by mode. */
const STARTS: Record<string, string> = { debate: '1', ask: '2', chat: '3' };
const INVISIBLE = (type: string): boolean => type === 'notice' || type === 'warning' || !isEventType(type);

/** A session with nothing left open before `done`, or one with an `error` anywhere. */
function session(start: string, finished: string, open: string): string {
  return `${start}(?:${finished}D|${finished}(?:${open})?(?:E|xEy?)D)`;
}
const Z = '(?:G|xy)*';
const SESSION = [
  'R',
  session('1', '(?:xy)*(?:T(?:xy)*M(?:xy)*)*(?:U(?:xy)*V(?:xy)*)?', '(?:T|U)(?:xy)*'),
  session('2', '(?:xy)*(?:A(?:xy)*B(?:xy)*)*(?:U(?:xy)*V(?:xy)*)?', '(?:A|U)(?:xy)*'),
  session('3', `${Z}(?:Q${Z}P${Z}(?:(?:Q${Z}P|C${Z}K)${Z})*)?`, `(?:Q|C)${Z}`),
  session('4', `${Z}(?:(?:T${Z}M|A${Z}B|U${Z}V|Q${Z}P|C${Z}K)${Z})*`, `[TAUQC]${Z}`),
].join('|');
const LEGAL_STREAM = new RegExp(`^(?:${SESSION})*$`);
/** A pair after the summary, or a consultation before a message, is not excused by an `error`. */
const NEVER = /1[^123]*V[^123]*[TU]|2[^123]*V[^123]*[AU]|3[^Q123]*C/;

/** One letter for each event; `!` where its number or agent does not agree with what came before. */
function lettersOf(stream: Event[]): string[] {
  let opened: Event | undefined;
  let last: number | undefined;
  let mode: unknown;
  let talked = false;
  return stream.map((event) => {
    const { type } = event;
    if (INVISIBLE(type)) return '';
    const number = event['turn'] ?? event['response'];
    let letter = LETTERS[type] ?? '4';
    if (type === 'start') {
      ({ mode } = event);
      letter = STARTS[mode as string] ?? '4';
      opened = undefined;
      last = undefined;
      talked = false;
    } else if (letter === 'T' || letter === 'A') {
      // The first of a session may have any number: a resumed session goes on where it stopped.
      if (last !== undefined && number !== last + 1) letter = '!';
      opened = event;
    } else if ('UQC'.includes(letter)) {
      if (letter === 'Q') talked = true;
      opened = event;
    } else if (letter in ANSWERS) {
      if (letter !== 'P' && opened && event['agent'] !== opened['agent']) letter = '!';
      if (number !== undefined && opened && number !== (opened['turn'] ?? opened['response'])) letter = '!';
      if (typeof number === 'number') last = number;
      opened = undefined;
    } else if (letter === 'x' && opened && opened.type !== 'chat-user-message') {
      if (event['agent'] !== opened['agent']) letter = '!';
    } else if (letter === 'D') {
      if (mode === 'chat' && !talked && typeof event['outputPath'] === 'string') letter = '!';
    }
    return letter;
  });
}

const matches = (letters: string): boolean => LEGAL_STREAM.test(letters) && !NEVER.test(letters);

/** Whether some end makes a legal stream of this: an `error` may come anywhere, and `done` follows. */
const canGoOn = (letters: string): boolean => ['', 'D', 'ED'].some((rest) => matches(letters + rest));

/** The line where a stream stops being legal, 0 where it does not. */
function firstFault(stream: Event[]): number {
  const letters = lettersOf(stream);
  if (matches(letters.join(''))) return 0;
  for (let line = 1; line <= letters.length; line++) {
    if (!canGoOn(letters.slice(0, line).join(''))) {
      // A `done` that leaves something open came too early where its session goes on: seen in what follows.
      if (stream[line - 1]!.type !== 'done') return line;
      const next = letters.findIndex((letter, index) => index >= line && letter !== '');
      return next < 0 || '1234R'.includes(letters[next]!) ? line : next + 1;
    }
  }
  return stream.length;
}

// ---------------------------------------------------------------------------------------------------------
// The mutants.

interface Mutant {
  /** What was done, without the place. */
  what: string;
  stream: Event[];
}

/** One good event of each type, to be put where it does not belong. */
const SAMPLES = new Map(
  STREAMS.flatMap(({ stream }) => stream)
    .reverse()
    .map((event) => [event.type, event.type === 'done' ? { ...event, outputPath: null } : event]),
);

/** What a `start` of Debate or Ask has, and one of Chat has not. */
const DEBATE = { turns: 2, summaryEnabled: false, summaryAgent: null, earlyStop: false };

const without = (stream: Event[], index: number): Event[] => stream.filter((_, place) => place !== index);
const inserted = (stream: Event[], index: number, event: Event): Event[] => [
  ...stream.slice(0, index),
  event,
  ...stream.slice(index),
];
const changed = (stream: Event[], index: number, change: object): Event[] =>
  stream.map((event, place) => (place === index ? { ...event, ...change } : event));

function* mutantsOf(stream: Event[]): Generator<Mutant> {
  for (const [index, event] of stream.entries()) {
    const { type } = event;
    const nth = stream.slice(0, index).some((earlier) => earlier.type === 'done')
      ? ' of the next session'
      : '';
    const named = type === 'start' ? `start${nth}` : type;
    yield { what: `drop ${named}`, stream: without(stream, index) };
    yield { what: `duplicate ${type}`, stream: inserted(stream, index, event) };
    const next = stream[index + 1];
    if (next && next.type !== type) {
      yield {
        what: `swap ${named}, ${next.type}`,
        stream: inserted(without(stream, index), index + 1, event),
      };
    }
    const edge = stream.slice(0, index + 1).findLast((earlier) => /^(start|done)$/.test(earlier.type));
    const cut = edge?.type === 'start' ? 'cut' : 'cut between sessions';
    if (next) yield { what: cut, stream: stream.slice(0, index + 1) };
    for (const field of ['turn', 'response']) {
      const number = event[field];
      if (typeof number !== 'number') continue;
      for (const other of [number + 1, number + 7, 1, number - 1]) {
        if (other === number || other < 1) continue;
        yield { what: `${field} of ${type}`, stream: changed(stream, index, { [field]: other }) };
      }
    }
    if (typeof event['agent'] === 'string') {
      yield { what: `agent of ${type}`, stream: changed(stream, index, { agent: 'somebody' }) };
    }
    if (typeof event['role'] === 'string') {
      yield { what: `role of ${type}`, stream: changed(stream, index, { role: 'somebody' }) };
    }
    if (typeof event['mode'] === 'string') {
      for (const mode of ['debate', 'ask', 'chat', 'panel']) {
        if (mode === event['mode']) continue;
        yield {
          what: `mode of ${type}: ${mode}`,
          stream: changed(stream, index, { ...DEBATE, ...event, mode }),
        };
      }
    }
    if (type === 'done') {
      const start = stream.findLastIndex((earlier, place) => place < index && earlier.type === 'start');
      for (let place = index - 1; place > start; place--) {
        yield { what: 'move done', stream: inserted(without(stream, index), place, event) };
      }
      const away = nth === '' ? ' before its session' : ' to the session before';
      yield { what: `move done${away}`, stream: inserted(without(stream, index), start, event) };
    }
    if (type === 'done' || type === 'error') {
      for (const added of EVENT_TYPES) {
        const again = added === 'start' && stream.slice(index).some((later) => later.type === 'start');
        const what = `after ${type}: ${added}${again ? ', and again' : ''}`;
        yield { what, stream: inserted(stream, index + 1, SAMPLES.get(added)!) };
      }
      const unknown = { v: 1, type: 'agent-chunk' };
      yield { what: `after ${type}: unknown`, stream: inserted(stream, index + 1, unknown) };
    }
  }
}

/** The mutants that are still legal, by the reason. */
const LEGAL: Record<string, string[]> = {
  'notices, warnings and unknown types are invisible to the session': [
    'drop notice',
    'drop warning',
    'drop agent-delta',
    'duplicate notice',
    'duplicate warning',
    'duplicate agent-delta',
    'after done: notice',
    'after done: warning',
    'after done: unknown',
    'after error: notice',
    'after error: warning',
    'after error: unknown',
    'agent of agent-delta',
    'swap agent-delta, turn-start',
    'swap chat-message, notice',
    'swap done, warning',
    'swap message, notice',
    'swap notice, chat-user-message',
    'swap notice, done',
    'swap notice, summary-start',
    'swap start, agent-delta',
    'swap start, notice',
    'swap notice, start',
    'swap warning, start',
    'move done',
  ],
  'an error may come at any time, inside a pair or thinking or outside: what it interrupts may be missing': [
    'drop turn-start',
    'drop ask-response-start',
    'drop summary-start',
    'drop chat-user-message',
    'drop chat-consultation-start',
    'drop thinking-end',
    'swap error, thinking-end',
    'swap thinking-end, error',
  ],
  'nothing waits for it: a session may end without an error, and without any work': [
    'drop error',
    'drop dry-run',
    'cut between sessions',
  ],
  'the list of agents and the active agent may be told anywhere in a Chat, or not at all': [
    'drop chat-agents',
    'drop chat-agent-changed',
    'duplicate chat-agents',
    'duplicate chat-agent-changed',
    'agent of chat-agent-changed',
    'swap chat-agents, chat-user-message',
    'swap chat-agent-changed, chat-user-message',
    'swap chat-message, chat-agent-changed',
    'swap chat-consultation, chat-agent-changed',
  ],
  'whoever writes or answers in a Chat': [
    'agent of chat-user-message',
    'agent of chat-message',
    'agent of thinking-start',
  ],
  'the first turn of a session may have any number': ['turn of turn-start'],
  'what an error names may disagree': ['agent of error', 'turn of error'],
  'no role is checked': [
    'role of turn-start',
    'role of ask-response-start',
    'role of summary-start',
    'role of chat-consultation-start',
    'role of thinking-start',
    'role of message',
    'role of ask-response',
    'role of summary-message',
    'role of chat-user-message',
    'role of chat-message',
    'role of chat-consultation',
    'role of chat-agent-changed',
    'role of error',
  ],
  'a dry-run is a session by itself': ['duplicate dry-run', 'after done: dry-run'],
  'the mode of a dry-run has no events': [
    'mode of dry-run: debate',
    'mode of dry-run: ask',
    'mode of dry-run: chat',
    'mode of dry-run: panel',
  ],
  'a mode that is not known yet has no order of its own': ['mode of start: panel'],
  'a session that failed before any work may have been of any mode': [
    'mode of start: debate',
    'mode of start: ask',
  ],
};

const OPENER = '(turn-start|ask-response-start|summary-start|chat-user-message|chat-consultation-start)';
const ANSWER = '(message|ask-response|summary-message|chat-message|chat-consultation)';

/**
 * What the others are: the first rule whose pattern fits `what was done → the event of the line`. The first code
 * is found on that line. Only what can be read in two ways has more: one of these may be found after it.
 */
const RULES: [string, SessionCode, ...SessionCode[]][] = [
  ['cut → .*', 'missing-done'],
  ['drop start → .*', 'event-before-start'],
  ['drop start of the next session → .*', 'event-after-done'],
  ['drop done → .*', 'missing-done'],
  ['drop chat-user-message → done', 'done-path-after-nothing'],
  [`drop ${OPENER} → ${ANSWER}`, 'answer-without-start'],
  [`drop ${ANSWER} → (${OPENER}|done)`, 'start-without-answer'],
  ['drop thinking-start → thinking-end', 'thinking-not-opened'],
  [`drop thinking-end → ${ANSWER}`, 'thinking-not-closed'],
  ['drop error → done', 'start-without-answer'],

  ['duplicate start → start', 'duplicate-start'],
  [`duplicate ${OPENER} → \\1`, 'start-without-answer'],
  [`duplicate ${ANSWER} → \\1`, 'answer-without-start'],
  ['duplicate thinking-start → thinking-start', 'thinking-not-closed'],
  ['duplicate thinking-end → thinking-end', 'thinking-not-opened'],
  ['duplicate error → error', 'duplicate-error'],
  ['duplicate done → done', 'duplicate-done'],

  ['turn of turn-start → turn-start', 'turn-order'],
  // The first of a session: its answer tells.
  ['turn of turn-start → message', 'turn-mismatch'],
  ['response of ask-response-start → ask-response', 'turn-mismatch'],
  ['turn of message → message', 'turn-mismatch'],
  ['response of ask-response-start → ask-response-start', 'turn-order'],
  ['response of ask-response → ask-response', 'turn-mismatch'],
  [`agent of ${OPENER} → thinking-start`, 'thinking-mismatch'],
  [`agent of ${OPENER} → ${ANSWER}`, 'turn-mismatch'],
  [`agent of ${ANSWER} → \\1`, 'turn-mismatch'],
  ['agent of thinking-start → thinking-start', 'thinking-mismatch'],
  ['mode of start: .*', 'wrong-mode'],

  // A `done` that left its session: one session has none, and another has one too many.
  ['move done before its session → done', 'event-before-start', 'missing-done'],
  ['move done to the session before → done', 'duplicate-done', 'missing-done'],
  ['move done → .*', 'event-after-done'],
  ['after done: done → done', 'duplicate-done'],
  ['after done: start → start', 'missing-done'],
  ['after done: start, and again → start', 'duplicate-start'],
  ['after done: (.*) → \\1', 'event-after-done'],
  ['after error: error → error', 'duplicate-error'],
  ['after error: done → done', 'duplicate-done'],
  ['after error: done → thinking-end', 'event-after-done'],
  ['after error: thinking-end → thinking-end', 'thinking-not-opened'],
  ['after error: dry-run → dry-run', 'missing-done'],
  // The new session has the rest of the old one.
  ['after error: start → start', 'missing-done', 'thinking-not-opened'],
  ['after error: (.*) → \\1', 'event-after-error'],

  ['swap start, chat-agents → chat-agents', 'event-before-start'],
  ['swap start, error → error', 'event-before-start'],
  [`swap start, ${OPENER} → \\1`, 'event-before-start', 'answer-without-start', 'done-path-after-nothing'],
  [`swap start of the next session, ${OPENER} → \\1`, 'event-after-done', 'answer-without-start'],
  [`swap ${OPENER}, thinking-start → \\1`, 'thinking-not-closed'],
  [`swap ${OPENER}, ${ANSWER} → \\2`, 'answer-without-start', 'start-without-answer'],
  ['swap thinking-start, thinking-end → thinking-end', 'thinking-not-opened', 'thinking-not-closed'],
  ['swap thinking-start, error → thinking-start', 'event-after-error'],
  ['swap thinking-end, done → thinking-end', 'event-after-done'],
  [`swap thinking-end, ${ANSWER} → \\1`, 'thinking-not-closed'],
  [`swap ${ANSWER}, ${OPENER} → \\2`, 'start-without-answer'],
  [`swap ${ANSWER}, done → \\1`, 'event-after-done'],
  ['swap error, done → error', 'event-after-done'],
];

const rules = RULES.map(([pattern, code, ...others]) => ({
  pattern: new RegExp(`^(?:${pattern})$`),
  code,
  others,
}));

test('the fixtures themselves are legal, for the checker and for the expression', () => {
  for (const { name, stream } of STREAMS) {
    assert.equal(check(written(stream)), [], name);
    assert.is(firstFault(stream), 0, name);
  }
});

test('a mutant is legal for a stated reason, or reported once, with the right code and line', () => {
  const legal = new Set<string>();
  const used = new Set<RegExp>();
  let count = 0;
  let twice = 0;
  let stillLegal = 0;
  for (const { name, stream } of STREAMS) {
    for (const { what, stream: mutant } of mutantsOf(stream)) {
      count++;
      const line = firstFault(mutant);
      const found = check(written(mutant));
      const where = `${name}, ${what}`;
      if (line === 0) {
        legal.add(what);
        stillLegal++;
        assert.equal(found, [], where);
        continue;
      }
      const key = `${what} → ${mutant[line - 1]!.type}`;
      const rule = rules.find(({ pattern }) => pattern.test(key));
      assert.ok(rule, `${name}, ${key}: no rule`);
      used.add(rule.pattern);
      const [first, second, ...more] = found;
      assert.is(first, `${line} ${rule.code}`, where);
      assert.equal(more, [], where);
      if (second === undefined) continue;
      assert.ok((rule.others as string[]).includes(second.split(' ')[1]!), `${where}: ${second}`);
      twice++;
    }
  }
  assert.equal([...legal].sort(), Object.values(LEGAL).flat().sort());
  const unused = rules.filter(({ pattern }) => !used.has(pattern)).map(({ pattern }) => pattern.source);
  assert.equal(unused, [], 'every rule is used');
  console.log(`${count} mutants of ${STREAMS.length} streams: ${stillLegal} legal, ${twice} reported twice`);
  assert.ok(count > 2500, `${count} mutants`);
});

test('a wrong or missing field is one finding: the event still counts by its type', () => {
  let count = 0;
  for (const { name, stream } of STREAMS) {
    const lines = written(stream);
    for (const [index, event] of stream.entries()) {
      if (!isEventType(event.type)) continue;
      for (const { what, value } of fieldMutants(event)) {
        const found = check(lines.with(index, JSON.stringify(value)));
        assert.equal(found, [`${index + 1} invalid-field`], `${name}:${index + 1}, ${event.type}, ${what}`);
        count++;
      }
    }
  }
  console.log(`${count} mutants with one wrong field`);
  assert.ok(count > 5000, `${count} mutants`);
});

test('a line that cannot be read is one finding, and forgives what follows from it', () => {
  for (const { name, stream } of STREAMS) {
    const lines = written(stream);
    for (const [index, event] of stream.entries()) {
      const where = `${name}:${index + 1}, ${event.type}`;
      const line = index + 1;
      const { v: _v, ...versionless } = event;
      const { type: _type, ...typeless } = event;
      const unreadable = {
        [lines[index]!.slice(0, -5)]: 'not-an-event',
        [JSON.stringify(versionless)]: 'not-an-event',
        [JSON.stringify({ ...event, v: '1' })]: 'not-an-event',
        [JSON.stringify({ ...event, v: 2 })]: 'unsupported-version',
        [JSON.stringify(typeless)]: 'not-an-event',
        [JSON.stringify({ ...event, type: 5 })]: 'not-an-event',
      };
      for (const [text, code] of Object.entries(unreadable)) {
        assert.equal(check(lines.with(index, text)), [`${line} ${code}`], where);
        if (index === lines.length - 1) continue;
        // Without its end as well: what is owed then depends on what came after the line.
        assert.is(check(lines.with(index, text).slice(0, -1))[0], `${line} ${code}`, where);
      }
      // Words of another program may stand for any event but `done`.
      const missing = event.type === 'done' ? [lines.length === line ? line : line + 1] : [];
      const found = check(lines.with(index, 'Killed'));
      if (missing.length === 0) assert.equal(found, [`${line} not-json`], where);
      else assert.is(found[0], `${line} not-json`, where);
      assert.equal(
        found.slice(1).map((one) => one.split(' ')[1]),
        missing.map(() => 'missing-done'),
        where,
      );
    }
  }
});

test.run();
