/** The streams that the tests read, and how to make others. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Item, Line } from '../src/event.ts';
import { parseLine } from '../src/steps/parse.ts';

export const INPUT = fileURLToPath(new URL('./fixtures/input/', import.meta.url));

/** The names of all fixtures, without their ending. */
export const FIXTURES = readdirSync(INPUT)
  .filter((name) => name.endsWith('.ndjson'))
  .map((name) => name.slice(0, -'.ndjson'.length));

/** The one stream that is not valid: its producer was killed. */
export const BROKEN = 'killed-mid-line';

export function path(name: string): string {
  return `${INPUT}${name}.ndjson`;
}

export function read(name: string): string {
  return readFileSync(path(name), 'utf8');
}

/** The events of a fixture, whatever is in them. */
export function events(name: string): Record<string, unknown>[] {
  const lines = read(name).split('\n').filter(Boolean);
  return lines.flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
}

/** The item of one line. */
export function item(text: string, number = 1, extra: Partial<Line> = {}): Item {
  const parsed = parseLine({ number, text, ...extra });
  if (!parsed) throw new Error(`a blank line: ${JSON.stringify(text)}`);
  return parsed;
}
