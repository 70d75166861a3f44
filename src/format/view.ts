/** What the two forms of the text format, blocks and single lines, have in common. */
import type { Labels, Language } from '../labels/labels.ts';
import type { Outcome } from '../protocol/observe.ts';
import { plainName } from '../safe/text.ts';
import { agentName, NAME_WIDTH, quote } from '../terminal/cut.ts';
import type { Paint, Span, Style } from '../terminal/style.ts';
import { word } from './words.ts';

/** Cells of a short fact: a mode, a phase, a time. */
export const FACT_WIDTH = 60;

export interface PrettyOptions {
  style: Style;
  labels: Labels;
  language: Language;
  /** Cells of a line; 0 is unlimited. Read anew for each line, so a getter can follow the terminal. */
  readonly width: number;
  /** One line per event. Default: false. */
  compact?: boolean;
  /** A line for every event of an unknown type. Default: false. */
  verbose?: boolean;
  /**
   * Agents' Markdown, untrusted, to safe lines of at most `width` cells. Default: the text as written, made safe and
   * wrapped to the width.
   */
  render?: (content: string, width: number) => string[];
  /** Marks what was searched for in a line of content. Default: nothing is marked. */
  mark?: (line: string) => string;
  /** Whether the terminal knows hyperlinks (OSC 8). Default: false. */
  hyperlinks?: boolean;
  /** The clock in milliseconds, where the events come as they happen: the session's duration is measured. */
  now?: () => number;
}

/** The symbol of an outcome, and its colour. A stream that breaks off shows no failure. */
export function outcomeSign(
  outcome: Outcome,
  { symbols, success, error, warning, dim }: Style,
): [string, Paint] {
  switch (outcome) {
    case 'finished':
    case 'stopped-early':
      return [symbols.success, success];
    case 'failed':
      return [symbols.failure, error];
    case 'cancelled':
    case 'unfinished':
      return [symbols.warning, warning];
    case 'dry-run':
    case 'ended':
      return [symbols.separator, dim];
  }
}

/** ` (role)`, safe, or nothing where there is none. */
export function roleText(role: string, roles: Readonly<Record<string, string>>, style: Style): string {
  const text = quote(plainName(word(roles, role)), NAME_WIDTH, style.symbols.ellipsis);
  return text && ` (${text})`;
}

/** `codex (implementer), claude (reviewer)`. */
export function agentList(
  agents: readonly { name: string; role: string }[],
  roles: Readonly<Record<string, string>>,
  style: Style,
): Span[] {
  return agents.flatMap(({ name, role }, index) => [
    ...(index > 0 ? [{ text: ', ' }] : []),
    agentName(name, style),
    { text: roleText(role, roles, style) },
  ]);
}
