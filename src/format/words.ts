/** Values of events, and findings, in the words of a language. */
import type { Finding } from '../event.ts';
import { fill, type Labels, type Language } from '../labels/labels.ts';
import { type Asked, instant } from '../protocol/observe.ts';
import { quote } from '../terminal/cut.ts';

/** A word that changes with the number before it. */
interface Plural {
  one: string;
  many: string;
}

/** A known word in the language of `table`, any other as it is: untrusted still. */
export function word(table: Readonly<Record<string, string>>, value: string): string {
  return Object.hasOwn(table, value) ? table[value]! : value;
}

/** `count` with its word: in French, 0 is singular too. */
export function plural(
  count: number,
  forms: Plural,
  language: Language,
  values: Record<string, string | number> = {},
): string {
  const one = language === 'fr' ? count < 2 : count === 1;
  return fill(one ? forms.one : forms.many, { n: count, ...values });
}

/** `2/4`, `2` where it is not known of how many, or nothing. */
export function countOf(count: number | null | undefined, total: number | null | undefined): string {
  return total ? `${count}/${total}` : `${count ?? ''}`;
}

/** A turn or response and how many there are, as {@link countOf}; nothing where its number is missing. */
export function positionOf(number: number, total: number | undefined): string {
  return number > 0 ? countOf(number, total) : '';
}

/** What an answer is beside its speaker: `2/4`, `Summary`, or nothing in a Chat. */
export function titleOf(
  { pair, number }: Pick<Asked, 'pair' | 'number'>,
  total: number | undefined,
  { words, facts }: Labels,
): string {
  if (pair === 'summary') return facts.summary;
  if (pair === 'consultation') return words.opinion;
  return positionOf(number, total);
}

/** How many answers there were, and of how many where that is known: `2 of 4 answered`, `3 answers`. */
export function answersOf(
  { answers, total }: { answers: number; total: number | undefined },
  labels: Labels,
  language: Language,
): string {
  const { answers: forms, answersOf: formsOf } = labels.words;
  return total ? plural(answers, formsOf, language, { total }) : plural(answers, forms, language);
}

/**
 * A path as it is typed in a folder that holds it; as it is elsewhere. Untrusted still.
 *
 * @example
 * pathIn('/home/user', '/home/user/.palabre/a.md'); // '.palabre/a.md'
 */
export function pathIn(folder: string, path: string): string {
  const start = folder.replace(/[\\/]$/, '');
  const rest = path.slice(start.length + 1);
  const isInside = folder !== '' && path.startsWith(start) && /^[\\/][^\\/]/.test(path.slice(start.length));
  return isInside ? rest : path;
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** A number of seconds in its two largest units: 3725 is `1 hour 2 minutes`. */
export function duration(seconds: number, labels: Labels, language: Language): string {
  let left = Math.max(0, Math.round(seconds));
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(left / size);
    left -= count * size;
    // A small unit beside a far larger one says nothing: `2 days`, not `2 days 5 seconds`.
    if (parts.length > 0 && count === 0) break;
    if (count > 0 || (unit === 'second' && parts.length === 0)) {
      parts.push(plural(count, labels.words.units[unit], language));
    }
    if (parts.length === 2) break;
  }
  return parts.join(' ');
}

/** The clock that was used last: making one takes longer than printing an answer. */
let clock: { timeZone: string; format: Intl.DateTimeFormat } | undefined;

/** An instant by the clocks of a zone, in UTC where the zone is unknown. */
function clockTime(instant: number, timeZone: string): { date: string; time: string; zone: string } {
  let text: string;
  let zone = timeZone;
  try {
    // Swedish writes dates as ISO 8601 does. Loading the data takes a while, so only where it is needed.
    if (clock?.timeZone !== timeZone) {
      const options = { timeZone, dateStyle: 'short', timeStyle: 'short' } as const;
      clock = { timeZone, format: new Intl.DateTimeFormat('sv-SE', options) };
    }
    text = clock.format.format(instant);
  } catch {
    text = new Date(instant).toISOString().slice(0, 16).replace('T', ' ');
    zone = 'UTC';
  }
  const [date = '', time = ''] = text.split(' ');
  return { date, time, zone };
}

/**
 * An ISO 8601 time as `2026-11-30 17:45 (Europe/Paris)`. Anything else is given back as it is: untrusted still, as is
 * the name of the zone.
 */
export function moment(iso: string, timeZone: string): string {
  const time = instant(iso);
  if (!Number.isFinite(time)) return iso;
  const local = clockTime(time, timeZone);
  return `${local.date} ${local.time} (${local.zone})`;
}

/** In seconds, ten years: a longer time to wait is none. */
const LONGEST_WAIT = 10 * 365 * 24 * 3600;

/**
 * When to try again, in words, for each form of `retryAfter`: seconds, an ISO 8601 time, a local `HH:mm`.
 * Anything else is given back as it is: untrusted still.
 */
export function retry(value: number | string, timeZone: string, labels: Labels, language: Language): string {
  const { retryIn, retryNow, retryAt, retryOn } = labels.words;
  if (typeof value === 'number') {
    if (value > LONGEST_WAIT) return String(value);
    return value > 0 ? fill(retryIn, { duration: duration(value, labels, language) }) : retryNow;
  }
  const time = instant(value);
  if (Number.isFinite(time)) return fill(retryOn, clockTime(time, timeZone));
  return /^\d\d?:\d\d$/.test(value) ? fill(retryAt, { time: value }) : value;
}

/** The sentence of a finding, with everything that it quotes made safe and cut to 80 cells. */
export function sentence(finding: Finding, labels: Labels): string {
  const values = Object.fromEntries(
    Object.entries(finding.values).map(([name, value]) => [
      name,
      typeof value === 'number' ? value : quote(value, undefined, labels.words.ellipsis),
    ]),
  );
  return fill(labels.findings[finding.message], values);
}
