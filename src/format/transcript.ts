/**
 * The transcript: a Markdown document written as the stream goes, an answer at a time.
 *
 * Its own headings stand at column 0 after a blank line, on the first two levels; what agents wrote stays below
 * them and passes the gate of `safe-markdown.ts`, and so does every name, path and message.
 */
import type {
  Agent,
  ErrorEvent,
  EventOfType,
  EventType,
  Item,
  LineCode,
  PalabreEvent,
  Stage,
} from '../event.ts';
import { fill, type Labels, type Language } from '../labels/labels.ts';
import {
  newSession,
  nextInput,
  observe,
  observeItem,
  outcome,
  type Session,
  seconds,
  tally,
} from '../protocol/observe.ts';
import { fence, safeMarkdown, safeMarkdownLine } from '../safe/markdown.ts';
import { toJson } from '../schema/json.ts';
import { mend } from '../schema/mend.ts';
import { answersOf, duration, moment, plural, retry, word } from './words.ts';

/** How a transcript is written. */
export interface MarkdownOptions {
  labels: Labels;
  /** Of the plurals; the language of `labels`. */
  language: Language;
  /** In place of the title that the session gives. */
  title?: string | undefined;
  /** Whether a table of the session's facts stands below the title. Default: true. */
  header?: boolean;
  /** Whether notices and warnings are part of the document. Default: false. */
  notices?: boolean;
}

/** The level of an answer's heading; headings inside an answer stay below. */
const ANSWER_LEVEL = 2;
/** Text of `details` that is worth a fence, in characters from its end, where programs say why they stopped. */
const DETAILS = 4000;

/** Why a line is missing from the document. */
const LOST: ReadonlySet<string> = new Set<LineCode>([
  'not-an-event',
  'line-too-long',
  'truncated-line',
  'unsupported-version',
]);

/** A block without a blank line around it; empty for nothing. */
type Block = string;
type Handlers = { [Type in EventType]: (event: EventOfType<Type>, session: Session) => Block };

/**
 * The Markdown of each item: blocks, each with a blank line before it but the first. `end` belongs to the end
 * of an input; what follows is another session. Nothing is kept but counters.
 *
 * @example
 * const markdown = createMarkdown({ labels: labelsFor('en'), language: 'en' });
 * const line = { number: 1, text: '' };
 * const event = { v: 1, type: 'message', turn: 1, agent: 'codex', role: 'implementer', content: 'Yes.' } as const;
 * markdown.each({ kind: 'event', line, event }); // '## 1 · codex (implementer)\n\nYes.\n'
 */
export function createMarkdown(options: MarkdownOptions): Required<Stage<Item, string>> {
  const { labels, language, title, header = true, notices = false } = options;
  const words = labels.markdown;
  const reason = words.fenced;
  let session = newSession();
  let written = false;
  /** Lines of this session that were no event and so are missing here. */
  let lost = 0;

  /** Puts blocks below what is already there. */
  function put(...blocks: Block[]): string {
    const text = blocks.filter((block) => block !== '').join('\n\n');
    if (text === '') return '';
    const before = written ? '\n' : '';
    written = true;
    return `${before}${text}\n`;
  }

  function role(name: string): string {
    return name === '' ? '' : ` (${safeMarkdownLine(word(labels.words.roles, name))})`;
  }

  function speaker({ agent, role: name }: { agent: string; role: string }): string {
    return `${safeMarkdownLine(agent)}${role(name)}`;
  }

  function agentList(agents: readonly (Pick<Agent, 'name' | 'role'> & { type?: string })[]): string {
    if (agents.length === 0) return words.none;
    return agents
      .map(({ name, role, type = '' }) => {
        const what = [word(labels.words.roles, role), type]
          .filter((text) => text !== '')
          .map(safeMarkdownLine);
        return what.length > 0 ? `${safeMarkdownLine(name)} (${what.join(', ')})` : safeMarkdownLine(name);
      })
      .join(', ');
  }

  function counter(number: number, total: number | undefined): string {
    if (number === 0) return '';
    return total ? `${number}/${total} · ` : `${number} · `;
  }

  function answer(heading: string, content: string): Block {
    return `## ${heading}\n\n${safeMarkdown(content, { level: ANSWER_LEVEL, reason })}`.trimEnd();
  }

  /** A message of Chat, with its time: between two of them a person may have slept. */
  function said(heading: string, { content, createdAt }: { content: string; createdAt: string }): Block {
    const time = safeMarkdownLine(moment(createdAt, session.timeZone));
    return answer(time === '' ? heading : `${heading}\n\n*${time}*`, content);
  }

  function titleBlock(name: string, subject: string): Block {
    if (title !== undefined) return `# ${safeMarkdownLine(title)}`;
    return subject.trim() === '' ? `# ${name}` : `# ${name} · ${safeMarkdownLine(subject)}`;
  }

  const handlers: Handlers = {
    start(event) {
      const mode = word(labels.words.modes, event.mode);
      const { startedAt, localDate, timeZone, cwd } = event.session;
      const early = event.earlyStop ? words.yes : words.no;
      const facts: Fact[] = [
        [words.subject, safeMarkdownLine(event.topic)],
        [words.mode, safeMarkdownLine(mode)],
        [words.agents, agentList(event.agents)],
        [words.turns, event.mode === 'debate' && event.turns ? String(event.turns) : ''],
        [words.summaryBy, event.summaryEnabled ? safeMarkdownLine(event.summaryAgent ?? words.yes) : ''],
        [words.earlyStop, event.mode === 'debate' && event.earlyStop !== undefined ? early : ''],
        [words.files, event.filesCount > 0 ? String(event.filesCount) : ''],
        [words.date, safeMarkdownLine([localDate, timeZone && `(${timeZone})`].filter(Boolean).join(' '))],
        [words.started, safeMarkdownLine(startedAt)],
        [words.folder, safeMarkdownLine(cwd)],
      ];
      return blocks(titleBlock(safeMarkdownLine(mode), event.topic), header ? table(facts) : '');
    },
    'dry-run'(event) {
      const mode = safeMarkdownLine(word(labels.words.modes, event.mode));
      const { summary, context, limits } = event;
      const facts: Fact[] = [
        [words.mode, mode],
        [words.agents, agentList(event.agents)],
        [words.turns, event.mode === 'debate' ? String(limits.turns) : ''],
        [words.requested, String(limits.requestedResponses)],
        [words.summaryBy, summary.enabled ? safeMarkdownLine(summary.agent ?? words.yes) : words.none],
        [words.files, context.files.map(safeMarkdownLine).join(', ')],
        [words.warnings, context.warnings.map(safeMarkdownLine).join(' ')],
        [words.config, safeMarkdownLine(event.configPath)],
        [words.trusted, event.configTrusted ? words.yes : words.no],
        [words.output, safeMarkdownLine(event.outputDir)],
      ];
      return blocks(titleBlock(words.dryRun, mode), words.wouldRun, table(facts));
    },
    notice: (event) => (notices ? remark(words.notice, event.message) : ''),
    warning: (event) => (notices ? remark(words.warning, event.message) : ''),
    'turn-start': () => '',
    'ask-response-start': () => '',
    'thinking-start': () => '',
    'thinking-end': () => '',
    'summary-start': () => '',
    'chat-consultation-start': () => '',
    message: (event, { total }) => answer(`${counter(event.turn, total)}${speaker(event)}`, event.content),
    'ask-response': (event, { total }) =>
      answer(`${counter(event.response, total)}${speaker(event)}`, event.content),
    'summary-message': (event) => answer(`${labels.words.summary} · ${speaker(event)}`, event.content),
    // A person has no role, whatever the stream says.
    'chat-user-message': (event) => said(safeMarkdownLine(event.agent), event),
    'chat-message': (event) => said(speaker(event), event),
    'chat-consultation': (event) => said(`${labels.words.opinion} · ${speaker(event)}`, event),
    'chat-agent-changed': (event) => `*${fill(words.agentChanged, { agent: speaker(event) })}*`,
    'chat-agents': (event) => `*${fill(words.available, { agents: agentList(event.agents) })}*`,
    error: (event) => interruption(event),
    done: (event, ended) => closing(outcome(ended), ended, event.outputPath),
  };

  function remark(name: string, message: string): Block {
    return `*${name}${words.colon} ${safeMarkdownLine(message)}*`;
  }

  function interruption(event: ErrorEvent): Block {
    const { agent = '', role: name = '', turn, action, retryAfter } = event;
    const again =
      retryAfter === undefined ? '' : safeMarkdownLine(retry(retryAfter, session.timeZone, labels, language));
    const facts: Fact[] = [
      [words.phase, safeMarkdownLine(word(labels.words.phases, event.phase))],
      [words.agent, agent === '' ? '' : speaker({ agent, role: name })],
      [event.phase === 'ask' ? words.response : words.turn, turn ? String(turn) : ''],
      [words.action, action === undefined ? '' : safeMarkdownLine(word(labels.words.actions, action))],
      [words.kind, safeMarkdownLine(word(labels.words.kinds, event.kind))],
      [words.message, safeMarkdownLine(event.message)],
      [words.retry, again],
    ];
    return blocks(`## ${words.interruption}`, table(facts), ...details(event.details ?? {}));
  }

  /** What an error brought along: short values as they are, text of several lines in a fence. */
  function details(values: Record<string, unknown>): Block[] {
    return Object.entries(values).flatMap(([name, value]) => {
      const text = typeof value === 'string' ? value : toJson(value);
      if (text === '') return [];
      const label = `${safeMarkdownLine(name)}${words.colon}`;
      if (!text.includes('\n') && text.length < 100) return [`${label} ${safeMarkdownLine(text)}`];
      const cut = text.length > DETAILS ? `…${text.slice(-DETAILS)}` : text;
      return [`${label}\n\n${fence(cut)}`];
    });
  }

  function closing(how: keyof Labels['words']['outcomes'], ended: Session, path: string | null): Block {
    const count = tally(ended);
    const time = seconds(ended);
    const facts: Fact[] = [
      [words.outcome, labels.words.outcomes[how]],
      [words.answers, count ? answersOf(count, labels, language) : ''],
      [words.duration, time >= 1 ? duration(time, labels, language) : ''],
      [words.export, path === null ? words.none : safeMarkdownLine(path)],
      [words.lost, lost > 0 ? plural(lost, labels.words.lines, language) : ''],
    ];
    lost = 0;
    return blocks(`## ${words.end}`, table(facts));
  }

  /** A table of facts, those left out that have nothing to say. */
  function table(facts: readonly Fact[]): Block {
    const rows = facts.filter(([, value]) => value !== '').map(([name, value]) => `| ${name} | ${value} |`);
    return ['| | |', '|---|---|', ...rows].join('\n');
  }

  function show(event: PalabreEvent): Block {
    session = observe(session, event, undefined);
    const handler = handlers[event.type] as (event: PalabreEvent, session: Session) => Block;
    return handler(event, session);
  }

  function block(item: Item): Block {
    if (item.kind === 'event') return show(item.event);
    if (item.kind !== 'fault') return '';
    if (item.value) return show(mend(item.value));
    if (item.findings.some(({ code }) => LOST.has(code))) lost++;
    return '';
  }

  /** A title of one's own stands above whatever comes first, a session without its start too. */
  function ownTitle(item: Item): Block {
    if (title === undefined || written || item.kind !== 'event') return '';
    return item.event.type === 'start' || item.event.type === 'dry-run' ? '' : titleBlock('', '');
  }

  return {
    each(item) {
      const before = item.brokeOff ? closing('unfinished', session, null) : '';
      if (item.hidden) {
        session = observeItem(session, item);
        return put(before);
      }
      const found = block(item);
      return put(found === '' ? '' : ownTitle(item), before, found);
    },
    end() {
      session = nextInput(session);
      lost = 0;
      return '';
    },
  };
}

/** A name and what is to be said of it; nothing where that is empty. */
type Fact = readonly [name: string, value: string];

function blocks(...parts: Block[]): Block {
  return parts.filter((part) => part !== '').join('\n\n');
}
