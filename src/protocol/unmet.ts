/** What was asked for and never came: most often a name that was mistyped. */

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
