/** Blocks for people: every answer under a line that says who speaks, behind a gutter. */
import { fill } from '../labels/labels.ts';
import { type Asked, type Outcome, outcome, type Session } from '../protocol/observe.ts';
import type { PairName } from '../protocol/tables.ts';
import { agentName, quote } from '../terminal/cut.ts';
import type { Paint, Span } from '../terminal/style.ts';
import { cells } from '../terminal/width.ts';
import { type Handlers, SILENT, type View } from './driver.ts';
import { closingFacts, dryRunRows, endRows, errorRows, startRows } from './facts.ts';
import { messageOf } from './failure.ts';
import {
  behind,
  columns,
  facts,
  flow,
  gutter,
  type Prefix,
  room,
  spanCells,
  symbolPrefix,
  textLines,
} from './layout.ts';
import { agentList, FACT_WIDTH, outcomeSign, type PrettyOptions, roleText } from './view.ts';
import { duration, sentence, titleOf, word } from './words.ts';

/** How far a rule runs where the width allows it. */
const RULE_WIDTH = 72;
/** Cells of an event of an unknown type where the width does not say. */
const UNKNOWN_WIDTH = 120;

/** Who speaks, and what it is that they say. */
type Speaker = Omit<Asked, 'since'>;

export function createBlocks(options: PrettyOptions): View {
  const { style, labels } = options;
  const { words, pretty } = labels;
  const { symbols } = style;
  const page = createPage(options);
  const { block, note, remark, answer } = page;
  return {
    events: {
      ...frame(page, options),
      notice: ({ message }) => note(symbols.separator, style.dim, message),
      warning: ({ message }) => note(symbols.warning, style.warning, message, style.bold),
      ...SILENT,
      message: (event, session) => answer('turn', event.turn, event, session),
      'ask-response': (event, session) => answer('response', event.response, event, session),
      'summary-message': (event, session) => answer('summary', 0, event, session),
      // What a person typed is shown as typed, and a person has no role.
      'chat-user-message': ({ agent, content }, session) =>
        answer('question', 0, { agent, role: '', content }, session, textLines),
      'chat-message': (event, session) => answer('question', 0, event, session),
      'chat-consultation': (event, session) => answer('consultation', 0, event, session),
      'chat-agents'({ agents }) {
        const list =
          agents.length > 0 ? agentList(agents, words.roles, style) : [{ text: labels.facts.none }];
        return remark(symbols.separator, style.dim, filled(pretty.available, 'agents', list));
      },
      'chat-agent-changed'({ agent, role }) {
        const list = agentList([{ name: agent, role }], words.roles, style);
        return remark(symbols.arrow, style.agent(agent), filled(pretty.agentChanged, 'agent', list));
      },
    },
    text: (line) => note(symbols.chevron, style.dim, line, style.dim),
    unknown(type, line) {
      const prefix = symbolPrefix(style, symbols.separator, style.dim);
      const text = `${fill(pretty.unknown, { type: quote(type, FACT_WIDTH, symbols.ellipsis) })}: ${line}`;
      const space = options.width > 0 ? room(options.width, prefix.size) : UNKNOWN_WIDTH;
      return remark(symbols.separator, style.dim, [
        { text: quote(text, space, symbols.ellipsis), paint: style.dim },
      ]);
    },
    fault(finding) {
      const text = fill(pretty.fault, { n: finding.line, sentence: sentence(finding, labels) });
      return note(symbols.warning, style.warning, text);
    },
    unanswered: (asked, session) => block(speakerLines(asked, session, Number.NaN, options)),
    unfinished: (session) => block(closingLines('unfinished', session, options)),
  };
}

/** What the output ends with: notes that follow each other stand close, blocks apart. */
function createPage(options: PrettyOptions) {
  const { style, render = textLines, mark = String } = options;
  let last: 'nothing' | 'block' | 'note' = 'nothing';

  function print(kind: 'block' | 'note', isClose: boolean, ...parts: readonly string[][]): string {
    let text = last === 'nothing' || isClose ? '' : '\n';
    last = kind;
    for (const lines of parts) for (const line of lines) text += `${line}\n`;
    return text;
  }

  const printNote = (lines: string[]) => print('note', last === 'note', lines);
  const block = (...parts: readonly string[][]) => print('block', false, ...parts);
  return {
    block,
    /** Lines that go on with the last block, where that is what the output ends with. */
    more: (lines: string[]) => (lines.length > 0 ? print('block', last === 'block', lines) : ''),
    /** Spans after a symbol of our own. */
    remark: (symbol: string, paint: Paint, spans: readonly Span[]) =>
      printNote(flow(spans, symbolPrefix(style, symbol, paint), options.width)),
    /** Untrusted text after a symbol of our own. */
    note(symbol: string, paint: Paint, text: string, textPaint: Paint = String): string {
      const { first, rest, size } = symbolPrefix(style, symbol, paint);
      const lines = textLines(text, room(options.width, size)).map((line) => line && textPaint(mark(line)));
      return printNote(lines.map((line, index) => behind(index === 0 ? first : rest, line)));
    },
    answer(
      pair: PairName,
      number: number,
      { agent, role, content }: { agent: string; role: string; content: string },
      session: Session,
      toLines = render,
    ): string {
      const bar = gutter(style, style.agent(agent));
      const lines = toLines(content, room(options.width, bar.size));
      return block(
        speakerLines({ pair, number, agent, role }, session, session.took, options),
        lines.map((line) => behind(bar.rest, mark(line))),
      );
    },
  };
}

type Page = ReturnType<typeof createPage>;

/** What opens a session and what ends it. */
function frame(
  { block, note, more }: Page,
  options: PrettyOptions,
): Pick<Handlers, 'start' | 'dry-run' | 'error' | 'done'> {
  const { style, labels, mark = String } = options;
  const { symbols } = style;
  /** The session whose cancellation is printed already, with its counts. */
  let cancelled: Session | undefined;
  return {
    start(event) {
      const bar = gutter(style);
      const rows = startRows(event, options);
      const topic = event.topic.trim() === '' ? [] : textLines(event.topic, room(options.width, bar.size));
      const between = topic.length > 0 && rows.length > 0 ? [''] : [];
      return block(
        modeLines(event.mode, '', options),
        [...topic.map((line) => line && style.bold(line)), ...between].map((line) => behind(bar.rest, line)),
        columns(rows, bar, options.width),
      );
    },
    'dry-run'(event) {
      const title = ` ${symbols.separator} ${labels.words.dryRun}`;
      const rows = columns(dryRunRows(event, options), gutter(style), options.width);
      const warnings = event.context.warnings;
      return (
        block(modeLines(event.mode, title, options), rows) +
        warnings.map((text) => note(symbols.warning, style.warning, text, style.bold)).join('')
      );
    },
    error(event, session) {
      const isCancelled = event.kind === 'cancelled';
      if (isCancelled) cancelled = session;
      const paint = isCancelled ? style.warning : style.error;
      const bar = gutter(style, paint);
      const rows = errorRows(event, session, options);
      const text = textLines(messageOf(event), room(options.width, bar.size)).map(mark);
      const title = isCancelled
        ? closingLines('cancelled', session, options)
        : errorTitle(event.kind, options);
      // The end of a title that takes several lines is not the beginning of the message.
      const lines = [...(title.length > 1 ? [''] : []), ...text, ...(rows.length > 0 ? [''] : [])];
      return block(
        title,
        lines.map((line) => behind(bar.rest, line)),
        columns(rows, bar, options.width),
      );
    },
    done({ outputPath }, session) {
      // The outcome of a cancelled session is printed already; only the rest is added.
      const isPrinted = session === cancelled;
      const bar = gutter(style, isPrinted ? style.warning : style.dim);
      const lines = columns(endRows(session, outputPath, options), bar, options.width);
      if (!isPrinted) return block(closingLines(outcome(session), session, options), lines);
      return more(lines);
    },
  };
}

/** The line that names the speaker: it says whose answer begins, and how long it took. */
function speakerLines(speaker: Speaker, { total }: Session, took: number, options: PrettyOptions): string[] {
  const { style, labels, language, width } = options;
  const { symbols } = style;
  const { pair, agent, role } = speaker;
  const isSummary = pair === 'summary';
  const title = titleOf(speaker, total, labels);
  const between = speaker.number > 0 ? ' ' : ` ${symbols.separator} `;
  const name = agentName(agent, style).text;
  const shownRole = isSummary && role === 'summarizer' ? '' : roleText(role, labels.words.roles, style);
  const spans: Span[] = [
    { text: `${title && title + between}${name}${shownRole}`, paint: style.name(agent) },
    ...(took >= 1 ? [{ text: duration(took, labels, language) }] : []),
  ];
  if (isSummary) return ruled(spans, style.agent(agent), options);
  const symbol = pair === 'consultation' ? symbols.circle : symbols.dot;
  return facts(spans, symbolPrefix(style, symbol, style.agent(agent)), width, symbols.separator);
}

/** A rule with facts in it, as far as there is room for a rule. */
function ruled(title: readonly Span[], paint: Paint, { style, width }: PrettyOptions): string[] {
  const { horizontal, vertical, separator } = style.symbols;
  const prefix: Prefix = {
    first: `${paint(horizontal.repeat(2))} `,
    rest: `${style.dim(vertical)}  `,
    size: 3,
  };
  const lines = facts(title, prefix, width, separator);
  const length = width > 0 ? Math.min(width, RULE_WIDTH) : RULE_WIDTH;
  const used = spanCells(title) + (title.length - 1) * (cells(separator) + 2);
  const left = length - prefix.size - used - 1;
  if (left > 0) lines[0] += ` ${paint(horizontal.repeat(left))}`;
  return lines;
}

/** The rule that opens a session: its mode, and what else there is to say. */
function modeLines(mode: string, more: string, options: PrettyOptions): string[] {
  const { style, labels } = options;
  const name = `${word(labels.words.modes, mode)}${more}`;
  const title = quote(name, RULE_WIDTH - 3, style.symbols.ellipsis);
  return ruled([{ text: title, paint: style.bold }], style.dim, options);
}

function errorTitle(kind: string, { style, labels, width }: PrettyOptions): string[] {
  const { symbols } = style;
  const { words } = labels;
  const shown = quote(word(words.kinds, kind), FACT_WIDTH, symbols.ellipsis);
  const isKnown = Object.hasOwn(words.kinds, kind);
  const spans: Span[] = [
    { text: fill(words.error, { kind: shown }), paint: style.alarm },
    ...(isKnown ? [{ text: kind }] : []),
  ];
  return facts(spans, symbolPrefix(style, symbols.failure, style.error), width, symbols.separator);
}

/** What came of a session, on one line. */
function closingLines(end: Outcome, session: Session, options: PrettyOptions): string[] {
  const { style, labels, width } = options;
  // The counts were printed with the cancellation.
  const isPrinted = end === 'unfinished' && session.failure === 'cancelled';
  const [symbol, paint] = outcomeSign(end, style);
  const spans: Span[] = [
    { text: labels.words.outcomes[end], paint: style.bold },
    ...(isPrinted ? [] : closingFacts(session, options)).map((text) => ({ text })),
  ];
  return facts(spans, symbolPrefix(style, symbol, paint), width, style.symbols.separator);
}

/** A sentence with one place, filled with spans. */
function filled(template: string, place: string, filling: readonly Span[]): Span[] {
  const [before = '', after = ''] = template.split(`{${place}}`);
  return [{ text: before }, ...filling, { text: after }];
}
