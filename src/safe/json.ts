/**
 * The gate for values that are printed as JSON: what a terminal or the runner of a CI job obeys, and what nobody can
 * see, stands as an escape. A reader of JSON gets the value as it was.
 */

/**
 * Control and format characters, line separators, and whatever a terminal shows as nothing; marks of CI; and what is
 * piled upon one character beyond eight marks.
 */
const UNSAFE =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|##(?=\w*\[)|(?<=[\p{M}\u1161-\u11ff\ud7b0-\ud7fb]{8})[\p{M}\u1161-\u11ff\ud7b0-\ud7fb]/gu;

/**
 * A value as JSON on one line.
 *
 * @example
 * safeJson({ topic: 'a\u202eb' }); // '{"topic":"a\\u202eb"}'
 */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(UNSAFE, (found) =>
    [...Array(found.length).keys()]
      .map((index) => `\\u${found.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
