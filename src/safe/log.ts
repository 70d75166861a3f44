/**
 * The gate for logs of CI. The runners read every line that a job writes, and obey marks in it: GitHub's `##[…]` and,
 * at the start of a line, `::…::`; `##vso[…]` and `##[…]` of Azure; `##teamcity[…]`. All but `::` are obeyed anywhere
 * in a line. An answer that holds one could set a variable for the next step, or hide a word from the log.
 *
 * It is a second gate: it stands where text goes out, behind those that make text safe for a terminal or for Markdown.
 */

/** Set by the runners: GitHub Actions, Azure Pipelines, TeamCity. */
const RUNNERS = ['GITHUB_ACTIONS', 'TF_BUILD', 'TEAMCITY_VERSION'];

/** Whether the environment says that output stands in a log that obeys marks. */
export function isRunnerLog(env: Record<string, string | undefined>): boolean {
  return RUNNERS.some((name) => env[name]);
}

/** A mark of a kind that no runner knows yet is broken as well. */
const MARK = /##(?=\w*\[)/g;
/** At the start of a line, where the runner passes over blanks of any kind. */
const COLONS = /((?:^|[\n\r])(?:[^\S\n\r]|\x85)*):(?=:)/g;

/**
 * Breaks the marks by a backslash, which everybody sees, and which Markdown takes for an escape: text in a transcript
 * reads as before, code shows it.
 *
 * @param text whole lines, made safe already
 * @example
 * safeLog('see ##vso[task.complete]'); // 'see #\\#vso[task.complete]'
 * safeLog('::error::no'); // ':\\:error::no'
 */
export function safeLog(text: string): string {
  return text.replace(MARK, '#\\#').replace(COLONS, '$1:\\');
}
