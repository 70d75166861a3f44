/** What was asked for and never came: most often a name that was mistyped. */
import { type Range, within } from '../arguments.ts';

/** How many names are kept of those that came. */
const MOST = 100;

/** What was asked for that nothing had. */
export interface Unmet {
  /** Agents that were asked for. */
  agents: readonly string[];
  /** Agents that there are, at most 100. */
  others: readonly string[];
  /** The field that was asked for. */
  field?: string;
  /** How many sessions there are, where none of those asked for is among them. */
  sessions?: number | undefined;
  /** The last turn or response there is, where none of those asked for is among them. */
  turns?: number | undefined;
}

/**
 * Compares the agents that were asked for with those that come.
 *
 * @example
 * const names = createUnmetAgents(['clade']);
 * names.see('claude');
 * names.unmet(); // { agents: ['clade'], others: ['claude'] }
 */
export function createUnmetAgents(wanted: readonly string[]): { see(name: string): void; unmet(): Unmet } {
  const missing = new Set(wanted);
  const others = new Set<string>();
  return {
    see(name) {
      if (missing.size === 0) return;
      missing.delete(name);
      if (others.size < MOST) others.add(name);
    },
    unmet: () => ({ agents: [...missing], others: [...others] }),
  };
}

/**
 * Compares the numbers that were asked for with those that come: the highest that came, where none is among them.
 *
 * @example
 * const turns = createUnmetNumbers([{ from: 9, to: 9 }]);
 * turns.see(3);
 * turns.unmet(); // 3
 */
export function createUnmetNumbers(wanted: readonly Range[]) {
  let isMet = wanted.length === 0;
  let highest = 0;
  return {
    see(value: unknown): void {
      isMet ||= within(wanted, value);
      if (typeof value === 'number' && value > highest) highest = value;
    },
    unmet: (): number | undefined => (isMet ? undefined : highest),
  };
}
