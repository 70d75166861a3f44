/**
 * The library: each step as a Transform for `stream.pipeline`, and as a function of values for everything else.
 *
 * @example
 * import { pipeline } from 'node:stream/promises';
 * import { filter, markdown, parse, validate } from 'palabre-fmt';
 *
 * await pipeline(process.stdin, parse(), validate(), filter({ type: '@content' }), markdown(), process.stdout);
 *
 * Each of these is a step in a Transform of its own. {@link createPipeline} puts the same steps into one, several times as fast.
 */
import { checkOptions, type Expectations, flag, integer, oneOf, shown, string } from './arguments.ts';
import type { Item, Step } from './event.ts';
import { createPretty } from './format/pretty.ts';
import { createMarkdown } from './format/transcript.ts';
import { LANGUAGES, type Language, labelsFor } from './labels/labels.ts';
import { ndjsonLines } from './pipeline.ts';
import { createSessionChecker } from './protocol/checker.ts';
import { asciiSigns } from './safe/ascii.ts';
import { createFilter, FILTER_OPTIONS, type FilterOptions } from './steps/filter.ts';
import { createLineReader, HIGHEST_MAX_LINE } from './steps/lines.ts';
import { createList, LIST_OPTIONS, type ListOptions, type SessionEntry } from './steps/list.ts';
import { createParser } from './steps/parse.ts';
import { type CheckOptions, createValidator } from './steps/validate.ts';
import { compose, map, type TypedTransform, toTransform } from './stream.ts';
import { renderMarkdown } from './terminal/markdown.ts';
import { type ColorLevel, createStyle } from './terminal/style.ts';

export { type OneOrMore, parseRange, type Range, type RangeLike } from './arguments.ts';
export * from './event.ts';
export { createPretty, type PrettyOptions } from './format/pretty.ts';
export { createMarkdown, type MarkdownOptions } from './format/transcript.ts';
export { sentence } from './format/words.ts';
export { fill, type Labels, type Language, labelsFor } from './labels/labels.ts';
export { createPipeline, ndjsonLines, type PipelineSteps } from './pipeline.ts';
export {
  checkSession,
  createSessionChecker,
  endSession,
  type Outcomes,
  type SessionChecker,
  type SessionOptions,
} from './protocol/checker.ts';
export { OUTCOMES, type Outcome } from './protocol/observe.ts';
export type { Unmet } from './protocol/unmet.ts';
export { fence, type SafeMarkdownOptions, safeMarkdown, safeMarkdownLine } from './safe/markdown.ts';
export { safeLine, safeText } from './safe/text.ts';
export { schemaNames, schemaText } from './schema/print.ts';
export {
  type Choice,
  createFilter,
  createSelection,
  extractField,
  type FilterOptions,
  GROUPS,
} from './steps/filter.ts';
export { createLineReader, DEFAULT_MAX_LINE, HIGHEST_MAX_LINE } from './steps/lines.ts';
export { createList, type List, type ListOptions, type SessionEntry } from './steps/list.ts';
export { createParser, parseLine } from './steps/parse.ts';
export {
  type CheckOptions,
  type CommandItem,
  checkCommand,
  checkShape,
  createValidator,
} from './steps/validate.ts';
export { collect, compose, map, type TypedTransform, take, tap, toTransform } from './stream.ts';
export { quote } from './terminal/cut.ts';
export { type ColorLevel, colorLevel, createStyle, type Style } from './terminal/style.ts';

/** How {@link parse} reads. */
export interface ParseOptions {
  /** The longest line read, in bytes; default 64 MiB, at most 500 MiB. */
  maxLine?: number;
}

const PARSE: Expectations<ParseOptions> = { maxLine: integer(1, HIGHEST_MAX_LINE) };

/**
 * Bytes (or strings) to items: a line each, blank lines aside. Bad input gives items with findings, never an
 * error.
 *
 * @throws TypeError for an unknown option or a wrong type, as every Transform here
 * @example
 * for await (const item of process.stdin.pipe(parse())) if (item.kind === 'event') console.log(item.event.type);
 */
export function parse(options: ParseOptions = {}): TypedTransform<Buffer | string, Item> {
  checkOptions('parse', PARSE, options);
  return toTransform(compose(createLineReader(options), createParser()), 'bytes');
}

/** A Transform of a step that reads items, which says so where it gets something else. */
function ofItems<Out>(name: string, step: Step<Item, Out>): TypedTransform<Item, Out> {
  const checked = map((item: Item) => {
    if (typeof item === 'object' && 'kind' in item) return item;
    throw new TypeError(`${name}: it reads items, as parse() gives them, not ${shown(item)}`);
  });
  return toTransform(compose(checked, step));
}

/** What {@link validate} looks at. */
export interface ValidateOptions extends CheckOptions {
  /** Whether the order of events is checked as well as each event by itself. Default: true. */
  session?: boolean;
}

const VALIDATE: Expectations<ValidateOptions> = { session: flag, strict: flag };

/**
 * Items to items, checked: events with wrong fields become faults, and an item that breaks the rules of a
 * session carries the finding. What is missing at the end comes as one last fault.
 *
 * @example
 * for await (const { findings = [] } of process.stdin.pipe(parse()).pipe(validate()))
 *   for (const finding of findings) console.error(finding.line, finding.code, sentence(finding, labelsFor('en')));
 */
export function validate(options: ValidateOptions = {}): TypedTransform<Item, Item> {
  checkOptions('validate', VALIDATE, options);
  const { session = true, strict = false } = options;
  const checker = session ? createSessionChecker() : undefined;
  return ofItems('validate', createValidator({ strict, checker }));
}

/**
 * Items to the chosen items; text and faults are never chosen. A type that is not known is legal, and used as it stands.
 *
 * @example
 * parse().pipe(filter({ type: 'message', agent: 'claude', turn: '2..' }));
 */
export function filter(options: FilterOptions = {}): TypedTransform<Item, Item> {
  checkOptions('filter', FILTER_OPTIONS, options);
  return ofItems('filter', createFilter(options));
}

/**
 * Items to sessions, each once it is over. Only what an entry holds is kept in memory.
 *
 * @example
 * const failed = process.stdin.pipe(parse()).pipe(list({ outcome: 'failed' }));
 * for await (const { topic, errors } of failed) console.log(topic, errors[0]?.kind);
 */
export function list(options: ListOptions = {}): TypedTransform<Item, SessionEntry> {
  checkOptions('list', LIST_OPTIONS, options);
  return ofItems('list', createList(options));
}

/** Words and colours of a format. */
export interface FormatOptions {
  /** Default: `en`. */
  language?: Language;
}

const language = oneOf(...LANGUAGES);

/** How {@link pretty} writes. */
export interface PrettyStreamOptions extends FormatOptions {
  /** 0 (the default) none, 1 sixteen colours, 2 256, 3 all. */
  color?: ColorLevel;
  /** Draw with ASCII characters only. Default: false. */
  ascii?: boolean;
  /** Cells of a line; 0 (the default) is unlimited. */
  width?: number;
  /** One line per event. Default: false. */
  compact?: boolean;
  /** A word about events of unknown types. Default: false. */
  verbose?: boolean;
  /** Agents' Markdown as it was written. Default: false, which renders it where there is colour. */
  plain?: boolean;
}

const PRETTY: Expectations<PrettyStreamOptions> = {
  language,
  color: oneOf(0, 1, 2, 3),
  ascii: flag,
  width: integer(0),
  compact: flag,
  verbose: flag,
  plain: flag,
};

/**
 * Items to text for people, safe to print on a terminal.
 *
 * @example
 * process.stdin.pipe(parse()).pipe(validate()).pipe(pretty({ color: 1, width: 80 })).pipe(process.stdout);
 */
export function pretty(options: PrettyStreamOptions = {}): TypedTransform<Item, string> {
  checkOptions('pretty', PRETTY, options);
  const { language = 'en', color = 0, ascii = false, width = 0, ...rest } = options;
  const { compact = false, verbose = false, plain = false } = rest;
  const style = createStyle({ level: color, ascii });
  const render = (content: string, cells: number) => renderMarkdown(content, { width: cells, style });
  const isRendered = color > 0 && !plain && !compact;
  const labels = labelsFor(language, ascii);
  const format = createPretty({
    style,
    labels,
    language,
    width,
    compact,
    verbose,
    ...(isRendered ? { render } : {}),
  });
  return ofItems('pretty', ascii ? compose(format, map(asciiSigns)) : format);
}

/** How {@link markdown} writes. */
export interface MarkdownStreamOptions extends FormatOptions {
  /** In place of the title that the session gives. */
  title?: string;
  /** Whether a table of the session's facts stands below the title. Default: true. */
  header?: boolean;
  /** Whether notices and warnings are part of the document. Default: false. */
  notices?: boolean;
}

const MARKDOWN: Expectations<MarkdownStreamOptions> = {
  language,
  title: string,
  header: flag,
  notices: flag,
};

/**
 * Items to a Markdown transcript, safe to open in any viewer.
 *
 * @example
 * process.stdin.pipe(parse()).pipe(validate()).pipe(markdown({ title: 'Which parser?' })).pipe(process.stdout);
 */
export function markdown(options: MarkdownStreamOptions = {}): TypedTransform<Item, string> {
  checkOptions('markdown', MARKDOWN, options);
  const { language = 'en' } = options;
  return ofItems('markdown', createMarkdown({ ...options, language, labels: labelsFor(language) }));
}

/**
 * Items to NDJSON: each line as it came. Text and faults are left out.
 *
 * @example
 * process.stdin.pipe(parse()).pipe(filter({ type: 'error' })).pipe(ndjson()).pipe(process.stdout);
 */
export function ndjson(): TypedTransform<Item, string> {
  return ofItems('ndjson', ndjsonLines);
}
