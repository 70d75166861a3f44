/**
 * The gate for values that are printed as JSON: what a terminal or a CI runner acts on, and invisible characters, are
 * written as `\u` escapes. A parser of JSON gets the value unchanged.
 */
import { COMMAND } from './log.ts';
import { MARK, MAX_MARKS } from './text.ts';

/** Control, format and invisible characters, line separators; commands of CI; marks after the eighth on one character. */
const UNSAFE = new RegExp(
  `[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]|${COMMAND.source}|(?<=[${MARK}]{${MAX_MARKS}})[${MARK}]`,
  'gu',
);

/**
 * A value as JSON on one line.
 *
 * @example
 * safeJson({ topic: 'a\u202eb' }); // '{"topic":"a\\u202eb"}'
 */
export function safeJson(value: unknown): string {
  return escapeJson(JSON.stringify(value));
}

/** The same of JSON on one line, with no blank but spaces between its parts. */
export function escapeJson(json: string): string {
  return json.replace(UNSAFE, (found) =>
    [...Array(found.length).keys()]
      .map((index) => `\\u${found.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
