/**
 * Checks a session against the tables: asks the three machines in turn, and gives one finding for one fault.
 * The theory is in `tables.ts`.
 */
import type { Finding, FindingMessage, Item, SessionCode } from '../event.ts';
import { missingDone, NO_SESSION, type SessionProgress, session } from './session.ts';
import {
  eventOf,
  type Fault,
  type Fields,
  PARTS,
  type Part,
  type SessionState,
  type Transition,
} from './tables.ts';
import { interrupted, NO_THINKING, type ThinkingProgress, thinking, unclosed } from './thinking.ts';
import {
  loosened,
  modeOf,
  newWork,
  pathAfterNothing,
  stopped,
  thinks,
  unanswered,
  type WorkProgress,
  work,
} from './work.ts';

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

/** Options of {@link createSessionChecker}. */
export interface SessionOptions {
  /** Report these codes alone; all by default. */
  only?: readonly SessionCode[];
}

/** The checker of a row of inputs. */
export interface SessionChecker {
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

/** Reported for the first event alone: the rest of the session suffers from the same fault. */
const ONCE: ReadonlySet<SessionCode> = new Set<SessionCode>([
  'event-before-start',
  'wrong-mode',
  'event-after-error',
  'event-after-done',
  'dry-run-not-alone',
]);

/** Where the beginning of a session was cut off, what it opened is missing as well. */
const CUT_OFF: readonly SessionCode[] = ['answer-without-start', 'thinking-not-opened'];

const NOTHING: readonly Finding[] = Object.freeze([]);

/** Where the three machines stand. */
interface Progress {
  session: SessionProgress;
  work: WorkProgress;
  thinking: ThinkingProgress;
}

const NOTHING_YET: Progress = { session: NO_SESSION, work: newWork('any', 0), thinking: NO_THINKING };

/** What an event does to the machines. */
interface Conducted extends Transition<Progress> {
  /** It is the first of a session. */
  opens: boolean;
  /** What a `done` left open: a fault if nothing more of the session follows. */
  left?: Fault | undefined;
}

/** Runs the machines: the session, the work, thinking. Only the fault of the first that finds one is reported. */
function conduct(before: Progress, part: Part, event: Fields, line: number): Conducted {
  const { next, opens, fault } = session(before.session, part.session, event, line);
  let { work: at, thinking: thoughts } = before;
  let left: Fault | undefined;
  if (opens) {
    at = newWork(event.type === 'start' ? modeOf(event) : 'any', line);
    thoughts = NO_THINKING;
  }
  if (fault) at = afterFault(at, fault);

  let inner: Transition<WorkProgress> = { next: at };
  let thought: Transition<ThinkingProgress> = { next: thoughts };
  if (part.thinking) {
    thought = thinking(thoughts, part.thinking, event, line);
    if (part.thinking === 'thinking-start') inner = thinks(at, event);
  } else if (part.session === 'work' && before.session.state !== 'failed') {
    inner = work(at, part, event, line);
    if (part.opens || part.answers) thought = thinking(thoughts, 'step', event, line);
  } else if (part.session === 'error') {
    inner = { next: stopped(at) };
  } else if (part.session === 'done' && !fault) {
    left = unanswered(at, event) ?? unclosed(thoughts, event) ?? pathAfterNothing(at, event);
  }
  const first = part.thinking ? (thought.fault ?? inner.fault) : (inner.fault ?? thought.fault);
  return {
    next: {
      session: next,
      work: inner.next,
      thinking: next.state === 'failed' ? interrupted(thought.next) : thought.next,
    },
    opens,
    fault: fault ?? first,
    left,
  };
}

/**
 * The same for `missing-done` alone, which needs the session machine only. With it, `filter` takes 0.5 s of CPU for 50 MB of
 * short events; with the other two machines it takes 0.7 s.
 */
function conductSession(before: Progress, part: Part, event: Fields, line: number): Conducted {
  const { next, opens, fault } = session(before.session, part.session, event, line);
  if (next === before.session) return { next: before, opens, fault };
  const { work: at, thinking: thoughts } = before;
  return { next: { session: next, work: at, thinking: thoughts }, opens, fault };
}

/** The work where a fault of the session leaves it. */
function afterFault(before: WorkProgress, { code, variant }: Fault): WorkProgress {
  // What came after the error may have been the message that the export holds.
  if (code === 'event-after-error' && before.state === 'empty') return { ...before, state: 'idle' };
  const astray = code === 'event-after-done' || (code === 'dry-run-not-alone' && variant !== 'inside');
  return astray ? loosened(before) : before;
}

/** Decides which faults are reported: some once in a session, none that an unreadable line or an earlier fault explains. */
function createJudge() {
  const said = new Set<SessionCode>();
  const excused = new Set<SessionCode>();
  let forgiving = false;
  return {
    /** A line was unreadable: the next fault may be its consequence. */
    forgive(): void {
      forgiving = true;
    },
    reports({ code }: Fault): boolean {
      if (excused.delete(code) || said.has(code)) return false;
      if (ONCE.has(code)) said.add(code);
      const isReported = !forgiving;
      forgiving = false;
      return isReported;
    },
    /** A session begins, perhaps with a fault. */
    begin(state: SessionState, fault?: Fault): void {
      said.clear();
      excused.clear();
      forgiving = false;
      if (fault?.code === 'event-before-start') {
        said.add(fault.code);
        for (const code of CUT_OFF) excused.add(code);
      }
      // A dry-run that broke a session off: what follows may be more of that session, which is not a second fault.
      if (fault?.code === 'missing-done' && state === 'dry') said.add('dry-run-not-alone');
    },
    /** The session opens a pair of its own. */
    excuseNoMore(): void {
      if (excused.size > 0) excused.clear();
    },
  };
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
  const totals: Outcomes = { sessions: 0, finished: 0, failed: 0, cancelled: 0, unfinished: 0 };
  const judge = createJudge();
  const asks = only?.every((code) => code === 'missing-done') ? conductSession : conduct;
  let progress = NOTHING_YET;
  let line = 0;
  /** The last line was unreadable: it may have been the `done`. */
  let lost = false;
  let brokeOff = false;
  /** What the last `done` left open. Where more of the session follows, `done` came too early, and that is the fault. */
  let pending: Finding | undefined;
  let found = NOTHING;

  function finding({ code, variant, values }: Fault): Finding {
    const message = (variant === undefined ? code : `${code}.${variant}`) as FindingMessage;
    return { code, severity: 'error', line, path: null, message, values };
  }

  function add(one: Finding): void {
    if (only === undefined || only.some((code) => code === one.code)) found = [...found, one];
  }

  /** Ends the session; reports a missing `done`, unless an unreadable line may have been it. */
  function close(fault: Fault): void {
    brokeOff = progress.session.owesDone;
    if (brokeOff && !lost) add(finding(fault));
  }

  function each(item: Item): readonly Finding[] {
    line = item.line.number;
    brokeOff = false;
    const event = eventOf(item);
    if (event === undefined) {
      if (item.kind !== 'unknown') judge.forgive();
      if (item.kind === 'fault') lost = true;
      return NOTHING;
    }
    const part = PARTS[event.type];
    if (part === null) return NOTHING;

    found = NOTHING;
    const ends = part.session === 'start' || part.session === 'dry-run' || part.session === 'done';
    if (pending !== undefined && ends) add(pending);
    pending = undefined;
    const { next, opens, fault, left } = asks(progress, part, event, line);
    if (fault?.code === 'missing-done') close(fault);
    else if (fault && judge.reports(fault)) add(finding(fault));
    else if (left && judge.reports(left)) pending = finding(left);
    if (opens) {
      if (fault?.code !== 'duplicate-start') count(totals, progress.session);
      judge.begin(next.session.state, fault);
    }
    if (part.opens !== undefined && next.session.state !== 'failed') judge.excuseNoMore();
    progress = next;
    lost = false;
    return found;
  }

  function end(): readonly Finding[] {
    found = NOTHING;
    if (pending !== undefined) add(pending);
    close(missingDone(progress.session));
    count(totals, progress.session);
    judge.begin('none');
    progress = NOTHING_YET;
    lost = false;
    pending = undefined;
    return found;
  }

  return { each, end, brokeOff: () => brokeOff, outcomes: () => ({ ...totals }) };
}

/** Enters a session that is over into the totals. */
function count(totals: Outcomes, { state, ended, failure }: SessionProgress): void {
  if (state === 'none') return;
  totals.sessions++;
  totals[ended ? (failure ?? 'finished') : 'unfinished']++;
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
