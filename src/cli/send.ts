/** `encode`: text from the arguments or from stdin, to Chat commands on stdout, each written at once. */
import { isUtf8 } from 'node:buffer';
import { fstatSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { Line, Stage } from '../event.ts';
import { fill, labelsFor } from '../labels/labels.ts';
import { type Encoded, encodeLine, SLASH_WORDS } from '../steps/encode.ts';
import { createLineReader, markedEncoding, NUL } from '../steps/lines.ts';
import { parseLine } from '../steps/parse.ts';
import { checkCommand } from '../steps/validate.ts';
import { consume, toTransform } from '../stream.ts';
import { quote } from '../terminal/cut.ts';
import { openInput, STDIN } from '../world/input.ts';
import { OutputError } from '../world/output.ts';
import { watchReader } from '../world/reader.ts';
import { refuseSameFile } from '../world/same.ts';
import { listen } from '../world/signals.ts';
import { type Invocation, nearest } from './options.ts';
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
  const labels = labelsFor(options.lang);
  const { whole } = options;
  const literal = options.literal || whole || options.null;
  const isTyped = operands.length === 0 && isatty(0);
  // Whoever reads a pipe writes to the terminal when it likes: a prompt would stand before its words.
  const isPiped = fstatSync(STDOUT).isFIFO();
  const hasPrompt = isTyped && !isPiped;
  const name = operands.length > 0 ? labels.encode.argument : 'stdin';
  const report = createReport(name, { labels });
  const output = standardOutput();
  let status = 0;
  let over = false;

  function complain(text: string): void {
    status = Math.max(status, REPORTED);
    if (!options.quiet) tell(text);
  }

  function refuse(line: Line, { reason, word }: Extract<Encoded, { kind: 'refused' }>): void {
    const suggestion = reason === 'unknownCommand' ? nearest(word, SLASH_WORDS) : undefined;
    const sentence = suggestion ? labels.encode.unknownCommandNear : labels.encode[reason];
    const values = { word: quote(word), suggestion: suggestion ?? '' };
    complain(`palabre-fmt: ${name}:${line.number}: ${fill(sentence, values)}\n`);
  }

  /** The text to write for a line. */
  function encode(line: Line): string {
    const check = (line: Line) => checkCommand(parseLine(line)!);
    const encoded = encodeLine(line, { literal, check });
    switch (encoded.kind) {
      case 'command':
        over = encoded.ends;
        return `${encoded.text}\n`;
      case 'end':
        over = true;
        return '';
      case 'refused':
        refuse(line, encoded);
        return '';
      case 'invalid':
        for (const finding of encoded.findings) complain(report.finding(finding));
        return '';
      case 'skip':
        return '';
    }
  }

  /** Writes what the lines become; false once nothing may follow. */
  async function writeAll(lines: readonly Line[]): Promise<boolean> {
    for (const line of lines) {
      await output.write(encode(line));
      over ||= output.closed;
      if (over) return false;
    }
    if (hasPrompt) tell(PROMPT);
    return true;
  }

  if (operands.length > 0) {
    const texts = whole ? [operands.join(' ')] : operands;
    await writeAll(texts.map((text, index) => ({ number: index + 1, text })));
  } else {
    refuseSameFile({}, [STDIN]);
    const stop = listen({ isPiped: () => !isTyped, cleanUp: () => {} });
    const maxLine = options['max-line'];
    const reader = whole
      ? createWholeReader(maxLine)
      : createLineReader({ maxLine, isTyped: true, ...(options.null ? { separator: NUL } : {}) });
    const lines: Stage<Buffer, [Line[]]> = {
      each: (bytes) => [reader.each(bytes)],
      end: () => [reader.end()],
    };
    if (isTyped) tell(`${labels.encode.welcome}\n${hasPrompt ? PROMPT : ''}`);
    let stopWatching = () => {};
    try {
      const { stream } = await openInput(STDIN);
      if (isTyped && isPiped) {
        stopWatching = watchReader(() => {
          over = true;
          stream.destroy();
        });
      }
      await consume(stream, toTransform(lines, 'bytes'), writeAll);
    } catch (error) {
      if (error instanceof OutputError) throw error;
      if (over) return status;
      say(`stdin: ${reasonOf(error, labels)}`);
      status = UNABLE;
    } finally {
      stop();
      stopWatching();
    }
  }
  if (!options.quiet) tell(report.end());
  await output.finish();
  return status;
}

/** All of the input as one line, whatever it holds. */
function createWholeReader(maxLine: number) {
  const pieces: Buffer[] = [];
  let bytes = 0;
  return {
    each(chunk: Buffer): Line[] {
      bytes += chunk.length;
      if (bytes > maxLine) pieces.length = 0;
      else pieces.push(chunk);
      return [];
    },
    end(): Line[] {
      if (bytes > maxLine) return [{ number: 1, text: '', damage: 'line-too-long', bytes }];
      const whole = Buffer.concat(pieces);
      const encoding = markedEncoding(whole) ?? 'utf-8';
      const text = new TextDecoder(encoding).decode(whole);
      const isDamaged = encoding === 'utf-8' && !isUtf8(whole);
      return [isDamaged ? { number: 1, text, damage: 'invalid-utf8' } : { number: 1, text }];
    },
  };
}
