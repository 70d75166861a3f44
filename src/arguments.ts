/** What callers of the library pass, checked: a mistake is a TypeError that names it, not a surprise later. */
import { inspect } from 'node:util';
import type {
  FilterOptions,
  ListOptions,
  MarkdownStreamOptions,
  ParseOptions,
  PrettyStreamOptions,
  ValidateOptions,
} from './index.ts';
import { LANGUAGES } from './labels/labels.ts';
import { OUTCOMES } from './protocol/observe.ts';
import { parseRange } from './steps/filter.ts';
import { HIGHEST_MAX_LINE } from './steps/lines.ts';

/** What an option may be, in words for an error, and how to tell. */
type Expected = readonly [words: string, holds: (value: unknown) => boolean];

type Expectations<Options> = Record<keyof Options, Expected>;

const string: Expected = ['a string', isString];
const strings: Expected = ['a string or a list of strings', (value) => listOf(value).every(isString)];
const flag: Expected = ['true or false', (value) => typeof value === 'boolean'];
const regexp: Expected = ['a RegExp', (value) => value instanceof RegExp];
const ranges: Expected = [
  'a number from 1, a range such as "2..4", or a list of these',
  (value) => listOf(value).every(isRange),
];
const language = oneOf(...LANGUAGES);

/** The options of each Transform. The compiler asks for a missing one. */
const OPTIONS: {
  parse: Expectations<ParseOptions>;
  validate: Expectations<ValidateOptions>;
  filter: Expectations<FilterOptions>;
  list: Expectations<ListOptions>;
  pretty: Expectations<PrettyStreamOptions>;
  markdown: Expectations<MarkdownStreamOptions>;
} = {
  parse: { maxLine: integer(1, HIGHEST_MAX_LINE) },
  validate: { session: flag, strict: flag },
  filter: {
    type: strings,
    notType: strings,
    agent: strings,
    role: strings,
    kind: strings,
    phase: strings,
    turn: ranges,
    session: ranges,
    grep: regexp,
    invert: flag,
    field: string,
  },
  list: { outcome: words(OUTCOMES), mode: strings, agent: strings, session: ranges, grep: regexp },
  pretty: {
    language,
    color: oneOf(0, 1, 2, 3),
    ascii: flag,
    width: integer(0),
    compact: flag,
    verbose: flag,
    plain: flag,
  },
  markdown: { language, title: string, header: flag, notices: flag },
};

/**
 * Makes sure that `options` are options of the Transform called `name`, and of the right types. An option that is
 * undefined counts as missing.
 *
 * @throws TypeError that names the function, the option and what it may be
 * @example
 * checkOptions('parse', { maxLine: '64M' }); // TypeError: parse: maxLine must be an integer from 1 …, not '64M'
 */
export function checkOptions(name: keyof typeof OPTIONS, options: object): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new TypeError(`${name}: the options must be an object, not ${shown(options)}`);
  const expectations: Record<string, Expected> = OPTIONS[name];
  for (const [key, value] of Object.entries(options)) {
    if (!Object.hasOwn(expectations, key)) {
      const known = Object.keys(expectations).join(', ');
      throw new TypeError(`${name}: unknown option ${shown(key)}; the options are ${known}`);
    }
    const [words, holds] = expectations[key]!;
    if (value !== undefined && !holds(value))
      throw new TypeError(`${name}: ${key} must be ${words}, not ${shown(value)}`);
  }
}

function oneOf(...values: readonly (string | number)[]): Expected {
  return [values.map(shown).join(' or '), (value) => values.some((one) => one === value)];
}

/** One of these words, or a list of such. */
function words(known: readonly string[]): Expected {
  const [one, holds] = oneOf(...known);
  return [`${one}, or a list of these`, (value) => listOf(value).every(holds)];
}

function integer(lowest: number, highest = Number.POSITIVE_INFINITY): Expected {
  const holds = (value: unknown) =>
    Number.isInteger(value) && lowest <= (value as number) && (value as number) <= highest;
  return [`an integer from ${lowest}${Number.isFinite(highest) ? ` to ${highest}` : ''}`, holds];
}

function isString(value: unknown): boolean {
  return typeof value === 'string';
}

function isRange(value: unknown): boolean {
  if (typeof value === 'number' || typeof value === 'string') return parseRange(String(value)) !== undefined;
  const { from, to } = (value ?? {}) as { from?: unknown; to?: unknown };
  return typeof from === 'number' && typeof to === 'number' && 1 <= from && from <= to;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** A value of a caller, on one short line. */
function shown(value: unknown): string {
  return inspect(value, {
    depth: 0,
    breakLength: Number.POSITIVE_INFINITY,
    maxStringLength: 40,
    maxArrayLength: 3,
  });
}
