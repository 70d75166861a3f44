/** The first machine: what opens a session, fails it and closes it. Its tables are in `tables.ts`. */
import type { SessionCode } from '../event.ts';
import {
  type Fault,
  type Fields,
  SESSION,
  SESSION_FAULTS,
  type SessionInput,
  type SessionState,
  type Transition,
} from './tables.ts';

/** Before the first event of an input. */
export const NO_SESSION = {
  state: 'none' as SessionState,
  /** The line of its first event, of its first `error` and of its last `done`; 0 for what has not come. */
  startLine: 0,
  errorLine: 0,
  doneLine: 0,
  /** It had a `start`, and its `done` has yet to come. */
  owesDone: false,
  /** It had its `done`, or is a `dry-run`. */
  ended: false,
  failure: undefined as 'failed' | 'cancelled' | undefined,
};

/** Where a session stands. */
export type SessionProgress = typeof NO_SESSION;

/** What a session makes of an event. */
interface SessionTransition extends Transition<SessionProgress> {
  /** The event is the first of a session. */
  opens: boolean;
}

/** The session after an event. */
export function session(
  before: SessionProgress,
  input: SessionInput,
  event: Fields,
  line: number,
): SessionTransition {
  const state = SESSION[before.state][input];
  if (state !== undefined) return enter(before, state, input, event, line);
  const [code, recovered] = SESSION_FAULTS[before.state]![input]!;
  return { ...enter(before, recovered, input, event, line), fault: faultOf(code, before, event) };
}

/** That a session has no `done`, whether it owed one or not. */
export function missingDone({ startLine }: SessionProgress, variant?: 'next'): Fault {
  return { code: 'missing-done', variant, values: { start: startLine } };
}

function faultOf(code: SessionCode, before: SessionProgress, event: Fields): Fault {
  if (code === 'missing-done') return missingDone(before, 'next');
  const inside = code === 'dry-run-not-alone' && event.type === 'dry-run';
  const { startLine, errorLine, doneLine } = before;
  return {
    code,
    variant: inside ? 'inside' : undefined,
    values: { event: event.type, start: startLine, error: errorLine, done: doneLine },
  };
}

/** The session in a state, with what the event that leads there says of it. */
function enter(
  before: SessionProgress,
  state: SessionState,
  input: SessionInput,
  event: Fields,
  line: number,
): SessionTransition {
  if (state === before.state && (input === 'work' || input === 'thinking-end'))
    return { next: before, opens: false };
  const opens = before.state === 'none' || state === 'begun' || state === 'dry';
  const next = { ...(opens ? NO_SESSION : before), state };
  if (opens) next.startLine = line;
  switch (input) {
    case 'start':
      next.owesDone = true;
      break;
    case 'dry-run':
      next.owesDone = false;
      next.ended = state === 'dry';
      break;
    case 'error':
      next.failure = event['kind'] === 'cancelled' && next.failure !== 'failed' ? 'cancelled' : 'failed';
      next.errorLine ||= line;
      break;
    case 'done':
      next.owesDone = false;
      next.ended = true;
      next.doneLine = line;
  }
  return { next, opens };
}
