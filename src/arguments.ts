/** What callers of the library pass, checked: a mistake is a TypeError that names it, not a surprise later. */
import { inspect } from 'node:util';

/** A closed range of numbers from 1; either end may be open. */
export interface Range {
  from: number;
  to: number;
}

/** A value, or a list of alternatives. */
export type OneOrMore<Value> = Value | readonly Value[];

/** A range, a number, or a text that {@link parseRange} reads: `'2..4'`. */
export type RangeLike = Range | number | string;

/** What an option may be, in words for an error, and how to tell. */
export type Expected = readonly [words: string, holds: (value: unknown) => boolean, isRequired?: true];

/** The options of a function. The compiler asks for a missing one. */
export type Expectations<Options> = Readonly<Record<keyof Options, Expected>>;

export const string: Expected = ['a string', isString];
export const strings: Expected = ['a string or a list of strings', (value) => [value].flat().every(isString)];
export const ranges: Expected = [
  'a number from 1, a range such as "2..4", or a list of these',
  (value) => [value].flat().every(isRange),
];
export const flag: Expected = ['true or false', (value) => typeof value === 'boolean'];
export const regexp: Expected = ['a RegExp', (value) => value instanceof RegExp];
export const callback: Expected = ['a function', (value) => typeof value === 'function'];
/** Anything with `each`. */
export const step: Expected = [
  'a step, which has a function `each`',
  (value) => has(value, 'each', 'function'),
];
export const checker: Expected = [
  'a checker, as createSessionChecker gives it',
  (value) => has(value, 'outcomes', 'function'),
];
export const labels: Expected = ['labels, as labelsFor gives them', (value) => has(value, 'words', 'object')];
export const style: Expected = [
  'a style, as createStyle gives it',
  (value) => has(value, 'symbols', 'object'),
];

/** An option that has no default. */
export function required([words, holds]: Expected): Expected {
  return [words, holds, true];
}

export function oneOf(...values: readonly (string | number)[]): Expected {
  return [values.map(shown).join(' or '), (value) => values.some((one) => one === value)];
}

/** One of these words, or a list of such. */
export function words(known: readonly string[]): Expected {
  const [one, holds] = oneOf(...known);
  return [`${one}, or a list of these`, (value) => [value].flat().every(holds)];
}

export function integer(lowest: number, highest = Number.POSITIVE_INFINITY): Expected {
  const holds = (value: unknown) =>
    Number.isInteger(value) && lowest <= (value as number) && (value as number) <= highest;
  return [`an integer from ${lowest}${Number.isFinite(highest) ? ` to ${highest}` : ''}`, holds];
}

/**
 * Makes sure that `options` are options of the function called `name`, and of the right types. One that is undefined
 * counts as missing.
 *
 * @throws TypeError that names the function, the option and what it may be
 * @example
 * checkOptions('parse', { maxLine: integer(1) }, { maxLine: '64M' }); // TypeError: parse: maxLine must be an integer from 1, not '64M'
 */
export function checkOptions<Options>(
  name: string,
  expectations: Expectations<Options>,
  options: { [Option in keyof Options]?: unknown },
): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    const all = Object.entries<Expected>(expectations);
    const needed = all.flatMap(([key, [, , isRequired]]) => (isRequired ? [key] : [])).join(', ');
    throw new TypeError(
      `${name}: the options must be an object${needed && ` with ${needed}`}, not ${shown(options)}`,
    );
  }
  const unknown = Object.keys(options).find((key) => !Object.hasOwn(expectations, key));
  if (unknown !== undefined) {
    const known = Object.keys(expectations).join(', ');
    throw new TypeError(`${name}: unknown option ${shown(unknown)}; the options are ${known}`);
  }
  for (const [key, [words, holds, isRequired]] of Object.entries<Expected>(expectations)) {
    const value = options[key as keyof Options];
    if (value === undefined ? isRequired : !holds(value))
      throw new TypeError(`${name}: ${key} must be ${words}, not ${shown(value)}`);
  }
}

/** One value or several, as a list. */
export function listOf<Value>(given: OneOrMore<Value> | undefined): readonly Value[] {
  return [given ?? []].flat() as Value[];
}

/** A range that {@link checkOptions} has let pass. */
export function toRange(given: RangeLike): Range {
  return typeof given === 'object' ? given : parseRange(String(given))!;
}

/**
 * Reads a range: `2`, `2..4` (also `2-4`), `3..` or `..4`, from 1. `undefined` for anything else.
 *
 * @example
 * parseRange('3..'); // { from: 3, to: Infinity }
 */
export function parseRange(text: string): Range | undefined {
  const match = /^(?:(\d+)|(\d+)?\.\.(\d+)?)$/.exec(text.replace(/^(\d+)-(\d+)$/, '$1..$2'));
  if (!match || text === '..') return undefined;
  const [, single, from, to] = match;
  const range = { from: Number(single ?? from ?? 1), to: Number(single ?? to ?? Number.POSITIVE_INFINITY) };
  return range.from >= 1 && range.from <= range.to ? range : undefined;
}

/** Whether a value is a number in one of the ranges. */
export function within(ranges: readonly Range[], value: unknown): boolean {
  return typeof value === 'number' && ranges.some(({ from, to }) => from <= value && value <= to);
}

function isString(value: unknown): boolean {
  return typeof value === 'string';
}

function isRange(value: unknown): boolean {
  if (typeof value === 'number' || typeof value === 'string') return parseRange(String(value)) !== undefined;
  const { from, to } = (value ?? {}) as { from?: unknown; to?: unknown };
  return typeof from === 'number' && typeof to === 'number' && 1 <= from && from <= to;
}

function has(value: unknown, key: string, type: 'function' | 'object'): boolean {
  return (
    typeof value === 'object' && value !== null && typeof (value as Record<string, unknown>)[key] === type
  );
}

/** A value of a caller, on one short line. */
export function shown(value: unknown): string {
  return inspect(value, {
    depth: 0,
    breakLength: Number.POSITIVE_INFINITY,
    maxStringLength: 40,
    maxArrayLength: 3,
  });
}
