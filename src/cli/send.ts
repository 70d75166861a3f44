/** `encode`: text from the arguments or from stdin, to Chat commands on stdout, each written at once. */
import { isUtf8 } from 'node:buffer';
import { fstatSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { EndingStep, Line, Step } from '../event.ts';
import { fill, type Labels } from '../labels/labels.ts';
import { escapeJson } from '../safe/json.ts';
import { type Encoded, encodeLine, SLASH_WORDS } from '../steps/encode.ts';
import { createLineReader, markedEncoding, NUL } from '../steps/lines.ts';
import { parseLine } from '../steps/parse.ts';
import { checkCommand } from '../steps/validate.ts';
import { collect, consume, toTransform } from '../stream.ts';
import { quote } from '../terminal/cut.ts';
import { openInput, STDIN } from '../world/input.ts';
import { OutputError } from '../world/output.ts';
import { watchReader } from '../world/reader.ts';
import { refuseSameFile } from '../world/same.ts';
import { listen } from '../world/signals.ts';
import { type Invocation, labelsOf, nearest, type Options } from './options.ts';
import { createReport } from './report.ts';
import { REPORTED, reasonOf, say, standardOutput, tell, UNABLE } from './talk.ts';

const PROMPT = '> ';
const STDOUT = 1;

/**
 * Encodes what there is to encode. Resolves with the exit status: 0, 1 for what was refused, 2 for an input that
 * cannot be read.
 *
 * @throws OutputError where stdout cannot be written
 */
export async function sendCommands({ options, operands }: Invocation): Promise<number> {
  const labels = labelsOf(options);
  const isTyped = operands.length === 0 && isatty(0);
  // The program that reads our pipe may write to the terminal at any time: its text would stand after a prompt of ours.
  const isPiped = fstatSync(STDOUT).isFIFO();
  const hasPrompt = isTyped && !isPiped;
  const encoder = createEncoder(operands.length > 0 ? labels.encode.argument : 'stdin', options, labels);
  const output = standardOutput();
  let unable = false;

  /** Writes what the lines become; false once nothing may follow. */
  async function writeAll(lines: readonly Line[]): Promise<boolean> {
    for (const line of lines) {
      await output.write(encoder.encode(line));
      if (encoder.ended || output.closed) return false;
    }
    if (hasPrompt) tell(PROMPT);
    return true;
  }

  if (operands.length > 0) {
    const texts = options.whole ? [operands.join(' ')] : operands;
    await writeAll(texts.map((text, index) => ({ number: index + 1, text })));
  } else {
    refuseSameFile({}, [STDIN]);
    if (isTyped) tell(`${labels.encode.welcome}\n${hasPrompt ? PROMPT : ''}`);
    const stop = listen({ isPiped: () => !isTyped, cleanUp: () => {} });
    try {
      await readLines(options, isTyped && isPiped, writeAll);
    } catch (error) {
      if (error instanceof OutputError) throw error;
      say(`stdin: ${reasonOf(error, labels)}`);
      unable = true;
    } finally {
      stop();
    }
  }
  encoder.end();
  await output.finish();
  return unable ? UNABLE : encoder.status;
}

/** Lines to the text of commands; each line that is not one is reported on stderr. */
function createEncoder(name: string, { quiet, literal, whole, null: isNull }: Options, labels: Labels) {
  const report = createReport(name, { labels });
  const check = (line: Line) => checkCommand(parseLine(line)!);
  let status = 0;
  let ended = false;

  function complain(text: string): void {
    status = REPORTED;
    if (!quiet) tell(text);
  }

  function refuse({ number }: Line, { reason, word }: Extract<Encoded, { kind: 'refused' }>): void {
    const suggestion = reason === 'unknownCommand' ? nearest(word, SLASH_WORDS) : undefined;
    const sentence = suggestion ? labels.encode.unknownCommandNear : labels.encode[reason];
    const values = { word: quote(word, undefined, labels.words.ellipsis), suggestion: suggestion ?? '' };
    complain(`palabre-fmt: ${name}:${number}: ${fill(sentence, values)}\n`);
  }

  return {
    /** The text to write for a line; may be empty. */
    encode(line: Line): string {
      const encoded = encodeLine(line, { literal: literal || whole || isNull, check });
      if (encoded.kind === 'refused') refuse(line, encoded);
      if (encoded.kind === 'invalid')
        for (const finding of encoded.findings) complain(report.finding(finding));
      ended ||= encoded.kind === 'end' || (encoded.kind === 'command' && encoded.ends);
      // It may be a terminal or a log of CI that shows it; a parser of JSON gets the text unchanged.
      return encoded.kind === 'command' ? `${escapeJson(encoded.text)}\n` : '';
    },
    /** After the last line. */
    end(): void {
      if (!quiet) tell(report.end());
    },
    get status(): number {
      return status;
    },
    /** Whether a line said that nothing follows. */
    get ended(): boolean {
      return ended;
    },
  };
}

/**
 * Reads stdin to its end, or until `write` says that nothing may follow.
 *
 * @param isWatched whether to stop when the reader of our stdout goes away although nothing is written
 */
async function readLines(
  { whole, null: isNull, 'max-line': maxLine }: Options,
  isWatched: boolean,
  write: (lines: readonly Line[]) => Promise<boolean>,
): Promise<void> {
  const separator = isNull ? { separator: NUL } : {};
  const reader = whole
    ? createWholeReader(maxLine)
    : createLineReader({ maxLine, isTyped: true, ...separator });
  const lines: Step<Buffer, Line[]> = {
    each: (bytes, push) => push(collect((line) => reader.each(bytes, line))),
    end: (push) => push(collect((line) => reader.end(line))),
  };
  const { stream } = await openInput(STDIN);
  let isGone = false;
  const onGone = () => {
    isGone = true;
    stream.destroy();
  };
  const stopWatching = isWatched ? watchReader(onGone) : undefined;
  try {
    await consume(stream, toTransform(lines, 'bytes'), write);
  } catch (error) {
    if (!isGone) throw error;
  } finally {
    stopWatching?.();
  }
}

/** All of the input as one line, whatever it holds. */
function createWholeReader(maxLine: number): EndingStep<Buffer, Line> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  return {
    each(chunk) {
      bytes += chunk.length;
      if (bytes > maxLine) pieces.length = 0;
      else pieces.push(chunk);
    },
    end(push) {
      if (bytes > maxLine) return push({ number: 1, text: '', damage: 'line-too-long', bytes });
      const whole = Buffer.concat(pieces);
      const encoding = markedEncoding(whole) ?? 'utf-8';
      const text = new TextDecoder(encoding).decode(whole);
      const isDamaged = encoding === 'utf-8' && !isUtf8(whole);
      push(isDamaged ? { number: 1, text, damage: 'invalid-utf8' } : { number: 1, text });
    },
  };
}
