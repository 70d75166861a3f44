/** What each command makes of a line: its check, its format, and what counts as a fault. */
import type { Finding, Item, Line, PalabreEvent, Stage } from '../event.ts';
import { createPretty } from '../format/pretty.ts';
import type { Labels } from '../labels/labels.ts';
import { safeText } from '../safe/text.ts';
import { createFilter, extractField, GROUPS } from '../steps/filter.ts';
import { parseLine } from '../steps/parse.ts';
import { type CommandItem, checkCommand, checkShape } from '../steps/validate.ts';
import { createLive, type Live } from '../terminal/live.ts';
import { colorLevel, createStyle, type Style } from '../terminal/style.ts';
import type { Options, Reader } from './options.ts';
import { lastGate } from './talk.ts';

/** The widest text that is comfortable to read, in cells. */
const COMFORTABLE_WIDTH = 100;

/** Findings that are no fault for a command: what it shows, or passes on, as it is. */
export const HARMLESS: Record<Reader, readonly Finding['code'][]> = {
  pretty: ['not-json', 'invalid-utf8'],
  markdown: ['invalid-utf8'],
  filter: ['invalid-utf8'],
  validate: [],
};

/** What makes text of items, and whether more is wanted. */
export interface Format extends Stage<Item, string> {
  enough(): boolean;
  /** Written once, after the last input. */
  total?(): string;
  /** What stands below the text for the moment. */
  live?: Live;
}

const never = () => false;

/**
 * The format of a command, for all inputs.
 *
 * @param isLive whether events come as they happen, not from a record
 */
export async function createFormat(
  command: Reader,
  options: Options,
  labels: Labels,
  isLive: boolean,
): Promise<Format> {
  switch (command) {
    case 'pretty':
      return withLastGate(await createPrettyText(options, labels, isLive));
    case 'markdown': {
      const { createMarkdown } = await import('../format/transcript.ts');
      const { lang: language, title, notices } = options;
      const header = !options['no-header'];
      const markdown = { ...createMarkdown({ labels, language, header, notices, title }), enough: never };
      return isFile(options.output) ? markdown : withLastGate(markdown);
    }
    case 'filter':
      return createChoice(options);
    case 'validate':
      // Quiet, it is asked for its status alone.
      return {
        each: (item) => (!options.quiet && isValid(item) ? `${item.line.text}\n` : ''),
        enough: never,
      };
  }
}

/** Whether a transcript goes into a file of its own, not to stdout by any name. */
function isFile(output = '-'): boolean {
  return output !== '-' && !output.startsWith('/dev/');
}

function withLastGate(format: Format): Format {
  return {
    ...format,
    each: (item) => lastGate(format.each(item)),
    end: () => lastGate(format.end?.() ?? ''),
  };
}

async function createPrettyText(options: Options, labels: Labels, isLive: boolean): Promise<Format> {
  const { compact, plain, verbose, lang: language, ascii, color: flag } = options;
  const { stdout: terminal, env } = process;
  const { isTTY = false } = terminal;
  const level = colorLevel({ flag, env, isTTY });
  const style = createStyle({ level, ascii });
  const pretty = createPretty({
    style,
    labels,
    language,
    compact,
    verbose,
    get width() {
      // Asked every time: a person may resize the window.
      return options.width ?? (isTTY ? Math.min(terminal.columns ?? 0, COMFORTABLE_WIDTH) : 0);
    },
    hyperlinks: isTTY && level > 0 && (await knowsHyperlinks()),
    ...(isTTY && !plain && !compact ? { render: await markdownRenderer(style) } : {}),
    ...(isTTY && isLive ? { now: Date.now } : {}),
  });
  if (!isTTY || !isLive || compact || env['TERM'] === 'dumb' || env['CI'])
    return { ...pretty, enough: never };
  const live = createLive(terminal, style);
  return {
    ...pretty,
    each(item) {
      live.each(item);
      return pretty.each(item);
    },
    enough: never,
    live,
  };
}

async function knowsHyperlinks(): Promise<boolean> {
  const { default: known } = await import('supports-hyperlinks');
  return known.stdout;
}

async function markdownRenderer(style: Style) {
  const { renderMarkdown } = await import('../terminal/markdown.ts');
  return (content: string, width: number) => renderMarkdown(content, { width, style });
}

function isValid(item: Item): boolean {
  return (item.kind === 'event' || item.kind === 'unknown') && item.line.damage === undefined;
}

/** `filter`: the chosen lines, or what was asked for in their place. */
function createChoice(options: Options): Format {
  const filter = createFilter({
    ...options,
    notType: options['not-type'],
    field: options.extract,
    invert: options['invert-match'],
  });
  const { extract } = options;
  const end = options.null ? '\0' : '\n';
  const gate = process.stdout.isTTY ? safeText : (text: string) => text;
  let count = 0;

  function text(item: Item): string {
    if (options.count) return '';
    if (extract === undefined) return `${item.line.text}\n`;
    if (item.kind !== 'event' && item.kind !== 'unknown') return '';
    return `${gate(extractField(item.event, extract) ?? '')}${end}`;
  }

  return {
    each(item) {
      const chosen = filter.each(item);
      if (!chosen) return '';
      count++;
      return text(chosen);
    },
    end() {
      filter.end();
      return '';
    },
    enough: () => count >= options['max-count'],
    ...(options.count ? { total: () => `${count}\n` } : {}),
  };
}

/** A checked Chat command as an item: to the rules of a session it is an event like any unknown one. */
function asItem(item: Item, { line, command, findings }: CommandItem): Item {
  return command
    ? { kind: 'unknown', line, event: { ...command }, findings }
    : { ...item, kind: 'fault', line, findings };
}

/** How many lines are remembered: two of each agent, as far as there are not too many agents. */
const MOST_REMEMBERED = 16;

/**
 * A line to a checked item, for one input.
 *
 * Whoever is at work says so with the same two lines each time, half of all the lines there are: these are parsed
 * and checked once.
 */
export function createCheck(command: Reader, options: Options): (line: Line) => Item | undefined {
  // A list, not a map: to compare lengths takes no time, to hash every line takes a third of what parsing takes.
  const remembered: { text: string; event: PalabreEvent }[] = [];
  let toldOfVersion = false;

  function check(line: Line): Item | undefined {
    const item = parseLine(line);
    if (command === 'pretty' && item?.kind === 'fault' && item.findings[0]?.code === 'unsupported-version') {
      // A person is told once that this stream is not for us, not at every line of it.
      if (toldOfVersion) return undefined;
      toldOfVersion = true;
    }
    if (!item) return undefined;
    return options.commands ? asItem(item, checkCommand(item, options)) : checkShape(item, options);
  }

  return (line) => {
    if (line.damage) return check(line);
    for (const { text, event } of remembered) if (text === line.text) return { kind: 'event', line, event };
    const item = check(line);
    const isSaidAgain = item?.kind === 'event' && !item.findings && GROUPS['@thinking']!(item.event);
    if (isSaidAgain && remembered.length < MOST_REMEMBERED) {
      // A copy: the text is a part of all that was read with it, which would stay in memory.
      remembered.push({ text: Buffer.from(line.text).toString(), event: item.event });
    }
    return item;
  };
}
