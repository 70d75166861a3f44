/** What a session has shown so far, for counters and for the line that closes it. */
import type { PalabreEvent } from '../event.ts';
import { instant } from './words.ts';

/** Milliseconds in which a start reaches its reader, clocks that differ a little included. */
const JUST_NOW = 60_000;

export interface Session {
  mode: string | undefined;
  /** IANA name, empty where no `start` named one. */
  timeZone: string;
  /** Answers to come: turns of a Debate, responses of an Ask. */
  total: number | undefined;
  answers: number;
  opinions: number;
  failure: 'failed' | 'cancelled' | undefined;
  /** Milliseconds of the stream's first and last time. */
  first: number;
  last: number;
  /** Milliseconds of the reader's clock at the start. */
  clock: number | undefined;
}

export function newSession(): Session {
  return {
    mode: undefined,
    timeZone: '',
    total: undefined,
    answers: 0,
    opinions: 0,
    failure: undefined,
    first: NaN,
    last: NaN,
    clock: undefined,
  };
}

/** The session after `event`: a new one at `start` and `dry-run`, else the same, updated. */
export function observe(session: Session, event: PalabreEvent, now: (() => number) | undefined): Session {
  switch (event.type) {
    case 'start':
      return {
        ...newSession(),
        mode: event.mode,
        timeZone: event.session.timeZone,
        total: event.mode === 'debate' ? event.turns : event.mode === 'ask' ? event.agents.length : undefined,
        first: instant(event.session.startedAt),
        clock: clockAt(event.session.startedAt, now),
      };
    case 'dry-run':
      return newSession();
    case 'turn-start':
      session.total = event.totalTurns;
      break;
    case 'ask-response-start':
      session.total = event.totalResponses;
      break;
    case 'message':
    case 'ask-response':
      session.answers++;
      break;
    case 'chat-message':
      session.answers++;
      session.last = instant(event.createdAt);
      break;
    case 'chat-user-message':
      session.last = instant(event.createdAt);
      break;
    case 'chat-consultation':
      session.opinions++;
      session.last = instant(event.createdAt);
      break;
    case 'error':
      session.failure = event.kind === 'cancelled' ? 'cancelled' : 'failed';
  }
  return session;
}

/** The reader's clock at the start of a session that starts now; a record that is piped in started long ago. */
function clockAt(startedAt: string, now: (() => number) | undefined): number | undefined {
  const time = now?.();
  if (time === undefined) return undefined;
  return Math.abs(time - instant(startedAt)) < JUST_NOW ? time : undefined;
}

export type Outcome = 'finished' | 'stopped-early' | 'failed' | 'cancelled';

/** How a session that says `done` went. */
export function outcome({ mode, failure, answers, total = 0 }: Session): Outcome {
  if (failure) return failure;
  return mode === 'debate' && answers > 0 && answers < total ? 'stopped-early' : 'finished';
}

/** Seconds that the session took, by the reader's clock or by the times in the stream; NaN if neither tells. */
export function seconds({ clock, first, last }: Session, now: (() => number) | undefined): number {
  const span = now && clock !== undefined ? now() - clock : last - first;
  return span >= 0 ? span / 1000 : NaN;
}
