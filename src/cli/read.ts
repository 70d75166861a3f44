/** Reads events from inputs, writes what a command makes of them, and tells what became of it. */
import { fstatSync, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { isatty } from 'node:tty';
import type { Item } from '../event.ts';
import { fill, type Labels, type Language, labelsFor } from '../labels/labels.ts';
import type { Outcomes } from '../protocol/checker.ts';
import { newSession, observeItem, type Session } from '../protocol/observe.ts';
import { road } from '../road.ts';
import { safeLine } from '../safe/text.ts';
import { type Binary, createTextOnly } from '../steps/binary.ts';
import type { Unmet } from '../steps/unmet.ts';
import { compose, consume, toTransform } from '../stream.ts';
import { type Input, openInput, STDIN } from '../world/input.ts';
import { fileOutput, type Output, OutputError, wholeFileOutput } from '../world/output.ts';
import type { Producer } from '../world/producer.ts';
import { refuseSameFile } from '../world/same.ts';
import { listen } from '../world/signals.ts';
import { createFindings } from './findings.ts';
import { COMMANDS, type Invocation, nearest, type Reader, usageSentence } from './options.ts';
import { createPlan } from './plan.ts';
import { reasonOf, say, standardOutput } from './talk.ts';

/** The operand that means stdout. */
const STDOUT = '-';

/** What became of it. */
export interface ReadResult {
  /** Something was wrong in the input. */
  reported: boolean;
  /** An input or an output could not be read or written. */
  unable: boolean;
  /** Nothing more was wanted, so nothing is known of the rest. */
  early: boolean;
  /** What the sessions say of themselves. */
  outcomes: Outcomes;
  /** The exit status of the producer. */
  status: number | undefined;
}

/**
 * Reads the operands, or what a producer writes that is started when everything else is ready: Node throws away
 * what a program wrote before anybody listened, once it has ended.
 *
 * @throws OutputError where the output cannot be written
 */
export async function readEvents(
  command: Reader,
  invocation: Invocation,
  start?: () => Promise<Producer>,
): Promise<ReadResult> {
  const { options } = invocation;
  const labels = labelsFor(options.lang);
  const result = { reported: false, unable: false };
  const operands = invocation.operands.length > 0 ? invocation.operands : [STDIN];
  const names = start ? ['producer'] : operands;

  const outputPath = options.output === STDOUT ? undefined : options.output;
  refuseSameFile({ output: outputPath, tee: options.tee }, operands);
  const isLive = start !== undefined || !names.some(isRecord);
  const isTyped = start !== undefined && isatty(0);
  const plan = await createPlan(command, options, labels, { isLive, isTyped, isSeveral: names.length > 1 });
  const clear = () => {
    plan.live?.erase();
    plan.prompt?.clear();
  };
  let copy: ((bytes: Buffer) => Promise<void>) | undefined;
  let opening = false;
  let current: Input | undefined;
  let producer: Producer | undefined;
  let status: number | undefined;
  /** An input was left before its end. */
  let cut = false;
  let output = standardOutput();
  const isOver = () => output.closed || (plan.choose?.done?.() ?? false);
  const stopListening = listen({
    // Nobody has last words before a command has started, nor while a named pipe waits for its reader.
    isPiped: () => !opening && (current?.piped ?? !start),
    cleanUp: () => output.abandon(),
    forward: start && ((signal) => producer?.kill(signal) ?? false),
  });
  // Now that a signal would clean up what stands beside the file.
  if (outputPath !== undefined) output = await opened(wholeFileOutput(outputPath));

  async function opened<T>(place: Promise<T>): Promise<T> {
    opening = true;
    return place.finally(() => {
      opening = false;
    });
  }

  async function write(text: string): Promise<boolean> {
    clear();
    await output.write(text);
    return !output.closed;
  }

  async function readOne({ name, stream }: Input): Promise<void> {
    const findings = createFindings(name, { command, options, labels, clear });
    let session = newSession();
    const onItem = (item: Item) => {
      findings.each(item);
      if (!plan.live) return;
      session = observeItem(session, item, Date.now);
      plan.live.show(session.thinking);
      plan.prompt?.show(isTurnOfPerson(session));
    };
    const format = plan.formatOf(name);
    const step = road({ ...plan, format, maxLine: options['max-line'], onItem });
    const textOnly = createTextOnly();
    const source = copy ? Readable.from(copying(stream, copy)) : stream;
    try {
      await consume(source, toTransform(compose(textOnly, step), 'bytes'), write);
    } finally {
      stream.destroy();
      plan.live?.end();
      plan.prompt?.end();
      const kind = textOnly.kind();
      const isCut = format.done?.() ?? false;
      if (isCut) {
        plan.check.end?.();
        plan.choose?.end?.();
      }
      cut ||= isCut;
      findings.end(kind !== undefined || isCut || isOver());
      result.reported ||= findings.reported;
      if (kind !== undefined) refuseBinary(name, kind);
    }
  }

  function refuseBinary(name: string, kind: Binary): void {
    result.unable = true;
    const shown = safeLine(name);
    const file = name === 'stdin' ? 'FILE' : shown;
    say(`${shown}: ${fill(labels.binary[kind], { file })}`);
  }

  try {
    for (const name of names) {
      if (isOver()) break;
      try {
        producer = await start?.();
        current = producer?.input ?? (await opened(openInput(name)));
      } catch (error) {
        if (start) throw error;
        result.unable = true;
        const shown = name === STDIN ? 'stdin' : safeLine(name);
        const suggestion = name === operands[0] ? commandMeant(invocation) : undefined;
        say(`${shown}: ${withHint(invocation, suggestion, reasonOf(error, labels))}`);
        // The others are what that command was to read.
        if (suggestion) break;
        continue;
      }
      try {
        // Not before there is something to copy: what stands in the file is gone then.
        if (options.tee !== undefined) copy ??= await opened(createCopy(options.tee, result, labels, clear));
        await readOne(current);
      } catch (error) {
        current.stream.destroy();
        if (error instanceof OutputError) throw error;
        result.unable = true;
        say(`${safeLine(current.name)}: ${reasonOf(error, labels)}`);
      }
    }
    await output.write(plan.total?.() ?? '');
    if (!cut && !isOver() && !options.quiet) tellUnmet(plan.unmet?.(), options.lang);
    // Where nothing could be read, what stands there already is worth more.
    if (current) await output.finish();
    else output.abandon();
    status = await producer?.ended;
  } catch (error) {
    output.abandon();
    throw error;
  } finally {
    stopListening();
  }
  return { ...result, early: cut || isOver(), outcomes: plan.checker.outcomes(), status };
}

/** Whether a Chat waits for what a person says. */
function isTurnOfPerson({ mode, ended, failure, thinking, open }: Session): boolean {
  return mode === 'chat' && !ended && !failure && !thinking && !open;
}

/** Whether an operand is a file: what is in it happened before. */
function isRecord(operand: string): boolean {
  try {
    return (operand === STDIN ? fstatSync(0) : statSync(operand)).isFile();
  } catch {
    // Told of when it is opened.
    return false;
  }
}

/** What was asked for and never came: most often a name that was mistyped. */
function tellUnmet(unmet: Unmet | undefined, lang: Language): void {
  const { agents = [], others = [], field } = unmet ?? {};
  for (const value of agents) {
    const suggestion = nearest(value, others);
    say(
      suggestion
        ? usageSentence(lang, 'unmetAgentNear', { value, suggestion })
        : usageSentence(lang, 'unmetAgent', { value }),
    );
  }
  if (field !== undefined) say(usageSentence(lang, 'unmetField', { value: field }));
}

/** The command that a first word may mean that is no file. */
function commandMeant({ implicit, operands }: Invocation): string | undefined {
  return implicit ? nearest(operands[0]!, COMMANDS) : undefined;
}

/** An operand that is no file may be a command that was mistyped, or what somebody wanted to find. */
function withHint({ command, options }: Invocation, suggestion: string | undefined, reason: string): string {
  const { usage } = labelsFor(options.lang);
  if (suggestion) return fill(usage.missingCommand, { reason, command: suggestion });
  return command === 'filter' && options['exit-status'] ? fill(usage.missingSearch, { reason }) : reason;
}

/** Passes on what a stream gives, once the copy has it. */
async function* copying(stream: Readable, copy: (bytes: Buffer) => Promise<void>): AsyncGenerator<Buffer> {
  for await (const bytes of stream) {
    await copy(bytes);
    yield bytes;
  }
}

/** The copy that `--tee` makes. Where it fails, that is said, and the rest of the stream is still shown. */
async function createCopy(
  path: string,
  result: { unable: boolean },
  labels: Labels,
  clear: () => void,
): Promise<(bytes: Buffer) => Promise<void>> {
  let file: Output | undefined = await fileOutput(path);
  return async (bytes) => {
    try {
      await file?.write(bytes);
      if (file?.closed)
        throw new OutputError(path, Object.assign(new Error('broken pipe'), { code: 'EPIPE' }));
    } catch (error) {
      file = undefined;
      result.unable = true;
      clear();
      say(`${safeLine(path)}: ${reasonOf((error as OutputError).cause, labels)}`);
    }
  };
}
