/** Runs a command that reads events: opens inputs and outputs, sends each input through the steps of the command, reports. */
import { fstatSync, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { isatty } from 'node:tty';
import type { Item } from '../event.ts';
import { titleOf } from '../format/words.ts';
import { fill, type Labels } from '../labels/labels.ts';
import { createPipeline } from '../pipeline.ts';
import type { Outcomes } from '../protocol/checker.ts';
import { atWork, newSession, observeItem, type Session } from '../protocol/observe.ts';
import type { Unmet } from '../protocol/unmet.ts';
import { safeJson } from '../safe/json.ts';
import { safeLine } from '../safe/text.ts';
import { createTextOnly } from '../steps/binary.ts';
import { compose, consume, toTransform } from '../stream.ts';
import type { Thinker } from '../terminal/live.ts';
import { type Input, openInput, STDIN } from '../world/input.ts';
import { fileOutput, type Output, OutputError, wholeFileOutput } from '../world/output.ts';
import type { Producer } from '../world/producer.ts';
import { refuseSameFile } from '../world/same.ts';
import { listen } from '../world/signals.ts';
import { createFindings } from './findings.ts';
import {
  COMMANDS,
  commandNamed,
  type Invocation,
  labelsOf,
  nearest,
  type Options,
  optionTyped,
  type Reader,
  usageSentence,
} from './options.ts';
import { createPlan, type Plan } from './plan.ts';
import { reasonOf, say, shownName, standardOutput, tell } from './talk.ts';

/** The operand that means stdout. */
const STDOUT = '-';

/** The result of a run, from which the exit status is made. */
export interface ReadResult extends Pick<Run, 'reported' | 'unable'> {
  /** Reading stopped before the end: `-m` was reached, or the reader of the output went away. */
  early: boolean;
  /** How many sessions ended in which way. */
  outcomes: Outcomes;
  /** The exit status of the command of `run`. */
  status: number | undefined;
}

/** The state of one run, which the functions below share. */
interface Run {
  readonly command: Reader;
  readonly options: Options;
  readonly labels: Labels;
  readonly plan: Plan;
  output: Output;
  /** The copy that `--tee` makes; null once it has failed. */
  copy?: Output | null;
  producer?: Producer;
  /** The input that is read, or was the last; none while one is opened. */
  input?: Input | undefined;
  /** Whether any input could be opened. */
  opened: boolean;
  /** Whether an input was left before its end. */
  cut: boolean;
  /** Whether something was wrong in an input. */
  reported: boolean;
  /** Whether an input or an output could not be read or written. */
  unable: boolean;
}

/**
 * Reads the operands or, with `start`, the output of the program that it starts. That comes last, when the outputs are
 * open: of a program that has ended, Node drops what nobody has begun to read.
 *
 * @throws OutputError where the output cannot be written
 */
export async function readEvents(
  command: Reader,
  invocation: Invocation,
  start?: () => Promise<Producer>,
): Promise<ReadResult> {
  const { options } = invocation;
  const labels = labelsOf(options);
  const operands = invocation.operands.length > 0 ? invocation.operands : [STDIN];
  const path = options.output === STDOUT ? undefined : options.output;
  // The command of `run` may read our stdin, and any file among its arguments.
  refuseSameFile({ output: path, tee: options.tee }, start ? [STDIN, ...operands] : operands);
  if (!options.quiet) await warnOfUnknownWords(options);
  const plan = await createPlan(command, options, labels, {
    isLive: start !== undefined || !operands.some(isRecord),
    isTyped: start !== undefined && isatty(0),
    isSeveral: start === undefined && operands.length > 1,
  });
  const state = { opened: false, cut: false, reported: false, unable: false };
  const run: Run = { command, options, labels, plan, output: standardOutput(), ...state };
  const stopListening = listen({
    // False until an input is open: before that, no producer can have events left to write.
    isPiped: () => run.input?.piped ?? false,
    cleanUp: () => run.output.abandon(),
    unheard: options.grep && !start && path === undefined && !plan.live ? unheard(operands) : [],
    forward: start && ((signal) => run.producer?.kill(signal) ?? false),
  });
  try {
    // Only now, when a signal would remove the temporary file.
    if (path !== undefined) run.output = await wholeFileOutput(path);
    if (start) {
      run.producer = await start();
      await readInput(run, run.producer.input);
    } else {
      await readFiles(run, operands, invocation);
    }
    await run.output.write(plan.total?.() ?? '');
    const early = run.cut || isOver(run);
    if (!early && !options.quiet) await tellUnmet(plan.unmet?.(), options);
    // If no input could be opened, a file that exists is kept as it is.
    if (run.opened) await run.output.finish();
    else run.output.abandon();
    const status = await run.producer?.ended;
    const { reported, unable } = run;
    return { reported, unable, early: early || isOver(run), outcomes: plan.checker.outcomes(), status };
  } catch (error) {
    run.output.abandon();
    throw error;
  } finally {
    stopListening();
  }
}

/** Whether nothing more is wanted. */
function isOver({ output, plan }: Run): boolean {
  return output.closed || (plan.choose?.done?.() ?? false);
}

/** Reads the files in order. One that cannot be opened is reported, and the others are still read. */
async function readFiles(run: Run, names: readonly string[], invocation: Invocation): Promise<void> {
  for (const [index, name] of names.entries()) {
    if (isOver(run)) return;
    run.input = undefined;
    let input: Input;
    try {
      input = await openInput(name);
    } catch (error) {
      const isFolder = (error as NodeJS.ErrnoException).code === 'EISDIR' && name !== STDIN;
      // Node gives us a name that is not UTF-8 with U+FFFD in it, which is another name.
      const isOtherName = name.includes('\ufffd');
      const meant = index === 0 && !isFolder && !isOtherName ? wordMeant(invocation) : undefined;
      const { readFolder, unreadableName } = run.labels.usage;
      const cause = reasonOf(error, run.labels);
      const reason =
        isFolder || isOtherName
          ? fill(isFolder ? readFolder : unreadableName, { reason: cause })
          : withHint(invocation, meant, cause);
      fail(run, name === STDIN ? 'stdin' : name, reason);
      // The other operands were meant for that command.
      if (meant && commandNamed(meant)) return;
      continue;
    }
    await readInput(run, input);
  }
}

/** Reads one input, and copies it to the file of `--tee`. */
async function readInput(run: Run, input: Input): Promise<void> {
  const { tee } = run.options;
  try {
    // Not before an input is open, since this empties the file.
    if (tee !== undefined && run.copy === undefined) run.copy = await fileOutput(tee);
    run.opened = true;
    run.input = input;
    await showEvents(run, input);
  } catch (error) {
    input.stream.destroy();
    if (error instanceof OutputError) throw error;
    fail(run, input.name, reasonOf(error, run.labels));
  }
}

/** Sends one input through the steps of the command, reports its findings, and draws the live line and the prompt. */
async function showEvents(run: Run, { name, stream }: Input): Promise<void> {
  const { command, options, labels, plan } = run;
  const findings = createFindings(name, { command, options, labels, clear: () => clear(plan) });
  let session = newSession();
  const onItem = (item: Item) => {
    findings.each(item);
    if (!plan.live) return;
    session = observeItem(session, item, Date.now);
    plan.live.show(thinkerOf(session, labels));
    plan.prompt?.show(isTurnOfPerson(session));
  };
  const format = plan.formatOf(name);
  const { check, choose } = plan;
  const step = createPipeline({ check, choose, format, maxLine: options['max-line'], onItem });
  const textOnly = createTextOnly();
  const source = run.copy ? Readable.from(copying(run, stream)) : stream;
  let isWhole = false;
  try {
    await consume(source, toTransform(compose(textOnly, step), 'bytes'), (text: string) => write(run, text));
    isWhole = true;
  } finally {
    stream.destroy();
    plan.live?.end();
    plan.prompt?.end();
    const isCut = format.done?.() ?? false;
    if (isCut) {
      plan.check.end?.(() => {});
      plan.choose?.end?.(() => {});
    }
    run.cut ||= isCut;
    const binary = textOnly.kind();
    findings.end(!isWhole || binary !== undefined || isCut || isOver(run));
    run.reported ||= findings.reported;
    const file = name === 'stdin' ? 'FILE' : safeLine(name);
    if (binary !== undefined) fail(run, name, fill(labels.binary[binary], { file }));
  }
}

/** Writes text; false once the reader of the output has gone away. */
async function write({ plan, output }: Run, text: string): Promise<boolean> {
  clear(plan);
  await output.write(text);
  return !output.closed;
}

/** Erases the live line and the prompt, before something else is written. */
function clear({ live, prompt }: Plan): void {
  live?.erase();
  prompt?.clear();
}

/** Reports that an input or output could not be read or written. */
function fail(run: Run, name: string, reason: string): void {
  run.unable = true;
  clear(run.plan);
  const fault = {
    code: 'unreadable',
    severity: 'error',
    file: name,
    line: null,
    path: null,
    message: reason,
  };
  if (run.options.report === 'json') tell(`${safeJson(fault)}\n`);
  else say(`${shownName(name)}: ${reason}`);
}

/** The agent that is thinking, for the live line. */
function thinkerOf(session: Session, labels: Labels): Thinker | undefined {
  const found = atWork(session);
  return found && 'pair' in found ? { ...found, title: titleOf(found, session.total, labels) } : found;
}

/** Whether a Chat waits for a message of the person. */
function isTurnOfPerson({ mode, ended, failure, thinking, open }: Session): boolean {
  return mode === 'chat' && !ended && !failure && !thinking && !open;
}

/** Whether an operand is a regular file, which holds a recorded session. */
function isRecord(operand: string): boolean {
  try {
    return (operand === STDIN ? fstatSync(0) : statSync(operand)).isFile();
  } catch {
    // Reported when it is opened.
    return false;
  }
}

/**
 * The signals that need no handler where no file is to be removed, no command to be told and no line to be erased; the
 * first Ctrl+C needs one where a program writes the input. While a pattern backtracks without end, no handler can run.
 */
function unheard(operands: readonly string[]): NodeJS.Signals[] {
  return ['SIGTERM', 'SIGHUP', ...(operands.every(isRecord) ? (['SIGINT'] as const) : [])];
}

/** Types and words that no event has as far as we know. They may be new, so they are used as they stand. */
async function warnOfUnknownWords(options: Options): Promise<void> {
  const names = ['type', 'not-type', 'role', 'kind', 'phase', 'mode'] as const;
  if (names.every((name) => options[name].length === 0)) return;
  const { wordsFor } = await import('./values.ts');
  for (const name of names) {
    const known = wordsFor(optionTyped(`--${name}`)!);
    for (const value of new Set(options[name])) {
      if (known.includes(value)) continue;
      const suggestion = nearest(value, known);
      say(usageSentence(options, 'unknownValue', { option: `--${name}`, value, names: known, suggestion }));
    }
  }
}

/** Warns of agents, numbers and a field that no event had: most often they are mistyped. */
async function tellUnmet(unmet: Unmet | undefined, options: Options): Promise<void> {
  const { agents = [], others = [], field, sessions, turns } = unmet ?? {};
  // One text, which passes the gate, since these names come from events.
  const names = others.join(', ');
  for (const value of agents)
    say(usageSentence(options, 'unmetAgent', { value, names, suggestion: nearest(value, others) }));
  if (sessions !== undefined) say(usageSentence(options, 'unmetSession', { count: String(sessions) }));
  if (turns !== undefined)
    say(usageSentence(options, turns > 0 ? 'unmetTurn' : 'noTurns', { count: String(turns) }));
  if (field === undefined) return;
  const { wordsFor } = await import('./values.ts');
  const suggestion = nearest(field, wordsFor(optionTyped('--extract')!));
  say(usageSentence(options, 'unmetField', { value: field, suggestion }));
}

/** The command or option that the first operand resembles, where no command was given. */
function wordMeant({ implicit, operands: [word = ''] }: Invocation): string | undefined {
  if (!implicit) return undefined;
  const option = optionTyped(`--${word}`);
  return nearest(word, COMMANDS) ?? (option && `--${option.name}`);
}

/** The reason with a hint: an operand that is not a file may be one of our words (`meant`), or a pattern for `-g`. */
function withHint({ command, options }: Invocation, meant: string | undefined, reason: string): string {
  const { usage } = labelsOf(options);
  if (meant?.startsWith('--')) return fill(usage.missingOption, { reason, option: meant });
  if (meant) return fill(usage.missingCommand, { reason, command: meant });
  return command === 'filter' && options['exit-status'] ? fill(usage.missingSearch, { reason }) : reason;
}

/** Passes chunks on once they are written to the copy. If that fails, it is reported once, and the rest is still shown. */
async function* copying(run: Run, stream: Readable): AsyncGenerator<Buffer> {
  for await (const bytes of stream) {
    try {
      await run.copy?.write(bytes);
      if (run.copy?.closed) throw new OutputError('', { code: 'EPIPE' });
    } catch (error) {
      run.copy = null;
      fail(run, run.options.tee!, reasonOf((error as OutputError).cause, run.labels));
    }
    yield bytes;
  }
}
