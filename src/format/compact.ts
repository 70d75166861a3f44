/** One line per event, for logs: the type first, words of the stream as they are. */
import type { DryRunEvent, StartEvent } from '../event.ts';
import { fill } from '../labels/labels.ts';
import { outcome, type Session, tally } from '../protocol/observe.ts';
import { plainName, safeLine, safeText } from '../safe/text.ts';
import { agentName, quote } from '../terminal/cut.ts';
import type { Span } from '../terminal/style.ts';
import { cells, fit } from '../terminal/width.ts';
import type { View } from './driver.ts';
import { messageOf, retryOf } from './failure.ts';
import { spanCells } from './layout.ts';
import { agentList, FACT_WIDTH, type PrettyOptions, roleText } from './view.ts';
import { countOf, plural, positionOf, sentence } from './words.ts';

/** How much of a text is shown where the width does not say. */
const TEXT_WIDTH = 120;

export function createCompact(options: PrettyOptions): View {
  const { style, labels, language } = options;
  const { pretty, words } = labels;
  const { line, said, spoken, fact, session } = createWriter(options);
  return {
    events: {
      start: (event) => session(event, event.topic),
      'dry-run': (event) => session(event, event.outputDir),
      notice: ({ type, message }) => line(type, ...said(message, [], type)),
      warning: ({ type, message }) => line(type, ...said(message, [], type)),
      'turn-start': (event) => spoken(event, positionOf(event.turn, event.totalTurns)),
      'ask-response-start': (event) => spoken(event, positionOf(event.response, event.totalResponses)),
      'thinking-start': () => '',
      'thinking-end': () => '',
      message: (event, { total }) => spoken(event, positionOf(event.turn, total)),
      'ask-response': (event, { total }) => spoken(event, positionOf(event.response, total)),
      'summary-start': (event) => spoken(event),
      'summary-message': (event) => spoken(event),
      'chat-agents': ({ type, agents }) => line(type, { text: ' ' }, ...agentList(agents, {}, style)),
      // A person has no role, whatever the stream says.
      'chat-user-message': (event) => spoken({ ...event, role: '' }),
      'chat-message': (event) => spoken(event),
      'chat-consultation-start': (event) => spoken(event),
      'chat-consultation': (event) => spoken(event),
      'chat-agent-changed': (event) => spoken(event),
      error(event, { timeZone }) {
        const { type, kind, phase, action, turn = 0, agent, role = '' } = event;
        const when = retryOf(event, timeZone, labels, language);
        const isNumbered = turn > 0 && phase !== 'summary';
        const place = `${fact(phase)}${action ? ` ${fact(action)}` : isNumbered ? ` ${turn}` : ''}`;
        const again = when && ` (${fill(pretty.retryShort, { when: fact(when) })})`;
        const before: Span[] = [
          { text: ' ' },
          { text: fact(kind), paint: style.alarm },
          { text: ` ${place}` },
          ...(agent ? [{ text: ' ' }, ...agentList([{ name: agent, role }], {}, style)] : []),
          { text: again },
        ];
        return line(type, ...before, ...said(messageOf(event), before, type));
      },
      done({ type, outputPath }, session) {
        const end = outcome(session);
        const path = outputPath === null ? '' : `: ${safeLine(plainName(outputPath))}`;
        return line(type, { text: ` ${end}`, paint: style.bold }, { text: count(session) }, { text: path });
      },
    },
    text: (text) => line('text', ...said(text, [], 'text')),
    unknown: (type, text) =>
      line('unknown', { text: ` ${fact(type)}` }, ...said(text, [{ text: ` ${fact(type)}` }], 'unknown')),
    fault: (finding) => {
      const text = fill(pretty.fault, { n: finding.line, sentence: sentence(finding, labels) });
      return line('fault', { text: ` ${text}`, paint: style.bold });
    },
    // The opener has a line of its own.
    unanswered: () => '',
    unfinished: (session) => {
      const end = `${count(session)}: ${words.outcomes.unfinished}`;
      return line('unfinished', { text: end, paint: style.bold });
    },
  };
}

/** What lines are made of. */
function createWriter(options: PrettyOptions) {
  const { style, labels, language, mark = String } = options;
  const { pretty, words } = labels;
  const { ellipsis } = style.symbols;

  /** One line of spans, cut to the width; the type is bold. */
  function line(type: string, ...spans: Span[]): string {
    const all: Span[] = [{ text: type, paint: style.bold }, ...spans];
    const isWhole = options.width === 0 || spanCells(all) <= options.width;
    let left = Math.max(0, options.width - cells(ellipsis));
    let out = '';
    for (const { text, paint } of all) {
      const piece = isWhole ? text : fit(text, left);
      if (piece) out += paint ? paint(piece) : piece;
      if (piece.length < text.length) return `${out}${ellipsis}\n`;
      if (!isWhole) left -= cells(piece);
    }
    return `${out}\n`;
  }

  /** `: first line (+7 lines)`. The count keeps its place where the width is short. */
  function said(text: string, before: Span[], type: string): Span[] {
    const lines = text.replaceAll('\r\n', '\n').split('\n');
    const from = lines.findIndex(isShown);
    if (from < 0) return [];
    const more = lines.findLastIndex(isShown) - from;
    const rest =
      more > 0 ? ` (${fill(pretty.moreLines, { lines: plural(more, words.lines, language) })})` : '';
    const { width } = options;
    const used = width && cells(type) + spanCells(before) + 2 + cells(rest);
    const space = width > 0 ? Math.max(1, Math.min(TEXT_WIDTH, width - used)) : TEXT_WIDTH;
    return [{ text: `: ${quote(lines[from]!, space, ellipsis)}`, paint: mark }, { text: rest }];
  }

  function spoken(
    { type, agent, role, content }: { type: string; agent: string; role: string; content?: string },
    position = '',
  ): string {
    const before = [
      { text: position ? ` ${position} ` : ' ', paint: style.bold },
      agentName(agent, style),
      { text: roleText(role, {}, style) },
    ];
    return line(type, ...before, ...(content === undefined ? [] : said(content, before, type)));
  }

  function fact(text: string): string {
    return quote(text, FACT_WIDTH, ellipsis);
  }

  function session({ type, mode, agents }: StartEvent | DryRunEvent, text: string): string {
    const before: Span[] = [
      { text: ` ${fact(mode)}${agents.length > 0 ? ' ' : ''}` },
      ...agentList(agents, {}, style),
    ];
    return line(type, ...before, ...said(text, before, type));
  }

  return { line, said, spoken, fact, session };
}

/** ` 2/4`, or nothing where the stream does not show it. */
function count(session: Session): string {
  const { answers, total } = tally(session) ?? {};
  return answers === undefined ? '' : ` ${countOf(answers, total)}`;
}

/** Whether anything of a line can be seen: what the gate makes visible counts. */
function isShown(line: string): boolean {
  return safeText(line).trim() !== '';
}
