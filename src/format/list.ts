/** A session on one line: columns for a terminal, or values with tabs between them for another program. */
import type { Labels } from '../labels/labels.ts';
import { plainName, safeLine } from '../safe/text.ts';
import type { SessionEntry } from '../steps/list.ts';
import { quote, shorten } from '../terminal/cut.ts';
import type { Paint, Style } from '../terminal/style.ts';
import { cells, fit } from '../terminal/width.ts';
import { outcomeSign } from './view.ts';
import { countOf, moment, word } from './words.ts';

/** Cells between two columns. */
const GAP = 2;
/** Cells of the topic that other columns make room for; a third of the line where that is less. */
const TOPIC = 24;
/** Cells of the other columns on a wide line; of the file, see {@link widthsFor}. */
const FULL = { date: '2026-03-09 11:00'.length, count: 5, agents: 24 };
/** What makes room for the topic, one after the other until it has enough: what says least goes first. */
const MAKING_ROOM: readonly Partial<Widths>[] = [
  { date: '2026-03-09'.length },
  { agents: 14 },
  { mode: 0 },
  { agents: 0 },
  { count: 0 },
  { outcome: 0 },
  { date: 0 },
  { file: 0 },
  { sign: 0 },
];

/** Cells of the columns beside the topic; 0 for one that is not shown. */
type Widths = Record<'sign' | 'date' | 'mode' | 'outcome' | 'count' | 'agents' | 'file', number>;

/**
 * The columns of a session, as they are for another program: nothing is translated, and a time is in ISO 8601. Tabs
 * and line breaks inside a value are blanks.
 *
 * @example
 * tabbed(entry, 'a.ndjson'); // '2026-03-09T10:00:00.000Z\tdebate\tfinished\t4/4\tcodex, claude\tTabs or spaces?\ta.ndjson\n'
 */
export function tabbed(entry: SessionEntry, file: string): string {
  const { startedAt, mode, outcome, topic } = entry;
  const values = [
    startedAt ?? '',
    mode ?? '',
    outcome,
    countOf(entry.answers, entry.total),
    agentsOf(entry),
    topic,
    file,
  ];
  return `${values.map(flat).join('\t')}\n`;
}

/** How {@link createTable} draws. */
export interface TableOptions {
  style: Style;
  labels: Labels;
  /** Cells of a line; 0 is unlimited. Read anew for each line. */
  readonly width: number;
}

/**
 * Lines of a table whose columns are as wide for every session, so that each can be printed when it is known.
 *
 * @param file where there are several
 */
export function createTable(options: TableOptions): (entry: SessionEntry, file?: string) => string {
  const { style, labels } = options;
  const { modes } = labels.words;
  const { outcomes } = labels.list;
  const { ellipsis } = style.symbols;
  const words = { sign: 1, mode: widest(modes), outcome: widest(outcomes), ...FULL };

  return (entry, file) => {
    const name = file === undefined ? '' : safeLine(file);
    const [sign, paint] = outcomeSign(entry.outcome, style);
    const widths = widthsFor({ ...words, file: cells(name) }, options.width);
    const date = entry.startedAt === null ? '' : moment(entry.startedAt, entry.timeZone ?? '');
    const columns: [text: string, width: number, paint?: Paint][] = [
      [sign, widths.sign, paint],
      [fit(safeLine(date), widths.date), widths.date],
      [safeLine(word(modes, entry.mode ?? '')), widths.mode],
      [outcomes[entry.outcome], widths.outcome, style.bold],
      [countOf(entry.answers, entry.total), widths.count],
      [quote(agentsOf(entry), widths.agents, ellipsis), widths.agents],
      [flat(entry.topic), widths.topic],
      [cells(name) > widths.file ? name.replace(/^.*[\\/]/s, '') : name, widths.file],
    ];
    let out = '';
    let blanks = '';
    for (const [text, width, paint] of columns) {
      if (width === 0) continue;
      const shown = shorten(text, width, ellipsis);
      out += blanks + (paint && shown ? paint(shown) : shown);
      blanks = ' '.repeat((Number.isFinite(width) ? width - cells(shown) : 0) + GAP);
    }
    return `${out}\n`;
  };
}

/** The columns of a line of `width` cells (0 is unlimited), where those beside the topic would like to be `wide`. */
function widthsFor(wide: Widths, width: number): Widths & { topic: number } {
  const widths: Widths = { ...wide };
  const room = () =>
    Object.values(widths).reduce((left, cells) => (cells > 0 ? left - cells - GAP : left), width);
  if (width === 0) return { ...widths, topic: Number.POSITIVE_INFINITY };
  if (widths.file > 0) widths.file = Math.max(10, Math.floor(width / 5));
  for (const narrower of MAKING_ROOM) {
    if (room() >= Math.min(TOPIC, Math.floor(width / 3))) break;
    Object.assign(widths, narrower);
  }
  return { ...widths, topic: Math.max(1, room()) };
}

function agentsOf({ agents }: SessionEntry): string {
  return agents.map(({ name }) => plainName(name)).join(', ');
}

/** A value on one line, with blanks in place of tabs and line breaks. */
function flat(value: string): string {
  return safeLine(value.replace(/\r\n|[\t\n\v\f\r\x85\u2028\u2029]/g, ' '));
}

function widest(words: Readonly<Record<string, string>>): number {
  return Math.max(...Object.values(words).map(cells));
}
