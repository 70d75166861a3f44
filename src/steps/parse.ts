/** A line to an item: what kind of thing stands on it, and what is wrong with it. */
import { shown } from '../arguments.ts';
import {
  codeOf,
  type Finding,
  type FindingMessage,
  type Item,
  isEventType,
  type Line,
  type PalabreEvent,
  type Step,
} from '../event.ts';

/** How nearly every line begins. */
const BRACE = '{'.charCodeAt(0);
/** How JSON can begin. What does not is not parsed: an exception costs a hundred times a look. */
const JSON_BEGINS = /^\s*(?:[{["]|-?\d|true|false|null)/;
const ESC = 0x1b;
/** What a terminal or a shell may have written before an event: a reset of the colour, a bracketed paste. */
const ESCAPES = /^(?:\x1b\[[\d;?]*[A-Za-z~]\s*)+(?=\{)/;
/** How much of a line a finding quotes; the report cuts it further, to the columns of a terminal. */
const EXCERPT = 200;

/**
 * Reads one line. `undefined` for a blank one.
 *
 * A known type gives an `event` whose fields are not looked at yet: that is what `validate` does. No line
 * makes it throw.
 *
 * @throws TypeError for what is not a line, such as a string
 *
 * @example
 * parseLine({ number: 1, text: '{"v":1,"type":"thinking-end"}' });
 * // { kind: 'event', line: …, event: { v: 1, type: 'thinking-end' } }
 * parseLine({ number: 2, text: 'npm warn' })?.kind; // 'text'
 */
export function parseLine(line: Line): Item | undefined {
  if (typeof line?.text !== 'string')
    throw new TypeError(`parseLine: line must be { number, text }, not ${shown(line)}`);
  if (line.damage === 'line-too-long') return fault(line, 'line-too-long', { bytes: line.bytes ?? 0 });

  const before = line.text.charCodeAt(0) === ESC ? ESCAPES.exec(line.text)?.[0] : undefined;
  if (before !== undefined) {
    const item = parseLine({ ...line, text: line.text.slice(before.length) });
    return item && withFinding(item, 'not-json.escape', { text: excerpt(line) });
  }
  if (line.text.charCodeAt(0) !== BRACE && !JSON_BEGINS.test(line.text)) return unparsed(line);
  let value: unknown;
  try {
    value = JSON.parse(line.text);
  } catch {
    return unparsed(line);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return fault(line, 'not-an-event.object', { text: excerpt(line) });
  }
  const { v, type } = value as { v?: unknown; type?: unknown };
  if (typeof v !== 'number') return fault(line, 'not-an-event.v', { text: excerpt(line) });
  if (v !== 1) return fault(line, 'unsupported-version', { version: v });
  if (typeof type !== 'string') return fault(line, 'not-an-event.type', { text: excerpt(line) });

  const item = { kind: isEventType(type) ? 'event' : 'unknown', line, event: value } as Item;
  if (line.damage === 'invalid-utf8') return withFinding(item, 'invalid-utf8', { text: excerpt(line) });
  if (line.damage === 'utf-16') return withFinding(item, 'utf-16');
  return item;
}

function withFinding(item: Item, message: FindingMessage, values: Finding['values'] = {}): Item {
  return { ...item, findings: [...(item.findings ?? []), finding(item.line, message, values)] };
}

/** How many lines are remembered: two for each agent, as far as there are not too many agents. */
const MOST_REMEMBERED = 16;

/**
 * {@link parseLine} as a step, for one input. `thinking-start` and `thinking-end` are half of all lines and the same for
 * each agent, so they are parsed once: copy such an event before you change it. It saves a tenth of the CPU of `filter`
 * on long answers, a third on short ones.
 *
 * @example
 * createParser().each({ number: 1, text: '{"v":1,"type":"thinking-end"}' }, console.log); // { kind: 'event', … }
 */
export function createParser(): Step<Line, Item> {
  // By length, one of each: to hash the text of every line takes a third of what parsing takes.
  const remembered = new Map<number, { text: string; event: PalabreEvent }>();
  return {
    each(line, push) {
      const known = remembered.get(line.text.length);
      if (known?.text === line.text && !line.damage) return push({ kind: 'event', line, event: known.event });
      const item = parseLine(line);
      if (!item) return;
      const isSaidAgain = item.kind === 'event' && item.event.type.startsWith('thinking-') && !item.findings;
      if (isSaidAgain && !known && remembered.size < MOST_REMEMBERED) {
        // A copy: the text is a part of all that was read with it, which would stay in memory.
        remembered.set(line.text.length, { text: Buffer.from(line.text).toString(), event: item.event });
      }
      push(item);
    },
  };
}

/** What does not parse: nothing, text of another program, or an event that broke. */
function unparsed(line: Line): Item | undefined {
  const first = /\S/.exec(line.text)?.[0];
  if (first === undefined) return undefined;
  const values = { text: excerpt(line) };
  if (first !== '{') return { kind: 'text', line, findings: [finding(line, 'not-json', values)] };
  return fault(line, line.unterminated ? 'truncated-line' : 'not-an-event.json', values);
}

function excerpt(line: Line): string {
  return line.text.slice(0, EXCERPT);
}

function fault(line: Line, message: FindingMessage, values: Finding['values'] = {}): Item {
  return { kind: 'fault', line, findings: [finding(line, message, values)] };
}

function finding(line: Line, message: FindingMessage, values: Finding['values']): Finding {
  const code = codeOf(message);
  return { code, severity: 'error', line: line.number, path: null, message, values };
}
