/**
 * The transcript: a Markdown document written as the stream goes, an answer at a time.
 *
 * Its own headings stand at column 0 after a blank line, on the first two levels; what agents wrote stays below
 * them and passes a gate of `safe/markdown.ts`, and so does every name, path and message.
 */
import {
  checkOptions,
  type Expectations,
  flag,
  labels as labelsOption,
  oneOf,
  required,
  string,
} from '../arguments.ts';
import type { DryRunEvent, EndingStep, ErrorEvent, Item, StartEvent } from '../event.ts';
import { fill, LANGUAGES, type Labels, type Language } from '../labels/labels.ts';
import { firstLine, type Outcome, outcome, type Session, seconds, tally } from '../protocol/observe.ts';
import type { PairName } from '../protocol/tables.ts';
import { fence, safeCode, safeMarkdown, safeMarkdownLine } from '../safe/markdown.ts';
import { plainName } from '../safe/text.ts';
import { createDriver, type Handlers, SILENT } from './driver.ts';
import { adviceFor, messageOf, newDetails, phaseOf, retryOf } from './failure.ts';
import { countOf, duration, moment, pathIn, plural, titleOf, word } from './words.ts';

/** How a transcript is written. */
export interface MarkdownOptions {
  labels: Labels;
  /** Of the plurals; the language of `labels`. */
  language: Language;
  /** In place of the title that the session gives. */
  title?: string | undefined;
  /** Whether tables of the session's facts stand below the title and at the end. Default: true. */
  header?: boolean;
  /**
   * Whether notices and warnings are part of the document. Default: false, but for the notices of an input that has
   * nothing else.
   */
  notices?: boolean;
}

const OPTIONS: Expectations<MarkdownOptions> = {
  labels: required(labelsOption),
  language: required(oneOf(...LANGUAGES)),
  title: string,
  header: flag,
  notices: flag,
};

/** The level of an answer's heading; headings inside an answer stay below. */
const ANSWER_LEVEL = 2;
/** Characters of a text of `details` that are shown: its end, where programs say why they stopped. */
const DETAILS = 4000;
/** So many speakers of a Chat are named in the table at the end. */
const MOST_SPEAKERS = 20;

/** Notices that are kept of an input without a session. */
const MOST_NOTICES = 20;

/** A block without a blank line around it; empty for nothing. */
type Block = string;
/** A name and what is to be said of it; nothing where that is empty. */
type Fact = readonly [name: string, value: string];

/**
 * The Markdown of each item: blocks, each with a blank line before it but the first. `end` belongs to the end
 * of an input; what follows is another session. Nothing is kept but counters, the beginning of a Chat until its first
 * message, which is its subject, and the first notices of an input without a session.
 *
 * @throws TypeError for an unknown option, a missing one or a wrong type
 * @example
 * const markdown = createMarkdown({ labels: labelsFor('en'), language: 'en' });
 * const line = { number: 1, text: '' };
 * const event = { v: 1, type: 'message', turn: 1, agent: 'codex', role: 'implementer', content: 'Yes.' } as const;
 * markdown.each({ kind: 'event', line, event }, console.log); // '## 1 · codex (implementer)\n\nYes.\n'
 */
export function createMarkdown(options: MarkdownOptions): EndingStep<Item, string> {
  checkOptions('createMarkdown', OPTIONS, options);
  const { labels, title, header = true } = options;
  const words = labels.markdown;
  const { separator } = labels.words;
  const page = createPage(title, separator);
  const names = createNames(labels);
  const { heading, answer, said, remark } = createAnswers(page, options);
  /** Lines of this session that were no event and so are missing here. */
  let lost = 0;

  function closing(how: Outcome, session: Session, path: string | null): Block {
    const facts = header ? closingFacts(how, session, path, lost, options) : [];
    lost = 0;
    return facts.length > 0 ? blocks(`## ${words.end}`, table(facts)) : '';
  }

  function opening(name: string, subject: string, facts: readonly Fact[], ...more: Block[]): string {
    return page.open(name, subject, ...more, header ? table(facts) : '');
  }

  const events: Handlers = {
    start(event) {
      const mode = safeMarkdownLine(word(labels.words.modes, event.mode));
      return opening(mode, event.topic, startFacts(event, options));
    },
    'dry-run'(event) {
      const mode = word(labels.words.modes, event.mode);
      return page.put(page.title(words.dryRun, mode), words.wouldRun, table(dryRunFacts(event, options)));
    },
    notice: (event) => remark(words.notice, event.message),
    warning: (event) => remark(words.warning, event.message),
    ...SILENT,
    message: (event, session) => answer(heading('turn', event.turn, event, session), event.content),
    'ask-response': (event, session) =>
      answer(heading('response', event.response, event, session), event.content),
    'summary-message'({ agent, role, content }, session) {
      const speaker = { agent, role: role === 'summarizer' ? '' : role };
      return answer(heading('summary', 0, speaker, session), content);
    },
    // A person has no role, whatever the stream says.
    'chat-user-message'(event, session) {
      return page.subject(event.content) + said(safeName(event.agent), event, session);
    },
    'chat-message': (event, session) => said(names.speaker(event), event, session),
    'chat-consultation': (event, session) => said(heading('consultation', 0, event, session), event, session),
    'chat-agent-changed': (event) =>
      page.put(`*${fill(words.agentChanged, { agent: names.speaker(event) })}*`),
    'chat-agents': (event) => page.put(`*${fill(words.available, { agents: names.list(event.agents) })}*`),
    error: (event, session) => page.subject('') + page.put(interruption(event, session, options)),
    done: (event, session) =>
      page.subject('') + page.put(closing(outcome(session), session, event.outputPath)),
  };

  return createDriver({
    events,
    text: () => '',
    unknown: () => '',
    fault() {
      lost++;
      return '';
    },
    unanswered: () => '',
    unfinished: (session) => page.subject('') + page.put(closing('unfinished', session, null)),
    hiddenQuestion: page.subject,
    end() {
      lost = 0;
      return page.end();
    },
  });
}

/** Answers below their headings, and what stands between them. */
function createAnswers(page: ReturnType<typeof createPage>, options: MarkdownOptions) {
  const { labels } = options;
  const words = labels.markdown;
  const { separator } = labels.words;
  const names = createNames(labels);

  function heading(
    pair: PairName,
    number: number,
    speaker: { agent: string; role: string },
    { total }: Session,
  ): string {
    const title = titleOf({ pair, number }, total, labels);
    return `${title && `${title} ${separator} `}${names.speaker(speaker)}`;
  }

  function answer(heading: string, content: string): string {
    const text = safeMarkdown(content, { level: ANSWER_LEVEL, reason: words.fenced });
    return page.put(`## ${heading}\n\n${text}`.trimEnd());
  }

  /** A message of a Chat, with its time: hours may lie between two of them. */
  function said(
    heading: string,
    { content, createdAt }: { content: string; createdAt: string },
    { timeZone }: Session,
  ): string {
    const time = safeMarkdownLine(moment(createdAt, timeZone));
    return answer(time === '' ? heading : `${heading}\n\n*${time}*`, content);
  }

  function remark(name: string, message: string): string {
    const text = `*${name}${words.colon} ${safeMarkdownLine(message)}*`;
    if (options.notices) return page.put(text);
    page.aside(text);
    return '';
  }

  return { heading, answer, said, remark };
}

/** The document: what stands there already, and the beginning of a Chat that waits for its subject. */
function createPage(ownTitle: string | undefined, separator: string) {
  let isWritten = false;
  /** Notices of an input that has nothing else so far: `resume` without `--yes` writes no session. */
  let notices: Block[] | undefined = [];
  /** The name of the session and the blocks below its title. */
  let waiting: { name: string; below: Block[] } | undefined;

  function title(name: string, subject: string): Block {
    if (ownTitle !== undefined) return `# ${safeMarkdownLine(ownTitle)}`;
    const first = firstLine(subject);
    return first === '' ? `# ${name}` : `# ${name} ${separator} ${safeMarkdownLine(first)}`;
  }

  /** Puts blocks below what is already there. */
  function put(...parts: Block[]): string {
    const text = blocks(...parts);
    if (text === '') return '';
    notices = undefined;
    if (waiting) {
      waiting.below.push(text);
      return '';
    }
    // The title that was asked for goes above the first block, also where a session lacks its start.
    const head = isWritten || ownTitle === undefined || text.startsWith('# ') ? '' : `${title('', '')}\n\n`;
    const before = isWritten ? '\n' : '';
    isWritten = true;
    return `${before}${head}${text}\n`;
  }

  /** What waits, below a title that names the subject. */
  function subject(text: string): string {
    if (!waiting) return '';
    const { name, below } = waiting;
    waiting = undefined;
    return put(title(name, text), ...below);
  }

  return {
    title,
    put,
    subject,
    /** A notice that is shown only where it is all that the input says. */
    aside(notice: Block): void {
      if (notices && notices.length < MOST_NOTICES) notices.push(notice);
    },
    /** What is left at the end of an input. */
    end(): string {
      const text = subject('') + put(...(notices ?? []));
      notices = [];
      return text;
    },
    /** The title of a session, and what is below it. A session without a topic waits for its first message. */
    open(name: string, topic: string, ...below: Block[]): string {
      const before = subject('');
      if (topic.trim() === '' && ownTitle === undefined) {
        waiting = { name, below };
        return before;
      }
      const isLong = /\n/.test(topic.trim());
      const whole = isLong ? safeMarkdown(topic, { level: ANSWER_LEVEL }) : '';
      return before + put(title(name, topic), whole, ...below);
    },
  };
}

function safeName(name: string): string {
  return safeMarkdownLine(plainName(name));
}

/** Names and roles, through the gate. */
function createNames({ facts, words: { roles } }: Labels) {
  function described({ name, role, type = '' }: { name: string; role: string; type?: string }): string {
    const what = [word(roles, role), type === role ? '' : type].filter((text) => text !== '').map(safeName);
    return what.length > 0 ? `${safeName(name)} (${what.join(', ')})` : safeName(name);
  }
  return {
    speaker: ({ agent, role }: { agent: string; role: string }) => described({ name: agent, role }),
    list(agents: readonly { name: string; role: string; type?: string }[]): string {
      return agents.length === 0 ? facts.none : agents.map(described).join(', ');
    },
  };
}

function startFacts(event: StartEvent, { labels, title }: MarkdownOptions): Fact[] {
  const words = labels.facts;
  const { startedAt, localDate, timeZone, cwd } = event.session;
  const isDebate = event.mode === 'debate';
  const early = event.earlyStop ? words.yes : words.no;
  return [
    // Otherwise the title has it, or the text below the title.
    [words.subject, title !== undefined && !event.topic.includes('\n') ? safeMarkdownLine(event.topic) : ''],
    [words.mode, safeMarkdownLine(word(labels.words.modes, event.mode))],
    [words.agents, createNames(labels).list(event.agents)],
    [words.turns, isDebate && event.turns ? String(event.turns) : ''],
    [words.summaryBy, event.summaryEnabled ? safeName(event.summaryAgent ?? words.yes) : ''],
    [words.summary, event.summaryEnabled === false ? words.noSummary : ''],
    [words.earlyStop, isDebate && event.earlyStop !== undefined ? early : ''],
    [words.files, event.filesCount > 0 ? String(event.filesCount) : ''],
    [words.date, safeMarkdownLine([localDate, timeZone && `(${timeZone})`].filter(Boolean).join(' '))],
    [words.started, safeMarkdownLine(startedAt)],
    [words.folder, safeCode(cwd)],
  ];
}

function dryRunFacts(event: DryRunEvent, { labels }: MarkdownOptions): Fact[] {
  const words = labels.facts;
  const { mode, summary, context, limits } = event;
  return [
    [words.mode, safeMarkdownLine(word(labels.words.modes, mode))],
    [words.agents, createNames(labels).list(event.agents)],
    [words.turns, mode === 'debate' ? String(limits.turns) : ''],
    [words.answers, mode === 'debate' ? '' : String(limits.requestedResponses)],
    [words.summaryBy, summary.enabled ? safeName(summary.agent ?? words.yes) : ''],
    [words.summary, summary.enabled ? '' : words.noSummary],
    [words.files, context.files.map(safeCode).join(', ')],
    [words.warnings, context.warnings.map(safeMarkdownLine).join(' ')],
    [words.config, safeCode(event.configPath)],
    [words.trusted, event.configTrusted ? words.yes : words.no],
    [words.output, safeCode(event.outputDir)],
  ];
}

function interruption(event: ErrorEvent, session: Session, options: MarkdownOptions): Block {
  const { labels, language } = options;
  const words = labels.facts;
  const { agent = '', role = '' } = event;
  const message = messageOf(event);
  const again = retryOf(event, session.timeZone, labels, language);
  const kind = word(labels.words.kinds, event.kind);
  const isLong = /\n/.test(message.trim());
  const facts: Fact[] = [
    [words.phase, safeMarkdownLine(phaseOf(event, session, labels))],
    [words.agent, agent === '' ? '' : createNames(labels).speaker({ agent, role })],
    [words.kind, safeMarkdownLine(kind === event.kind ? kind : `${kind} (${event.kind})`)],
    [words.message, isLong ? '' : safeMarkdownLine(message)],
    [words.retry, safeMarkdownLine(again)],
    [words.advice, adviceFor(event, labels)],
  ];
  const texts: (readonly [string, string])[] = isLong ? [[words.message, message]] : [];
  for (const { name, text, dropped } of newDetails(event)) {
    const before = dropped > 0 ? `${labels.words.ellipsis}\n` : '';
    texts.push([name === 'exitCode' ? words.exitCode : safeMarkdownLine(name), before + text]);
  }
  return blocks(
    `## ${labels.markdown.interruption}`,
    table(facts),
    ...texts.map(([name, text]) => labelled(`${name}${labels.markdown.colon}`, text, labels)),
  );
}

/** A short value beside its name, text of several lines in a fence below it. */
function labelled(name: string, text: string, { words }: Labels): Block {
  if (!text.includes('\n') && text.length < 100) return `${name} ${safeMarkdownLine(text)}`;
  const cut = text.length > DETAILS ? `${words.ellipsis}${text.slice(-DETAILS)}` : text;
  return `${name}\n\n${fence(cut)}`;
}

function closingFacts(
  how: Outcome,
  session: Session,
  path: string | null,
  lost: number,
  { labels, language, notices = false }: MarkdownOptions,
): Fact[] {
  const words = labels.facts;
  const count = tally(session);
  const time = seconds(session);
  const { summaryGiven, lastNotice = '', errors, open } = session;
  // Without `done` it is not known whether there is an export.
  const exported =
    path === null ? (how === 'unfinished' ? '' : words.none) : safeCode(plainName(pathIn(session.cwd, path)));
  // Without an error of its own, a summary that is missing was filtered out.
  const isSummaryMissing = !summaryGiven && errors.some(({ phase }) => phase === 'summary');
  return [
    [words.outcome, labels.words.outcomes[how]],
    [words.reason, how === 'stopped-early' && !notices ? safeMarkdownLine(lastNotice) : ''],
    [words.answers, count ? countOf(count.answers, count.total) : ''],
    [words.noAnswer, how === 'unfinished' && open?.agent ? createNames(labels).speaker(open) : ''],
    [words.speakers, count && session.mode === 'chat' ? speakers(session, labels, language) : ''],
    [words.summary, isSummaryMissing ? words.summaryMissing : ''],
    [words.duration, time >= 1 ? duration(time, labels, language) : ''],
    [words.export, exported],
    [words.lost, lost > 0 ? plural(lost, labels.words.lines, language) : ''],
  ];
}

/** Who spoke in a Chat, and how often. */
function speakers({ agents }: Session, { words }: Labels, language: Language): string {
  return [...agents.values()]
    .filter(({ answers, opinions }) => answers + opinions > 0)
    .slice(0, MOST_SPEAKERS)
    .map(({ name, answers, opinions }) => {
      const counts = [
        answers > 0 ? plural(answers, words.answers, language) : '',
        opinions > 0 ? plural(opinions, words.opinions, language) : '',
      ];
      return `${safeName(name)} (${counts.filter(Boolean).join(', ')})`;
    })
    .join(', ');
}

/** A table of facts, those left out that have nothing to say. */
function table(facts: readonly Fact[]): Block {
  const rows = facts.filter(([, value]) => value !== '').map(([name, value]) => `| ${name} | ${value} |`);
  return ['| | |', '|---|---|', ...rows].join('\n');
}

function blocks(...parts: Block[]): Block {
  return parts.filter((part) => part !== '').join('\n\n');
}
