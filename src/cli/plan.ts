/** What each command makes of an input: its checks, its choice, its text. */
import type { Finding, Item, Step } from '../event.ts';
import { createPretty } from '../format/pretty.ts';
import type { Labels } from '../labels/labels.ts';
import { ndjsonLines, type PipelineSteps } from '../pipeline.ts';
import { createSessionChecker, type SessionChecker } from '../protocol/checker.ts';
import { safeJson } from '../safe/json.ts';
import { safeLine, safeText } from '../safe/text.ts';
import {
  type Choice,
  createFilter,
  createSelection,
  extractField,
  type FilterOptions,
} from '../steps/filter.ts';
import type { SessionEntry } from '../steps/list.ts';
import { type CommandItem, checkCommand, createValidator } from '../steps/validate.ts';
import { compose, map, take } from '../stream.ts';
import { createLive, type Live } from '../terminal/live.ts';
import { createMarker } from '../terminal/mark.ts';
import { createPrompt, type Prompt } from '../terminal/prompt.ts';
import { colorLevel, createStyle, type Paint, type Style } from '../terminal/style.ts';
import { USUAL_COLUMNS } from '../terminal/width.ts';
import type { Options, Reader } from './options.ts';
import { lastGate } from './talk.ts';

/** The widest text that is comfortable to read, in cells. */
const COMFORTABLE_WIDTH = 100;

/** Findings that a command does not report, since it shows or passes on the line as it is. */
const HARMLESS: Record<Reader, readonly Finding['message'][]> = {
  pretty: ['not-json', 'not-json.escape', 'invalid-utf8', 'utf-16'],
  markdown: ['not-json.escape', 'invalid-utf8', 'utf-16'],
  filter: ['not-json.escape', 'invalid-utf8', 'utf-16'],
  validate: [],
  // Listed as unfinished.
  list: ['not-json.escape', 'invalid-utf8', 'utf-16', 'missing-done', 'missing-done.next'],
};

/** Whether a command need not report a finding. */
export function isHarmless(command: Reader, { message }: Finding): boolean {
  return HARMLESS[command].includes(message);
}

/** The steps of a command, for all inputs one after the other. */
export interface Plan extends Pick<PipelineSteps, 'choose'> {
  check: Step<Item, Item>;
  /** The format for the input of that name. */
  formatOf(name: string): Step<Item, string>;
  /** What was asked for that nothing had. */
  unmet?: Choice['unmet'];
  /** Counts the sessions and how they ended. */
  checker: SessionChecker;
  /** Written once, after the last input. */
  total?(): string;
  /** What stands below the text for the moment. */
  live?: Live | undefined;
  /** Where a person types, in a Chat on the same terminal. */
  prompt?: Prompt | undefined;
}

/** How the events come. */
export interface Circumstances {
  /** As they happen, not from a record. */
  isLive: boolean;
  /** From a program to which a person types, on our terminal. */
  isTyped: boolean;
  /** From more than one input. */
  isSeveral: boolean;
}

/** The plan of a command. */
export async function createPlan(
  command: Reader,
  options: Options,
  labels: Labels,
  how: Circumstances,
): Promise<Plan> {
  // The order of events is for `validate` to report; the others only say that a session broke off.
  const isWhole = command === 'validate' && !options['no-session'] && !options.commands;
  const checker = createSessionChecker(
    isWhole ? {} : { only: command === 'validate' ? [] : ['missing-done'] },
  );
  const { strict } = options;
  const check = options.commands
    ? compose(
        map((item: Item) => asItem(item, checkCommand(item, { strict }))),
        createValidator({ checker }),
      )
    : createValidator({ strict, checker });
  return { check, checker, ...(await choiceAndFormat(command, options, labels, how)) };
}

async function choiceAndFormat(command: Reader, options: Options, labels: Labels, how: Circumstances) {
  switch (command) {
    case 'pretty':
      return { ...(await prettyText(options, labels, how)), ...selection(options) };
    case 'markdown': {
      const { createMarkdown } = await import('../format/transcript.ts');
      const { lang: language, title, notices } = options;
      const header = !options['no-header'];
      const format = createMarkdown({ labels, language, header, notices, title });
      const gated = isFile(options.output) ? format : compose(format, map(lastGate));
      return { formatOf: () => gated, ...selection(options) };
    }
    case 'filter':
      return chosenLines(options);
    case 'list':
      return sessionLines(options, labels, how);
    case 'validate': {
      // Quiet, it is asked for its status alone.
      const isWritten = (item: Item) => !options.quiet && isValid(item);
      const lines = map((item: Item) => (isWritten(item) ? `${item.line.text}\n` : undefined));
      return { formatOf: () => lines };
    }
  }
}

/** Whether a transcript goes into a file of its own, not to stdout by any name. */
function isFile(output = '-'): boolean {
  return output !== '-' && !output.startsWith('/dev/');
}

async function prettyText(options: Options, labels: Labels, { isLive, isTyped, isSeveral }: Circumstances) {
  const { compact, plain, verbose, lang: language, ascii, color: flag } = options;
  const { stdout: terminal, env } = process;
  const { isTTY = false } = terminal;
  const level = colorLevel({ flag, env, isTTY });
  const style = createStyle({ level, ascii });
  // Asked for every text: a person may resize the window.
  const columns = (): number =>
    options.width ?? (isTTY ? (terminal.columns ?? 0) : columnsOfPipe(level, env));
  const prose = (): number => options.width ?? Math.min(columns(), COMFORTABLE_WIDTH);
  const rendered = (isTTY || level > 0) && !plain && !compact;
  const hyperlinks = isTTY && level > 0 && (await import('supports-hyperlinks')).default.stdout;
  const pretty = createPretty({
    style,
    labels,
    language,
    compact,
    verbose,
    get width() {
      return prose();
    },
    hyperlinks,
    ...(level > 0 && options.grep && !options['invert-match']
      ? { mark: createMarker(options.grep, style.match) }
      : {}),
    ...(rendered ? { render: await markdownRenderer(style, hyperlinks, () => columns() - prose()) } : {}),
    ...(isTTY && isLive ? { now: Date.now } : {}),
  });
  const isAnimated = isTTY && isLive && !compact && env['TERM'] !== 'dumb' && !env['CI'];
  const format = compose(pretty, map(lastGate));
  const named = isSeveral ? createNames(compact ? 'file ' : '', compact ? String : style.bold) : undefined;
  const formatOf = (name: string) => (named ? compose(format, named(name)) : format);
  if (!isAnimated) return { formatOf };
  const live = createLive(terminal, style);
  if (!isTyped) return { formatOf, live };
  // The terminal shows it already.
  const unsaid = map((item: Item) =>
    item.kind === 'event' && item.event.type === 'chat-user-message'
      ? { ...item, hidden: true as const }
      : item,
  );
  const prompt = createPrompt(terminal, labels.encode.welcome);
  return { formatOf: () => compose(unsaid, format), live, prompt };
}

/** What puts the name of an input above its text, where it has any. Blocks have a blank line around it. */
function createNames(before: string, paint: Paint): (name: string) => Step<string, string> {
  let isFirst = true;
  const isCompact = before !== '';
  return (name) => {
    let isNamed = false;
    return map((text) => {
      if (isNamed) return text;
      const above = isFirst || isCompact ? '' : '\n';
      const below = isCompact || text.startsWith('\n') ? '' : '\n';
      isNamed = true;
      isFirst = false;
      return `${above}${lastGate(before + paint(safeLine(name)))}\n${below}${text}`;
    });
  };
}

/** Where colour was asked for in a pipe, there is a terminal at its end: `less -R`, `fzf --preview`, `watch -c`. */
function columnsOfPipe(level: number, env: NodeJS.ProcessEnv): number {
  if (level === 0) return 0;
  const told = Number(env['COLUMNS']);
  return Number.isSafeInteger(told) && told > 0 ? told : (process.stderr.columns ?? USUAL_COLUMNS);
}

/** @param spare cells that tables and code may take beyond the width of prose */
async function markdownRenderer(style: Style, hyperlinks: boolean, spare: () => number) {
  const { renderMarkdown } = await import('../terminal/markdown.ts');
  return (content: string, width: number) =>
    renderMarkdown(content, { width, wide: width && width + spare(), style, hyperlinks });
}

function isValid(item: Item): boolean {
  return (item.kind === 'event' || item.kind === 'unknown') && item.line.damage !== 'invalid-utf8';
}

/** The options of selection as the step has them. The compiler asks for each. */
function filterOptions({ type, agent, role, kind, phase, turn, session, grep, ...options }: Options) {
  return {
    type,
    notType: options['not-type'],
    agent,
    role,
    kind,
    phase,
    turn,
    session,
    grep,
    invert: options['invert-match'],
  } satisfies Record<Exclude<keyof FilterOptions, 'field'>, unknown>;
}

/** `pretty` and `markdown`: what is shown of the sessions, where not all of it was asked for. */
function selection(options: Options): Pick<Plan, 'choose' | 'unmet'> {
  const given = filterOptions(options);
  if (!Object.values(given).some((value) => (Array.isArray(value) ? value.length > 0 : value))) return {};
  const choose = createSelection(given);
  return { choose, unmet: choose.unmet };
}

/** `filter`: the chosen lines, or what was asked for in their place. */
function chosenLines(options: Options): Pick<Plan, 'choose' | 'formatOf' | 'total' | 'unmet'> {
  const { extract, 'max-count': most } = options;
  const filter = createFilter({ ...filterOptions(options), field: extract });
  const { unmet } = filter;
  const choose = most < Infinity ? compose(filter, take<Item>(most)) : filter;
  if (options['files-with-matches']) return { choose, formatOf: nameOnce, unmet };
  if (options.count) {
    let count = 0;
    const counter = map((): string | undefined => {
      count++;
      return undefined;
    });
    return { choose, unmet, formatOf: () => counter, total: () => `${count}\n` };
  }
  const format = extract === undefined ? ndjsonLines : fieldTexts(extract, options.null);
  return { choose, unmet, formatOf: () => format };
}

/** `list`: a table on a terminal, else values for another program. */
async function sessionLines(options: Options, labels: Labels, { isSeveral }: Circumstances) {
  const { createTable, tabbed } = await import('../format/list.ts');
  const { createList } = await import('../steps/list.ts');
  const { stdout: terminal, env } = process;
  const { isTTY = false } = terminal;
  const table = createTable({
    style: createStyle({ level: colorLevel({ flag: options.color, env, isTTY }), ascii: options.ascii }),
    labels,
    get width() {
      return terminal.columns ?? 0;
    },
  });
  const row = isTTY
    ? (entry: SessionEntry, file: string) => table(entry, isSeveral ? file : undefined)
    : tabbed;
  const { outcome, mode, agent, session, grep } = options;
  const sessions = createList({ outcome, mode, agent, session, grep }, { words: options.json });
  const json = (file: string, { number: session, timeZone: _, ...shown }: SessionEntry) =>
    `${safeJson({ file, session, ...shown })}\n`;
  return {
    unmet: sessions.unmet,
    formatOf: (file: string) =>
      compose(
        sessions,
        map((entry) => (options.json ? json(file, entry) : row(entry, file))),
        map(lastGate),
      ),
  };
}

/** Raw into a pipe or file, through the gate on a terminal. */
const rawGate = (text: string) => (process.stdout.isTTY ? safeText(text) : text);

/** The name of an input at its first item; no more of it is wanted. */
function nameOnce(name: string): Step<Item, string> {
  return compose(
    take<Item>(1),
    map(() => `${rawGate(name)}\n`),
  );
}

/** One field of each event. */
function fieldTexts(field: string, isNull: boolean): Step<Item, string> {
  return map((item) =>
    item.kind === 'event' || item.kind === 'unknown'
      ? `${rawGate(extractField(item.event, field) ?? '')}${isNull ? '\0' : '\n'}`
      : undefined,
  );
}

/** A checked Chat command as an item: to the rules of a session it is an event like any unknown one. */
function asItem(item: Item, { line, command, findings }: CommandItem): Item {
  return command
    ? { kind: 'unknown', line, event: { ...command }, findings }
    : { ...item, kind: 'fault', line, findings };
}
