/** Chooses events. The chosen ones keep their line, so that it can be written again byte for byte. */
import {
  checkOptions,
  type Expectations,
  flag,
  listOf,
  type OneOrMore,
  type RangeLike,
  ranges,
  regexp,
  string,
  strings,
  toRange,
  within,
} from '../arguments.ts';
import {
  type ErrorKind,
  EVENT_TYPES,
  type Item,
  type PalabreEvent,
  type Phase,
  type Role,
  type Step,
  type UnknownEvent,
} from '../event.ts';
import { newSession, nextInput, observeItem } from '../protocol/observe.ts';
import { eventOf } from '../protocol/tables.ts';
import { createUnmetAgents, createUnmetNumbers, type Unmet } from '../protocol/unmet.ts';
import { toJson } from '../schema/json.ts';

/**
 * What to choose. An event must meet every condition given; the values of one condition are alternatives.
 * Nothing given, or an empty list, chooses every event.
 */
export interface FilterOptions {
  /** Event types, known or not, or groups such as `@content`; see {@link EVENT_TYPES} and {@link GROUPS}. */
  type?: OneOrMore<string>;
  /** Types or groups to leave out. */
  notType?: OneOrMore<string>;
  agent?: OneOrMore<string>;
  role?: OneOrMore<Role>;
  /** Of an `error`. */
  kind?: OneOrMore<ErrorKind>;
  /** Of an `error`. */
  phase?: OneOrMore<Phase>;
  /** The turn or the response. */
  turn?: OneOrMore<RangeLike>;
  /** The nth session of all that is read; warnings before a `start` belong to it. */
  session?: OneOrMore<RangeLike>;
  /** Looked for in `content` or `message`. */
  grep?: RegExp | undefined;
  /** Choose what all of the above would leave out. */
  invert?: boolean;
  /** A field that must be there in any case, such as `details.stderr`. */
  field?: string | undefined;
}

export const FILTER_OPTIONS: Expectations<FilterOptions> = {
  type: strings,
  notType: strings,
  agent: strings,
  role: strings,
  kind: strings,
  phase: strings,
  turn: ranges,
  session: ranges,
  grep: regexp,
  invert: flag,
  field: string,
};

type AnyEvent = PalabreEvent | UnknownEvent;
type Fields = Record<string, unknown>;

/** The names that stand for several types. */
export const GROUPS: Readonly<Record<string, (event: AnyEvent) => boolean>> = {
  '@content': (event) => typeof (event as Fields)['content'] === 'string',
  '@thinking': oneOf(known('thinking-')),
  '@debate': oneOf(['turn-start', 'message']),
  '@ask': oneOf(known('ask-')),
  '@summary': oneOf(known('summary-')),
  '@chat': ({ type }) => type.startsWith('chat-'),
  '@log': oneOf(['notice', 'warning']),
  '@session': oneOf(['start', 'dry-run', 'error', 'done']),
};

function oneOf(types: readonly string[]): (event: AnyEvent) => boolean {
  return ({ type }) => types.includes(type);
}

function known(prefix: string): string[] {
  return EVENT_TYPES.filter((type) => type.startsWith(prefix));
}

/** A step that chooses. */
export interface Choice extends Step<Item, Item> {
  end(): void;
  /** What was asked for that no event of the inputs had; undefined where no event came at all. */
  unmet(): Unmet | undefined;
}

/**
 * A step that gives the items whose event is chosen, and nothing for the others. Text and faults
 * are not events and are never chosen. Sessions are counted across inputs.
 *
 * A type that the protocol does not know is legal and used as it stands; compare with {@link EVENT_TYPES} and
 * {@link GROUPS} to find a mistyped one.
 *
 * @throws TypeError for an unknown option or a wrong type
 * @example
 * const filter = createFilter({ type: '@content', agent: 'claude' });
 * for (const item of items) filter.each(item, console.log); // everything that claude said
 */
export function createFilter(options: FilterOptions = {}): Choice {
  const { match, ...rest } = createMatcher('createFilter', options);
  return {
    ...rest,
    each(item, push) {
      if (match(item).chosen && (item.kind === 'event' || item.kind === 'unknown')) push(item);
    },
  };
}

/** The frame around what can be chosen: what opens a session, fails it and ends it. */
const FRAME: ReadonlySet<string> = new Set(['start', 'dry-run', 'error', 'done']);

/**
 * The same choice for a format that shows whole sessions: every item goes on, and what is not chosen is
 * `hidden`. The start, the errors and the end of a session stay, unless `notType` names them or `session` leaves
 * their session out; so does a line that cannot be read.
 *
 * @example
 * compose(createSelection({ agent: 'claude' }), createMarkdown(options));
 */
export function createSelection(options: FilterOptions = {}): Choice {
  const { match, ...rest } = createMatcher('createSelection', options);
  const excluded = ofType(listOf(options.notType));
  let wasLeftOut = false;

  function isShown(item: Item, { chosen, leftOut }: Match): boolean {
    if (item.kind === 'text') return false;
    const event = eventIn(item);
    if (!event) return !leftOut;
    return FRAME.has(event.type) ? !leftOut && !excluded(event) : chosen;
  }

  return {
    ...rest,
    each(item, push) {
      const found = match(item);
      let told = item;
      // That a session broke off belongs to the one before this item.
      if (item.brokeOff && wasLeftOut) {
        const { brokeOff: _, ...bare } = item;
        told = bare;
      }
      wasLeftOut = found.leftOut;
      push(isShown(item, found) ? told : { ...told, hidden: true });
    },
  };
}

/** What was decided about an item. */
interface Match {
  /** Its event meets the conditions. */
  chosen: boolean;
  /** Its session as a whole is not wanted. */
  leftOut: boolean;
}

function createMatcher(name: string, options: FilterOptions) {
  checkOptions(name, FILTER_OPTIONS, options);
  const conditions = [...fieldConditions(options)];
  const session = listOf(options.session).map(toRange);
  // It must see every event, chosen or not.
  let seen = session.length > 0 ? newSession() : undefined;
  const { invert = false } = options;
  const names = options.field?.split('.');
  const isOfSessions = session.length > 0 && conditions.length === 0;
  const turn = listOf(options.turn).map(toRange);
  const agents = createUnmetAgents(listOf(options.agent));
  const sessions = createUnmetNumbers(session);
  const turns = createUnmetNumbers(turn);
  const isNoted = names !== undefined || listOf(options.agent).length + turn.length > 0;
  let lacksField = names !== undefined;
  let any = false;

  function note(event: AnyEvent): void {
    const { agent, turn, response } = event as Fields;
    if (typeof agent === 'string') agents.see(agent);
    turns.see(turn);
    turns.see(response);
    if (lacksField && valueAt(event, names!) !== undefined) lacksField = false;
  }

  return {
    match(item: Item): Match {
      if (seen) seen = observeItem(seen, item);
      const inside = !seen || within(session, seen.number);
      const leftOut = invert ? isOfSessions && inside : !inside;
      const event = eventIn(item);
      if (!event) return { chosen: false, leftOut };
      any = true;
      if (seen) sessions.see(seen.number);
      if (isNoted) note(event);
      const holds = inside && conditions.every((condition) => condition(event));
      return { chosen: holds !== invert && (!names || valueAt(event, names) !== undefined), leftOut };
    },
    end(): void {
      if (seen) seen = nextInput(seen);
    },
    unmet(): Unmet | undefined {
      if (!any) return undefined;
      const numbers = { sessions: sessions.unmet(), turns: turns.unmet() };
      return { ...agents.unmet(), ...numbers, ...(lacksField && { field: options.field! }) };
    },
  };
}

/** What can be read of an item as an event. */
function eventIn(item: Item): AnyEvent | undefined {
  return item.kind === 'unknown' ? item.event : (eventOf(item) as AnyEvent | undefined);
}

function* fieldConditions(options: FilterOptions): Generator<(event: AnyEvent) => boolean> {
  const type = listOf(options.type);
  if (type.length > 0) yield ofType(type);
  const notType = listOf(options.notType);
  if (notType.length > 0) {
    const excluded = ofType(notType);
    yield (event) => !excluded(event);
  }
  for (const name of ['agent', 'role', 'kind', 'phase'] as const) {
    const wanted = listOf<string>(options[name]);
    if (wanted.length > 0) yield (event) => wanted.includes((event as Fields)[name] as string);
  }
  const turn = listOf(options.turn).map(toRange);
  if (turn.length > 0) {
    yield (event) => {
      const fields = event as Fields;
      return within(turn, fields['turn']) || within(turn, fields['response']);
    };
  }
  if (options.grep) {
    // With `g` or `y` a search begins where the last one ended, in another text.
    const grep = new RegExp(options.grep, options.grep.flags.replace(/[gy]/g, ''));
    yield (event) => {
      const { content, message } = event as Fields;
      return [content, message].some((text) => typeof text === 'string' && grep.test(text));
    };
  }
}

function ofType(names: readonly string[]): (event: AnyEvent) => boolean {
  const types = new Set(names);
  const groups = names.flatMap((name) => (Object.hasOwn(GROUPS, name) ? [GROUPS[name]!] : []));
  if (groups.length === 0) return ({ type }) => types.has(type);
  return (event) => types.has(event.type) || groups.some((holds) => holds(event));
}

/** What stands at `names` inside an event; `undefined` where there is nothing. The length of a list is not a field. */
function valueAt(event: AnyEvent, names: readonly string[]): unknown {
  let value: unknown = event;
  for (const name of names) {
    if (typeof value !== 'object' || value === null) return undefined;
    if (!Object.prototype.propertyIsEnumerable.call(value, name)) return undefined;
    value = (value as Fields)[name];
  }
  return value;
}

/**
 * The text of one field of an event: strings as they are, other values as JSON. `undefined` where the event
 * has no such field. Dots reach inside objects and lists: `details.stderr`, `agents.0.name`.
 *
 * @example
 * extractField({ v: 1, type: 'done', outputPath: null }, 'outputPath'); // 'null'
 */
export function extractField(event: AnyEvent, field: string): string | undefined {
  const value = valueAt(event, field.split('.'));
  return typeof value === 'string' || value === undefined ? (value as string | undefined) : toJson(value);
}
