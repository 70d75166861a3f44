/**
 * Writes what follows from the two schemas to `dist/schema`, at build time: `node --import tsx src/schema/compile.ts`.
 *
 * - `contract.js`, with its types: the types of TypeScript, and the list of event types.
 * - `validators.js`: the compiled checks, and the whole schemas, since Node 20 warns of modules that are JSON.
 *
 * Both are plain JavaScript that imports nothing: the program neither compiles a schema nor loads ajv when it runs.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { compile } from 'json-schema-to-typescript';
import commandSource from './command.schema.json' with { type: 'json' };
import type { Definition, Schema } from './definitions.ts';
import eventSource from './event.schema.json' with { type: 'json' };

const FOLDER = new URL('../../dist/schema/', import.meta.url);

const eventSchema = whole(eventSource as Source);
const commandSchema = whole(commandSource as Source);

/** A schema as it is written: its root does not name the types yet. */
type Source = Omit<Schema, 'oneOf'>;

/** The types that a schema defines: its definitions whose `type` is a constant. */
function typeNames({ $defs }: Source): string[] {
  return Object.keys($defs).filter((name) => $defs[name]?.properties?.['type']?.const);
}

/** Fills in what follows from the types: the root allows each of them, and `unknown` none of them. */
function whole({ $defs, ...head }: Source): Schema {
  const types = typeNames({ $defs, ...head });
  const { unknown } = $defs;
  const names = unknown ? [...types, 'unknown'] : types;
  const type = unknown?.properties?.['type'];
  if (type) Object.assign(unknown.properties!, { type: { type: type.type, not: { enum: types }, ...type } });
  return { ...head, oneOf: names.map((name) => ({ $ref: `#/$defs/${name}` })), $defs };
}

// --- The types of TypeScript -----------------------------------------------------------------------------

/** `chat-agents` with the ending `Event` → `ChatAgentsEvent`. */
function interfaceName(name: string, ending: string): string {
  // It holds when and where a session was started, not its events.
  if (name === 'session') return 'SessionInfo';
  return `${name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}${ending}`;
}

/**
 * The TypeScript of one schema: a union called `union`, its members, whose names end with `ending`, and the types
 * of their fields. An open enumeration becomes an `Open<…>`.
 */
function typeScript(schema: Schema, union: string, ending: string): Promise<string> {
  const types = typeNames(schema);
  const named = Object.entries(schema.$defs).map(([name, definition]) => {
    const { description, anyOf, properties } = definition;
    const title = interfaceName(name, types.includes(name) ? ending : '');
    const words = anyOf?.find((one) => one.enum)?.enum;
    if (words) return [name, { title, description, tsType: openType(words) }];
    // The version is inlined: else both schemas would declare a type of that name.
    return [name, { ...definition, title, ...(properties && { properties: withVersion(properties) }) }];
  });
  const oneOf = types.map((name) => ({ $ref: `#/$defs/${name}` }));
  const known = { ...schema, title: union, oneOf, $defs: Object.fromEntries(named) };
  return compile(known, union, { additionalProperties: false, bannerComment: '' });
}

function withVersion(properties: object): object {
  return 'v' in properties ? { ...properties, v: { const: 1 } } : properties;
}

function openType(words: unknown[]): string {
  return `Open<${words.map((word) => JSON.stringify(word)).join(' | ')}>`;
}

const OPEN = `/** The words known today, for editors to complete, or any other string. */
export type Open<Known extends string> = Known | (string & Record<never, never>);
`;

const LIST = `/** The known event types, in the order of the contract. */
export const EVENT_TYPES: readonly PalabreEvent['type'][];
`;

// --- The checks ------------------------------------------------------------------------------------------

/**
 * A schema without what never changes a verdict: annotations, and the known words of an open enumeration, which allows
 * any other string too. ajv would copy the former into the program and test the latter on every event.
 */
function decisive(schema: object): object {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if ((key === 'title' || key === 'description') && typeof value === 'string') return undefined;
    const isOpen = value?.anyOf?.some(({ type }: { type?: string }) => type === 'string');
    if (!isOpen) return value;
    const others = value.anyOf.filter(({ enum: words }: Definition) => !words);
    return others.length === 1 ? others[0] : { ...value, anyOf: others };
  });
}

/** The compiled checks of `schemas`, and for each the table `NAME` that finds the check of a type. */
function checks(schemas: Record<string, Schema>): string {
  // Checks stop at the first error: they only say yes or no. The class for draft 2020-12 would add bookkeeping for
  // keywords that the schemas do not use, so the plain one is used, without `$schema`.
  const ajv = new Ajv({
    schemas: Object.values(schemas).map(({ $schema, ...schema }) => decisive(schema)),
    allowUnionTypes: true,
    strictTypes: false, // `if` and `then` say nothing about the type, which their schema has said
    messages: false,
    code: { source: true, esm: true },
  });
  const references: Record<string, string> = {};
  const tables = Object.entries(schemas).map(([table, schema]) => {
    const entries = typeNames(schema).map((name) => {
      const check = `check${Object.keys(references).length}`;
      references[check] = `${schema.$id}#/$defs/${name}`;
      return `${JSON.stringify(name)}: ${check}`;
    });
    return `export const ${table} = { __proto__: null, ${entries.join(', ')} };\n`;
  });
  const code = standalone.default(ajv, references);
  // ajv writes `require` into a module all the same for keywords such as `maxLength`.
  if (code.includes('require(')) throw new Error('a schema uses a keyword that needs ajv at run time');
  return `${code}\n${tables.join('')}`;
}

const CHECK_TYPES = `import type { ChatCommand, PalabreEvent } from './contract.js';
/** Whether a value has the shape that the schema asks for. */
type Check = (value: unknown) => boolean;
/** By event type. Without a prototype. */
export const eventChecks: Readonly<Record<PalabreEvent['type'], Check>>;
/** By type of Chat command. Without a prototype. */
export const commandChecks: Readonly<Record<ChatCommand['type'], Check>>;
/** The JSON Schema of events. */
export const EVENT_SCHEMA: object;
/** The JSON Schema of Chat commands. */
export const COMMAND_SCHEMA: object;
`;

// --- The files -------------------------------------------------------------------------------------------

/** A module of `dist/schema` and its types. */
function write(name: string, code: string, types: string): void {
  writeFileSync(new URL(`${name}.js`, FOLDER), code);
  writeFileSync(new URL(`${name}.d.ts`, FOLDER), types);
}

mkdirSync(FOLDER, { recursive: true });
const events = await typeScript(eventSchema, 'PalabreEvent', 'Event');
const commands = await typeScript(commandSchema, 'ChatCommand', 'Command');
write(
  'contract',
  `export const EVENT_TYPES = Object.freeze(${JSON.stringify(typeNames(eventSchema))});\n`,
  [OPEN, events, commands, LIST].join('\n'),
);
write(
  'validators',
  `${checks({ eventChecks: eventSchema, commandChecks: commandSchema })}
export const EVENT_SCHEMA = ${JSON.stringify(eventSchema)};
export const COMMAND_SCHEMA = ${JSON.stringify(commandSchema)};
`,
  CHECK_TYPES,
);
