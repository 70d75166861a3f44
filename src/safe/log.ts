/**
 * The gate for CI logs. Runners parse the output of a job for commands: `##[…]` and, at the start of a line, `::…::`
 * on GitHub; `##vso[…]` and `##[…]` on Azure; `##teamcity[…]`. All but `::` work anywhere in a line. A command
 * in an answer could set a variable for the next step, or mask a word in the log.
 *
 * It is applied to the whole output, after the text was made safe for a terminal or for Markdown.
 */

/** Set by the runners: GitHub Actions, Azure Pipelines, TeamCity. */
const RUNNERS = ['GITHUB_ACTIONS', 'TF_BUILD', 'TEAMCITY_VERSION'];

/** Whether the output is parsed by one of these runners. */
export function isRunnerLog(env: Record<string, string | undefined>): boolean {
  return RUNNERS.some((name) => env[name]);
}

/** Our own escape sequences. A viewer that drops them puts together what they kept apart. */
const CODES = String.raw`(?:\x1b\[[\d;?]*[A-Za-z]|\x1b\]8;;[^\x1b]*\x1b\\)*`;
/** The start of a command. Any word is matched, not only those that runners know today. */
export const COMMAND = new RegExp(`#(${CODES})#(?=(?:${CODES}\\w)*${CODES}\\[)`, 'g');
/** At the start of a line; the runner skips whitespace of any kind before it. */
const COLONS = new RegExp(`((?:^|[\\n\\r])(?:${CODES}(?:[^\\S\\n\\r]|\\x85))*${CODES}):(?=${CODES}:)`, 'g');

/**
 * Breaks commands with a backslash. In a transcript it is an escape of Markdown, so text looks as before; in code, and
 * on a terminal, it shows.
 *
 * @param text whole lines, made safe already
 * @example
 * safeLog('see ##vso[task.complete]'); // 'see #\\#vso[task.complete]'
 * safeLog('::error::no'); // ':\\:error::no'
 */
export function safeLog(text: string): string {
  return text.replace(COMMAND, '#$1\\#').replace(COLONS, '$1:\\');
}
