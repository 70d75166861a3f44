/**
 * A person's text to Chat commands, one JSON object a line. JSON carries any text safely; what people type
 * instead, a word after a slash, is a command here as it is in Palabre, and nothing that merely looks like
 * one is sent to an agent by mistake.
 */
import type { ChatCommand, Finding, Line } from '../event.ts';

/** What a slash word becomes. */
const WORDS: Record<string, 'chat-consult' | 'chat-use' | 'chat-agents' | 'chat-end' | 'end'> = {
  '/consult': 'chat-consult',
  '/use': 'chat-use',
  '/agents': 'chat-agents',
  '/end': 'chat-end',
  '/exit': 'end',
  '/quit': 'end',
  '/home': 'end',
};

/** The words that are commands, for a suggestion. */
export const SLASH_WORDS = Object.keys(WORDS);

/** Why a line was not sent: a key of `labels.encode`. */
export type Refusal = 'unknownCommand' | 'missingAgent' | 'tooManyWords' | 'tooManyAgents' | 'notUtf8';

/**
 * What one line became:
 * - `command`: `text` is to be written, with a newline; `ends` when nothing may follow it;
 * - `end`: the output ends, and nothing is written;
 * - `skip`: a blank line;
 * - `refused`: a slash word that is not a command, or not used as one; `word` is untrusted;
 * - `invalid`: an object that is not a valid command, or a line that could not be read.
 */
export type Encoded =
  | { kind: 'command'; text: string; ends: boolean }
  | { kind: 'end' }
  | { kind: 'skip' }
  | { kind: 'refused'; reason: Refusal; word: string }
  | { kind: 'invalid'; findings: readonly Finding[] };

/** How to read a line. */
export interface EncodeOptions {
  /** Every line is a message, whatever it begins with. Default: false. */
  literal?: boolean;
  /** Whether a line is a valid command, as `checkCommand` of `validate` says of what `parseLine` gives. */
  check(line: Line): { command?: ChatCommand; findings: readonly Finding[] };
}

/**
 * Encodes one line, or one argument: it may hold line breaks. A message keeps every character; a lone
 * surrogate, which no UTF-8 can hold, is written as its JSON escape (`\ud800`) and comes back as it was from
 * `JSON.parse`. A command that is given as JSON is passed on as it is written, on one line.
 *
 * @example
 * const check = (line: Line) => checkCommand(parseLine(line)!);
 * encodeLine({ number: 1, text: 'Hello' }, { check });
 * // { kind: 'command', text: '{"v":1,"type":"chat-send","content":"Hello"}', ends: false }
 * encodeLine({ number: 2, text: '/consutl vibe' }, { check });
 * // { kind: 'refused', reason: 'unknownCommand', word: '/consutl' }
 */
export function encodeLine(line: Line, { literal = false, check }: EncodeOptions): Encoded {
  const { text, damage } = line;
  if (damage === 'invalid-utf8') return { kind: 'refused', reason: 'notUtf8', word: text };
  if (damage === 'line-too-long') return { kind: 'invalid', findings: check(line).findings };
  if (!/\S/.test(text)) return { kind: 'skip' };
  if (!literal) {
    if (text.startsWith('{')) return passed(line, check(line));
    if (text.startsWith('//')) return written({ v: 1, type: 'chat-send', content: text.slice(1) });
    if (text.startsWith('/')) return slash(text);
  }
  return written({ v: 1, type: 'chat-send', content: text });
}

function slash(text: string): Encoded {
  const [word, ...rest] = text.trimEnd().split(/\s+/) as [string, ...string[]];
  const meaning = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
  switch (meaning) {
    case undefined:
      return { kind: 'refused', reason: 'unknownCommand', word };
    case 'chat-consult':
    case 'chat-use': {
      const [agent] = rest;
      if (agent === undefined) return { kind: 'refused', reason: 'missingAgent', word };
      if (rest.length > 1) return { kind: 'refused', reason: 'tooManyAgents', word };
      return written({ v: 1, type: meaning, agent });
    }
    default:
      if (rest.length > 0) return { kind: 'refused', reason: 'tooManyWords', word };
      return meaning === 'end' ? { kind: 'end' } : written({ v: 1, type: meaning });
  }
}

function written(command: ChatCommand): Encoded {
  return { kind: 'command', text: oneLine(JSON.stringify(command)), ends: command.type === 'chat-end' };
}

function passed({ text }: Line, { command, findings }: ReturnType<EncodeOptions['check']>): Encoded {
  if (command === undefined) return { kind: 'invalid', findings };
  return { kind: 'command', text: oneLine(text), ends: command.type === 'chat-end' };
}

/**
 * JSON on one line, for every reader. Tabs and line breaks can stand between its parts only, where a space does as
 * well. U+2028 and its like can stand in its strings only, where an escape does; Node's `readline` would
 * break the line there.
 */
function oneLine(json: string): string {
  return json
    .trimEnd()
    .replace(/[\t\r\n]+/g, ' ')
    .replace(/[\x7f-\x9f\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
