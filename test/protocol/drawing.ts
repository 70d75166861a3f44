/**
 * The order of a session as a picture, printed from the tables of `tables.ts`. CONTRIBUTING.md holds a copy
 * between {@link DIAGRAM_BEGIN} and {@link DIAGRAM_END}; a test compares the two.
 */
import { SESSION, type SessionInput, type SessionState, THINKING, WORK } from '../../src/protocol/tables.ts';

/** The lines around the copy. */
export const DIAGRAM_BEGIN = '<!-- diagram: npm run diagram -->';
export const DIAGRAM_END = '<!-- /diagram -->';

/** The moves of a state, as the events that lead to each next one. */
function moves(row: Record<string, string>): [string, string[]][] {
  const byTarget = new Map<string, string[]>();
  for (const [event, target] of Object.entries(row)) {
    byTarget.set(target, [...(byTarget.get(target) ?? []), event]);
  }
  return [...byTarget];
}

/** The session, as Mermaid: what can be reached from the beginning without a fault. */
function sessionDiagram(): string {
  const lines = ['stateDiagram-v2'];
  const states: SessionState[] = ['none'];
  for (const state of states) {
    const row: Partial<Record<SessionInput, SessionState>> = SESSION[state];
    for (const [target, events] of moves(row)) {
      lines.push(`    ${state === 'none' ? '[*]' : state} --> ${target}: ${events.join(', ')}`);
      if (!states.includes(target as SessionState)) states.push(target as SessionState);
    }
    if ('start' in row && state !== 'none') lines.push(`    ${state} --> [*]`);
  }
  return ['```mermaid', ...lines, '```'].join('\n');
}

/** The work of the modes and thinking, as a table. */
function workTable(): string {
  const rows = [['', 'state', 'event', 'next state']];
  const { any: _, ...modes } = WORK;
  for (const [name, table] of Object.entries({ ...modes, thinking: THINKING })) {
    for (const [state, row] of Object.entries(table)) {
      // A state after a fault.
      if (state === 'overdue') continue;
      for (const [target, events] of moves(row)) {
        const named = events.map((event) => (event === 'step' ? 'any of the above, `done`' : `\`${event}\``));
        rows.push([name, state, named.join(', '), target]);
      }
    }
  }
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`,
  );
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

/** The diagram and the table, as Markdown that is also read well as text. */
export function diagram(): string {
  return `${sessionDiagram()}\n\n${workTable()}\n`;
}
