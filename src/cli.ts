/** The command line: what was asked for, done, and the exit status of it. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { getSystemErrorMap } from 'node:util';
import { EVENT_TYPES, type Finding, type Item, type Line, type Stage } from './event.ts';
import { createFilter, extractField, GROUPS } from './filter.ts';
import { type Input, openInput, STDIN } from './input.ts';
import { fill, type Labels, labelsFor } from './labels.ts';
import {
  COMMANDS,
  commandNamed,
  type Invocation,
  nearest,
  type Options,
  parseCommandLine,
  UsageError,
} from './options.ts';
import { fileOutput, type Output, OutputError, streamOutput, wholeFileOutput } from './output.ts';
import { parseLine } from './parse.ts';
import { type Flow, flow } from './pipeline.ts';
import { createPretty } from './pretty.ts';
import { createSessionChecker, type Outcomes } from './protocol.ts';
import { createReport } from './report.ts';
import { colorLevel, createStyle } from './style.ts';
import { safeLine, safeText } from './text.ts';
import { checkShape } from './validate.ts';

/** The widest text that is comfortable to read, in cells. */
const COMFORTABLE_WIDTH = 100;

const REPORTED = 1;
const UNABLE = 2;
const INTERRUPTED = 130;
const TERMINATED = 143;
const HUNG_UP = 129;

/** The commands that read events. */
type Reader = 'pretty' | 'markdown' | 'filter' | 'validate';

/** Findings that are no fault for a command: what it shows, or passes on, as it is. */
const HARMLESS: Record<Reader, readonly Finding['code'][]> = {
  pretty: ['not-json', 'invalid-utf8'],
  markdown: ['invalid-utf8'],
  filter: ['invalid-utf8'],
  validate: [],
};

/**
 * Runs the program with the arguments that follow its name, and resolves with its exit status. Reads and writes
 * the streams of `process` and listens to its signals; ends the process itself on a signal alone.
 */
export async function main(args: readonly string[]): Promise<number> {
  // A reader of our messages that goes away is no reason to stop.
  process.stderr.on('error', () => {});
  try {
    return await dispatch(parseCommandLine(args, process.env));
  } catch (error) {
    if (error instanceof UsageError) {
      const { tryHelp } = labelsFor(error.lang).usage;
      say(`${error.message}\n${fill(tryHelp, { command: error.command })}`);
      return UNABLE;
    }
    if (error instanceof OutputError) {
      say(`${safeLine(error.output)}: ${reasonOf(error.cause)}`);
      return UNABLE;
    }
    throw error;
  }
}

async function dispatch(invocation: Invocation): Promise<number> {
  const { command, options, operands } = invocation;
  if (options.version) return print(`${version()}\n`);
  if (options.help || command === 'help') {
    const { helpFor } = await import('./help.ts');
    const named = command === 'help' ? helpCommand(invocation) : invocation.implicit ? undefined : command;
    return print(await helpFor(named, options.lang, process.stdout.columns));
  }
  switch (command) {
    case 'schema': {
      const { schemaNames, schemaText } = await import('./schema.ts');
      const name = operands.join(' ') || undefined;
      const text = schemaText(name);
      if (text === undefined) throw unknownWord(invocation, 'unknownSchema', name ?? '', schemaNames());
      return print(text);
    }
    case 'completion': {
      const { completionFor, SHELLS } = await import('./completion.ts');
      const shell = operands[0] ?? basename(process.env['SHELL'] ?? 'bash');
      const text = completionFor(shell);
      if (text === undefined) throw unknownWord(invocation, 'unknownShell', shell, SHELLS);
      return print(text);
    }
    default:
      return read(command, invocation);
  }
}

/** The command that `help` is asked about. */
function helpCommand(invocation: Invocation) {
  const [word] = invocation.operands;
  if (word === undefined) return undefined;
  const command = commandNamed(word);
  if (!command) throw unknownWord(invocation, 'unknownHelp', word, COMMANDS);
  return command;
}

function unknownWord(
  { command, options }: Invocation,
  key: 'unknownHelp' | 'unknownSchema' | 'unknownShell',
  name: string,
  names: readonly string[],
): UsageError {
  const labels = labelsFor(options.lang).usage;
  const suggestion = nearest(name, names);
  const values = { name: safeLine(name), names: names.join(', ') };
  const message = suggestion
    ? fill(labels[`${key}Near`], { ...values, suggestion })
    : fill(labels[key], values);
  return new UsageError(message, command, options.lang);
}

/** Reads events from the inputs and writes what the command makes of them. */
async function read(command: Reader, invocation: Invocation): Promise<number> {
  const { options } = invocation;
  const labels = labelsFor(options.lang);
  const operands = invocation.operands.length > 0 ? invocation.operands : [STDIN];
  const state = { reported: false, unable: false };

  if (invocation.operands.length === 0 && process.stdin.isTTY) {
    const { usageFor } = await import('./help.ts');
    say(`${labels.usage.noInput}\n${usageFor(command, options.lang)}`);
    return UNABLE;
  }
  if (command === 'filter' && !options.quiet) warnOfUnknownTypes(options, labels);

  const output = options.output === undefined ? standardOutput() : wholeFileOutput(options.output);
  const copy = options.tee === undefined ? undefined : createCopy(options.tee, state);
  const checker = createSessionChecker(command === 'validate' ? {} : { only: ['missing-done'] });
  const format = await createFormat(command, options, labels);
  let current: Input | undefined;
  const stopListening = onSignals(
    () => current?.piped ?? true,
    () => output.abandon(),
  );

  try {
    for (const operand of operands) {
      if (output.closed || format.enough()) break;
      try {
        current = await openInput(operand, process.stdin);
      } catch (error) {
        state.unable = true;
        sayMissing(invocation, operand, reasonOf(error), labels);
        continue;
      }
      const report = createReport(current.name, { labels, as: options.report });
      const run: Flow = {
        maxLine: options['max-line'],
        check: createCheck(command, options),
        session: checker,
        format,
        report(finding) {
          if (HARMLESS[command].includes(finding.code)) return;
          if (finding.code === 'utf-16') state.unable = true;
          if (finding.severity === 'error' || options.strict) state.reported = true;
          const line = report.finding(finding);
          if (!options.quiet && line !== '') process.stderr.write(line);
        },
        patient: options.report === 'text',
        enough: format.enough,
        output,
        copy,
      };
      try {
        const diagnosis = await flow(current, run);
        if (!options.quiet) process.stderr.write(report.end());
        if (diagnosis && !format.enough() && !output.closed) {
          const silent = options.quiet || (diagnosis === 'empty' && command === 'filter');
          if (!silent) say(`${safeLine(current.name)}: ${labels.diagnosis[diagnosis]}`);
          if (diagnosis !== 'empty' || command === 'validate') state.reported = true;
        }
      } catch (error) {
        if (error instanceof OutputError) throw error;
        state.unable = true;
        say(`${safeLine(current.name)}: ${reasonOf(error)}`);
      }
    }
    await output.write(format.total?.() ?? '');
    await output.finish();
  } catch (error) {
    output.abandon();
    throw error;
  } finally {
    stopListening();
    process.stdin.destroy();
  }
  const early = output.closed || format.enough();
  if (state.unable) return UNABLE;
  if (options['exit-status'] && !early) {
    const status = statusOf(checker.outcomes());
    if (status !== 0) return status;
  }
  return state.reported ? REPORTED : 0;
}

/** With `-e`: what the sessions say of themselves. */
function statusOf({ sessions, failed, unfinished, cancelled }: Outcomes): number {
  if (sessions === 0 || failed + unfinished > 0) return REPORTED;
  return cancelled > 0 ? INTERRUPTED : 0;
}

/** What makes text of items, and whether more is wanted. */
interface Format extends Stage<Item, string> {
  enough(): boolean;
  /** Written once, after the last input. */
  total?(): string;
}

async function createFormat(command: Reader, options: Options, labels: Labels): Promise<Format> {
  const never = () => false;
  switch (command) {
    case 'pretty': {
      const isTTY = process.stdout.isTTY ?? false;
      const level = colorLevel({ flag: options.color, env: process.env, isTTY });
      const style = createStyle({ level, ascii: options.ascii });
      const width = options.width ?? (isTTY ? Math.min(process.stdout.columns ?? 0, COMFORTABLE_WIDTH) : 0);
      const pretty = createPretty({
        style,
        labels,
        language: options.lang,
        width,
        compact: options.compact,
        verbose: options.verbose,
      });
      return { ...pretty, enough: never };
    }
    case 'markdown': {
      const { createMarkdown } = await import('./markdown.ts');
      const markdown = createMarkdown({
        labels,
        language: options.lang,
        header: !options['no-header'],
        notices: options.notices,
        ...(options.title === undefined ? {} : { title: options.title }),
      });
      return { ...markdown, enough: never };
    }
    case 'filter':
      return createChoice(options);
    case 'validate':
      return { each: (item) => (isValid(item) ? `${item.line.text}\n` : ''), enough: never };
  }
}

function isValid(item: Item): boolean {
  if (item.kind !== 'event' && item.kind !== 'unknown') return false;
  return item.line.damage === undefined;
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

/** A line to a checked item, for one input. */
function createCheck(command: Reader, options: Options): (line: Line) => Item | undefined {
  let toldOfVersion = false;
  return (line) => {
    const item = parseLine(line);
    if (command === 'pretty' && item?.kind === 'fault' && item.findings[0]?.code === 'unsupported-version') {
      // A person is told once that this stream is not for us, not at every line of it.
      if (toldOfVersion) return undefined;
      toldOfVersion = true;
    }
    return item && checkShape(item, { strict: options.strict });
  };
}

/** The copy that `--tee` makes. Where it fails, that is said, and the rest of the stream is still shown. */
function createCopy(path: string, state: { unable: boolean }): (bytes: Buffer) => void {
  let file: Output | undefined = fileOutput(path);
  return (bytes) => {
    try {
      file?.write(bytes);
    } catch (error) {
      file = undefined;
      state.unable = true;
      say(`${safeLine(path)}: ${reasonOf((error as OutputError).cause)}`);
    }
  };
}

/**
 * What a signal does. With an input that another program writes, the first Ctrl+C is that program's: it still
 * has its last events to write, and they are shown.
 */
function onSignals(isPiped: () => boolean, cleanUp: () => void): () => void {
  let interrupted = false;
  const leave = (status: number) => {
    cleanUp();
    process.exit(status);
  };
  const listeners = {
    SIGINT: () => {
      if (interrupted || !isPiped()) leave(INTERRUPTED);
      interrupted = true;
    },
    SIGTERM: () => leave(TERMINATED),
    SIGHUP: () => leave(HUNG_UP),
  };
  for (const [signal, listener] of Object.entries(listeners)) process.on(signal, listener);
  return () => {
    for (const [signal, listener] of Object.entries(listeners)) process.off(signal, listener);
  };
}

function warnOfUnknownTypes(options: Options, labels: Labels): void {
  const known = [...EVENT_TYPES, ...Object.keys(GROUPS)];
  for (const name of [...options.type, ...options['not-type']]) {
    if (known.includes(name)) continue;
    const suggestion = nearest(name, known);
    const { unknownType, unknownTypeNear } = labels.usage;
    say(
      suggestion
        ? fill(unknownTypeNear, { name: safeLine(name), suggestion })
        : fill(unknownType, { name: safeLine(name) }),
    );
  }
}

/** An operand that is no file may be a command that was mistyped, or what somebody wanted to find. */
function sayMissing(invocation: Invocation, operand: string, reason: string, labels: Labels): void {
  const { command, implicit, operands, options } = invocation;
  const values = { file: safeLine(operand), reason };
  const suggestion = implicit && operand === operands[0] ? nearest(operand, COMMANDS) : undefined;
  if (suggestion) say(fill(labels.usage.missingCommand, { ...values, command: suggestion }));
  else if (command === 'filter' && options['exit-status']) say(fill(labels.usage.missingSearch, values));
  else say(`${values.file}: ${reason}`);
}

/** The system's own words for an error, such as `No such file or directory`. */
function reasonOf(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  const known = errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1];
  return known ? known[0]!.toUpperCase() + known.slice(1) : message;
}

function version(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return String(version);
}

function standardOutput(): Output {
  return streamOutput('stdout', process.stdout);
}

async function print(text: string): Promise<number> {
  const output = standardOutput();
  await output.write(text);
  await output.finish();
  return 0;
}

function say(message: string): void {
  process.stderr.write(`palabre-fmt: ${message}\n`);
}
