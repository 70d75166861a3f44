/** Blocks for people: every answer under a header of its own, behind a gutter. */
import type { Agent, ErrorEvent } from '../event.ts';
import { fill } from '../labels/labels.ts';
import { outcome, type Session, seconds, tally } from '../protocol/observe.ts';
import { safeLine, safeText } from '../safe/text.ts';
import { agentName, ending, quote } from '../terminal/cut.ts';
import type { Paint, Span } from '../terminal/style.ts';
import { cells } from '../terminal/width.ts';
import type { View } from './driver.ts';
import { adviceFor, newDetails } from './failure.ts';
import { behind, flow, gutter, marked, type Prefix, room, spanCells, textLines } from './layout.ts';
import { agentList, type PrettyOptions, roleSpan } from './view.ts';
import { answersOf, duration, plural, retry, sentence, word } from './words.ts';

/** How far a rule runs where the width allows it. */
const RULE_WIDTH = 72;
/** Where values would have less room than this beside their labels, they stand under them. */
const VALUE_WIDTH = 20;
/** What is shown of one field of an error's details: its last lines, each up to so many cells. */
const DETAIL_LINES = 12;
const DETAIL_WIDTH = 400;
/** Short facts: modes, phases, times. */
const FACT_WIDTH = 60;
const KEY_WIDTH = 24;

/** A label and its value: one flow of spans for each line. */
type Row = [label: string, ...lines: Span[][]];

export function createBlocks(options: PrettyOptions): View {
  const { style, labels, language, render, hyperlinks = false, now, mark = String } = options;
  const { words, pretty } = labels;
  const { symbols } = style;
  const plainGutter = gutter(style);

  /** What the last line of the output belongs to; notes that follow each other stand close. */
  let last: 'nothing' | 'header' | 'block' | 'note' = 'nothing';
  /** The header that waits for its answer, while it is the last thing printed. */
  let waiting: Speaker | undefined;

  function print(kind: 'header' | 'block' | 'note', lines: string[], close = false): string {
    const gap = last === 'nothing' || close || (kind === 'note' && last === 'note') ? '' : '\n';
    last = kind;
    waiting = undefined;
    let text = gap;
    for (const line of lines) text += `${line}\n`;
    return text;
  }

  /** Lines behind a gutter; `paint` is for text of our own styling, such as a subject in bold. */
  function quoted(lines: readonly string[], bar: Prefix, paint: Paint = (text) => text): string[] {
    return lines.map((line) => behind(bar.rest, line && paint(line)));
  }

  function note(symbol: string, paint: Paint, text: string, textPaint?: Paint): string {
    const prefix = marked(style, symbol, paint);
    const lines = textLines(text, room(options.width, prefix.cells)).map(mark);
    return print(
      'note',
      lines.map((line, index) =>
        behind(index === 0 ? prefix.first : prefix.rest, line && textPaint ? textPaint(line) : line),
      ),
    );
  }

  function warning(text: string): string {
    return note(symbols.warning, style.warning, text, style.bold);
  }

  /** Labels and values in two columns, or one after the other where the width leaves too little for values. */
  function rows(list: readonly Row[], bar: Prefix): string[] {
    const column = Math.max(...list.map(([label]) => cells(label))) + 2;
    const columns = options.width === 0 || options.width >= bar.cells + column + VALUE_WIDTH;
    const indent = columns ? column : 2;
    const rest: Prefix = {
      first: bar.rest + ' '.repeat(indent),
      rest: bar.rest + ' '.repeat(indent),
      cells: bar.cells + indent,
    };
    return list.flatMap(([label, ...values]) => {
      const title: Span = { text: label };
      const gap = ' '.repeat(columns ? column - cells(label) : 2);
      const [value = [], ...others] = values;
      const beside = [title, { text: gap }, ...value];
      if (!columns && (others.length > 0 || spanCells(beside) + bar.cells > options.width)) {
        return [
          ...flow([title], bar, options.width),
          ...values.flatMap((spans) => flow(spans, rest, options.width)),
        ];
      }
      const first = bar.first + label + gap;
      return values.flatMap((spans, index) =>
        flow(spans, index === 0 ? { ...rest, first } : rest, options.width),
      );
    });
  }

  function rule(title: string): string {
    const length = options.width > 0 ? Math.min(options.width, RULE_WIDTH) : RULE_WIDTH;
    const start = symbols.horizontal.repeat(2);
    const name = quote(title, Math.max(1, length - 3), symbols.ellipsis);
    const end = symbols.horizontal.repeat(Math.max(0, length - cells(name) - 4));
    return `${style.gutter(start)} ${style.bold(name)}${end && ` ${style.gutter(end)}`}`;
  }

  interface Speaker {
    symbol: string;
    /** What stands before the name: a counter, or what the answer is. */
    title: string;
    agent: string;
    role: string;
  }

  function header({ symbol, title, agent, role }: Speaker): string[] {
    const spans: Span[] = [
      ...(title ? [{ text: `${title} `, paint: style.bold }] : []),
      agentName(agent, style),
      ...roleSpan(role, words.roles, style),
    ];
    return flow(spans, marked(style, symbol, style.agent(agent)), options.width);
  }

  /** Whether the header that waits is of this speaker. */
  function isWaiting({ symbol, title, agent, role }: Speaker): boolean {
    return (
      waiting?.agent === agent &&
      waiting.role === role &&
      waiting.title === title &&
      waiting.symbol === symbol
    );
  }

  /** Whose turn it is: the header alone, to be followed by the answer. */
  function open(speaker: Speaker): string {
    if (isWaiting(speaker)) return '';
    const text = print('header', header(speaker));
    waiting = speaker;
    return text;
  }

  /** An answer, under the header that waits for it or under one of its own. */
  function answer(speaker: Speaker, content: string, format = render ?? textLines): string {
    const bar = gutter(style, style.agent(speaker.agent));
    const lines = quoted(format(content, room(options.width, bar.cells)).map(mark), bar);
    if (isWaiting(speaker)) return print('block', lines, true);
    return print('block', [...header(speaker), ...lines]);
  }

  function counted(number: number, session: Session, agent: string, role: string): Speaker {
    const title = number < 1 ? '' : session.total ? `${number}/${session.total}` : `${number}`;
    return { symbol: symbols.dot, title, agent, role };
  }

  function summary(agent: string, role: string): Speaker {
    const title = `${words.summary} ${symbols.separator}`;
    return { symbol: symbols.dot, title, agent, role: role === 'summarizer' ? '' : role };
  }

  function opinion(agent: string, role: string): Speaker {
    return { symbol: symbols.circle, title: `${words.opinion} ${symbols.separator}`, agent, role };
  }

  function partner(agent: string, role: string): Speaker {
    return { symbol: symbols.dot, title: '', agent, role };
  }

  /** A sentence with one place, filled with spans. */
  function filled(template: string, place: string, filling: Span[]): Span[] {
    const [before = '', after = ''] = template.split(`{${place}}`);
    return [{ text: before }, ...filling, { text: after }];
  }

  function fact(text: string): Span[] {
    return [{ text: safeLine(text) }];
  }

  /** The agents on one line where they fit, else each on its own. */
  function agentsRow(agents: readonly Agent[]): Row {
    const label = agents.length === 1 ? pretty.agent : pretty.agents;
    if (agents.length === 0) return [label, [{ text: pretty.none }]];
    const line = agentList(agents, words.roles, style);
    if (options.width === 0 || spanCells(line) + cells(label) + 8 <= options.width) return [label, line];
    return [label, ...agents.map((agent) => agentList([agent], words.roles, style))];
  }

  function summaryRow(enabled: boolean, agent: string | null): Span[] {
    if (!enabled) return [{ text: pretty.summaryNo }];
    return agent === null ? [{ text: pretty.summaryYes }] : [agentName(agent, style)];
  }

  /** A path to a file, as a hyperlink where the address says exactly what the text says. */
  function pathLines(label: string, path: string, bar: Prefix): string[] {
    const address = hyperlinks ? fileUrl(path) : undefined;
    const link = (text: string) => `\x1b]8;;${address}\x1b\\${text}\x1b]8;;\x1b\\`;
    return rows([[label, [{ text: safeLine(path), ...(address && { paint: link }) }]]], bar);
  }

  function closing(session: Session, symbol: string, paint: Paint, title: string): string[] {
    const { opinions } = session;
    const count = tally(session);
    const time = seconds(session, now);
    const facts = [
      ...(count && (count.answers > 0 || count.total) ? [answersOf(count, labels, language)] : []),
      ...(opinions > 0 ? [plural(opinions, words.opinions, language)] : []),
      ...(time >= 0 ? [duration(time, labels, language)] : []),
    ];
    const spans: Span[] = [
      { text: title, paint: style.bold },
      ...facts.map((text) => ({ text: ` ${symbols.separator} ${text}` })),
    ];
    return flow(spans, marked(style, symbol, paint), options.width);
  }

  function errorRows(event: ErrorEvent, session: Session): Row[] {
    const { agent, role = '', phase, turn = 0, action, retryAfter } = event;
    const list: Row[] = [];
    if (agent) list.push([pretty.agent, agentList([{ name: agent, role }], words.roles, style)]);
    const place = quote(word(words.phases, phase), FACT_WIDTH, symbols.ellipsis);
    if (action) {
      const doing = quote(word(words.actions, action), FACT_WIDTH, symbols.ellipsis);
      list.push([pretty.phase, [{ text: fill(pretty.action, { phase: place, action: doing }) }]]);
    } else if (turn > 0 && phase !== 'summary') {
      const where = phase === 'ask' ? pretty.response : pretty.turn;
      list.push([pretty.phase, [{ text: fill(where, { phase: place, n: turn }) }]]);
    } else if (place) list.push([pretty.phase, [{ text: place }]]);
    if (retryAfter !== undefined) {
      list.push([
        pretty.retry,
        [
          {
            text: quote(retry(retryAfter, session.timeZone, labels, language), FACT_WIDTH, symbols.ellipsis),
          },
        ],
      ]);
    }
    const advice = adviceFor(event, labels);
    if (advice) list.push([pretty.advice, [{ text: advice }]]);
    for (const [name, text] of newDetails(event)) {
      const label = name === 'exitCode' ? pretty.exitCode : quote(name, KEY_WIDTH, symbols.ellipsis);
      list.push([label, ...detailLines(text)]);
    }
    return list;
  }

  /** The end of a text, which is where programs say what went wrong. */
  function detailLines(text: string): Span[][] {
    const all = safeText(text).replaceAll('\t', '    ').split('\n');
    const shown = all
      .slice(-DETAIL_LINES)
      .map((line) => [{ text: ending(line, DETAIL_WIDTH, symbols.ellipsis) }]);
    const hidden = all.length - shown.length;
    if (hidden === 0) return shown;
    const count = plural(hidden, words.lines, language);
    return [[{ text: fill(pretty.earlierLines, { lines: count }) }], ...shown];
  }

  return {
    events: {
      start(event) {
        const { agents, filesCount, session } = event;
        const list: Row[] = [];
        if (agents.length > 0) list.push(agentsRow(agents));
        if (event.mode !== 'ask' && event.turns !== undefined) {
          const turns = event.earlyStop ? fill(pretty.turnsEarly, { n: event.turns }) : `${event.turns}`;
          list.push([pretty.turns, [{ text: turns }]]);
        }
        if (event.summaryEnabled !== undefined) {
          list.push([pretty.summary, summaryRow(event.summaryEnabled, event.summaryAgent ?? null)]);
        }
        if (filesCount > 0) list.push([pretty.files, [{ text: `${filesCount}` }]]);
        const zone = safeLine(session.timeZone);
        const date = safeLine(session.localDate);
        if (date) list.push([pretty.date, [{ text: zone ? `${date} (${zone})` : date }]]);
        if (session.cwd) list.push([pretty.folder, fact(session.cwd)]);

        const topic = event.topic.trim() === '' ? [] : textLines(event.topic, room(options.width, 2));
        return print('block', [
          rule(word(words.modes, event.mode)),
          ...quoted(topic, plainGutter, style.bold),
          ...(topic.length > 0 && list.length > 0 ? quoted([''], plainGutter) : []),
          ...(list.length > 0 ? rows(list, plainGutter) : []),
        ]);
      },
      'dry-run'(event) {
        const { mode, agents, limits, context } = event;
        const list: Row[] = [
          agentsRow(agents),
          mode === 'ask'
            ? [pretty.requests, [{ text: `${limits.requestedResponses}` }]]
            : [pretty.turns, [{ text: `${limits.turns}` }]],
          [pretty.summary, summaryRow(event.summary.enabled, event.summary.agent)],
        ];
        if (context.files.length > 0) list.push([pretty.files, ...context.files.map(fact)]);
        const config = safeLine(event.configPath);
        list.push([
          pretty.config,
          [
            { text: config },
            ...(event.configTrusted ? [] : [{ text: ` (${pretty.untrusted})`, paint: style.bold }]),
          ],
        ]);
        list.push([pretty.output, fact(event.outputDir)]);
        const title = `${word(words.modes, mode)} ${symbols.separator} ${words.dryRun}`;
        const head = print('block', [rule(title), ...rows(list, plainGutter)]);
        return head + context.warnings.map(warning).join('');
      },
      notice: ({ message }) => note(symbols.separator, style.dim, message),
      warning: ({ message }) => warning(message),
      'turn-start': ({ turn, agent, role }, session) => open(counted(turn, session, agent, role)),
      'ask-response-start': ({ response, agent, role }, session) =>
        open(counted(response, session, agent, role)),
      // In Chat nothing else says who is at work; elsewhere the header stands already.
      'thinking-start': ({ agent, role }, { mode }) =>
        mode === 'chat' && waiting === undefined ? open(partner(agent, role)) : '',
      'thinking-end': () => '',
      message: ({ turn, agent, role, content }, session) =>
        answer(counted(turn, session, agent, role), content),
      'ask-response': ({ response, agent, role, content }, session) =>
        answer(counted(response, session, agent, role), content),
      'summary-start': ({ agent, role }) => open(summary(agent, role)),
      'summary-message': ({ agent, role, content }) => answer(summary(agent, role), content),
      'chat-agents'({ agents }) {
        const list = agents.length > 0 ? agentList(agents, words.roles, style) : [{ text: pretty.none }];
        const spans = filled(pretty.available, 'agents', list);
        return print('note', flow(spans, marked(style, symbols.separator, style.dim), options.width));
      },
      // What a person typed is shown as typed.
      'chat-user-message': ({ agent, content }) => answer(partner(agent, ''), content, textLines),
      'chat-message': ({ agent, role, content }) => answer(partner(agent, role), content),
      'chat-consultation-start': ({ agent, role }) => open(opinion(agent, role)),
      'chat-consultation': ({ agent, role, content }) => answer(opinion(agent, role), content),
      'chat-agent-changed'({ agent, role }) {
        const spans = filled(
          pretty.agentChanged,
          'agent',
          agentList([{ name: agent, role }], words.roles, style),
        );
        return print('note', flow(spans, marked(style, symbols.arrow, style.agent(agent)), options.width));
      },
      error(event, session) {
        const cancelled = event.kind === 'cancelled';
        const symbol = cancelled ? symbols.warning : symbols.failure;
        const paint = cancelled ? style.warning : style.error;
        const kind = quote(word(words.kinds, event.kind), FACT_WIDTH, symbols.ellipsis);
        const title: Span[] = cancelled
          ? [{ text: words.outcomes.cancelled, paint: style.bold }]
          : [
              { text: fill(words.error, { kind }), paint: style.alarm },
              ...(Object.hasOwn(words.kinds, event.kind)
                ? [{ text: ` ${symbols.separator} ${event.kind}` }]
                : []),
            ];
        const bar = gutter(style, paint);
        const list = errorRows(event, session);
        return print('block', [
          ...flow(title, marked(style, symbol, paint), options.width),
          ...quoted(textLines(event.message, room(options.width, bar.cells)).map(mark), bar),
          ...(list.length > 0 ? [...quoted([''], bar), ...rows(list, bar)] : []),
        ]);
      },
      done({ outputPath }, session) {
        const end = outcome(session);
        const good = end === 'finished' || end === 'stopped-early';
        const paint = good ? style.success : end === 'cancelled' ? style.warning : style.error;
        const [symbol, colour] =
          end === 'ended'
            ? [symbols.separator, style.dim]
            : [good ? symbols.success : symbols.failure, paint];
        return print('block', [
          ...closing(session, symbol, colour, words.outcomes[end]),
          ...(outputPath === null ? [] : pathLines(pretty.export, outputPath, plainGutter)),
        ]);
      },
    },
    text: (line) => note(symbols.chevron, style.dim, line, style.dim),
    unknown(type, line) {
      const prefix = marked(style, symbols.separator, style.dim);
      const text = `${fill(pretty.unknown, { type: quote(type, FACT_WIDTH, symbols.ellipsis) })}: ${line}`;
      const space = options.width > 0 ? room(options.width, prefix.cells) : 120;
      return print('note', [prefix.first + style.dim(quote(text, space, symbols.ellipsis))]);
    },
    fault: (finding) =>
      note(
        symbols.warning,
        style.warning,
        fill(pretty.fault, { n: finding.line, sentence: sentence(finding, labels) }),
      ),
    unfinished: (session) =>
      print('block', closing(session, symbols.failure, style.error, words.outcomes.unfinished)),
    reset() {
      waiting = undefined;
    },
  };
}

/** The address of a file, where its absolute path holds nothing but what can be seen; else undefined. */
function fileUrl(path: string): string | undefined {
  // `//host/…` and `\\host\…` are computers elsewhere.
  const parts = /^(?:([A-Za-z]:)[\\/]|\/)(?![\\/])(.*)$/s.exec(path);
  if (!parts || safeLine(path) !== path) return undefined;
  const [, drive, rest = ''] = parts;
  const names = drive ? rest.split(/[\\/]/) : rest.split('/');
  return `file:///${drive ? `${drive}/` : ''}${names.map(encodeURIComponent).join('/')}`;
}
