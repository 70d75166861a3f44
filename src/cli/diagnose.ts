/** What an input without a single event looks like, so that a person is told what they piped in. */
import type { Item } from '../event.ts';

/** A key of `labels.diagnosis`. */
export type Diagnosis = 'empty' | 'relay' | 'document' | 'text';

/** How much of the beginning is looked at, in characters. */
const HEAD = 64 * 1024;

/**
 * Watches the items of one input until an event comes.
 *
 * `diagnosis()` is `undefined` for an input that has events, and for one whose faults say more by themselves.
 */
export function createDiagnosis() {
  let head = '';
  let whole = true;
  let texts = 0;
  let objects = 0;
  let telling = false;
  let eventful = false;
  return {
    /** Whether an event has been seen. */
    get eventful(): boolean {
      return eventful;
    },
    each(item: Item): void {
      if (eventful) return;
      if (item.kind === 'event' || (item.kind === 'unknown' && item.event.type !== 'relay-result')) {
        eventful = true;
        head = '';
        return;
      }
      if (item.kind === 'text') texts++;
      else if (item.kind === 'unknown' || item.findings[0]?.code === 'not-an-event') objects++;
      else telling = true;
      const room = HEAD - head.length;
      whole &&= item.line.text.length < room;
      if (room > 0) head += `${item.line.text.slice(0, room)}\n`;
    },
    diagnosis(): Diagnosis | undefined {
      if (eventful || telling) return undefined;
      if (texts + objects === 0) return 'empty';
      if (/"type"\s*:\s*"relay-result"/.test(head)) return 'relay';
      if (objects === 0 && !/^\s*\[/.test(head)) return 'text';
      return isDocument(head, whole) ? 'document' : undefined;
    },
  };
}

/** One JSON document: over several lines, or a list or an object that is nothing like an event. */
function isDocument(head: string, whole: boolean): boolean {
  if (!whole) return ['[', '{'].includes(head.slice(0, head.indexOf('\n')).trim());
  try {
    const value: unknown = JSON.parse(head);
    if (typeof value !== 'object' || value === null) return false;
    return head.trim().includes('\n') || !('v' in value || 'type' in value);
  } catch {
    return false;
  }
}
