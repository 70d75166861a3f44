/** Labels and values: the facts at the head of a session, of an error, and at the end. */
import type { Agent, DryRunEvent, ErrorEvent, StartEvent } from '../event.ts';
import { fill } from '../labels/labels.ts';
import { type Session, seconds, tally } from '../protocol/observe.ts';
import { plainName, safeLine, safeText } from '../safe/text.ts';
import { agentName, ending, quote } from '../terminal/cut.ts';
import type { Span } from '../terminal/style.ts';
import { cells } from '../terminal/width.ts';
import { hyperlink } from '../terminal/wrap.ts';
import { adviceFor, newDetails, phaseOf, retryOf } from './failure.ts';
import { type Row, spanCells } from './layout.ts';
import { agentList, FACT_WIDTH, type PrettyOptions } from './view.ts';
import { answersOf, duration, pathIn, plural } from './words.ts';

/** What is shown of one field of an error's details: its last lines, each up to so many cells. */
const DETAIL_LINES = 12;
const DETAIL_WIDTH = 400;
/** Cells of the name of a field. */
const KEY_WIDTH = 24;
/**
 * A path that a terminal may wrap, which then copies it whole. What a terminal wraps begins at column 0, so nothing in it
 * may pass for a line of this program.
 */
const WHOLE_PATH = /^[\w\p{L}\p{M}./\\:~@+=,%-]{1,1000}$/u;
/** So many agents are named at the end of a session. */
const MOST_AGENTS = 12;

export function startRows(event: StartEvent, options: PrettyOptions): Row[] {
  const { pretty, facts } = options.labels;
  const { agents, filesCount, session, turns, summaryEnabled, summaryAgent = null } = event;
  const rows: Row[] = [];
  if (agents.length > 0) rows.push(agentsRow(agents, options));
  if (event.mode !== 'ask' && turns !== undefined) {
    rows.push([
      facts.turns,
      [{ text: event.earlyStop ? fill(pretty.turnsEarly, { n: turns }) : `${turns}` }],
    ]);
  }
  if (summaryEnabled !== undefined) {
    rows.push([facts.summary, [summarySpan(summaryEnabled, summaryAgent, options)]]);
  }
  if (filesCount > 0) rows.push([facts.files, [{ text: `${filesCount}` }]]);
  const zone = safeLine(session.timeZone);
  const date = safeLine(session.localDate);
  if (date) rows.push([facts.date, [{ text: zone ? `${date} (${zone})` : date }]]);
  if (session.cwd) rows.push([facts.folder, line(session.cwd)]);
  return rows;
}

export function dryRunRows(event: DryRunEvent, options: PrettyOptions): Row[] {
  const { labels, style } = options;
  const { pretty, facts } = labels;
  const { mode, agents, limits, context, summary, configTrusted } = event;
  const [label, limit] =
    mode === 'ask' ? [facts.answers, limits.requestedResponses] : [facts.turns, limits.turns];
  const untrusted = configTrusted ? [] : [{ text: ` (${pretty.untrusted})`, paint: style.bold }];
  return [
    agentsRow(agents, options),
    [label, [{ text: `${limit}` }]],
    [facts.summary, [summarySpan(summary.enabled, summary.agent, options)]],
    ...(context.files.length > 0 ? [[facts.files, ...context.files.map(line)] satisfies Row] : []),
    [facts.config, [...line(event.configPath), ...untrusted]],
    [facts.output, line(event.outputDir)],
  ];
}

export function errorRows(event: ErrorEvent, session: Session, options: PrettyOptions): Row[] {
  const { labels, language, style } = options;
  const { words, facts } = labels;
  const { ellipsis } = style.symbols;
  const { agent, role = '' } = event;
  const fact = (text: string): Span[] => [{ text: quote(text, FACT_WIDTH, ellipsis) }];
  const rows: Row[] = [];
  if (agent) rows.push([facts.agent, agentList([{ name: agent, role }], words.roles, style)]);
  const phase = phaseOf(event, session, labels);
  if (phase) rows.push([facts.phase, fact(phase)]);
  const again = retryOf(event, session.timeZone, labels, language);
  if (again) rows.push([facts.retry, fact(again)]);
  const advice = adviceFor(event, labels);
  if (advice) rows.push([facts.advice, [{ text: advice }]]);
  for (const { name, text, dropped } of newDetails(event)) {
    const label = name === 'exitCode' ? facts.exitCode : quote(name, KEY_WIDTH, ellipsis);
    rows.push([label, ...detailLines(text, dropped, options)]);
  }
  return rows;
}

/** The end of a text, which is where programs say what went wrong, and how many lines are left out before it. */
function detailLines(text: string, dropped: number, { style, labels, language }: PrettyOptions): Span[][] {
  const { ellipsis } = style.symbols;
  const all = safeText(text).replaceAll('\t', '    ').split('\n');
  const shown = all.slice(-DETAIL_LINES).map((each) => [{ text: ending(each, DETAIL_WIDTH, ellipsis) }]);
  const hidden = all.length - shown.length + dropped;
  if (hidden === 0) return shown;
  const lines = plural(hidden, labels.words.lines, language);
  return [[{ text: fill(labels.pretty.earlierLines, { lines }) }], ...shown];
}

/** What is known of a session at its end, for one line: how many answers and opinions, and how long it took. */
export function closingFacts(session: Session, { labels, language, now }: PrettyOptions): string[] {
  const count = tally(session);
  const time = seconds(session, now);
  return [
    ...(count && (count.answers > 0 || count.total) ? [answersOf(count, labels, language)] : []),
    ...(count && session.opinions > 0 ? [plural(session.opinions, labels.words.opinions, language)] : []),
    ...(time >= 1 ? [duration(time, labels, language)] : []),
  ];
}

/** What stands below the end of a session: who answered how often, and the path of the export. */
export function endRows(session: Session, outputPath: string | null, options: PrettyOptions): Row[] {
  const { facts } = options.labels;
  const answers = answerSpans(session, options);
  return [
    ...(answers.length > 0 ? [[facts.answers, answers] satisfies Row] : []),
    ...(outputPath === null ? [] : [[facts.export, [pathSpan(outputPath, session, options)]] satisfies Row]),
  ];
}

/**
 * How often each agent answered, where there are several. Not where that is less than what was counted: a resumed
 * session has its first answers in an earlier stream.
 */
function answerSpans(session: Session, { labels, language, style }: PrettyOptions): Span[] {
  const spoke = [...session.agents.values()].filter(({ answers, opinions }) => answers + opinions > 0);
  const sum = spoke.reduce((all, { answers }) => all + answers, 0);
  if (spoke.length < 2 || sum !== tally(session)?.answers) return [];
  const spans = spoke.slice(0, MOST_AGENTS).flatMap(({ name, answers, opinions }, index): Span[] => {
    const counts = [
      ...(answers > 0 ? [`${answers}`] : []),
      ...(opinions > 0 ? [plural(opinions, labels.words.opinions, language)] : []),
    ];
    const before = index > 0 ? [{ text: ', ' }] : [];
    return [...before, agentName(name, style), { text: ` ${counts.join(' + ')}` }];
  });
  return spoke.length > MOST_AGENTS ? [...spans, { text: `, ${style.symbols.ellipsis}` }] : spans;
}

/**
 * A path to copy: whole on one line where it looks like a path, and a hyperlink where the address says exactly what
 * the text says.
 */
function pathSpan(path: string, { cwd }: Session, { hyperlinks = false }: PrettyOptions): Span {
  const text = safeLine(plainName(pathIn(cwd, path)));
  const address = hyperlinks ? fileUrl(path) : undefined;
  return {
    text,
    whole: WHOLE_PATH.test(text),
    ...(address && { paint: (piece: string) => hyperlink(piece, address) }),
  };
}

/** The address of a file, where its absolute path holds nothing but what can be seen; else undefined. */
function fileUrl(path: string): string | undefined {
  // `//host/…` and `\\host\…` are computers elsewhere.
  const parts = /^(?:([A-Za-z]:)[\\/]|\/)(?![\\/])(.*)$/s.exec(path);
  if (!parts || safeLine(plainName(path)) !== path) return undefined;
  const [, drive, rest = ''] = parts;
  const names = drive ? rest.split(/[\\/]/) : rest.split('/');
  return `file:///${drive ? `${drive}/` : ''}${names.map(encodeURIComponent).join('/')}`;
}

/** The agents on one line where they fit, else each on its own. */
function agentsRow(agents: readonly Agent[], { labels, style, width }: PrettyOptions): Row {
  const { words, facts } = labels;
  const label = agents.length === 1 ? facts.agent : facts.agents;
  if (agents.length === 0) return [label, [{ text: facts.none }]];
  const all = agentList(agents, words.roles, style);
  if (width === 0 || spanCells(all) + cells(label) + 8 <= width) return [label, all];
  return [label, ...agents.map((agent) => agentList([agent], words.roles, style))];
}

function summarySpan(enabled: boolean, agent: string | null, { labels, style }: PrettyOptions): Span {
  if (!enabled) return { text: labels.facts.noSummary };
  return agent === null ? { text: labels.facts.yes } : agentName(agent, style);
}

function line(text: string): Span[] {
  return [{ text: safeLine(text) }];
}
