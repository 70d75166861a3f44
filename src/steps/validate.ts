/** The shape of events and of Chat commands: whether each has the fields that the contract gives its type. */
import { commandChecks, eventChecks } from '#validators';
import { checker, checkOptions, type Expectations, flag } from '../arguments.ts';
import {
  type ChatCommand,
  codeOf,
  type EndingStep,
  type Finding,
  type FindingMessage,
  type Item,
  type Line,
} from '../event.ts';
import { checkSession, endSession, type SessionChecker } from '../protocol/checker.ts';
import {
  COMMAND_SCHEMA,
  type Definition,
  EVENT_SCHEMA,
  fits,
  isObject,
  requiredOf,
  resolve,
  type Schema,
  typesOf,
  wordsOf,
} from '../schema/definitions.ts';

/** How to check. */
export interface CheckOptions {
  /** Whether to name types, fields and words that the contract does not know, as warnings. Default: false. */
  strict?: boolean;
}

/** What a line of Chat commands became: `command` is missing where it holds no valid one. */
export interface CommandItem {
  line: Line;
  command?: ChatCommand;
  findings: readonly Finding[];
}

/** Findings of one severity on one event; a hostile one could have millions. */
const MOST_FINDINGS = 100;
/** Characters of a wrong value that are kept: more than a sentence shows of it. */
const EXCERPT = 200;

/**
 * Checks the fields of one event. An event with missing or wrong ones becomes a `fault` that keeps its value,
 * with an `invalid-field` finding for each (100 at most). What is unknown is legal; `strict` names it in
 * warnings, and the item stays what it was. Everything else passes as it is, and nothing throws.
 *
 * @example
 * const line = { number: 7, text: '{"v":1,"type":"notice"}' };
 * checkShape({ kind: 'event', line, event: JSON.parse(line.text) });
 * // { kind: 'fault', line, value: …, findings: [{ code: 'invalid-field', line: 7, path: '$.message', … }] }
 */
export function checkShape(item: Item, { strict = false }: CheckOptions = {}): Item {
  if (item.kind === 'unknown' && strict) {
    return { ...item, findings: merged(item, [unknownType(item.line, item.event.type, 'unknown-type')]) };
  }
  if (item.kind !== 'event') return item;

  const { line, event } = item;
  const valid = eventChecks[event.type](event);
  if (valid && !strict) return item;
  const found = findingsOf(EVENT_SCHEMA, line, event, strict);
  if (!valid) return { kind: 'fault', line, findings: merged(item, found), value: { ...event } };
  return found.length > 0 ? { ...item, findings: merged(item, found) } : item;
}

const VALIDATOR: Expectations<CheckOptions & { checker?: SessionChecker }> = { strict: flag, checker };

/**
 * A step that checks each item by itself and, with a `checker`, the order of events. What is missing at the end of
 * an input comes as one last fault.
 *
 * @throws TypeError for an unknown option or a wrong type
 * @example
 * const step = createValidator({ checker: createSessionChecker() });
 * for (const item of items) step.each(item, ({ findings = [] }) => console.log(findings));
 * step.end(({ findings = [] }) => console.log(findings));
 */
export function createValidator(
  options: CheckOptions & { checker?: SessionChecker | undefined } = {},
): EndingStep<Item, Item> {
  checkOptions('createValidator', VALIDATOR, options);
  const { checker } = options;
  let last = 0;
  return {
    each(item, push) {
      last = item.line.number;
      const checked = checkShape(item, options);
      push(checker ? checkSession(checker, checked) : checked);
    },
    end(push) {
      const item = checker && endSession(checker, last);
      last = 0;
      if (item) push(item);
    },
  };
}

/**
 * Checks one Chat command, as read by `parseLine`. Text, broken JSON and types that are not commands are errors
 * here; unknown fields are named with `strict`, as warnings.
 *
 * @example
 * const line = { number: 1, text: '{"v":1,"type":"chat-use","agent":"vibe"}' };
 * checkCommand({ kind: 'unknown', line, event: JSON.parse(line.text) }).command?.type; // 'chat-use'
 */
export function checkCommand(item: Item, { strict = false }: CheckOptions = {}): CommandItem {
  const { line } = item;
  if (item.kind === 'text' || item.kind === 'fault') return { line, findings: item.findings };

  const event: { type: string } = item.event;
  if (!isCommandType(event.type)) {
    return { line, findings: merged(item, [unknownType(line, event.type, 'unknown-type.command')]) };
  }
  const valid = commandChecks[event.type](event);
  const findings = merged(item, valid && !strict ? [] : findingsOf(COMMAND_SCHEMA, line, event, strict));
  return findings.some(({ severity }) => severity === 'error')
    ? { line, findings }
    : { line, command: event as ChatCommand, findings };
}

function isCommandType(type: string): type is ChatCommand['type'] {
  return Object.hasOwn(commandChecks, type);
}

/** The findings an item has, and new ones. */
function merged({ findings = [] }: Item, found: Finding[]): Finding[] {
  return [...findings, ...found];
}

function unknownType(line: Line, type: string, message: 'unknown-type' | 'unknown-type.command'): Finding {
  const severity = message === 'unknown-type' ? 'warning' : 'error';
  return { code: 'unknown-type', severity, line: line.number, path: '$.type', message, values: { type } };
}

/** All that is wrong with a value of a known type, then with `strict` all that is unknown. */
function findingsOf(schema: Schema, line: Line, value: { type: string }, strict: boolean): Finding[] {
  const { type } = value;
  const errors: Finding[] = [];
  const warnings: Finding[] = [];
  for (const { message, path, values } of flaws(schema, schema.$defs[type]!, value, '$', strict)) {
    const code = codeOf(message);
    const severity = code === 'invalid-field' ? 'error' : 'warning';
    const found = severity === 'error' ? errors : warnings;
    if (found.length === MOST_FINDINGS) continue;
    const field = path.replace(/^\$\.?/, '');
    found.push({ code, severity, line: line.number, path, message, values: { type, field, ...values } });
    if (errors.length === MOST_FINDINGS) break;
  }
  return [...errors, ...warnings];
}

interface Flaw {
  message: FindingMessage;
  path: string;
  values?: Finding['values'];
}

/** Walks through `value` along its definition. Lazy: the caller may stop at any flaw. */
function* flaws(
  schema: Schema,
  reference: Definition,
  value: unknown,
  path: string,
  strict: boolean,
): Generator<Flaw> {
  const definition = resolve(schema, reference);
  if (!fits(definition, value)) {
    yield misfit(definition, value, path);
  } else if (definition.properties && isObject(value)) {
    const { properties } = definition;
    for (const name of requiredOf(definition, value)) {
      if (!Object.hasOwn(value, name)) yield { message: 'invalid-field.missing', path: member(path, name) };
    }
    for (const name of Object.keys(value)) {
      if (Object.hasOwn(properties, name)) {
        yield* flaws(schema, properties[name]!, value[name], member(path, name), strict);
      } else if (strict) {
        yield { message: 'unknown-field', path: member(path, name) };
      }
    }
  } else if (definition.items && Array.isArray(value)) {
    for (const [index, entry] of value.entries()) {
      yield* flaws(schema, definition.items, entry, `${path}[${index}]`, strict);
    }
  } else if (strict && typeof value === 'string' && wordsOf(definition)?.includes(value) === false) {
    yield { message: 'unknown-value', path, values: { found: excerpt(value) } };
  }
}

function misfit(definition: Definition, value: unknown, path: string): Flaw {
  if (definition.pattern && typeof value === 'string') return { message: 'invalid-field.blank', path };
  const { minimum } = definition;
  return {
    message: `invalid-field.${typesOf(definition).join('-or-')}` as FindingMessage,
    path,
    values: { found: excerpt(value), ...(minimum !== undefined && { minimum }) },
  };
}

/** The JSONPath (RFC 9535) of a member: `$.agents`, `$['odd key']`. */
function member(path: string, name: string): string {
  if (/^[A-Za-z_]\w*$/.test(name)) return `${path}.${name}`;
  // A JSON string escapes what has to be escaped; only the quotes differ.
  const escaped = JSON.stringify(name).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `${path}['${escaped}']`;
}

/** A value as JSON, short. Lists and objects are not opened: they may be huge. */
function excerpt(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(value.slice(0, EXCERPT));
  }
  if (Array.isArray(value)) return value.length > 0 ? '[...]' : '[]';
  if (isObject(value)) return Object.keys(value).length > 0 ? '{...}' : '{}';
  return String(value);
}
