/** Prints the JSON Schemas of the contract. */
import { EVENT_TYPES, isEventType } from '../event.ts';
import {
  COMMAND_NAMES,
  COMMAND_SCHEMA,
  type Definition,
  EVENT_SCHEMA,
  nameOf,
  type Schema,
} from './definitions.ts';

/**
 * The JSON Schema called `name`, pretty-printed, without a newline at its end: `event` (the default),
 * an event type, `command`, or `command TYPE`. `undefined` for another name.
 *
 * @example
 * JSON.parse(schemaText('command chat-use')).title; // 'Change the active agent'
 */
export function schemaText(name = 'event'): string | undefined {
  if (name === 'event') return print(EVENT_SCHEMA);
  if (name === 'command') return print(COMMAND_SCHEMA);
  if (isEventType(name)) return print(alone(EVENT_SCHEMA, name));
  const command = name.replace(/^command /, '');
  return command !== name && COMMAND_NAMES.includes(command)
    ? print(alone(COMMAND_SCHEMA, command))
    : undefined;
}

/** Every name that {@link schemaText} knows. */
export function schemaNames(): string[] {
  return ['event', ...EVENT_TYPES, 'command', ...COMMAND_NAMES.map((type) => `command ${type}`)];
}

function print(schema: object): string {
  return JSON.stringify(schema, null, 2);
}

/** One definition as a schema of its own, with the definitions that it refers to. */
function alone(schema: Schema, name: string): object {
  const { $defs } = schema;
  const needed = new Set<string>();
  const collect = (definition: Definition): void => {
    for (const [, $ref] of JSON.stringify(definition).matchAll(/"\$ref":"([^"]+)"/g)) {
      const other = nameOf($ref!);
      if (needed.has(other)) continue;
      needed.add(other);
      collect($defs[other]!);
    }
  };
  collect($defs[name]!);
  const definitions = Object.fromEntries(Object.entries($defs).filter(([other]) => needed.has(other)));
  return { $schema: schema.$schema, $id: `${schema.$id}:${name}`, ...$defs[name], $defs: definitions };
}
