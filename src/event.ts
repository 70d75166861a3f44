/**
 * The values that flow through every step: the events of the Palabre NDJSON v1 stream, the commands of Chat, and
 * what a line of input becomes.
 *
 * The types of events and commands are made from the JSON Schemas in `schema/` by `npm run build`, so that the
 * schemas are the only place that tells the fields of an event. Enumerations are open: a reader meets roles, kinds
 * and modes that did not exist when it was written, so each is "the words known today, or any other string".
 */
import { EVENT_TYPES, type PalabreEvent } from '#contract';

export * from '#contract';

/** The name of a known event. */
export type EventType = PalabreEvent['type'];

/** The event of one type: `EventOfType<'message'>` is {@link MessageEvent}. */
export type EventOfType<Type extends EventType> = Extract<PalabreEvent, { type: Type }>;

/** An event of a type that this version does not know. Legal: a reader ignores it. */
export interface UnknownEvent {
  v: 1;
  type: string;
  [field: string]: unknown;
}

const TYPES: ReadonlySet<string> = new Set(EVENT_TYPES);

/** Whether `type` is a known event type. */
export function isEventType(type: string): type is EventType {
  return TYPES.has(type);
}

/** One line of input. */
export interface Line {
  /** From 1, in its own input. */
  number: number;
  /** The text without its line ending; empty when it was too long to hold. */
  text: string;
  /** How the text differs from the input: too long and dropped, read from UTF-16, or with U+FFFD for bytes that are not UTF-8. */
  damage?: 'line-too-long' | 'utf-16' | 'invalid-utf8';
  /** How many bytes a line that was too long had, without its line ending. */
  bytes?: number;
  /** Set on the last line of an input without a trailing newline: the line may be cut. */
  unterminated?: true;
}

/** What can be wrong with one line. */
export type LineCode =
  | 'not-json'
  | 'not-an-event'
  | 'line-too-long'
  | 'invalid-utf8'
  | 'utf-16'
  | 'truncated-line'
  | 'unsupported-version'
  | 'invalid-field'
  | 'unknown-type'
  | 'unknown-field'
  | 'unknown-value';

/** What can be wrong with the order of events. */
export type SessionCode =
  | 'event-before-start'
  | 'missing-done'
  | 'duplicate-done'
  | 'event-after-done'
  | 'duplicate-start'
  | 'event-after-error'
  | 'duplicate-error'
  | 'wrong-mode'
  | 'turn-order'
  | 'turn-mismatch'
  | 'answer-without-start'
  | 'start-without-answer'
  | 'thinking-not-closed'
  | 'thinking-not-opened'
  | 'thinking-mismatch'
  | 'consultation-before-message'
  | 'dry-run-not-alone'
  | 'done-path-after-nothing';

export type FindingCode = LineCode | SessionCode;

/** Something wrong in the input, as data; the sentence is made at the end, in the reader's language. */
export interface Finding {
  code: FindingCode;
  /** `warning` for what is legal but new (`--strict`); `error` for the rest. */
  severity: 'error' | 'warning';
  /** The number of its line, from 1. */
  line: number;
  /** JSONPath of the field, such as `$.agents[0].name`; null where no field is meant. */
  path: string | null;
  /** Which sentence says it. */
  message: FindingMessage;
  /** What fills the placeholders of the sentence. Untrusted: the report makes it safe. */
  values: Record<string, string | number>;
}

/**
 * The key of a finding's sentence in `labels.findings`: its code, or `code.variant` where a code has several
 * sentences. Every language has each of them.
 */
export type FindingMessage =
  | Exclude<FindingCode, 'not-an-event' | 'invalid-field' | 'turn-order'>
  | 'not-json.escape'
  | `not-an-event.${'json' | 'object' | 'v' | 'type'}`
  | `invalid-field.${'missing' | 'blank' | 'string' | 'integer' | 'boolean' | 'array' | 'object'}`
  | `invalid-field.${'string-or-null' | 'integer-or-string'}`
  | 'unknown-type.command'
  | 'missing-done.next'
  | `turn-order.${'turn' | 'response' | 'summary'}`
  | `${'turn-mismatch' | 'answer-without-start' | 'start-without-answer'}.${'turn' | 'response'}`
  | 'dry-run-not-alone.inside';

/** The code of a sentence: what stands before the variant. */
export function codeOf(message: FindingMessage): FindingCode {
  return message.split('.', 1)[0] as FindingCode;
}

/**
 * What one line became:
 * - `event`: a known type (after `validate`: with the right fields);
 * - `unknown`: an event of a type this version does not know;
 * - `text`: not JSON, as from `2>&1`;
 * - `fault`: not a usable event. `value` is what could be read of it, where it parsed and has a known type.
 *
 * `findings` say what was wrong; an item can carry some and still be valid by itself (the rules of a session).
 * `brokeOff` says that the session before this item ended without its `done`. `hidden` says that a format updates its
 * view of the session with the event, but shows nothing of it.
 */
export type Item = (
  | { kind: 'event'; line: Line; event: PalabreEvent; findings?: readonly Finding[] }
  | { kind: 'unknown'; line: Line; event: UnknownEvent; findings?: readonly Finding[] }
  | { kind: 'text'; line: Line; findings: readonly Finding[] }
  | {
      kind: 'fault';
      line: Line;
      findings: readonly Finding[];
      value?: { type: EventType; [field: string]: unknown };
    }
) & { brokeOff?: true; hidden?: true };

/**
 * What has memory of the values before: called for each value, then once at the end of each input. It hands any number
 * of values to `push`, as they come.
 */
export interface Step<In, Out> {
  each(value: In, push: (value: Out) => void): void;
  end?(push: (value: Out) => void): void;
  /** True once nothing more is wanted; the steps before it are then not asked again. */
  done?(): boolean;
}

/** A step that has something to do at the end of an input. */
export type EndingStep<In, Out> = Step<In, Out> & Required<Pick<Step<In, Out>, 'end'>>;
