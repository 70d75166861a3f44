/** What an input without a single event looks like, so that the report can say what was piped in. */
import { type Item, isEventType } from '../event.ts';

/** A key of `labels.diagnosis`. */
export type Diagnosis = 'empty' | 'relay' | 'document' | 'spread' | 'prefixed' | 'foreign' | 'text';

/** How much of the beginning is looked at, in characters. */
const HEAD = 64 * 1024;
/** Findings that say by themselves what is wrong with an input. */
const TELLING: ReadonlySet<string> = new Set(['unsupported-version', 'line-too-long', 'invalid-field']);

/**
 * Watches the items of one input until an event comes.
 *
 * `diagnosis()` is `undefined` for an input that has events, and for one whose faults say more by themselves.
 */
export function createDiagnosis() {
  let head = '';
  let isWhole = true;
  let isTelling = false;
  let isEventful = false;
  return {
    /** Sees an item before the first event. True where it is that event: the rest need not be seen. */
    each(item: Item): boolean {
      const { kind, line } = item;
      if (kind === 'event' || (kind === 'unknown' && item.event.type !== 'relay-result')) {
        isEventful = true;
        head = '';
        return true;
      }
      isTelling ||= item.findings?.some(({ code }) => TELLING.has(code)) ?? false;
      const room = HEAD - head.length;
      isWhole &&= line.text.length < room;
      if (room > 0) head += `${line.text.slice(0, room)}\n`;
      return false;
    },
    diagnosis(): Diagnosis | undefined {
      return isEventful || isTelling ? undefined : looksLike(head.trim(), isWhole);
    },
  };
}

/**
 * What a text without an event looks like.
 *
 * @param isWhole whether this is all of the text, not its beginning alone
 */
function looksLike(text: string, isWhole: boolean): Diagnosis | undefined {
  if (text === '') return 'empty';
  if (/"type"\s*:\s*"relay-result"/.test(text)) return 'relay';
  const lines = text.split('\n');
  // The last line may be cut.
  const whole = isWhole || lines.length === 1 ? lines : lines.slice(0, -1);
  if (/^[[{]/.test(text)) {
    const [, type = ''] = /^\s*"type"\s*:\s*"([^"]+)"/m.exec(text) ?? [];
    if (lines.length > 1 && isEventType(type)) return 'spread';
    if (lines.length > 1 && whole.every(isObject)) return 'foreign';
    return isDocument(text, isWhole) ? 'document' : undefined;
  }
  return whole.some(isPrefixed) ? 'prefixed' : 'text';
}

/** One JSON document, over one line or several. */
function isDocument(text: string, isWhole: boolean): boolean {
  const [first = ''] = text.split('\n');
  return isWhole ? parsed(text) !== undefined : ['[', '{'].includes(first.trim());
}

function isObject(line: string): boolean {
  return line.trim() === '' || (/^\s*\{/.test(line) && parsed(line) !== undefined);
}

/** An event behind the name of who wrote it, as the logs of containers show it. */
function isPrefixed(line: string): boolean {
  const at = line.indexOf('{"v":1');
  return at > 0 && parsed(line.slice(at)) !== undefined;
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
