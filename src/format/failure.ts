/** What an error says, each fact once: for all formats. The values are untrusted still. */
import type { ErrorEvent } from '../event.ts';
import { fill, type Labels, type Language, labelsFor } from '../labels/labels.ts';
import type { Session } from '../protocol/observe.ts';
import { retry, word } from './words.ts';

/** Of the details of an error, so many fields are shown. */
const MOST_FIELDS = 12;
/** A number from here on, in details and in the message, is the same fact; a smaller one may count anything. */
const TELLING = 100;

/** What a person can do about an error of this kind, in a sentence; empty where nothing is known. */
export function adviceFor({ kind }: ErrorEvent, { words }: Labels): string {
  const table: Readonly<Record<string, string>> = words.advice;
  return Object.hasOwn(table, kind) ? table[kind]! : '';
}

/**
 * The message, with the last state of a first line that was written over itself, as a progress bar is, behind what the
 * producer put before it.
 *
 * @example
 * messageOf({ …, message: 'codex exited with code 1: 98 %\r99 %\nfull' }); // 'codex exited with code 1: 99 %\nfull'
 */
export function messageOf({ message }: ErrorEvent): string {
  const [first = '', ...others] = message.split(/\r?\n/);
  const [before = ''] = /^[^:\r]*: /.exec(first) ?? [];
  const last = lastState(first);
  return [last.startsWith(before) ? last : before + last, ...others.map(lastState)].join('\n');
}

/**
 * When it happened, as `debate, turn 2` or `Chat, sending a message`; empty where that is the mode of the session
 * alone.
 */
export function phaseOf(
  { phase, turn = 0, action }: ErrorEvent,
  { mode }: Session,
  { words }: Labels,
): string {
  const during = word(words.phases, phase);
  if (action) return fill(words.duringAction, { phase: during, action: word(words.actions, action) });
  if (turn === 0 || phase === 'summary') return phase === mode ? '' : during;
  return fill(phase === 'ask' ? words.duringResponse : words.duringTurn, { phase: during, n: turn });
}

/** When to try again, in words; empty where the error does not say, or its message says the same. */
export function retryOf(
  { message, retryAfter }: ErrorEvent,
  timeZone: string,
  labels: Labels,
  language: Language,
): string {
  if (retryAfter === undefined) return '';
  const when = retry(retryAfter, timeZone, labels, language);
  return says(squeeze(message), when) ? '' : when;
}

/** A field of the details of an error. */
interface Detail {
  name: string;
  text: string;
  /** Lines before the text that the message has. */
  dropped: number;
}

/**
 * The details of an error that its other fields do not say, in their order. Of a line that was written over itself, as
 * a progress bar is, the last state is left; lines at the beginning and at the end that the message repeats are not.
 *
 * @example
 * newDetails({ …, message: 'codex exited with code 3: boom', details: { exitCode: 3, stderr: 'at x\nboom\n' } });
 * // [{ name: 'stderr', text: 'at x', dropped: 0 }]
 */
export function newDetails({ kind, message, retryAfter, details = {} }: ErrorEvent): Detail[] {
  // Programs say in English what the kind says.
  const said = squeeze(`${message}\n${word(labelsFor('en').words.kinds, kind)}`);
  const found: Detail[] = [];
  for (const [name, value] of Object.entries(details)) {
    if (found.length === MOST_FIELDS) break;
    if (!['string', 'number', 'boolean'].includes(typeof value)) continue;
    if (name === 'retryAfter' && retryAfter !== undefined) continue;
    if (name === 'exitCode' && new RegExp(`\\b(?:code|status) ${Number(value)}\\b`).test(message)) continue;
    if (typeof value === 'number' && value >= TELLING && says(said, String(value))) continue;
    const { text, dropped } =
      typeof value === 'string' ? withoutRepeated(value, said) : { text: String(value), dropped: 0 };
    if (text !== '') found.push({ name, text, dropped });
  }
  return found;
}

/** A text without the lines at its beginning and at its end that are blank or were said already. */
function withoutRepeated(text: string, said: string): Pick<Detail, 'text' | 'dropped'> {
  const lines = text.split(/\r?\n/).map(lastState);
  const isNew = (line: string) => !isRepeated(squeeze(line), said);
  const first = lines.findIndex(isNew);
  if (first < 0 || says(said, squeeze(lines.join(' ')))) return { text: '', dropped: 0 };
  return {
    text: lines.slice(first, lines.findLastIndex(isNew) + 1).join('\n'),
    dropped: lines.slice(0, first).filter((line) => line.trim() !== '').length,
  };
}

/** Whether all clauses of a line were said; a first one such as `TypeError:` names what the others say. */
function isRepeated(line: string, said: string): boolean {
  const clauses = line.replace(/^[\w ]+: /, '').split(/[,;:.] /);
  return clauses.every((clause) => says(said, clause));
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
