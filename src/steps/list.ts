/** Events to sessions: the index of an archive. Only what an entry holds is kept in memory. */
import {
  checkOptions,
  type Expectations,
  listOf,
  type OneOrMore,
  type RangeLike,
  ranges,
  regexp,
  strings,
  toRange,
  within,
  words,
} from '../arguments.ts';
import type { EndingStep, Item } from '../event.ts';
import {
  newSession,
  nextInput,
  OUTCOMES,
  type Outcome,
  observeItem,
  outcome,
  type Session,
  seconds,
  tally,
} from '../protocol/observe.ts';
import { eventOf, PARTS } from '../protocol/tables.ts';
import { createUnmetAgents, createUnmetNumbers, type Unmet } from '../protocol/unmet.ts';

/** One session, as far as the stream shows it; null for what it does not show. */
export interface SessionEntry {
  /** Which session of all that is read, from 1. */
  number: number;
  /** The line of its `start` or `dry-run`, or of its first event, from 1. */
  line: number;
  mode: string | null;
  /** May hold several lines. Of a Chat without one, the first line of its first question. */
  topic: string;
  /** ISO 8601, as the stream has it. */
  startedAt: string | null;
  /** IANA name. */
  timeZone: string | null;
  /** By the times in the stream, which Chat alone has; null after an error, which has no time, and of a stream that was filtered. */
  seconds: number | null;
  outcome: Outcome;
  /** The highest turn or response that was answered; in Chat, how many messages were. */
  answers: number | null;
  /** Turns of a Debate, responses of an Ask. */
  total: number | null;
  /** Those of `start`, then others that spoke; the person is not among them. */
  agents: { name: string; role: string; answers: number; words: number }[];
  errors: { phase: string | null; kind: string | null; agent: string | null; message: string | null }[];
  outputPath: string | null;
}

/** Which sessions to give. All conditions must hold; the values of one are alternatives, and none is any. */
export interface ListOptions {
  outcome?: OneOrMore<Outcome>;
  mode?: OneOrMore<string>;
  /** Agents that took part. */
  agent?: OneOrMore<string>;
  /** The nth session of all that is read. */
  session?: OneOrMore<RangeLike>;
  /** Looked for in the topic. */
  grep?: RegExp | undefined;
}

export const LIST_OPTIONS: Expectations<ListOptions> = {
  outcome: words(OUTCOMES),
  mode: strings,
  agent: strings,
  session: ranges,
  grep: regexp,
};

/** A step that lists. */
export interface List extends EndingStep<Item, SessionEntry> {
  /** Agents that were asked for and took part in no session; undefined where no session came at all. */
  unmet(): Unmet | undefined;
}

/**
 * A step that gives each session once it is over: at its `done`, at the start of the next one, or at the end of the
 * input. Sessions are numbered across inputs.
 *
 * @param counting.words whether the words of agents are counted, which takes a quarter of the time; else they are 0.
 *   Default: true
 * @throws TypeError for an unknown option or a wrong type
 * @example
 * const list = createList({ outcome: 'failed' });
 * for (const item of items) list.each(item, console.log);
 * list.end(console.log); // all that failed
 */
export function createList(options: ListOptions = {}, { words = true } = {}): List {
  checkOptions('createList', LIST_OPTIONS, options);
  const isChosen = createChoice(options);
  const agents = createUnmetAgents(listOf(options.agent));
  const sessions = createUnmetNumbers(listOf(options.session).map(toRange));
  let session = newSession();
  /** Words of answers, opinions and summaries, by agent. */
  let written = new Map<string, number>();
  let line = 0;
  /** The session that was given last. */
  let told: Session | undefined;

  function tell(over: Session, push: (entry: SessionEntry) => void): void {
    if (!over.begun || over === told) return;
    told = over;
    const entry = entryOf(over, line, written);
    for (const { name } of entry.agents) agents.see(name);
    sessions.see(over.number);
    if (isChosen(entry)) push(entry);
  }

  return {
    each(item, push) {
      const { begun: wasBegun, number } = session;
      const before = session;
      session = observeItem(session, item);
      if (session.number !== number) tell(before, push);
      if (session !== before) written = new Map();
      if (words) countWords(written, item);
      if (session.begun && (session !== before || !wasBegun)) line = item.line.number;
      if (session.ended) tell(session, push);
    },
    end(push) {
      tell(session, push);
      session = nextInput(session);
      written = new Map();
    },
    unmet: () => (told ? { ...agents.unmet(), sessions: sessions.unmet() } : undefined),
  };
}

/** Adds the words of an answer to those of its agent: what stands between blanks and line breaks. */
function countWords(written: Map<string, number>, item: Item): void {
  const event = eventOf(item);
  if (!event || !PARTS[event.type]?.answers) return;
  const { agent, content } = event;
  if (typeof agent !== 'string' || typeof content !== 'string') return;
  let count = written.get(agent) ?? 0;
  let isBlank = true;
  for (let at = 0; at < content.length; at++) {
    const wasBlank = isBlank;
    isBlank = content.charCodeAt(at) <= 32;
    if (wasBlank && !isBlank) count++;
  }
  written.set(agent, count);
}

function entryOf(session: Session, line: number, written: ReadonlyMap<string, number>): SessionEntry {
  const { answers = null, total = null } = tally(session) ?? {};
  const time = seconds(session);
  return {
    number: session.number,
    line,
    mode: session.mode ?? null,
    topic: session.topic,
    startedAt: session.startedAt || null,
    timeZone: session.timeZone || null,
    seconds: Number.isNaN(time) ? null : time,
    outcome: outcome(session),
    answers,
    total,
    agents: [...session.agents.values()].map(({ name, role, answers }) => ({
      name,
      role,
      answers,
      words: written.get(name) ?? 0,
    })),
    errors: session.errors.map(({ phase, kind, agent, message }) => ({
      phase: phase || null,
      kind: kind || null,
      agent: agent || null,
      message: message || null,
    })),
    outputPath: session.outputPath,
  };
}

function createChoice({ grep, ...options }: ListOptions): (entry: SessionEntry) => boolean {
  const outcomes = listOf(options.outcome);
  const modes = listOf(options.mode);
  const agents = listOf(options.agent);
  const sessions = listOf(options.session).map(toRange);
  return ({ outcome, mode, agents: present, number, topic }) =>
    (outcomes.length === 0 || outcomes.includes(outcome)) &&
    (modes.length === 0 || (mode !== null && modes.includes(mode))) &&
    (agents.length === 0 || present.some(({ name }) => agents.includes(name))) &&
    (sessions.length === 0 || within(sessions, number)) &&
    (grep === undefined || topic.search(grep) >= 0);
}
