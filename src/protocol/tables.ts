/**
 * The order of events in a session, as tables.
 *
 * A stream is a row of sessions. A session is three state machines that read the same events in parallel. Each is a
 * table: a state, and for every event that is legal there, the state that follows. **An illegal event is a missing
 * key.** Nothing else in the program knows the order.
 *
 * 1. **The session** ({@link SESSION}): `start` opens it, `error` ends its work, `done` closes it, and a
 *    `dry-run` is a whole session by itself. Every other event is `work`, but for `thinking-end`, which may
 *    come after an `error`. `notice`, `warning` and unknown types are invisible: no machine sees them.
 * 2. **The work of a mode** ({@link WORK}): pairs of an opening event and its answer ({@link PAIRS}).
 *    `over` is a session whose summary was given, `empty` a Chat without a message. A session whose mode is
 *    not known (its `start` is missing, or names a mode that did not exist when this was written) follows
 *    `any`: all pairs, without an order among them. The work has a **counter**: the first turn or response
 *    of a session may have any number, since a resumed session goes on where it stopped; each later one is one
 *    more than the last answer.
 * 3. **Thinking** ({@link THINKING}): open or closed, and closed wherever the work takes a `step`, which is
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
 *   Text that is not JSON forgives a violation too, but never a missing `done`: a program that
 *   crashes often prints why.
 * - An invalid event counts by its type. A field that it lacks agrees with everything.
 */
import type { EventType, Finding, Item, SessionCode } from '../event.ts';

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

const PAIR_ENTRIES = Object.entries(PAIRS) as [PairName, Pair][];

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
  any: Object.fromEntries([
    ['idle', Object.fromEntries(PAIR_ENTRIES.map(([pair, { opener }]) => [opener, pair]))],
    ...PAIR_ENTRIES.map(([pair, { answer }]) => [pair, { [answer]: 'idle' }] as const),
  ]),
};

/** What an event is to each machine. */
export interface Part {
  session: SessionInput;
  thinking?: 'thinking-start' | 'thinking-end' | undefined;
  /** The modes that know it; every mode where missing. */
  modes?: readonly WorkMode[] | undefined;
  opens?: PairName | undefined;
  answers?: PairName | undefined;
}

const DEBATE = ['debate'] as const;
const ASK = ['ask'] as const;
const CHAT = ['chat'] as const;
const SUMMED_UP = ['debate', 'ask'] as const;

/** Every known event; null is invisible. */
export const PARTS: Record<EventType, Part | null> = {
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

/** An event as the machines read it: its fields may be missing or wrong. */
export interface Fields {
  type: EventType;
  [field: string]: unknown;
}

/** What can be read of an item; undefined for what is not an event of a known type. */
export function eventOf(item: Item): Fields | undefined {
  if (item.kind === 'event') return item.event as unknown as Fields;
  return item.kind === 'fault' ? item.value : undefined;
}

/** A rule that an event breaks. */
export interface Fault {
  code: SessionCode;
  /** Which of the code's sentences, where it has several. */
  variant?: string | undefined;
  /** What the sentence names. */
  values: Finding['values'];
}

/** What a machine makes of an event: where it stands now, and the rule that was broken. */
export interface Transition<Progress> {
  next: Progress;
  fault?: Fault | undefined;
}
