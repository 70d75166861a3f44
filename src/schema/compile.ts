/**
 * Compiles the schemas to `dist/schema/validators.js`, at build time: `node --import tsx src/schema/compile.ts`.
 *
 * The output is plain JavaScript that imports nothing, so that the program neither compiles a schema nor loads
 * ajv when it runs. The schemas themselves are in it too: Node 20 warns of modules that are JSON.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import commandSchema from './command.schema.json' with { type: 'json' };
import eventSchema from './event.schema.json' with { type: 'json' };

const tables = {
  eventChecks: { schema: eventSchema, name: 'EVENT_SCHEMA' },
  commandChecks: { schema: commandSchema, name: 'COMMAND_SCHEMA' },
};

/** The types of a schema: what its root refers to, unknown types aside. */
function typesOf(schema: { oneOf: { $ref: string }[] }): string[] {
  return schema.oneOf.map(({ $ref }) => $ref.slice('#/$defs/'.length)).filter((name) => name !== 'unknown');
}

/**
 * A schema without what decides about no value: its annotations, and the words that an open enumeration knows
 * beside any other string. ajv would copy the first into the program and try the second on every event.
 */
function decisive(schema: object): object {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if ((key === 'title' || key === 'description') && typeof value === 'string') return undefined;
    const isOpen = value?.anyOf?.some(({ type }: { type?: string }) => type === 'string');
    if (!isOpen) return value;
    const others = value.anyOf.filter(({ enum: words }: { enum?: unknown[] }) => !words?.every(isString));
    return others.length === 1 ? others[0] : { ...value, anyOf: others };
  });
}

function isString(value: unknown): boolean {
  return typeof value === 'string';
}

// Checks stop at the first fault: they only say yes or no. The class for 2020-12 would add the bookkeeping of
// keywords that are not used here, so the plain one is taken, and not told which draft it is.
const ajv = new Ajv({
  schemas: [eventSchema, commandSchema].map(({ $schema, ...schema }) => decisive(schema)),
  allowUnionTypes: true,
  strictTypes: false, // `if` and `then` say nothing about the type, which their schema has said
  messages: false,
  code: { source: true, esm: true },
});

const references: Record<string, string> = {};
const exports: string[] = [];
for (const [table, { schema, name }] of Object.entries(tables)) {
  exports.push(`export const ${name} = ${JSON.stringify(schema)};\n`);
  const entries = typesOf(schema).map((name) => {
    const check = `check${Object.keys(references).length}`;
    references[check] = `${schema.$id}#/$defs/${name}`;
    return `${JSON.stringify(name)}: ${check}`;
  });
  exports.push(`export const ${table} = { __proto__: null, ${entries.join(', ')} };\n`);
}

const code = standalone.default(ajv, references);
// ajv writes `require` into a module all the same for keywords such as `maxLength`.
if (code.includes('require(')) throw new Error('a schema uses a keyword that needs ajv at run time');

const folder = new URL('../../dist/schema/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('validators.js', folder), `${code}\n${exports.join('')}`);
