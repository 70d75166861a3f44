/** `dist/schema/validators.js`, which `compile.ts` writes at build time. */
import type { ChatCommand, EventType } from '../event.ts';
import type { Schema } from './definitions.ts';

/** Whether a value has the shape that the schema asks for. */
type Check = (value: unknown) => boolean;

/** By event type. Without a prototype. */
export const eventChecks: Readonly<Record<EventType, Check>>;
/** By type of Chat command. Without a prototype. */
export const commandChecks: Readonly<Record<ChatCommand['type'], Check>>;
/** The JSON Schema of events. */
export const EVENT_SCHEMA: Schema;
/** The JSON Schema of Chat commands. */
export const COMMAND_SCHEMA: Schema;
