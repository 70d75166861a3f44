/** The second machine: the work of a mode, pair by pair, with its counter. Its tables are in `tables.ts`. */
import {
  type Fault,
  type Fields,
  PAIRS,
  type PairName,
  type Part,
  type Transition,
  WORK,
  type WorkMode,
  type WorkState,
} from './tables.ts';

/** A pair that waits for its answer. Undefined agrees with everything. */
interface Open {
  pair: PairName;
  line: number;
  agent: string | undefined;
  number: number | undefined;
  /** Another agent or number that may be the right one, since one of the two was reported. */
  otherAgent: string | undefined;
  otherNumber: number | undefined;
  /** Its opener was out of place: it needs no answer. */
  excused: boolean;
}

/** At the beginning of a session. */
export function newWork(mode: WorkMode, startLine: number) {
  return {
    mode,
    state: (mode === 'chat' ? 'empty' : 'idle') as WorkState,
    /** The line of the session's first event. */
    startLine,
    /** The line where the last summary began; 0 before it. */
    summaryLine: 0,
    open: undefined as Open | undefined,
    /** The pair that was open when the next began: its answer may be late. */
    abandoned: undefined as Open | undefined,
    /** The counter: the number of the last answer, undefined where unknown, and another that may be it. */
    last: undefined as number | undefined,
    otherLast: undefined as number | undefined,
  };
}

/** Where the work stands. */
export type WorkProgress = ReturnType<typeof newWork>;

/**
 * A copy, field by field: V8 gives what a spread copied a layout of its own, and reads the fields of many layouts
 * slowly. By a spread, `validate` takes 7 % more instructions for short events.
 */
function copyOf({
  mode,
  state,
  startLine,
  summaryLine,
  open,
  abandoned,
  last,
  otherLast,
}: WorkProgress): WorkProgress {
  return { mode, state, startLine, summaryLine, open, abandoned, last, otherLast };
}

/** The mode of a `start` as the tables know it. */
export function modeOf(start: Fields): WorkMode {
  const mode = start['mode'];
  return mode === 'debate' || mode === 'ask' || mode === 'chat' ? mode : 'any';
}

/** The work after an event of the work. */
export function work(
  before: WorkProgress,
  part: Part,
  event: Fields,
  line: number,
): Transition<WorkProgress> {
  const { opens: opened, answers: answered, modes } = part;
  const { mode, startLine } = before;
  const foreign = modes !== undefined && mode !== 'any' && !modes.includes(mode);
  const next = foreign ? loosened(before) : copyOf(before);
  const wrongMode: Fault | undefined = foreign
    ? { code: 'wrong-mode', values: { event: event.type, mode, start: startLine, modes: modes.join(', ') } }
    : undefined;
  let fault: Fault | undefined;
  if (opened !== undefined) fault = openPair(next, opened, event, line, foreign);
  else if (answered !== undefined) fault = answerPair(next, answered, event, line, foreign);
  return { next, fault: wrongMode ?? fault };
}

/** The work after a `thinking-start`: checks that it names the agent of the open pair. */
export function thinks(before: WorkProgress, event: Fields): Transition<WorkProgress> {
  const { open } = before;
  const agent = textOf(event['agent']);
  if (!open || !PAIRS[open.pair].named || agrees(agent, open.agent, open.otherAgent)) return { next: before };
  return {
    next: { ...before, open: { ...open, otherAgent: agent } },
    fault: {
      code: 'thinking-mismatch',
      values: { event: event.type, agent: agent ?? '?', ...openValues(open) },
    },
  };
}

/** The work after an `error`: nothing need be answered. */
export function stopped(before: WorkProgress): WorkProgress {
  return { ...before, open: undefined };
}

/** The work where little is known for sure; a pair that is open may still be answered. */
export function loosened(before: WorkProgress): WorkProgress {
  const { open } = before;
  return { ...before, mode: 'any', state: open?.pair ?? 'idle', last: undefined, otherLast: undefined };
}

/** What a `done` breaks: a pair that is still open. */
export function unanswered({ open }: WorkProgress, event: Fields): Fault | undefined {
  return open && !open.excused ? withoutAnswer(open, event) : undefined;
}

/** What a `done` breaks: a path although there was nothing to export. */
export function pathAfterNothing({ state }: WorkProgress, event: Fields): Fault | undefined {
  const path = event['outputPath'];
  if (state !== 'empty' || typeof path !== 'string') return undefined;
  return { code: 'done-path-after-nothing', values: { event: event.type, path } };
}

function openPair(
  work: WorkProgress,
  pair: PairName,
  event: Fields,
  line: number,
  foreign: boolean,
): Fault | undefined {
  const { type } = event;
  const number = numberOf(event, pair);
  let otherNumber: number | undefined;
  let fault: Fault | undefined;
  if (WORK[work.mode][work.state]?.[type] !== undefined) {
    fault = outOfOrder(work, pair, event);
    if (fault) otherNumber = following(work.last);
    work.abandoned = undefined;
  } else if (work.open !== undefined) {
    if (!work.open.excused) fault = withoutAnswer(work.open, event);
    work.abandoned = work.open;
  } else if (work.state === 'over') {
    fault = { code: 'turn-order', variant: 'summary', values: { event: type, openLine: work.summaryLine } };
  } else {
    fault = { code: 'consultation-before-message', values: { event: type } };
  }
  if (pair === 'summary') work.summaryLine = line;
  work.state = pair;
  const agent = textOf(event['agent']);
  work.open = { pair, line, agent, number, otherAgent: undefined, otherNumber, excused: foreign };
  return fault;
}

function answerPair(
  work: WorkProgress,
  pair: PairName,
  event: Fields,
  line: number,
  foreign: boolean,
): Fault | undefined {
  const { opener, number: field } = PAIRS[pair];
  const { type } = event;
  const number = numberOf(event, pair);
  const agent = textOf(event['agent']);
  const values = { event: type, number: number ?? '?', agent: agent ?? '?' };
  const state = WORK[work.mode][work.state]?.[type];
  if (state !== undefined && work.open !== undefined) {
    const answered = work.open;
    const fits = answers(answered, number, agent);
    if (!fits && takesAbandoned(work, pair, number, agent)) return undefined;
    if (field !== undefined) {
      const second = number !== undefined && number === answered.otherNumber;
      work.last = second ? number : (answered.number ?? number);
      // What the answer does not settle: either number may be the right one.
      work.otherLast = fits && number !== undefined ? undefined : (number ?? answered.otherNumber);
    }
    work.state = state;
    work.open = undefined;
    if (fits) return undefined;
    return { code: 'turn-mismatch', variant: field, values: { ...values, ...openValues(answered) } };
  }
  if (takesAbandoned(work, pair, number, agent) || foreign) return undefined;
  if (field !== undefined) {
    // Either its opener is missing, or it does not belong here and the count goes on without it.
    work.otherLast = work.last === undefined ? 0 : number;
    work.last ??= number;
  }
  if (work.open === undefined) {
    if (pair === 'summary') work.summaryLine = line;
    work.state = WORK[work.mode][pair]?.[type] ?? work.state;
  }
  return { code: 'answer-without-start', variant: field, values: { ...values, opener } };
}

/** Whether it is the late answer to the abandoned pair, which is then forgotten. */
function takesAbandoned(
  work: WorkProgress,
  pair: PairName,
  number: number | undefined,
  agent: string | undefined,
): boolean {
  const { abandoned } = work;
  if (abandoned?.pair !== pair || !answers(abandoned, number, agent)) return false;
  work.abandoned = undefined;
  return true;
}

function outOfOrder({ last, otherLast }: WorkProgress, pair: PairName, event: Fields): Fault | undefined {
  const { number: field } = PAIRS[pair];
  const number = numberOf(event, pair);
  const expected = following(last);
  if (field === undefined || agrees(number, expected, following(otherLast))) return undefined;
  const values = { event: event.type, number: number ?? '?', expected: expected ?? '?' };
  return { code: 'turn-order', variant: field, values };
}

function withoutAnswer(open: Open, event: Fields): Fault {
  const values = { event: event.type, ...openValues(open) };
  return { code: 'start-without-answer', variant: PAIRS[open.pair].number, values };
}

/** The values of sentences about an open pair. */
function openValues({ pair, line, agent, number }: Open): Fault['values'] {
  const { opener, answer } = PAIRS[pair];
  return { opener, answer, openLine: line, openAgent: agent ?? '?', openNumber: number ?? '?' };
}

function answers(open: Open, number: number | undefined, agent: string | undefined): boolean {
  return (
    agrees(number, open.number, open.otherNumber) &&
    (!PAIRS[open.pair].named || agrees(agent, open.agent, open.otherAgent))
  );
}

function agrees<Value>(
  value: Value | undefined,
  expected: Value | undefined,
  other: Value | undefined,
): boolean {
  return value === undefined || expected === undefined || value === expected || value === other;
}

function following(number: number | undefined): number | undefined {
  return number === undefined ? undefined : number + 1;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A turn or response number; undefined for anything else. */
function numberOf(event: Fields, pair: PairName): number | undefined {
  const field = PAIRS[pair].number;
  const value = field === undefined ? undefined : event[field];
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 ? value : undefined;
}
