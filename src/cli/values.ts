/** The words that are known for the values of options, for completion and for the warning of one that is not. */
import { EVENT_TYPES } from '../event.ts';
import { EVENT_SCHEMA, wordsOf } from '../schema/definitions.ts';
import { GROUPS } from '../steps/filter.ts';
import type { OptionSpec } from './options.ts';

type Values = Partial<Record<NonNullable<OptionSpec['value']>, readonly string[]>>;

/** By what stands for the value in the help. Other words may be right too. */
const KNOWN_VALUES = {
  TYPE: [...EVENT_TYPES, ...Object.keys(GROUPS)],
  ROLE: schemaWords('role'),
  KIND: schemaWords('errorKind'),
  PHASE: schemaWords('phase'),
  MODE: schemaWords('mode'),
  FIELD: [...new Set(EVENT_TYPES.flatMap((name) => Object.keys(EVENT_SCHEMA.$defs[name]?.properties ?? {})))],
} satisfies Values;

function schemaWords(definition: string): string[] {
  return wordsOf(EVENT_SCHEMA.$defs[definition]!)!.map(String);
}

/** The words that the value of an option may be, or is likely to be. */
export function wordsFor({ choices, value }: OptionSpec): readonly string[] {
  const known: Values = KNOWN_VALUES;
  return choices ?? (value && known[value]) ?? [];
}
