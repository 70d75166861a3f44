/**
 * What all formats share: they observe the session, mend a faulty event, call the handler of its type, and say where
 * a session broke off. Blocks, compact lines and the transcript are three views of it.
 */
import type { EndingStep, EventOfType, EventType, Finding, Item, LineCode, PalabreEvent } from '../event.ts';
import {
  type Asked,
  newSession,
  nextInput,
  observe,
  observeItem,
  type Session,
} from '../protocol/observe.ts';
import { eventOf } from '../protocol/tables.ts';
import { mend } from '../schema/mend.ts';

/** One handler per event type. What it gives is text for the output: whole lines, or nothing. */
export type Handlers = { [Type in EventType]: (event: EventOfType<Type>, session: Session) => string };

const nothing = () => '';
/** Where the heading of an answer names the agent; on a terminal the live line shows meanwhile who is at work. */
export const SILENT = {
  'turn-start': nothing,
  'ask-response-start': nothing,
  'thinking-start': nothing,
  'thinking-end': nothing,
  'summary-start': nothing,
  'chat-consultation-start': nothing,
} satisfies Partial<Handlers>;

type Handler = (event: PalabreEvent, session: Session) => string;

/** What a format makes of each kind of item. */
export interface View {
  events: Handlers;
  /** A line that is not JSON. */
  text(line: string): string;
  /** An event of an unknown type, as its line has it. */
  unknown(type: string, line: string): string;
  /** A line that is not an event, and why. */
  fault(finding: Finding): string;
  /** An agent was asked and has not answered, as the next event or the end of the input shows. */
  unanswered(asked: Asked, session: Session): string;
  /** The end of a session without `done`. */
  unfinished(session: Session): string;
  /** The first message of a Chat, which may be its subject, is not to be shown. */
  hiddenQuestion?(content: string): string;
  /** The end of each input. */
  end?(): string;
}

/** Codes of lines that are not events. What is wrong in the order of events is only reported. */
const NO_EVENT: ReadonlySet<string> = new Set<LineCode>([
  'not-an-event',
  'line-too-long',
  'truncated-line',
  'unsupported-version',
]);

/** Whether `pretty` marks a finding in place, so that the report need not repeat it on the same terminal. */
export function isMarked(item: Item, { code }: Finding): boolean {
  if (code === 'missing-done') return item.brokeOff === true;
  return item.kind === 'fault' && !item.value && NO_EVENT.has(code);
}

/**
 * The text of each item in a view, if any. Events must have been through `validate`: one with missing fields may throw
 * unless it is a `fault`, which is shown as far as it goes. `end` belongs to the end of each input: what follows is a
 * session of its own.
 *
 * @param now the clock in milliseconds, where events come as they happen
 */
export function createDriver(view: View, now?: () => number): EndingStep<Item, string> {
  // The table and the event agree by their common type, which TypeScript cannot follow.
  const handlers = new Map(Object.entries(view.events) as [EventType, Handler][]);
  let session = newSession();
  /** Whether this input was said to be of another version: once is enough. */
  let versionShown = false;
  /** Who was asked by an event that is not to be shown, or was named already: not to be named as unanswered. */
  let unseen: Asked | undefined;

  function showEvent(event: PalabreEvent): string {
    session = observe(session, event, now);
    const before = unanswered(session.unanswered);
    const handler = handlers.get(event.type);
    if (!handler) throw new TypeError(`no event type: ${event.type}`);
    return before + handler(event, session);
  }

  function unanswered(asked: Asked | undefined): string {
    return asked?.agent && asked !== unseen ? view.unanswered(asked, session) : '';
  }

  /** Observes an item that is not to be shown. What it gives is about the items before it, or the subject of a Chat. */
  function hide(item: Item): string {
    const before = session.open?.agent && session.open;
    session = observeItem(session, item, now);
    const { open } = session;
    if (open?.agent && open !== before) unseen = open;
    const event = eventOf(item);
    const content = event?.type === 'chat-user-message' ? event['content'] : undefined;
    return typeof content === 'string' ? (view.hiddenQuestion?.(content) ?? '') : '';
  }

  /** The end of a session without `done`; what follows is another. */
  function breakOff(): string {
    const text = unanswered(session.open) + view.unfinished(session);
    session = nextInput(session);
    return text;
  }

  function showFault(findings: readonly Finding[]): string {
    const finding = findings.find(({ code }) => NO_EVENT.has(code));
    if (!finding || (finding.code === 'unsupported-version' && versionShown)) return '';
    versionShown ||= finding.code === 'unsupported-version';
    if (finding.code !== 'truncated-line') return view.fault(finding);
    // Nothing follows: what is cut may have been the answer.
    const asked = unanswered(session.open);
    unseen = session.open;
    return asked + view.fault(finding);
  }

  function show(item: Item): string {
    switch (item.kind) {
      case 'event':
        return showEvent(item.event);
      case 'unknown':
        return view.unknown(item.event.type, item.line.text);
      case 'text':
        return view.text(item.line.text);
      case 'fault':
        return item.value ? showEvent(mend(item.value)) : showFault(item.findings);
    }
  }

  return {
    each(item, push) {
      const before = item.brokeOff ? breakOff() : '';
      const text = before + (item.hidden ? hide(item) : show(item));
      if (text !== '') push(text);
    },
    end(push) {
      const text = unanswered(session.open) + (view.end?.() ?? '');
      session = nextInput(session);
      versionShown = false;
      if (text !== '') push(text);
    },
  };
}
