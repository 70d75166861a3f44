/**
 * The order of events in a session, as tables.
 *
 * A stream is a row of sessions, and a session is four small machines that read the same events side by
 * side. Each is a table: a state, and for every event that is legal there, the state that follows. **An
 * illegal event is a missing key.** Nothing else in the program knows the order.
 *
 * 1. **The session** ({@link SESSION}): `start` opens it, `error` ends its work, `done` closes it, and a
 *    `dry-run` is a whole session by itself. Every other event is `work`, but for `thinking-end`, which may
 *    come after an `error`. `notice`, `warning` and unknown types are invisible: no machine sees them.
 * 2. **The work of a mode** ({@link WORK}): pairs of an opening event and its answer ({@link PAIRS}).
 *    `over` is a session whose summary was given, `empty` a Chat without a message. A session whose mode is
 *    not known (its `start` is missing, or names a mode that did not exist when this was written) follows
 *    `any`: all pairs, without an order among them.
 * 3. **The turn counter**: turns and responses count up from 1 (in `any`, from whatever comes first). Each
 *    start is one more than the last answer.
 * 4. **Thinking** ({@link THINKING}): open or closed, and closed wherever the work takes a `step`, which is
 *    an opening event, an answer or the end. It need not come at all. An `error` may stand inside it, and
 *    inside a pair as well: what was open then stays open, and no longer matters.
 *
 * The faults have tables of their own ({@link SESSION_FAULTS}, {@link THINKING_FAULTS}): for a missing key,
 * the code and the state in which to go on; in the work, the kind of event and what is open say the code.
 * The state is chosen so that one fault in a stream gives one finding:
 *
 * - One event gives at most one finding. The session is asked first, then the work, then thinking; after the
 *   first finding the others take the event as it comes.
 * - `stray` is a session outside of a session: before `start`, after `done`, after a `dry-run`. The first
 *   event that leads there is reported, for all of them. No `done` is owed there, and the mode is `any`.
 * - `overdue` is thinking that was reported as still open: its end may come late, or never.
 * - A pair that was left open when the next began is kept for a while as `abandoned`: two neighbours that
 *   changed places are one fault, and the late answer is not a second one. A number or an agent that was
 *   reported is kept beside the expected one, and what follows may agree with either.
 * - What `done` leaves open is reported only when nothing but the next session follows. Where more of the
 *   same session follows, `done` came too early, and that is the fault.
 * - An unreadable line may have been any event, so the next violation is forgiven, until the next session.
 *   A missing `done` is forgiven only where the unreadable line was the last: it may have been the `done`.
 *   Text that is no JSON at all forgives a violation too, but never a missing `done`: a program that dies
 *   says so in words.
 * - An invalid event counts by its type. A field that it lacks agrees with everything.
 */
import type { EventType, Finding, FindingMessage, Item, SessionCode, Stage } from '../event.ts';

/** Where a session stands. `begun` is open, with nothing since its `start`. */
export type SessionState = 'none' | 'begun' | 'open' | 'failed' | 'done' | 'dry' | 'stray';
/** What an event is to the session. */
export type SessionInput = 'start' | 'dry-run' | 'work' | 'thinking-end' | 'error' | 'done';

type Table<State extends string, Input extends string> = Record<State, Partial<Record<Input, State>>>;
type Faults<State extends string, Input extends string> = Partial<
  Record<State, Partial<Record<Input, readonly [SessionCode, State]>>>
>;

/** The session: state × event → state. A missing key is a fault. */
export const SESSION: Table<SessionState, SessionInput> = {
  none: { start: 'begun', 'dry-run': 'dry' },
  begun: { work: 'open', 'thinking-end': 'open', error: 'failed', done: 'done' },
  open: { work: 'open', 'thinking-end': 'open', error: 'failed', done: 'done' },
  failed: { 'thinking-end': 'failed', done: 'done' },
  done: { start: 'begun', 'dry-run': 'dry' },
  dry: { start: 'begun', 'dry-run': 'dry' },
  stray: {
    start: 'begun',
    'dry-run': 'dry',
    work: 'stray',
    'thinking-end': 'stray',
    error: 'failed',
    done: 'done',
  },
};

/** The other keys of {@link SESSION}: the code, and the state that lets the rest be read. */
export const SESSION_FAULTS: Faults<SessionState, SessionInput> = {
  none: {
    work: ['event-before-start', 'stray'],
    'thinking-end': ['event-before-start', 'stray'],
    error: ['event-before-start', 'failed'],
    done: ['event-before-start', 'done'],
  },
  begun: { start: ['duplicate-start', 'begun'], 'dry-run': ['dry-run-not-alone', 'stray'] },
  open: { start: ['missing-done', 'begun'], 'dry-run': ['missing-done', 'dry'] },
  failed: {
    start: ['missing-done', 'begun'],
    'dry-run': ['missing-done', 'dry'],
    work: ['event-after-error', 'failed'],
    error: ['duplicate-error', 'failed'],
  },
  done: {
    work: ['event-after-done', 'stray'],
    'thinking-end': ['event-after-done', 'stray'],
    error: ['event-after-done', 'failed'],
    done: ['duplicate-done', 'done'],
  },
  dry: {
    work: ['dry-run-not-alone', 'stray'],
    'thinking-end': ['dry-run-not-alone', 'stray'],
    error: ['dry-run-not-alone', 'failed'],
    done: ['dry-run-not-alone', 'done'],
  },
};

/** Whether an agent is at work. */
export type ThinkingState = 'closed' | 'open' | 'overdue';
/** What an event is to thinking; `step` is any move of the work. */
export type ThinkingInput = 'thinking-start' | 'thinking-end' | 'step';

/** Thinking: state × event → state. A missing key is a fault. */
export const THINKING: Table<ThinkingState, ThinkingInput> = {
  closed: { 'thinking-start': 'open', step: 'closed' },
  open: { 'thinking-end': 'closed' },
  overdue: { 'thinking-start': 'open', 'thinking-end': 'closed', step: 'overdue' },
};

/** The other keys of {@link THINKING}. */
export const THINKING_FAULTS: Faults<ThinkingState, ThinkingInput> = {
  closed: { 'thinking-end': ['thinking-not-opened', 'closed'] },
  open: { 'thinking-start': ['thinking-not-closed', 'open'], step: ['thinking-not-closed', 'overdue'] },
};

/** An open pair has the name of its state. */
export type PairName = 'turn' | 'response' | 'summary' | 'question' | 'consultation';

interface Pair {
  opener: EventType;
  answer: EventType;
  /** The field that counts, where the pair is counted. */
  number?: 'turn' | 'response';
  /** Whether thinking and the answer must be by the agent whom the opener names. */
  named: boolean;
}

/** The exchanges of two events. */
export const PAIRS: Record<PairName, Pair> = {
  turn: { opener: 'turn-start', answer: 'message', number: 'turn', named: true },
  response: { opener: 'ask-response-start', answer: 'ask-response', number: 'response', named: true },
  summary: { opener: 'summary-start', answer: 'summary-message', named: true },
  question: { opener: 'chat-user-message', answer: 'chat-message', named: false },
  consultation: { opener: 'chat-consultation-start', answer: 'chat-consultation', named: true },
};

/** The work of a session: nothing open (`idle`, `empty`, `over`), or the pair that is. */
export type WorkState = 'idle' | 'empty' | 'over' | PairName;
/** The modes whose order is known, and the order of every other. */
export type WorkMode = 'debate' | 'ask' | 'chat' | 'any';

/** The work, by mode: state × event → state. A missing key is a fault. */
export const WORK: Record<WorkMode, Partial<Record<WorkState, Partial<Record<EventType, WorkState>>>>> = {
  debate: {
    idle: { 'turn-start': 'turn', 'summary-start': 'summary' },
    turn: { message: 'idle' },
    summary: { 'summary-message': 'over' },
    over: {},
  },
  ask: {
    idle: { 'ask-response-start': 'response', 'summary-start': 'summary' },
    response: { 'ask-response': 'idle' },
    summary: { 'summary-message': 'over' },
    over: {},
  },
  chat: {
    empty: { 'chat-user-message': 'question' },
    idle: { 'chat-user-message': 'question', 'chat-consultation-start': 'consultation' },
    question: { 'chat-message': 'idle' },
    consultation: { 'chat-consultation': 'idle' },
  },
  any: {
    idle: {
      'turn-start': 'turn',
      'ask-response-start': 'response',
      'summary-start': 'summary',
      'chat-user-message': 'question',
      'chat-consultation-start': 'consultation',
    },
    turn: { message: 'idle' },
    response: { 'ask-response': 'idle' },
    summary: { 'summary-message': 'idle' },
    question: { 'chat-message': 'idle' },
    consultation: { 'chat-consultation': 'idle' },
  },
};

/** What an event is to each machine. */
interface Part {
  session: SessionInput;
  thinking?: 'thinking-start' | 'thinking-end';
  /** The modes that know it; every mode where missing. */
  modes?: readonly WorkMode[];
  opens?: PairName;
  answers?: PairName;
}

const DEBATE = ['debate'] as const;
const ASK = ['ask'] as const;
const CHAT = ['chat'] as const;
const SUMMED_UP = ['debate', 'ask'] as const;

/** Every known event; null is invisible. */
const PARTS: Record<EventType, Part | null> = {
  start: { session: 'start' },
  notice: null,
  warning: null,
  'turn-start': { session: 'work', modes: DEBATE, opens: 'turn' },
  'ask-response-start': { session: 'work', modes: ASK, opens: 'response' },
  'thinking-start': { session: 'work', thinking: 'thinking-start' },
  'thinking-end': { session: 'thinking-end', thinking: 'thinking-end' },
  message: { session: 'work', modes: DEBATE, answers: 'turn' },
  'ask-response': { session: 'work', modes: ASK, answers: 'response' },
  'summary-start': { session: 'work', modes: SUMMED_UP, opens: 'summary' },
  'summary-message': { session: 'work', modes: SUMMED_UP, answers: 'summary' },
  'chat-agents': { session: 'work', modes: CHAT },
  'chat-user-message': { session: 'work', modes: CHAT, opens: 'question' },
  'chat-message': { session: 'work', modes: CHAT, answers: 'question' },
  'chat-consultation-start': { session: 'work', modes: CHAT, opens: 'consultation' },
  'chat-consultation': { session: 'work', modes: CHAT, answers: 'consultation' },
  'chat-agent-changed': { session: 'work', modes: CHAT },
  'dry-run': { session: 'dry-run' },
  error: { session: 'error' },
  done: { session: 'done' },
};

/** Reported for the first event alone: the rest of the session suffers from the same fault. */
const ONCE: ReadonlySet<SessionCode> = new Set<SessionCode>([
  'event-before-start',
  'wrong-mode',
  'event-after-error',
  'event-after-done',
  'dry-run-not-alone',
]);

/** An event as the machines read it: its fields may be missing or wrong. */
interface Fields {
  type: EventType;
  [field: string]: unknown;
}

/** A pair that waits for its answer. Undefined agrees with everything. */
interface Open {
  pair: PairName;
  line: number;
  agent: string | undefined;
  number: number | undefined;
  /** Another agent or number that may be the right one, since one of the two was reported. */
  otherAgent: string | undefined;
  otherNumber: number | undefined;
  /** Its opener was out of place: nobody need answer it. */
  excused: boolean;
}

/** How many sessions there were, and how they ended. */
export interface Outcomes {
  /** All of them: the sum of the other four. */
  sessions: number;
  /** Ended with `done` and had no `error`; a `dry-run` too. */
  finished: number;
  /** Ended with `done` after an `error`. */
  failed: number;
  /** Ended with `done` after an `error` of kind `cancelled`, and had no other. */
  cancelled: number;
  /** Did not end with `done`, with or without an `error`. */
  unfinished: number;
}

/** What {@link createSessionChecker} can be told. */
export interface SessionOptions {
  /** Report these codes alone; all by default. */
  only?: readonly SessionCode[];
}

/** The checker of a row of inputs. */
export interface SessionChecker extends Stage<Item, readonly Finding[]> {
  /** The findings of this item; nearly always the same empty array. */
  each(item: Item): readonly Finding[];
  /** The findings at the end of the input, and a clean slate for the next one. */
  end(): readonly Finding[];
  /**
   * Whether the last `each` or `end` met the end of a session that had a `start` and no `done`. Not the same as
   * `missing-done`, which is not reported where an unreadable line may have been the `done`.
   */
  brokeOff(): boolean;
  /** The sessions that ended so far, in all inputs; complete after `end()`. */
  outcomes(): Outcomes;
}

/** A finding of this checker. */
interface SessionFinding extends Finding {
  code: SessionCode;
}

const NOTHING: readonly Finding[] = Object.freeze([]);

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A turn or response number; undefined where it is none. */
function numberOf(event: Fields, pair: PairName): number | undefined {
  const field = PAIRS[pair].number;
  const value = field === undefined ? undefined : event[field];
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 ? value : undefined;
}

function agrees<Value>(
  value: Value | undefined,
  expected: Value | undefined,
  other: Value | undefined,
): boolean {
  return value === undefined || expected === undefined || value === expected || value === other;
}

function answers(open: Open, number: number | undefined, agent: string | undefined): boolean {
  return (
    agrees(number, open.number, open.otherNumber) &&
    (!PAIRS[open.pair].named || agrees(agent, open.agent, open.otherAgent))
  );
}

/** The mode of a `start` as the tables know it. */
function modeOf(event: Fields): WorkMode {
  const { mode } = event as { mode?: unknown };
  return mode === 'debate' || mode === 'ask' || mode === 'chat' ? mode : 'any';
}

/**
 * Checks the order of events, one item after the other, in constant memory. Faults of single lines are not
 * its business: it adds what is wrong between the lines. Every finding is an `error` without a path; its line
 * is that of the event that broke a rule, and for `missing-done` the last line read.
 *
 * @example
 * const checker = createSessionChecker();
 * checker.each(item); // [] or [{ code: 'turn-order', line: 12, … }]
 * checker.end(); // [{ code: 'missing-done', … }] where the input broke off
 * checker.outcomes(); // { sessions: 1, finished: 0, failed: 0, cancelled: 0, unfinished: 1 }
 */
export function createSessionChecker({ only }: SessionOptions = {}): SessionChecker {
  // Whether a session ended is for the first machine alone to say, and the others take most of the time.
  const asksOnlyTheEnd = only?.every((code) => code === 'missing-done') ?? false;
  const totals: Outcomes = { sessions: 0, finished: 0, failed: 0, cancelled: 0, unfinished: 0 };

  // The input.
  let line: number;
  let forgive: boolean;
  let lost: boolean;
  let brokeOff = false;
  /** What cannot be held against a session whose beginning is missing, until it opens something of its own. */
  let excused = new Set<SessionCode>();
  // The session, and the lines where it began, failed and ended.
  let session: SessionState;
  let counted: boolean;
  let owesDone: boolean;
  let ended: boolean;
  let failure: 'failed' | 'cancelled' | undefined;
  let startLine: number;
  let errorLine: number;
  let doneLine: number;
  const said = new Set<SessionCode>();
  // Its work.
  let mode: WorkMode;
  let work: WorkState;
  let open: Open | undefined;
  let abandoned: Open | undefined;
  let summaryLine: number;
  // The turn counter: the number of the last answer, undefined where unknown, and another that may be it.
  let last: number | undefined;
  let otherLast: number | undefined;
  // Thinking.
  let thinking: ThinkingState;
  let thinkingLine: number;
  // What is being found out.
  let found: Finding[] | undefined;
  let blamed: boolean;
  let pending: SessionFinding | undefined;

  function reset(): void {
    line = 0;
    forgive = false;
    lost = false;
    session = 'none';
    counted = false;
    owesDone = false;
    pending = undefined;
    clear('any');
  }

  /** Forgets the session. */
  function clear(newMode: WorkMode): void {
    ended = false;
    failure = undefined;
    startLine = line;
    errorLine = 0;
    doneLine = 0;
    said.clear();
    mode = newMode;
    work = newMode === 'chat' ? 'empty' : 'idle';
    open = undefined;
    abandoned = undefined;
    summaryLine = 0;
    last = newMode === 'any' ? undefined : 0;
    otherLast = undefined;
    thinking = 'closed';
    thinkingLine = 0;
  }

  /** Goes on where little is known for sure; a pair that is open may still be answered. */
  function loosen(): void {
    mode = 'any';
    work = open === undefined ? 'idle' : open.pair;
    last = undefined;
    otherLast = undefined;
  }

  function finding(code: SessionCode, values: Finding['values'], variant?: string): SessionFinding {
    const message: FindingMessage = variant === undefined ? code : `${code}.${variant}`;
    return { code, severity: 'error', line, path: null, message, values };
  }

  function add(one: SessionFinding): void {
    if (only !== undefined && !only.includes(one.code)) return;
    if (found === undefined) found = [];
    found.push(one);
  }

  /** Whether this violation is to be told; the event is to blame for one at most. */
  function tell(code: SessionCode): boolean {
    if (blamed) return false;
    blamed = true;
    if (excused.delete(code)) return false;
    if (ONCE.has(code)) {
      if (said.has(code)) return false;
      said.add(code);
    }
    if (!forgive) return true;
    forgive = false;
    return false;
  }

  function violation(code: SessionCode, values: Finding['values'], variant?: string): void {
    if (tell(code)) add(finding(code, values, variant));
  }

  /** Enters the session into the totals. */
  function close(): void {
    if (!counted) return;
    counted = false;
    totals.sessions++;
    totals[ended ? (failure ?? 'finished') : 'unfinished']++;
  }

  function missingDone(variant?: string): void {
    if (owesDone && !lost) add(finding('missing-done', { start: startLine }, variant));
    brokeOff = owesDone;
    owesDone = false;
  }

  function begin(newMode: WorkMode): void {
    close();
    clear(newMode);
    counted = true;
    forgive = false;
    excused.clear();
  }

  /** Tells what kind of fault the session found; the values are those of all its sentences. */
  function sessionFault(code: SessionCode, event: Fields): void {
    if (code === 'missing-done') {
      missingDone('next');
      return;
    }
    const inside = code === 'dry-run-not-alone' && event.type === 'dry-run';
    const values = { event: event.type, start: startLine, error: errorLine, done: doneLine };
    violation(code, values, inside ? 'inside' : undefined);
    if (inside) owesDone = false;
    if (code === 'event-before-start') {
      begin('any');
      said.add(code);
      // Where the beginning was cut off, what it opened is missing as well: one fault, one finding.
      excused = new Set(['answer-without-start', 'thinking-not-opened']);
    }
    // What came after the error may have been the message that the export holds.
    if (code === 'event-after-error' && work === 'empty') work = 'idle';
    if (code === 'event-after-done' || (code === 'dry-run-not-alone' && !inside)) loosen();
  }

  /** The values of sentences about an open pair. */
  function openValues({ pair, line: openLine, agent, number }: Open): Finding['values'] {
    const { opener, answer } = PAIRS[pair];
    return { opener, answer, openLine, openAgent: agent ?? '?', openNumber: number ?? '?' };
  }

  function opens(pair: PairName, event: Fields, foreign: boolean): void {
    // To clear a set makes a new table, at every turn.
    if (excused.size > 0) excused.clear();
    const { number: field } = PAIRS[pair];
    const { type } = event;
    const next = WORK[mode][work]?.[type];
    const number = numberOf(event, pair);
    let otherNumber: number | undefined;
    if (next !== undefined) {
      abandoned = undefined;
      const expected = last === undefined ? undefined : last + 1;
      const other = otherLast === undefined ? undefined : otherLast + 1;
      if (field !== undefined && !agrees(number, expected, other)) {
        violation('turn-order', { event: type, number: number ?? '?', expected: expected ?? '?' }, field);
        otherNumber = expected;
      }
    } else if (open !== undefined) {
      if (!open.excused) {
        const values = { event: type, ...openValues(open) };
        violation('start-without-answer', values, PAIRS[open.pair].number);
      }
      abandoned = open;
    } else if (work === 'over') {
      violation('turn-order', { event: type, openLine: summaryLine }, 'summary');
    } else {
      violation('consultation-before-message', { event: type });
    }
    if (pair === 'summary') summaryLine = line;
    work = pair;
    open = {
      pair,
      line,
      agent: textOf(event['agent']),
      number,
      otherAgent: undefined,
      otherNumber,
      excused: foreign,
    };
  }

  function answersTo(pair: PairName, event: Fields, foreign: boolean): void {
    const { opener, number: field } = PAIRS[pair];
    const { type } = event;
    const number = numberOf(event, pair);
    const agent = textOf(event['agent']);
    const next = WORK[mode][work]?.[type];
    if (next !== undefined && open !== undefined) {
      if (!answers(open, number, agent)) {
        if (takesAbandoned(pair, number, agent)) return;
        const values = { event: type, number: number ?? '?', agent: agent ?? '?', ...openValues(open) };
        violation('turn-mismatch', values, field);
      }
      if (field !== undefined) {
        const second = number !== undefined && number === open.otherNumber;
        last = second ? number : (open.number ?? number);
        otherLast = number === undefined ? open.otherNumber : undefined;
      }
      work = next;
      open = undefined;
      return;
    }
    if (takesAbandoned(pair, number, agent) || foreign) return;
    const values = { event: type, opener, number: number ?? '?', agent: agent ?? '?' };
    violation('answer-without-start', values, field);
    if (field !== undefined) {
      if (last === undefined) last = number;
      else otherLast = number;
    }
    if (open !== undefined) return;
    if (pair === 'summary') summaryLine = line;
    work = WORK[mode][pair]?.[type] ?? work;
  }

  function takesAbandoned(pair: PairName, number: number | undefined, agent: string | undefined): boolean {
    if (abandoned?.pair !== pair || !answers(abandoned, number, agent)) return false;
    abandoned = undefined;
    return true;
  }

  function think(input: ThinkingInput, event: Fields): void {
    const next = THINKING[thinking][input];
    if (next === undefined) {
      const [code, after] = THINKING_FAULTS[thinking]![input]!;
      violation(code, { event: event.type, openLine: thinkingLine });
      thinking = after;
    } else {
      thinking = next;
    }
    if (input !== 'thinking-start') return;
    thinkingLine = line;
    const agent = textOf(event['agent']);
    if (open === undefined || !PAIRS[open.pair].named || agrees(agent, open.agent, open.otherAgent)) return;
    violation('thinking-mismatch', { event: event.type, agent: agent ?? '?', ...openValues(open) });
    open.otherAgent = agent;
  }

  function works(part: Part, event: Fields): void {
    const { opens: opened, answers: answered, modes } = part;
    let foreign = false;
    if (modes !== undefined && mode !== 'any' && !modes.includes(mode)) {
      violation('wrong-mode', { event: event.type, mode, start: startLine, modes: modes.join(', ') });
      foreign = true;
      loosen();
    }
    if (opened !== undefined) opens(opened, event, foreign);
    else if (answered !== undefined) answersTo(answered, event, foreign);
    if (opened !== undefined || answered !== undefined) think('step', event);
  }

  /** What the machines inside the session make of an event. */
  function follow(part: Part, event: Fields, hasFailed: boolean): void {
    if (part.thinking === undefined) {
      if (!hasFailed) works(part, event);
    } else {
      think(part.thinking, event);
      if (hasFailed && thinking === 'open') thinking = 'overdue';
    }
  }

  /** What was open may stay so, and its end may still come. */
  function fail(event: Fields): void {
    failure = event['kind'] === 'cancelled' && failure !== 'failed' ? 'cancelled' : 'failed';
    if (errorLine === 0) errorLine = line;
    open = undefined;
    if (thinking === 'open') thinking = 'overdue';
  }

  /** What a `done` leaves open: the first of it, since the rest follows from it. */
  function leftOpen(event: Fields): SessionFinding | undefined {
    const path = event['outputPath'];
    let one: SessionFinding | undefined;
    if (open !== undefined && !open.excused) {
      const values = { event: event.type, ...openValues(open) };
      one = finding('start-without-answer', values, PAIRS[open.pair].number);
    } else if (thinking === 'open') {
      one = finding('thinking-not-closed', { event: event.type, openLine: thinkingLine });
    } else if (work === 'empty' && typeof path === 'string') {
      one = finding('done-path-after-nothing', { event: event.type, path });
    }
    return one !== undefined && tell(one.code) ? one : undefined;
  }

  function each(item: Item): readonly Finding[] {
    line = item.line.number;
    brokeOff = false;
    let event: Fields | undefined;
    if (item.kind === 'event') event = item.event as unknown as Fields;
    else if (item.kind === 'fault') event = item.value;
    if (event === undefined) {
      if (item.kind !== 'unknown') forgive = true;
      if (item.kind === 'fault') lost = true;
      return NOTHING;
    }
    const part = PARTS[event.type];
    if (part === null) return NOTHING;

    found = undefined;
    blamed = false;
    const input = part.session;
    const before = session;
    if (pending !== undefined) {
      if (input === 'start' || input === 'dry-run' || input === 'done') add(pending);
      pending = undefined;
    }
    const next = SESSION[before][input];
    let fault: SessionCode | undefined;
    if (next === undefined) {
      const [code, after] = SESSION_FAULTS[before]![input]!;
      fault = code;
      session = after;
      sessionFault(code, event);
    } else {
      session = next;
    }

    if (input === 'work' || input === 'thinking-end') {
      if (!asksOnlyTheEnd) follow(part, event, before === 'failed');
    } else if (input === 'start') {
      if (fault === 'duplicate-start') clear(modeOf(event));
      else begin(modeOf(event));
      owesDone = true;
    } else if (input === 'dry-run') {
      if (session === 'dry') {
        begin('any');
        ended = true;
        // It broke a session off: what follows may be more of that session, and is no second fault.
        if (fault === 'missing-done') said.add('dry-run-not-alone');
      }
    } else if (input === 'error') {
      fail(event);
    } else {
      if (fault === undefined) pending = leftOpen(event);
      owesDone = false;
      ended = true;
      doneLine = line;
    }
    lost = false;
    return found ?? NOTHING;
  }

  function end(): readonly Finding[] {
    found = undefined;
    if (pending !== undefined) add(pending);
    missingDone();
    close();
    reset();
    return found ?? NOTHING;
  }

  reset();
  return { each, end, brokeOff: () => brokeOff, outcomes: () => ({ ...totals }) };
}

/**
 * An item with what the checker finds of it.
 *
 * @example
 * const checker = createSessionChecker();
 * for (const item of items) console.log(checkSession(checker, item).findings);
 */
export function checkSession(checker: SessionChecker, item: Item): Item {
  const found = checker.each(item);
  const brokeOff = checker.brokeOff();
  if (found.length === 0 && !brokeOff) return item;
  const findings = [...(item.findings ?? []), ...found];
  return brokeOff ? { ...item, findings, brokeOff } : { ...item, findings };
}

/** The end of an input as an item on its last line; `undefined` where there is nothing to say of it. */
export function endSession(checker: SessionChecker, line: number): Item | undefined {
  const findings = checker.end();
  const brokeOff = checker.brokeOff();
  if (findings.length === 0 && !brokeOff) return undefined;
  const item: Item = { kind: 'fault', line: { number: line, text: '' }, findings };
  return brokeOff ? { ...item, brokeOff } : item;
}
