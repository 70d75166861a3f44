/**
 * Every word a person reads, by language. A table is plain data: `{name}` stands for a value. English is
 * the shape that the other languages must fill; a test compares keys and placeholders.
 */
import { checkOptions, oneOf, required } from '../arguments.ts';
import { en, type Labels } from './en.ts';
import { fr } from './fr.ts';

export type { Labels };

/** The languages of the program, by their codes in ISO 639-1. */
export const LANGUAGES = ['en', 'fr'] as const;

/** One of {@link LANGUAGES}. */
export type Language = (typeof LANGUAGES)[number];

const TABLES: Record<Language, Labels> = { en, fr };

/**
 * The words of `language`.
 *
 * @param ascii without accents and typographic signs, for a terminal that is not UTF-8; default false
 * @throws TypeError for another language
 * @example
 * labelsFor('fr', true).words.modes.debate; // 'Debat'
 */
export function labelsFor(language: Language, ascii = false): Labels {
  checkOptions('labelsFor', { language: required(oneOf(...LANGUAGES)) }, { language });
  const labels = TABLES[language];
  return ascii ? toAscii(labels) : labels;
}

/** A table in ASCII: its texts, and its keys, of which those of the examples are shown. */
function toAscii<Table extends object>(table: Table): Table {
  const entries = Object.entries(table).map(([key, value]: [string, string | object]) => [
    asciiText(key),
    typeof value === 'string' ? asciiText(value) : toAscii(value),
  ]);
  return Object.fromEntries(entries);
}

/** Letters lose their accents; what NFKD does not take apart is named here. */
function asciiText(text: string): string {
  return text
    .replace(/«\s?|\s?»/g, '"')
    .replaceAll('’', "'")
    .replaceAll('·', '-')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '');
}

/**
 * Puts values in the place of their names: `fill('turn {n}', {n: 3})` is `turn 3`. Values are put in as they
 * are, so what comes from an event must have passed its gate. A name without a value stays as it stands.
 */
export function fill(template: string, values: Record<string, string | number>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  );
}
