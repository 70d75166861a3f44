/** Events with one wrong field each, made from right ones. */

export interface Mutant {
  /** What was done, for a message. */
  what: string;
  /** The JSONPath of the field. */
  path: string;
  value: Record<string, unknown>;
}

/** The fields of PROTOCOL that may be missing, by type, and those that a type does not have. */
const OPTIONAL: Record<string, string[]> = {
  error: ['$.agent', '$.role', '$.turn', '$.action', '$.retryAfter', '$.details'],
};
const UNKNOWN = ['$.budget', '$.model'];
/** The numbers that start at 0. */
const COUNTS = ['$.filesCount', '$.limits.requestedResponses'];

/** Values that may not stand where `right` stands. */
function wrongFor(path: string, right: unknown): unknown[] {
  if (path === '$.retryAfter') return [null, true, -1, 0.5, [], {}];
  if (/^\$\.(summaryAgent|outputPath|summary\.agent)$/.test(path)) return [5, false, [], {}];
  if (typeof right === 'string') return [5, null, true, [], {}];
  if (typeof right === 'number')
    return ['1', null, true, -1, 1.5, [], {}, ...(COUNTS.includes(path) ? [] : [0])];
  if (typeof right === 'boolean') return ['true', null, 1, [], {}];
  if (Array.isArray(right)) return ['x', null, 1, {}, [null], [5], [[]]];
  return ['x', null, 1, []];
}

type Step = string | number;

function* placesOf(value: unknown, steps: Step[] = []): Generator<Step[]> {
  if (steps.length > 0) yield steps;
  if (typeof value !== 'object' || value === null || steps[0] === 'details') return;
  for (const key of Object.keys(value)) {
    const step = Array.isArray(value) ? Number(key) : key;
    yield* placesOf((value as Record<Step, unknown>)[step], [...steps, step]);
  }
}

const pathOf = (steps: Step[]): string =>
  steps.reduce<string>((path, step) => path + (typeof step === 'number' ? `[${step}]` : `.${step}`), '$');

const at = (value: unknown, steps: Step[]): unknown =>
  steps.reduce((found, step) => (found as Record<Step, unknown>)[step], value);

/** Every event that one missing or one wrong field makes of `event`; `v` and `type` are left alone. */
export function* mutants(event: Record<string, unknown>): Generator<Mutant> {
  for (const steps of placesOf(event)) {
    const path = pathOf(steps);
    if (['$.v', '$.type'].includes(path) || UNKNOWN.some((unknown) => path.startsWith(unknown))) continue;
    const right = at(event, steps);
    const last = steps.at(-1)!;
    const changed = (change: (parent: Record<Step, unknown>) => void): Record<string, unknown> => {
      const value = structuredClone(event);
      change(at(value, steps.slice(0, -1)) as Record<Step, unknown>);
      return value;
    };
    if (typeof last === 'string' && !OPTIONAL[event['type'] as string]?.includes(path)) {
      yield { what: `${path} removed`, path, value: changed((parent) => delete parent[last]) };
    }
    for (const wrong of wrongFor(path, right)) {
      const value = changed((parent) => {
        parent[last] = wrong;
      });
      // A list of wrong entries is wrong at its first entry.
      const where = Array.isArray(wrong) && wrong.length > 0 ? `${path}[0]` : path;
      yield { what: `${path} set to ${JSON.stringify(wrong)}`, path: where, value };
    }
  }
}
