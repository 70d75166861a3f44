/** What a format pushes, as text. */
import type { EndingStep, Item } from '../../src/event.ts';
import { collect } from '../../src/stream.ts';

/** The text of an item; empty where it has none. */
export function pushed(format: EndingStep<Item, string>, item: Item): string {
  return collect<string>((push) => format.each(item, push)).join('');
}

/** The text at the end of an input. */
export function pushedAtEnd(format: EndingStep<Item, string>): string {
  return collect<string>((push) => format.end(push)).join('');
}
