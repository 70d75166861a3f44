/** A session on one line: columns for a terminal, or values with tabs between them for another program. */
import type { Labels } from '../labels/labels.ts';
import type { Outcome } from '../protocol/observe.ts';
import { safeLine } from '../safe/text.ts';
import type { SessionEntry } from '../steps/list.ts';
import { quote, shorten } from '../terminal/cut.ts';
import type { Paint, Style } from '../terminal/style.ts';
import { cells, fit } from '../terminal/width.ts';
import { moment, word } from './words.ts';

/** Cells of a column. */
const COUNT = 5;
/** Where a line is narrower than this, dates have no time, and agents and files have less room. */
const NARROW = 110;
/** Cells between two columns. */
const GAP = 2;

/**
 * The columns of a session, as they are for another program: nothing is translated, and a time is in ISO 8601. Tabs
 * and line breaks inside a value are blanks.
 *
 * @param file where there are several
 * @example
 * tabbed(entry); // '2026-03-09T10:00:00.000Z\tdebate\tfinished\t4/4\tcodex, claude\tTabs or spaces?\n'
 */
export function tabbed(entry: SessionEntry, file?: string): string {
  const { startedAt, mode, outcome, topic } = entry;
  const values = [startedAt ?? '', mode ?? '', outcome, countOf(entry), agentsOf(entry), topic];
  if (file !== undefined) values.push(file);
  return `${values.map(flat).join('\t')}\n`;
}

/** How {@link createTable} draws. */
export interface TableOptions {
  style: Style;
  labels: Labels;
  /** Cells of a line; 0 is unlimited. Read anew for each line. */
  readonly width: number;
}

interface Cell {
  text: string;
  /** Cells that it fills, with blanks where the text is shorter. */
  width: number;
  paint?: Paint | undefined;
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
  const modeWidth = widest(modes);
  const outcomeWidth = widest(outcomes);

  function line(columns: readonly Cell[]): string {
    let left = options.width || Number.POSITIVE_INFINITY;
    let out = '';
    let blanks = '';
    for (const { text, width, paint } of columns) {
      const room = Math.min(width, left);
      if (room < 1) break;
      const shown = shorten(text, room, ellipsis);
      out += blanks + (paint && shown ? paint(shown) : shown);
      left -= room + GAP;
      blanks = ' '.repeat((Number.isFinite(room) ? room - cells(shown) : 0) + GAP);
    }
    return `${out}\n`;
  }

  return (entry, file) => {
    const [symbol, paint] = signOf(entry.outcome, style);
    const isNarrow = options.width > 0 && options.width < NARROW;
    const dateWidth = isNarrow ? '2026-03-09'.length : '2026-03-09 11:00'.length;
    const agentsWidth = isNarrow ? (file === undefined ? 14 : 8) : 24;
    const date = entry.startedAt === null ? '' : moment(entry.startedAt, entry.timeZone ?? '');
    const mode = word(modes, entry.mode ?? '');
    const fixed: Cell[] = [
      { text: symbol, width: cells(symbol), paint },
      { text: fit(safeLine(date), dateWidth), width: dateWidth },
      { text: safeLine(mode), width: modeWidth },
      { text: outcomes[entry.outcome], width: outcomeWidth, paint: style.bold },
      { text: countOf(entry), width: COUNT },
      { text: quote(agentsOf(entry), agentsWidth, ellipsis), width: agentsWidth },
    ];
    const topic = safeLine(breaksToBlanks(entry.topic));
    if (file === undefined) return line([...fixed, { text: topic, width: Number.POSITIVE_INFINITY }]);
    const name = safeLine(file);
    const used = fixed.reduce((sum, { width }) => sum + width + GAP, 0);
    const fileWidth = options.width > 0 ? Math.floor(options.width / (isNarrow ? 5 : 4)) : cells(name);
    const topicWidth = options.width ? Math.max(1, options.width - used - fileWidth - GAP) : cells(topic);
    return line([
      ...fixed,
      { text: topic, width: topicWidth },
      { text: cells(name) > fileWidth ? name.replace(/^.*[\\/]/s, '') : name, width: fileWidth },
    ]);
  };
}

function signOf(outcome: Outcome, { symbols, success, error, warning, dim }: Style): [string, Paint] {
  switch (outcome) {
    case 'finished':
    case 'stopped-early':
      return [symbols.success, success];
    case 'failed':
      return [symbols.failure, error];
    case 'cancelled':
    case 'unfinished':
      return [symbols.warning, warning];
    default:
      return [symbols.separator, dim];
  }
}

/** `4/4`, `3` where it is not known of how many, or nothing. */
function countOf({ answers, total }: SessionEntry): string {
  if (answers === null) return '';
  return total === null ? `${answers}` : `${answers}/${total}`;
}

function agentsOf({ agents }: SessionEntry): string {
  return agents.map(({ name }) => name).join(', ');
}

function flat(value: string): string {
  return safeLine(breaksToBlanks(value));
}

function breaksToBlanks(value: string): string {
  return value.replace(/\r\n|[\t\n\v\f\r\x85\u2028\u2029]/g, ' ');
}

function widest(words: Readonly<Record<string, string>>): number {
  return Math.max(...Object.values(words).map(cells));
}
