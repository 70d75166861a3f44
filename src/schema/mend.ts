/** Repairs events with missing or wrong fields, so that they can be shown. */
import type { EventType, PalabreEvent } from '../event.ts';
import {
  type Definition,
  EVENT_SCHEMA,
  fits,
  isObject,
  requiredOf,
  resolve,
  typesOf,
} from './definitions.ts';
import { toJson } from './json.ts';

/** How many entries of a list are kept: a hostile list has millions, and mended entries take more memory. */
const MOST_ENTRIES = 10_000;

/** The replacement of a wrong value, by the expected type. */
const STAND_INS: Record<string, (wrong: unknown) => unknown> = {
  string: (wrong) => (wrong === undefined ? '' : toJson(wrong)),
  integer: () => 0,
  boolean: () => false,
};

/**
 * An event of the type that `value` names, in which every known field has its type, for formatters to show
 * a faulty event as far as it goes. Missing text is empty, other values in the place of text become their
 * JSON; wrong numbers become 0, wrong booleans false, wrong lists empty. Optional fields that are wrong are
 * left out, and so are unknown ones. Only the first 10,000 entries of a list are kept.
 *
 * @example
 * mend({ v: 1, type: 'message', turn: 'two', agent: 'codex', content: ['Yes.'] });
 * // { v: 1, type: 'message', turn: 0, agent: 'codex', role: '', content: '["Yes."]' }
 */
export function mend(value: { type: EventType; [field: string]: unknown }): PalabreEvent {
  return mended(EVENT_SCHEMA.$defs[value.type]!, value) as PalabreEvent;
}

function mended(definition: Definition, value: unknown): unknown {
  const { properties, items, const: constant } = definition;
  if (constant !== undefined) return constant;
  if (properties) {
    const fields = isObject(value) ? value : {};
    const required = requiredOf(definition, {});
    const kept = Object.entries(properties).flatMap(([name, reference]) => {
      const field = resolve(EVENT_SCHEMA, reference);
      return required.includes(name) || fits(field, fields[name])
        ? [[name, mended(field, fields[name])]]
        : [];
    });
    return Object.fromEntries(kept);
  }
  if (items) {
    const item = resolve(EVENT_SCHEMA, items);
    return Array.isArray(value) ? value.slice(0, MOST_ENTRIES).map((entry) => mended(item, entry)) : [];
  }
  if (fits(definition, value)) return value;
  const types = typesOf(definition);
  return value === undefined && types.includes('null') ? null : STAND_INS[types[0]!]!(value);
}
