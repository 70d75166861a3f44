/** What an error says, each fact once: for all formats. The values are untrusted still. */
import type { ErrorEvent } from '../event.ts';
import type { Labels } from '../labels/labels.ts';

/** Of the details of an error, so many fields are shown. */
const MOST_FIELDS = 12;

/** What somebody can do about an error of this kind, in a sentence; empty where nobody knows. */
export function adviceFor({ kind, retryAfter }: ErrorEvent, { words }: Labels): string {
  // When to try again is advice enough.
  if (kind === 'usage-limit' && retryAfter !== undefined) return '';
  const table: Readonly<Record<string, string>> = words.advice;
  return Object.hasOwn(table, kind) ? table[kind]! : '';
}

/**
 * The details of an error that its other fields do not say: names and texts, in their order. Of a line that was
 * written over itself, as a progress bar is, the last state is left; lines at the end that the message repeats are not.
 *
 * @example
 * newDetails({ …, message: 'codex exited with code 3: boom', details: { exitCode: 3, stderr: 'at x\nboom\n' } });
 * // [['stderr', 'at x']]
 */
export function newDetails({
  message,
  retryAfter,
  details = {},
}: ErrorEvent): [name: string, text: string][] {
  const said = squeeze(message);
  const found: [string, string][] = [];
  for (const [name, value] of Object.entries(details)) {
    if (found.length === MOST_FIELDS) break;
    if (!['string', 'number', 'boolean'].includes(typeof value)) continue;
    if (name === 'retryAfter' && retryAfter !== undefined) continue;
    if (name === 'exitCode' && new RegExp(`\\b(?:code|status) ${Number(value)}\\b`).test(message)) continue;
    const text = typeof value === 'string' ? withoutRepeated(value, said) : String(value);
    if (text !== '') found.push([name, text]);
  }
  return found;
}

/** A text without the lines at its end that are blank or were said already. */
function withoutRepeated(text: string, said: string): string {
  const lines = text.split(/\r?\n/).map(lastState);
  if (says(said, squeeze(lines.join(' ')))) return '';
  while (lines.length > 0 && says(said, squeeze(lines.at(-1)!).replace(/^[\w ]+: /, ''))) lines.pop();
  return lines.join('\n');
}

/** Whether `phrase` stands in `text` in whole words. */
function says(text: string, phrase: string): boolean {
  const isInWord = (at: number) => /[\p{L}\p{N}]/u.test(text.charAt(at));
  let at = text.indexOf(phrase);
  while (at >= 0 && phrase !== '' && (isInWord(at - 1) || isInWord(at + phrase.length)))
    at = text.indexOf(phrase, at + 1);
  return at >= 0;
}

/** What a terminal shows of a line in which carriage returns went back to its beginning. */
function lastState(line: string): string {
  const end = line.trimEnd();
  return end.includes('\r') ? end.slice(end.lastIndexOf('\r') + 1).trimStart() : end;
}

/** Text with its blanks and line breaks made one, to see whether it says what another text says. */
function squeeze(text: string): string {
  return text.split(/\s+/).filter(Boolean).join(' ');
}
