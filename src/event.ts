/**
 * The values that flow through every step: the events of the Palabre NDJSON v1 stream, the commands of
 * Chat, and what a line of input becomes. Types only; nothing here runs but the list of known types.
 *
 * Enumerations are open: a reader meets roles, kinds and modes that did not exist when it was written, so
 * each is "the words known today, or any string". The JSON Schemas in `schema/` say the same, and a test
 * compares the two.
 */

/** The words known today, for editors to complete, or any other string. */
export type Open<Known extends string> = Known | (string & Record<never, never>);

/** How the agents work: one after the other, side by side, or with a person. */
export type Mode = Open<'debate' | 'ask' | 'chat'>;
/** What an agent was asked to be. */
export type Role = Open<'implementer' | 'reviewer' | 'architect' | 'scout' | 'critic' | 'summarizer'>;
/** How Palabre reaches an agent. */
export type AgentType = Open<'cli' | 'cli-pty' | 'ollama'>;
/** The part of a session in which an error stopped it. */
export type Phase = Open<'debate' | 'ask' | 'summary' | 'chat'>;
/** What a person was doing in Chat when an error stopped it. */
export type Action = Open<'send' | 'consult' | 'end'>;
/** Why an agent gave no answer. */
export type ErrorKind = Open<
  | 'command-not-found'
  | 'spawn-failed'
  | 'cancelled'
  | 'timeout'
  | 'idle-timeout'
  | 'output-too-large'
  | 'empty-output'
  | 'usage-limit'
  | 'non-zero-exit'
  | 'model-unavailable'
  | 'unsupported-model'
  | 'model-pull-failed'
  | 'http-error'
  | 'unknown'
>;

/** An agent as the session configured it. */
export interface Agent {
  name: string;
  role: Role;
  type: AgentType;
}

/** An agent that Chat offers. */
export interface ChatAgent {
  name: string;
  role: Role;
}

/** When and where a session was started. */
export interface SessionInfo {
  /** ISO 8601, UTC. */
  startedAt: string;
  /** `YYYY-MM-DD` in `timeZone`. */
  localDate: string;
  /** IANA name, such as `Europe/Paris`. */
  timeZone: string;
  /** Absolute path of the folder. */
  cwd: string;
}

interface EventOf<Type extends string> {
  v: 1;
  type: Type;
}

interface Spoken {
  agent: string;
  role: Role;
}

/** Opens a session. `turns` and the summary fields come with Debate and Ask only. */
export interface StartEvent extends EventOf<'start'> {
  mode: Mode;
  /** May be empty in Chat, and may hold several lines. */
  topic: string;
  agents: Agent[];
  filesCount: number;
  session: SessionInfo;
  turns?: number;
  summaryEnabled?: boolean;
  summaryAgent?: string | null;
  earlyStop?: boolean;
}
export interface NoticeEvent extends EventOf<'notice'> {
  message: string;
}
export interface WarningEvent extends EventOf<'warning'> {
  message: string;
}
export interface TurnStartEvent extends EventOf<'turn-start'>, Spoken {
  /** From 1. */
  turn: number;
  totalTurns: number;
}
export interface AskResponseStartEvent extends EventOf<'ask-response-start'>, Spoken {
  /** From 1. */
  response: number;
  totalResponses: number;
}
export interface ThinkingStartEvent extends EventOf<'thinking-start'>, Spoken {}
export interface ThinkingEndEvent extends EventOf<'thinking-end'> {}
export interface MessageEvent extends EventOf<'message'>, Spoken {
  /** From 1. */
  turn: number;
  content: string;
}
export interface AskResponseEvent extends EventOf<'ask-response'>, Spoken {
  /** From 1. */
  response: number;
  content: string;
}
export interface SummaryStartEvent extends EventOf<'summary-start'>, Spoken {}
export interface SummaryMessageEvent extends EventOf<'summary-message'>, Spoken {
  content: string;
}
export interface ChatAgentsEvent extends EventOf<'chat-agents'> {
  agents: ChatAgent[];
}
/** What the person wrote; `role` means nothing here. */
export interface ChatUserMessageEvent extends EventOf<'chat-user-message'>, Spoken {
  content: string;
  /** ISO 8601. */
  createdAt: string;
}
export interface ChatMessageEvent extends EventOf<'chat-message'>, Spoken {
  content: string;
  /** ISO 8601. */
  createdAt: string;
}
export interface ChatConsultationStartEvent extends EventOf<'chat-consultation-start'>, Spoken {}
export interface ChatConsultationEvent extends EventOf<'chat-consultation'>, Spoken {
  content: string;
  /** ISO 8601. */
  createdAt: string;
}
export interface ChatAgentChangedEvent extends EventOf<'chat-agent-changed'>, Spoken {}
/** What would have run. The only event of its stream. */
export interface DryRunEvent extends EventOf<'dry-run'> {
  configPath: string;
  configTrusted: boolean;
  mode: Mode;
  agents: Agent[];
  summary: { enabled: boolean; agent: string | null };
  context: { files: string[]; warnings: string[] };
  limits: { turns: number; requestedResponses: number };
  outputDir: string;
}
/** Ends the work of a session; only `thinking-end`, notices and `done` follow. */
export interface ErrorEvent extends EventOf<'error'> {
  phase: Phase;
  kind: ErrorKind;
  message: string;
  agent?: string;
  role?: Role;
  /** The turn of a Debate or the response of an Ask. */
  turn?: number;
  /** Chat only. */
  action?: Action;
  /** Seconds, an ISO 8601 time, or a local `HH:mm`. */
  retryAfter?: number | string;
  details?: Record<string, unknown>;
}
/** Closes a session. */
export interface DoneEvent extends EventOf<'done'> {
  /** Where the export was written; null without an export. */
  outputPath: string | null;
}

/** Every event of the v1 stream, told apart by `type`. */
export type PalabreEvent =
  | StartEvent
  | NoticeEvent
  | WarningEvent
  | TurnStartEvent
  | AskResponseStartEvent
  | ThinkingStartEvent
  | ThinkingEndEvent
  | MessageEvent
  | AskResponseEvent
  | SummaryStartEvent
  | SummaryMessageEvent
  | ChatAgentsEvent
  | ChatUserMessageEvent
  | ChatMessageEvent
  | ChatConsultationStartEvent
  | ChatConsultationEvent
  | ChatAgentChangedEvent
  | DryRunEvent
  | ErrorEvent
  | DoneEvent;

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

/** Every known type, in the order of the contract's table. The compiler asks for a missing one. */
const KNOWN: Record<EventType, true> = {
  start: true,
  notice: true,
  warning: true,
  'turn-start': true,
  'ask-response-start': true,
  'thinking-start': true,
  'thinking-end': true,
  message: true,
  'ask-response': true,
  'summary-start': true,
  'summary-message': true,
  'chat-agents': true,
  'chat-user-message': true,
  'chat-message': true,
  'chat-consultation-start': true,
  'chat-consultation': true,
  'chat-agent-changed': true,
  'dry-run': true,
  error: true,
  done: true,
};

/** The known event types, in the order of the contract. */
export const EVENT_TYPES = Object.keys(KNOWN) as readonly EventType[];

const TYPES: ReadonlySet<string> = new Set(EVENT_TYPES);

/** Whether `type` is a known event type. */
export function isEventType(type: string): type is EventType {
  return TYPES.has(type);
}

/** A command of Chat, one JSON object a line on Palabre's stdin. */
export type ChatCommand =
  | { v: 1; type: 'chat-send'; content: string }
  | { v: 1; type: 'chat-consult'; agent: string }
  | { v: 1; type: 'chat-use'; agent: string }
  | { v: 1; type: 'chat-agents' }
  | { v: 1; type: 'chat-end' };

/** One line of input. */
export interface Line {
  /** From 1, in its own input. */
  number: number;
  /** The text without its line ending; empty when it was too long to hold. */
  text: string;
  /** Why the text is not what the input held: dropped (too long, UTF-16), or bytes replaced by U+FFFD. */
  damage?: 'line-too-long' | 'utf-16' | 'invalid-utf8';
  /** How many bytes a line that was too long had, without its line ending. */
  bytes?: number;
  /** The last line of an input that does not end with a newline: perhaps cut. */
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
  /** The line it stands on, from 1. */
  line: number;
  /** JSONPath of the field, such as `$.agents[0].name`; null where no field is meant. */
  path: string | null;
  /** Which sentence of the code's: a key of `labels.findings`. */
  message: FindingMessage;
  /** What the sentence names. Untrusted: the report makes it safe. */
  values: Record<string, string | number>;
}

/** A key of the table of sentences: a code, or `code.variant` where a code has several sentences. */
export type FindingMessage = FindingCode | `${FindingCode}.${string}`;

/**
 * What one line became:
 * - `event`: a known type (after `validate`: with the right fields);
 * - `unknown`: an event of a type this version does not know;
 * - `text`: no JSON at all, as from `2>&1`;
 * - `fault`: no usable event. `value` is what there is of it, where it parsed and named a known type.
 *
 * `findings` say what was wrong; an item can carry some and still be good (the rules of a session). `brokeOff` says
 * that the session before this item ended without its `done`.
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
) & { brokeOff?: true };

/** A step with memory: called for each value, then once at the end of each input. */
export interface Stage<In, Out> {
  each(value: In): Out;
  end?(): Out;
}
