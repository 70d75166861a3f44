/** The command line: what was asked for, done, and the exit status of it. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { isatty } from 'node:tty';
import { fill, labelsFor } from '../labels/labels.ts';
import type { Outcomes } from '../protocol/checker.ts';
import { safeLine } from '../safe/text.ts';
import { OutputError } from '../world/output.ts';
import type { Producer } from '../world/producer.ts';
import { isStderrAmong, UNSPEAKABLE } from '../world/same.ts';
import { INTERRUPTED, keepIgnored } from '../world/signals.ts';
import {
  COMMANDS,
  type Command,
  commandNamed,
  type Invocation,
  labelsOf,
  nearest,
  type OptionSpec,
  optionTyped,
  parseCommandLine,
  type Reader,
  UsageError,
  usageError,
} from './options.ts';
import { type ReadResult, readEvents } from './read.ts';
import { keepToAscii, print, REPORTED, reasonOf, say, shownName, UNABLE } from './talk.ts';

const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;
/** What is above was ended by a signal. */
const SIGNALS = 128;
/** 128 + SIGPIPE. */
const BROKEN_PIPE = 141;

/**
 * Runs the program with the arguments that follow its name, and resolves with its exit status. Reads and writes
 * the streams of `process` and listens to its signals; ends the process itself on a signal alone.
 */
export async function main(args: readonly string[]): Promise<number> {
  // A closed stderr is not a reason to stop.
  process.stderr.on('error', () => {});
  keepIgnored();
  let labels = labelsFor('en');
  try {
    if (args[0] === '__complete') return await answerCompletion(args.slice(1));
    const invocation = parseCommandLine(args, process.env);
    labels = labelsOf(invocation.options);
    if (invocation.options.ascii) keepToAscii();
    return await dispatch(invocation);
  } catch (error) {
    if (error instanceof UsageError) {
      // Which words are files is not known here.
      if (!isStderrAmong(args)) say(error.message);
      return UNABLE;
    }
    if (error instanceof OutputError) {
      if ((error.cause as NodeJS.ErrnoException).code === UNSPEAKABLE) return UNABLE;
      say(`${shownName(error.output)}: ${reasonOf(error.cause, labels)}`);
      return UNABLE;
    }
    // A bug of ours. A stack trace does not help a person who wants to read a session.
    say(fill(labels.usage.unexpected, { reason: safeLine(String(error)) }));
    return UNABLE;
  }
}

/** The hidden command that the completion scripts ask. */
async function answerCompletion([language, ...words]: readonly string[]): Promise<number> {
  const { complete, completionText } = await import('./completion.ts');
  const { options } = parseCommandLine([`--lang=${language}`], process.env);
  return print(completionText(complete(words, labelsOf(options))));
}

async function dispatch(invocation: Invocation): Promise<number> {
  const { command, options, operands } = invocation;
  if (options.version) return print(`${version()}\n`);
  if (options.help || command === 'help') {
    const { helpFor } = await import('./help.ts');
    const { about, option } =
      command === 'help' ? helpAsked(invocation) : { about: invocation.implicit ? undefined : command };
    return print(await helpFor(about, labelsOf(options), process.stdout.columns, option));
  }
  switch (command) {
    case 'schema': {
      const { schemaNames, schemaText } = await import('../schema/print.ts');
      const name = operands.join(' ') || undefined;
      const text = schemaText(name);
      if (text === undefined) throw unknownWord(invocation, 'unknownSchema', name ?? '', schemaNames());
      return print(`${text}\n`);
    }
    case 'completion': {
      const { completionFor, SHELLS } = await import('./completion.ts');
      refuseMore(invocation, 1);
      const shell = operands[0] ?? basename(process.env['SHELL'] || 'bash');
      const text = completionFor(shell, options.lang);
      // All have short names, of which one is always near.
      if (text === undefined) throw usageError(invocation, 'unknownShell', { name: shell, names: SHELLS });
      return print(text);
    }
    case 'encode': {
      const { sendCommands } = await import('./send.ts');
      return sendCommands(invocation);
    }
    case 'run':
      return run(invocation);
    default:
      return read(command, invocation);
  }
}

/** What `help` is asked about: a command, or an option and the first command that takes it. */
function helpAsked(invocation: Invocation): { about?: Command | undefined; option?: OptionSpec | undefined } {
  refuseMore(invocation, 1);
  const [word] = invocation.operands;
  if (word === undefined) return {};
  const command = commandNamed(word);
  const option = command ? undefined : (optionTyped(word) ?? optionTyped(`--${word}`));
  const about = command ?? option?.of[0];
  if (!about) throw unknownWord(invocation, 'unknownHelp', word, COMMANDS);
  return { about, option };
}

function refuseMore(invocation: Invocation, words: number): void {
  const word = invocation.operands[words];
  if (word !== undefined) throw usageError(invocation, 'tooMany', { word });
}

function unknownWord(
  invocation: Invocation,
  key: 'unknownHelp' | 'unknownSchema',
  name: string,
  names: readonly string[],
): UsageError {
  // `chat-send` is the schema `command chat-send`.
  const suggestion = names.find((known) => known.endsWith(` ${name}`)) ?? nearest(name, names);
  return usageError(invocation, key, { name, names, suggestion });
}

/** Reads what the operands name, and gives the exit status of it. */
async function read(command: Reader, invocation: Invocation): Promise<number> {
  const { options, operands } = invocation;
  const labels = labelsOf(options);
  if (operands.length === 0 && isatty(0)) {
    const { usageFor } = await import('./help.ts');
    const { noInput, tryHelp } = labels.usage;
    say(`${noInput}\n${usageFor(command, labels)}\n${fill(tryHelp, { command })}`);
    return UNABLE;
  }
  const { reported, unable, early, outcomes } = await readEvents(command, invocation);
  if (unable) return UNABLE;
  const status = options['exit-status'] && !early ? statusOf(outcomes) : 0;
  return status || (reported ? REPORTED : 0);
}

/** Runs a command, formats what it writes, and gives its exit status. */
async function run(invocation: Invocation): Promise<number> {
  const { options, operands } = invocation;
  const labels = labelsOf(options);
  const [file, ...args] = operands;
  if (file === undefined) throw usageError(invocation, 'needsCommand');
  const command = shownName(basename(file));
  let producer: Producer | undefined;
  let result: ReadResult;
  try {
    result = await readEvents(options.as, invocation, async () => {
      const { startProducer } = await import('../world/producer.ts');
      producer = await startProducer(file, args);
      return producer;
    });
  } catch (error) {
    if (producer || error instanceof OutputError) throw error;
    const missing = file === '' || (error as NodeJS.ErrnoException).code === 'ENOENT';
    const { notFound, quoted, notExecutable } = labels.run;
    const isQuoted = args.length === 0 && /\s/.test(file);
    const values = { command: shownName(file), reason: reasonOf(error, labels) };
    say(fill(!missing ? notExecutable : isQuoted ? quoted : notFound, values));
    return missing ? NOT_FOUND : NOT_EXECUTABLE;
  }
  const { reported, unable, early, outcomes, status = 0 } = result;
  // Where nothing more was wanted, it was we who broke the pipe: the command may say so by any status of its own.
  const isOurs = early && producer?.isCut() && (status < SIGNALS || status === BROKEN_PIPE);
  if (status !== 0 && !isOurs) {
    if (!options.quiet && !isTold(status, outcomes)) {
      const { exited, killed } = labels.run;
      const signal = producer?.signal;
      say(
        fill(signal ? killed : exited, { command, status, number: status - SIGNALS, signal: signal ?? '' }),
      );
    }
    return status;
  }
  if (unable) return UNABLE;
  if (early) return reported ? REPORTED : 0;
  const told = statusOf(outcomes);
  if (told === 0) return reported ? REPORTED : 0;
  const { failed, unfinished, cancelled } = labels.run;
  const sentence = outcomes.failed > 0 ? failed : outcomes.cancelled > 0 ? cancelled : unfinished;
  // That there was no session at all has been said.
  if (!options.quiet && outcomes.sessions > 0) say(fill(sentence, { command }));
  return options['exit-status'] ? told : REPORTED;
}

/** Whether the session says why its command ended with that status. */
function isTold(status: number, outcomes: Outcomes): boolean {
  return outcomes.failed + outcomes.cancelled > 0 && status === statusOf(outcomes);
}

/** What the sessions say of themselves. */
function statusOf({ sessions, failed, unfinished, cancelled }: Outcomes): number {
  if (sessions === 0 || failed + unfinished > 0) return REPORTED;
  return cancelled > 0 ? INTERRUPTED : 0;
}

function version(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return String(version);
}
