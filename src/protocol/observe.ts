/**
 * What a session has shown so far, and its outcome: the one state that formats, filter, list and the live line share.
 * It is what a reader knows of the session, not whether the session keeps the rules; for those see `tables.ts`.
 *
 * Nothing is taken for granted but the type of an event: its fields may be missing or wrong. What is kept of a
 * session is bounded by what it says of itself: numbers, its start, its agents (at most {@link MOST}) and errors
 * (at most {@link MOST}).
 */
import { type Item, isEventType, type PalabreEvent, type UnknownEvent } from '../event.ts';
import { eventOf, type Fields, PAIRS, PARTS, type PairName, type Part } from './tables.ts';

/** Agents and errors of one session that are kept. */
const MOST = 1000;
/** Milliseconds in which a start reaches its reader, clocks that differ a little included. */
const JUST_NOW = 60_000;

/** Somebody who takes part, a person aside. */
interface Participant {
  name: string;
  role: string;
  /** Turns, responses and messages of Chat. */
  answers: number;
  /** Consultations in Chat. */
  opinions: number;
}

/** Somebody who was asked for an answer. */
export interface Asked {
  pair: PairName;
  /** Empty where the stream does not say: the question of a person names no agent. */
  agent: string;
  role: string;
  /** The turn or response; 0 where answers are not counted. */
  number: number;
  /** When, by the reader's clock, in milliseconds (0 without a clock). */
  since: number;
}

/** An `error` as it is remembered; empty where it does not say. */
interface Failure {
  phase: string;
  kind: string;
  agent: string;
  message: string;
}

/** How a session went, as far as the stream shows. */
export const OUTCOMES = [
  'finished',
  'stopped-early',
  'failed',
  'cancelled',
  'unfinished',
  'dry-run',
  'ended',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** A session that has shown nothing yet. */
export function newSession(number = 1) {
  return {
    /** Which session of all that is read, from 1. */
    number,
    /** It has shown more than notices and warnings. */
    begun: false,
    /** It had a `start`. */
    started: false,
    /** It has shown more than its `start` and its end. */
    worked: false,
    /** It had its `done`, or is a dry-run. */
    ended: false,
    dryRun: false,
    /** As `start` or `dry-run` says; without one, as the events show that belong to one mode only. */
    mode: undefined as string | undefined,
    /** Of a Chat without one, the first line of its first question, as in a transcript. */
    topic: '',
    /** ISO 8601, as the stream has it. */
    startedAt: '',
    /** IANA name. */
    timeZone: '',
    /** Absolute path of the session's folder. */
    cwd: '',
    /** Those of `start` first, then any other agent that spoke, by name. */
    agents: new Map<string, Participant>(),
    /** Answers to come: turns of a Debate, responses of an Ask. */
    total: undefined as number | undefined,
    /**
     * The highest turn or response that was answered, those before a resumed session included; in Chat, how many
     * messages were answered.
     */
    answers: 0,
    /** Consultations that were answered. */
    opinions: 0,
    /** Who was asked and has yet to answer. */
    open: undefined as Asked | undefined,
    /** Who was asked, and will not answer: the last event shows it and does not name them. */
    unanswered: undefined as Asked | undefined,
    /** Seconds that the last answer took, where the session was watched from its start; else NaN. */
    took: Number.NaN,
    /** Some openers or answers are missing, as what is there shows: the stream was filtered, or lines of it are lost. */
    filtered: false,
    /** A turn, a response or a question was opened. */
    opened: false,
    /** Whether `start` allows a Debate to stop early; undefined where it does not say. */
    earlyStop: undefined as boolean | undefined,
    /** The first notice after the last answer of a Debate, which says why it stopped early; else undefined. */
    lastNotice: undefined as string | undefined,
    summaryGiven: false,
    errors: [] as Failure[],
    /** How the work failed; the first error that is not a cancellation decides. */
    failure: undefined as 'failed' | 'cancelled' | undefined,
    /** Who thinks now, and since when by the reader's clock, in milliseconds (0 without a clock). */
    thinking: undefined as { agent: string; since: number } | undefined,
    outputPath: null as string | null,
    /** The stream's last time, as it is written; empty where it has none. */
    lastTime: '',
    /** Milliseconds of the reader's clock at the start, where the session was watched from there. */
    clock: undefined as number | undefined,
  };
}

/** What a session has shown so far. */
export interface Session extends ReturnType<typeof newSession> {
  /** The session that ended before, while this one has shown notices alone: what is no start belongs to that one. */
  former?: Session;
}

/** The session that an input begins with after this one, in the input before. */
export function nextInput(session: Session): Session {
  return newSession(session.number + (session.begun ? 1 : 0));
}

/**
 * The session after an event: another one where it opens one (`start`, `dry-run`), else the same, updated. A notice
 * after `done` is said before the next one, and what follows it is of the former all the same, unless it is a start.
 *
 * @param now the reader's clock in milliseconds, where events come as they happen
 * @example
 * let session = newSession();
 * for (const event of events) session = observe(session, event);
 * outcome(session); // 'finished'
 */
export function observe(
  before: Session,
  event: PalabreEvent | UnknownEvent | Fields,
  now?: () => number,
): Session {
  const { type } = event;
  if (!isEventType(type)) return before;
  before.unanswered = undefined;
  const fields = event as Fields;
  const part = PARTS[type];
  if (!part) {
    const session = before.ended ? nextInput(before) : before;
    if (before.ended) session.former = before;
    if (type === 'notice') remark(session, fields);
    return session;
  }
  if (type === 'start' || type === 'dry-run') return begin(before, fields, now);
  const session = before.former ?? before;
  session.begun = true;
  session.thinking = undefined;
  if (type === 'error') fail(session, fields);
  else if (type === 'done') end(session, fields);
  else work(session, part, fields, now);
  return session;
}

/** The session after an item; text and lines that cannot be read say nothing of it. */
export function observeItem(before: Session, item: Item, now?: () => number): Session {
  const event = eventOf(item);
  return event === undefined ? before : observe(before, event, now);
}

function begin(before: Session, event: Fields, now: (() => number) | undefined): Session {
  // A second `start` right after the first belongs to the same session.
  const again = before.started && !before.worked && !before.ended && before.errors.length === 0;
  // Nor is a dry-run in a session one of its own.
  if (again && event.type === 'dry-run') {
    before.worked = true;
    return before;
  }
  const session = again ? newSession(before.number) : nextInput(before);
  session.begun = true;
  session.mode = text(event['mode']);
  for (const agent of list(event['agents'])) participant(session, agent);
  if (event.type === 'dry-run') {
    session.dryRun = true;
    session.ended = true;
    return session;
  }
  const { startedAt, timeZone, cwd } = record(event['session']);
  session.started = true;
  session.topic = text(event['topic']) ?? '';
  session.startedAt = text(startedAt) ?? '';
  session.timeZone = text(timeZone) ?? '';
  session.cwd = text(cwd) ?? '';
  if (session.mode === 'debate') session.total = count(event['turns']);
  if (session.mode === 'ask') session.total = count(list(event['agents']).length);
  session.earlyStop = typeof event['earlyStop'] === 'boolean' ? event['earlyStop'] : undefined;
  const time = now?.();
  // A record that is piped in started long ago.
  if (time !== undefined && Math.abs(time - instant(session.startedAt)) < JUST_NOW) session.clock = time;
  return session;
}

function remark(session: Session, event: Fields): void {
  const between = session.answers > 0 && session.open === undefined && !session.summaryGiven;
  if (between && session.mode === 'debate') session.lastNotice ??= text(event['message']);
}

function fail(session: Session, event: Fields): void {
  session.failure = event['kind'] === 'cancelled' && session.failure !== 'failed' ? 'cancelled' : 'failed';
  // An error has no time, so the times before it no longer say how long the session took.
  session.lastTime = '';
  if (session.open?.agent !== event['agent']) passOver(session);
  session.open = undefined;
  if (session.errors.length >= MOST) return;
  const [phase = '', kind = '', agent = '', message = ''] = ['phase', 'kind', 'agent', 'message'].map(
    (name) => text(event[name]),
  );
  session.errors.push({ phase, kind, agent, message });
}

function end(session: Session, event: Fields): void {
  session.ended = true;
  session.outputPath = text(event['outputPath']) ?? null;
  if (session.open === undefined) return;
  session.filtered = true;
  passOver(session);
  session.open = undefined;
}

/** What is open stays without an answer. */
function passOver(session: Session): void {
  if (session.open?.agent) session.unanswered = session.open;
}

function work(session: Session, part: Part, event: Fields, now: (() => number) | undefined): void {
  session.worked = true;
  if (part.modes?.length === 1) session.mode ??= part.modes[0];
  if (event.type === 'thinking-start') {
    session.thinking = { agent: text(event['agent']) ?? '', since: now?.() ?? 0 };
    if (session.open?.agent === '') {
      session.open.agent = session.thinking.agent;
      session.open.role = text(event['role']) ?? '';
    }
  }
  if (part.opens !== undefined) {
    if (session.open !== undefined || (part.opens === 'consultation' && session.answers === 0))
      session.filtered = true;
    passOver(session);
    session.open = asked(part.opens, event, now);
    if (part.opens !== 'summary') {
      // A resumed session begins after the answers that were saved.
      if (!session.opened) session.answers = Math.max(session.answers, session.open.number - 1);
      session.opened = true;
    }
    if (part.opens === 'question' && session.topic.trim() === '')
      session.topic = firstLine(text(event['content']) ?? '');
    if (part.opens === 'turn') session.lastNotice = undefined;
    session.total = count(event['totalTurns'] ?? event['totalResponses']) ?? session.total;
  } else if (part.answers !== undefined) {
    if (session.open?.pair !== part.answers) session.filtered = true;
    if (session.open && isAnswer(event, session.open)) {
      session.took = now && session.clock !== undefined ? (now() - session.open.since) / 1000 : Number.NaN;
    } else {
      session.took = Number.NaN;
      passOver(session);
    }
    session.open = undefined;
    answered(session, part.answers, event);
  } else if (part.thinking && session.open === undefined && session.failure === undefined) {
    // An agent that thinks was asked: the event that says so is missing.
    session.filtered = true;
  }
  const { createdAt } = event;
  if (createdAt !== undefined) session.lastTime = text(createdAt) ?? '';
}

function asked(pair: PairName, event: Fields, now: (() => number) | undefined): Asked {
  // Elsewhere the event names the person who asks.
  const { named } = PAIRS[pair];
  return {
    pair,
    agent: (named && text(event['agent'])) || '',
    role: (named && text(event['role'])) || '',
    number: numberOf(pair, event) ?? 0,
    since: now?.() ?? 0,
  };
}

/** Whether an event is the answer that was asked for, as far as both say it. */
function isAnswer(event: Fields, { pair, agent, number }: Asked): boolean {
  if (PARTS[event.type]?.answers !== pair) return false;
  return (agent === '' || agent === event['agent']) && (number === 0 || number === numberOf(pair, event));
}

/** The turn or response of an event. */
function numberOf(pair: PairName, event: Fields): number | undefined {
  const { number } = PAIRS[pair];
  return number && count(event[number]);
}

function answered(session: Session, pair: PairName, event: Fields): void {
  const speaker = participant(session, event);
  if (pair === 'summary') {
    session.summaryGiven = true;
  } else if (pair === 'consultation') {
    session.opinions++;
    if (speaker) speaker.opinions++;
  } else {
    const number = numberOf(pair, event);
    session.answers = number === undefined ? session.answers + 1 : Math.max(session.answers, number);
    if (speaker) speaker.answers++;
  }
}

/** The participant whom an event or a list of agents names, added on first sight; undefined without a name or beyond {@link MOST}. */
function participant(session: Session, value: unknown): Participant | undefined {
  const { name, agent, role } = record(value);
  const known = text(name) ?? text(agent);
  if (known === undefined) return undefined;
  const found = session.agents.get(known);
  if (found || session.agents.size >= MOST) return found;
  const one: Participant = { name: known, role: text(role) ?? '', answers: 0, opinions: 0 };
  session.agents.set(known, one);
  return one;
}

/**
 * How a session went, as far as the stream shows. Where it shows too little to say, it `ended`: openers or answers
 * are missing (the stream was filtered), or nothing at all stands between its start and its end.
 */
export function outcome(session: Session): Outcome {
  const { dryRun, started, ended, failure, filtered } = session;
  if (!ended && started && !filtered) return 'unfinished';
  if (failure) return failure;
  if (dryRun) return 'dry-run';
  if (!ended || filtered) return 'ended';
  return wentWell(session);
}

/** The outcome of a whole session that ended without an error. */
function wentWell(session: Session): Outcome {
  const { mode, total, answers, earlyStop, lastNotice, summaryGiven } = session;
  if (!session.worked) return 'ended';
  if (total === undefined || answers >= total) return 'finished';
  // Of a session that was resumed for its summary, the answers are in an earlier stream.
  if (answers === 0) return summaryGiven ? 'finished' : 'ended';
  const mayStop = earlyStop || summaryGiven || lastNotice !== undefined;
  return mode === 'debate' && mayStop ? 'stopped-early' : 'ended';
}

/**
 * How many answers there were, and of how many (turns of a Debate, responses of an Ask); undefined where the stream
 * does not show it: without openers, or where some of it is missing.
 */
export function tally(session: Session): { answers: number; total: number | undefined } | undefined {
  const { opened, filtered, answers, total } = session;
  return opened && !filtered ? { answers, total } : undefined;
}

/** The agent at work now, and since when; undefined where none is, or its name is not known. */
export function atWork({ open, thinking }: Session): Asked | Session['thinking'] {
  return open?.agent && (!thinking || thinking.agent === open.agent) ? open : thinking;
}

/** Seconds that the session took, by the reader's clock or by the times in a whole stream; NaN where neither says it. */
export function seconds({ clock, startedAt, lastTime, filtered }: Session, now?: () => number): number {
  const span =
    now && clock !== undefined
      ? now() - clock
      : filtered
        ? Number.NaN
        : instant(lastTime) - instant(startedAt);
  return span >= 0 ? span / 1000 : Number.NaN;
}

/** Milliseconds since 1970 of an ISO 8601 time with its zone; NaN for anything else. */
export function instant(iso: string): number {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/.test(iso)
    ? Date.parse(iso)
    : Number.NaN;
}

/** The first line of a text that is not blank. */
export function firstLine(text: string): string {
  return text.trim().split(/\r?\n/, 1)[0]!;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function count(value: unknown): number | undefined {
  return Number.isInteger(value) && (value as number) >= 1 ? (value as number) : undefined;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
