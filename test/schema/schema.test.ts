import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type Action,
  type Agent,
  type AgentType,
  type ChatCommand,
  type DoneEvent,
  type DryRunEvent,
  type ErrorEvent,
  type ErrorKind,
  EVENT_TYPES,
  type EventOfType,
  type MessageEvent,
  type Mode,
  type Phase,
  type Role,
  type SessionInfo,
  type ThinkingEndEvent,
} from '../../src/event.ts';
import {
  COMMAND_NAMES,
  COMMAND_SCHEMA,
  type Definition,
  EVENT_SCHEMA,
} from '../../src/schema/definitions.ts';
import { schemaNames, schemaText } from '../../src/schema/print.ts';
import { events, FIXTURES } from '../fixtures.ts';

const schema = suite('schema');
const root = fileURLToPath(new URL('../..', import.meta.url));

// --- The types of TypeScript ------------------------------------------------------------------------------

/** Two types that are each other's, field names included (optional fields alone would not be noticed). */
type Each<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Same<A, B> = Each<A, B> extends true ? Each<keyof A, keyof B> : false;

type Expect<Claim extends true> = Claim;

/** The compiler is the test here: `npm test` checks the types of this file as well. */
export type Claims = [
  Expect<
    Same<MessageEvent, { v: 1; type: 'message'; turn: number; agent: string; role: Role; content: string }>
  >,
  Expect<Same<ThinkingEndEvent, { v: 1; type: 'thinking-end' }>>,
  Expect<Same<DoneEvent, { v: 1; type: 'done'; outputPath: string | null }>>,
  Expect<
    Same<
      ErrorEvent,
      {
        v: 1;
        type: 'error';
        phase: Phase;
        kind: ErrorKind;
        message: string;
        agent?: string;
        role?: Role;
        turn?: number;
        action?: Action;
        retryAfter?: number | string;
        details?: Record<string, unknown>;
      }
    >
  >,
  Expect<Same<DryRunEvent['context'], { files: string[]; warnings: string[] }>>,
  Expect<Same<EventOfType<'chat-agents'>['agents'][number], { name: string; role: Role }>>,
  Expect<Same<Agent, { name: string; role: Role; type: AgentType }>>,
  Expect<Same<SessionInfo, { startedAt: string; localDate: string; timeZone: string; cwd: string }>>,
  Expect<Same<Mode, 'debate' | 'ask' | 'chat' | (string & Record<never, never>)>>,
  Expect<Same<Extract<ChatCommand, { content: string }>, { v: 1; type: 'chat-send'; content: string }>>,
  Expect<Same<ChatCommand['type'], 'chat-send' | 'chat-consult' | 'chat-use' | 'chat-agents' | 'chat-end'>>,
  // @ts-expect-error a claim that is wrong is noticed
  Expect<Same<DoneEvent, { v: 1; type: 'done'; outputPath: string }>>,
  // @ts-expect-error so is an optional field that is not there
  Expect<Same<DoneEvent, DoneEvent & { more?: string }>>,
];

schema('a description is what an editor shows of a type or a field', () => {
  const types = readFileSync(join(root, 'dist/schema/contract.d.ts'), 'utf8');
  assert.match(types, /\* The answer of one turn of a Debate\.\n \*\/\nexport interface MessageEvent \{/);
  assert.match(types, /\* The number of the turn, from 1\.\n {3}\*\/\n {2}turn: number;/);
});

// --- The schemas by themselves ---------------------------------------------------------------------------

schema('its root names the types in their order, and `unknown` excludes them', () => {
  const names = EVENT_SCHEMA.oneOf.map(({ $ref }) => $ref.replace('#/$defs/', ''));
  assert.equal(names, [...EVENT_TYPES, 'unknown']);
  const unknown = EVENT_SCHEMA.$defs['unknown']!.properties!['type'] as { not?: { enum: string[] } };
  assert.equal(unknown.not?.enum, [...EVENT_TYPES]);
  assert.is(EVENT_TYPES[0], 'start');
  assert.is(EVENT_TYPES.at(-1), 'done');
});

schema('every definition has a title, and every field is described', () => {
  for (const { title, description, $defs } of [EVENT_SCHEMA, COMMAND_SCHEMA]) {
    assert.ok(title && description);
    for (const [name, definition] of Object.entries($defs)) {
      assert.ok(definition.title && definition.description, name);
      for (const [field, { $ref, const: constant, description: words }] of Object.entries(
        definition.properties ?? {},
      )) {
        assert.ok($ref ?? constant ?? words, `${name}.${field}`);
      }
    }
  }
});

schema('as a whole it takes every event, unknown types and fields too, and nothing else', () => {
  const ajv = new Ajv2020({ allowUnionTypes: true, strictTypes: false });
  const isEvent = ajv.compile(EVENT_SCHEMA);
  for (const event of FIXTURES.flatMap(events)) assert.ok(isEvent(event), JSON.stringify(event));
  assert.ok(isEvent({ v: 1, type: 'later', more: true }));
  assert.ok(isEvent({ v: 1, type: 'thinking-end', more: true }));
  for (const wrong of [
    {},
    [],
    { v: 1 },
    { v: 2, type: 'later' },
    { v: 1, type: 5 },
    { v: 1, type: 'notice' },
  ]) {
    assert.not.ok(isEvent(wrong), JSON.stringify(wrong));
  }
  const isCommand = ajv.compile(COMMAND_SCHEMA);
  assert.ok(isCommand({ v: 1, type: 'chat-send', content: 'x' }));
  assert.not.ok(isCommand({ v: 1, type: 'chat-send', content: ' ' }));
  assert.not.ok(isCommand({ v: 1, type: 'later' }));
});

// --- What is compiled at build time ----------------------------------------------------------------------

schema('the compiled checks run in plain Node and need nothing', () => {
  const file = join(root, 'dist/schema/validators.js');
  assert.not.match(readFileSync(file, 'utf8'), /\brequire\b|\bimport\b/);
  const program = `
    const { eventChecks, commandChecks } = await import(${JSON.stringify(`file://${file}`)});
    console.log(Object.keys(eventChecks).join(), Object.keys(commandChecks).join(), '__proto__' in eventChecks,
      eventChecks.notice({ v: 1, type: 'notice', message: 'é' }), eventChecks.notice({ v: 1, type: 'notice' }),
      commandChecks['chat-use']({ v: 1, type: 'chat-use', agent: ' ' }));`;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });
  assert.is(output, `${EVENT_TYPES.join()} ${COMMAND_NAMES.join()} false true false false\n`);
});

// --- Printing ---------------------------------------------------------------------------------------------

const printed = (name?: string): Definition & { $schema?: string; $defs?: object } =>
  JSON.parse(schemaText(name)!);

schema('the whole schemas are printed', () => {
  assert.equal(printed(), EVENT_SCHEMA as object);
  assert.equal(printed('event'), EVENT_SCHEMA as object);
  assert.equal(printed('command'), COMMAND_SCHEMA as object);
  assert.match(schemaText()!, /^\{\n {2}"\$schema"/);
});

schema('one definition is a schema of its own, with what it refers to', () => {
  assert.equal(Object.keys(printed('start').$defs!), [
    'version',
    'agent',
    'session',
    'mode',
    'role',
    'agentType',
  ]);
  assert.equal(Object.keys(printed('thinking-end').$defs!), ['version']);
  assert.equal(printed('chat-agents').title, 'Available agents');
  assert.equal(printed('command chat-agents').title, 'List the agents');
  for (const name of schemaNames()) {
    const alone = printed(name);
    assert.is(alone.$schema, 'https://json-schema.org/draft/2020-12/schema');
    const check = new Ajv2020({ allowUnionTypes: true, strictTypes: false }).compile(alone);
    for (const event of FIXTURES.flatMap(events)) if (event['type'] === name) assert.ok(check(event), name);
    assert.not.ok(check({ v: 1 }), name);
  }
});

schema('names', () => {
  const names = schemaNames();
  assert.equal(names.slice(0, 3), ['event', 'start', 'notice']);
  assert.equal(names.slice(-7), [
    'done',
    'command',
    'command chat-send',
    'command chat-consult',
    'command chat-use',
    'command chat-agents',
    'command chat-end',
  ]);
  for (const name of names) assert.type(schemaText(name), 'string', name);
  for (const name of [
    '',
    'role',
    'agent',
    'unknown',
    'command ',
    'command message',
    'chat-send',
    '__proto__',
  ]) {
    assert.is(schemaText(name), undefined, name);
  }
});

schema.run();
