/** The third machine: whether an agent is at work. Its tables are in `tables.ts`. */
import {
  type Fault,
  type Fields,
  THINKING,
  THINKING_FAULTS,
  type ThinkingInput,
  type ThinkingState,
  type Transition,
} from './tables.ts';

/** Where thinking stands. */
export interface ThinkingProgress {
  state: ThinkingState;
  /** The line of the last `thinking-start`; 0 before the first. */
  line: number;
}

/** At the beginning of a session. */
export const NO_THINKING: ThinkingProgress = { state: 'closed', line: 0 };

/** Thinking after an event. */
export function thinking(
  before: ThinkingProgress,
  input: ThinkingInput,
  event: Fields,
  line: number,
): Transition<ThinkingProgress> {
  const after = input === 'thinking-start' ? line : before.line;
  const state = THINKING[before.state][input];
  if (state !== undefined) return { next: { state, line: after } };
  const [code, recovered] = THINKING_FAULTS[before.state]![input]!;
  return {
    next: { state: recovered, line: after },
    fault: { code, values: { event: event.type, openLine: before.line } },
  };
}

/** Thinking after an `error`: what is open may still end, and need not. */
export function interrupted(before: ThinkingProgress): ThinkingProgress {
  return before.state === 'open' ? { ...before, state: 'overdue' } : before;
}

/** What a `done` breaks: thinking that is still open. */
export function unclosed({ state, line }: ThinkingProgress, event: Fields): Fault | undefined {
  if (state !== 'open') return undefined;
  return { code: 'thinking-not-closed', values: { event: event.type, openLine: line } };
}
