/**
 * Reads the schemas at run time: what a field should have been, which words are known. The compiled checks decide
 * whether an event is valid; this knows only the keywords that the two schemas use, and a test compares its verdict
 * with theirs.
 */
import * as validators from '#validators';

/** A schema or a part of one. */
export interface Definition {
  $ref?: string;
  title?: string;
  description?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Definition[];
  minimum?: number;
  pattern?: string;
  properties?: Record<string, Definition>;
  required?: string[];
  items?: Definition;
  if?: { properties: Record<string, { enum: unknown[] }> };
  then?: { required: string[] };
}

/** A schema with the definitions of its types. */
export interface Schema {
  $schema: string;
  $id: string;
  title: string;
  description: string;
  oneOf: { $ref: string }[];
  $defs: Record<string, Definition>;
}

export const EVENT_SCHEMA = validators.EVENT_SCHEMA as Schema;
export const COMMAND_SCHEMA = validators.COMMAND_SCHEMA as Schema;

/** The types of Chat commands, as the schema names them. */
export const COMMAND_NAMES = Object.keys(validators.commandChecks);

/** The name of the definition that a `$ref` refers to. */
export function nameOf($ref: string): string {
  return $ref.slice('#/$defs/'.length);
}

/** `definition`, or the one of `schema` that it refers to; its alternatives refer to nothing. */
export function resolve(schema: Schema, definition: Definition): Definition {
  const found = definition.$ref ? schema.$defs[nameOf(definition.$ref)]! : definition;
  if (!found.anyOf?.some(({ $ref }) => $ref)) return found;
  const anyOf = found.anyOf.flatMap((one) => resolve(schema, one).anyOf ?? [resolve(schema, one)]);
  return { ...found, anyOf };
}

/** The JSON types that a resolved definition allows: `['string', 'null']`. */
export function typesOf(definition: Definition): string[] {
  return definition.anyOf?.flatMap(typesOf) ?? (definition.type ? [definition.type].flat() : []);
}

/** The fields that `value` must have; some are required only where others have certain values. */
export function requiredOf(definition: Definition, value: Record<string, unknown>): string[] {
  const { required = [], then } = definition;
  const conditions = Object.entries(definition.if?.properties ?? {});
  const applies = then && conditions.every(([name, { enum: words }]) => words.includes(value[name]));
  return applies ? [...required, ...then.required] : required;
}

/** The words that a resolved definition knows, where it is an open enumeration. */
export function wordsOf(definition: Definition): unknown[] | undefined {
  const words = definition.anyOf?.flatMap((one) => one.enum ?? []) ?? [];
  return words.length > 0 ? words : undefined;
}

/** Whether `value` is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether `value` itself is what a resolved definition asks for; its fields and entries are not looked at. */
export function fits(definition: Definition, value: unknown): boolean {
  if (definition.anyOf) return definition.anyOf.some((one) => fits(one, value));
  if (definition.enum) return definition.enum.includes(value);
  if (definition.const !== undefined) return definition.const === value;
  return typesOf(definition).some((type) => isOfType(type, definition, value));
}

function isOfType(type: string, { minimum = -Infinity, pattern }: Definition, value: unknown): boolean {
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value) && (value as number) >= minimum;
    case 'string':
      return typeof value === 'string' && (pattern === undefined || new RegExp(pattern, 'u').test(value));
    case 'null':
      return value === null;
    default:
      return typeof value === 'boolean';
  }
}
