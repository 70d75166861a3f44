/** One execution: a stream through one command, and what must be true of every one of them. */
import { Readable } from 'node:stream';
import { type Options, parseCommandLine, type Reader } from '../../src/cli/options.ts';
import { createPlan, isHarmless, type Plan } from '../../src/cli/plan.ts';
import { createReport } from '../../src/cli/report.ts';
import type { Item, Line } from '../../src/event.ts';
import { createPretty } from '../../src/format/pretty.ts';
import { labelsFor } from '../../src/labels/labels.ts';
import { createPipeline } from '../../src/pipeline.ts';
import { encodeLine } from '../../src/steps/encode.ts';
import { createLineReader, encodingOf } from '../../src/steps/lines.ts';
import { parseLine } from '../../src/steps/parse.ts';
import { checkCommand } from '../../src/steps/validate.ts';
import { collect, consume, toTransform } from '../../src/stream.ts';
import { renderMarkdown } from '../../src/terminal/markdown.ts';
import { createStyle } from '../../src/terminal/style.ts';
import { BROKEN, FIXTURES, read } from '../fixtures.ts';
import { pick, type Random } from '../random.ts';
import { leaks } from '../safe/attacks.ts';
import { cuts } from './mutate.ts';

/** What the program is called with. `terminal` is no command of a person: it is `pretty` where a terminal is. */
export const CALLS: readonly (readonly string[])[] = [
  ['pretty'],
  ['pretty', '--compact'],
  ['pretty', '-w', '40', '--lang', 'fr'],
  ['pretty', '-w', '5', '--ascii', '--verbose'],
  ['pretty', '--color', 'always', '--verbose'],
  ['pretty', '--compact', '-w', '30', '--verbose'],
  ['pretty', '--agent', 'codex', '-T', '@session', '--session', '2..'],
  ['pretty', '--color', 'always', '-i', '-g', '[aeiou]+.?'],
  ['markdown', '-v', '-t', 'message', '--title', 'T'],
  ['terminal', '-w', '60'],
  ['terminal', '-w', '12', '--ascii'],
  ['markdown'],
  ['markdown', '--notices', '--no-header', '--title', '# <b>', '--lang', 'fr'],
  ['filter'],
  ['filter', '-t', '@content', '-i', '-g', '(a+)b?'],
  ['filter', '-v', '-t', 'message', '--session', '2..'],
  ['filter', '-x', 'details.stderr'],
  ['filter', '-c', '--turn', '..2'],
  ['filter', '-m', '3'],
  ['filter', '--max-line', '200'],
  ['validate'],
  ['validate', '--strict'],
  ['validate', '--report', 'json'],
  ['validate', '--no-session', '--lang', 'fr'],
  ['validate', '--commands', '--strict'],
];

/** What one execution gave. */
export interface Outcome {
  stdout: string;
  stderr: string;
  status: number;
}

/** Lines that are right whatever surrounds them. */
const GOOD = new Set(
  FIXTURES.filter((name) => name !== BROKEN).flatMap((name) => read(name).split('\n').filter(Boolean)),
);

const ONE_RECORD = { isLive: false, isTyped: false, isSeveral: false };

async function planFor(command: string, options: Options): Promise<Plan> {
  const labels = labelsFor(options.lang);
  if (command !== 'terminal') return createPlan(command as Reader, options, labels, ONE_RECORD);
  const plan = await createPlan('pretty', options, labels, ONE_RECORD);
  const style = createStyle({ level: 2, ascii: options.ascii });
  const width = options.width ?? 0;
  const render = (content: string, inside: number) => renderMarkdown(content, { width: inside, style });
  const pretty = createPretty({ style, labels, language: options.lang, width, render, hyperlinks: false });
  return { ...plan, formatOf: () => pretty };
}

/** The pipeline of the program, on pieces in memory. */
export async function execute(call: readonly string[], pieces: readonly Buffer[]): Promise<Outcome> {
  const [command = 'pretty', ...rest] = call;
  const reader = (command === 'terminal' ? 'pretty' : command) as Reader;
  const { options } = parseCommandLine([reader, ...rest], {});
  const plan = await planFor(command, options);
  const report = createReport('stdin', { labels: labelsFor(options.lang), as: options.report });
  const outcome: Outcome = { stdout: '', stderr: '', status: 0 };
  const onItem = ({ findings = [] }: Item) => {
    for (const finding of findings) {
      if (isHarmless(reader, finding)) continue;
      outcome.status = 1;
      outcome.stderr += report.finding(finding);
    }
  };
  const step = createPipeline({
    check: plan.check,
    choose: plan.choose,
    format: plan.formatOf('stdin'),
    maxLine: options['max-line'],
    onItem,
  });
  await consume<string>(Readable.from(pieces), toTransform(step, 'bytes'), async (text) => {
    outcome.stdout += text;
    return true;
  });
  outcome.stdout += plan.total?.() ?? '';
  outcome.stderr += report.end();
  return outcome;
}

function textOf(stream: Buffer): string {
  return new TextDecoder(encodingOf(stream)).decode(stream);
}

/** Whether `part` is what is left of `whole` without some of its values. */
function isWithin(part: readonly string[], whole: readonly string[]): boolean {
  let next = 0;
  for (const value of whole) if (value === part[next]) next++;
  return next === part.length;
}

/** The good lines that must come out: those before what ends the input early. */
function goodLines(stream: Buffer): string[] {
  if (encodingOf(stream) !== 'utf-8') return [];
  const lines = stream
    .toString()
    .replace(/^\uFEFF/, '')
    .split('\n');
  return lines.map((line) => line.replace(/\r$/, '')).filter((line) => GOOD.has(line));
}

/**
 * Without the joiners and selectors that do no harm where they stand, and that the checker knows no reason for: at the
 * end of a line that was cut; after a skin tone that has no person; anywhere in a column so narrow that it takes
 * apart what belongs together.
 */
function harmless(text: string, call: readonly string[]): string {
  const isNarrow = Number(call[call.indexOf('-w') + 1]) < 20;
  return isNarrow
    ? text.replace(/\u200c|\u200d|\ufe0e|\ufe0f/g, '')
    : text.replace(
        /[\u200c\u200d](?=\n|…|\.{3})|(?<=\p{Emoji_Modifier})\u200d(?=\p{Extended_Pictographic})/gu,
        '',
      );
}

/** What is wrong with an outcome; `undefined` where nothing is. */
export function judge(
  call: readonly string[],
  stream: Buffer,
  { stdout, stderr, status }: Outcome,
): string | undefined {
  const line = call.join(' ');
  if (status !== 0 && status !== 1 && !goodLines(stream).length && status !== 2) return `status ${status}`;
  if (stderr !== '' && status === 0) return 'said something, and status 0';
  if (/^ {4}at |unexpected:/m.test(stderr)) return 'a stack trace';
  const isJson = call.includes('json');
  if (
    stderr.split('\n').some((text) => text !== '' && !text.startsWith(isJson ? '{"code":' : 'palabre-fmt: '))
  ) {
    return 'a finding of several lines';
  }
  const onStderr = leaks(harmless(stderr, call), { colors: false });
  if (onStderr.length > 0 && !isJson) return `on stderr: ${onStderr[0]}`;
  if (['pretty', 'terminal', 'markdown'].includes(call[0]!)) {
    const colors = call[0] === 'terminal' || call.includes('always');
    const onStdout = leaks(harmless(stdout, call), { colors });
    if (onStdout.length > 0) return `on stdout: ${onStdout[0]}`;
  }
  if (['filter', 'validate', 'validate --strict', 'validate --report json'].includes(line)) {
    const written = stdout.split('\n');
    if (!isWithin(goodLines(stream), written)) return 'a good line was lost';
    const there = textOf(stream)
      .split('\n')
      .map((text) => text.replace(/^\uFEFF|\r$/g, '').replace(/^(?:\x1b\[[\d;?]*[A-Za-z~]\s*)+(?=\{)/, ''));
    if (!isWithin(written.slice(0, -1), there)) return 'a line was made up';
  }
  return undefined;
}

/** Runs a stream through a command, in any pieces and whole, and says what is wrong. */
export async function tryStream(
  call: readonly string[],
  stream: Buffer,
  random: Random,
): Promise<string | undefined> {
  try {
    const outcome = await execute(call, cuts(stream, random));
    const fault = judge(call, stream, outcome);
    if (fault) return fault;
    // Now and then the other way of cutting: it may change nothing.
    if (random() < 0.2) {
      const whole = await execute(call, [stream]);
      if (whole.stdout !== outcome.stdout || whole.stderr !== outcome.stderr) return 'the cuts show';
    }
    return random() < 0.1 ? tryEncode(stream, random) : undefined;
  } catch (error) {
    return `thrown: ${(error as Error).stack}`;
  }
}

/** Any line that a person could type becomes commands that are valid, or is refused. */
function tryEncode(stream: Buffer, random: Random): string | undefined {
  const reader = createLineReader();
  const lines = collect<Line>((push) => {
    reader.each(stream, push);
    reader.end(push);
  });
  const check = (line: Line) => checkCommand(parseLine(line)!);
  for (const { number, text } of lines) {
    const typed = { number, text: pick(['', '/', '//', '/end ', '/use '], random) + text };
    const encoded = encodeLine(typed, { literal: random() < 0.5, check });
    if (encoded.kind !== 'command') continue;
    if (/[\r\n\u2028\u2029]/.test(encoded.text)) return 'a command of several lines';
    const item = parseLine({ number, text: encoded.text });
    if (!item || !checkCommand(item).command) return `no valid command: ${encoded.text.slice(0, 200)}`;
  }
  return undefined;
}
