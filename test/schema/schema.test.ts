import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { compile } from 'json-schema-to-typescript';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EVENT_TYPES } from '../../src/event.ts';
import {
  COMMAND_NAMES,
  COMMAND_SCHEMA,
  type Definition,
  EVENT_NAMES,
  EVENT_SCHEMA,
} from '../../src/schema/definitions.ts';
import { schemaNames, schemaText } from '../../src/schema/print.ts';
import { events, FIXTURES } from '../fixtures.ts';

const schema = suite('schema');
const root = fileURLToPath(new URL('../..', import.meta.url));

// --- The schemas and the types of event.ts ---------------------------------------------------------------

/** Two types that are each other's, field names included (optional fields alone would not be noticed). */
const COMPARISON = `
type Each<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Same<A, B> = Each<A, B> extends true ? Each<keyof A, keyof B> : false;
type OfType<Union, Type> = Extract<Union, { type: Type }>;
`;

/**
 * What the compiler says to the claim that the types of `event.ts` are those of the schemas. Empty when it
 * has nothing to say.
 */
async function compare(eventSchema: object, commandSchema: object): Promise<string> {
  mkdirSync(join(root, 'dist'), { recursive: true });
  const folder = mkdtempSync(join(root, 'dist/types-'));
  try {
    const options = { additionalProperties: false, bannerComment: '', format: false };
    writeFileSync(
      join(folder, 'events.ts'),
      await compile(structuredClone(eventSchema), 'Generated', options),
    );
    writeFileSync(
      join(folder, 'commands.ts'),
      await compile(structuredClone(commandSchema), 'Generated', options),
    );
    const claims = [
      ...EVENT_NAMES.map(
        (type) => `Same<OfType<PalabreEvent, '${type}'>, OfType<GeneratedEvent, '${type}'>>`,
      ),
      ...COMMAND_NAMES.map(
        (type) => `Same<OfType<ChatCommand, '${type}'>, OfType<GeneratedCommand, '${type}'>>`,
      ),
      `Each<PalabreEvent['type'], '${EVENT_NAMES.join("' | '")}'>`,
      `Each<ChatCommand['type'], GeneratedCommand['type']>`,
    ];
    const lines = claims.map((claim, index) => `export const claim${index}: ${claim} = true;`);
    const imports = [
      `import type { ChatCommand, PalabreEvent } from '../../src/event.ts';`,
      `import type { PalabreNDJSONV1Event as GeneratedEvent } from './events.ts';`,
      `import type { PalabreChatCommand as GeneratedCommand } from './commands.ts';`,
    ];
    writeFileSync(join(folder, 'claims.ts'), [...imports, COMPARISON, ...lines].join('\n'));
    const tsconfig = {
      extends: '../../tsconfig.json',
      compilerOptions: { noUnusedLocals: false },
      include: ['*.ts'],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
    execFileSync('npx', ['tsc', '--noEmit', '--pretty', 'false', '--project', folder], {
      cwd: root,
      stdio: 'pipe',
    });
    return '';
  } catch (error) {
    const { stdout = error } = error as { stdout?: Buffer };
    return String(stdout);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

schema('the types of event.ts are those of the schemas', async () => {
  assert.is(await compare(EVENT_SCHEMA, COMMAND_SCHEMA), '');
});

schema('a schema that says something else is noticed', async () => {
  const definitions = structuredClone(EVENT_SCHEMA.$defs);
  definitions['message']!.properties!['turn'] = { type: 'string' };
  definitions['notice']!.properties!['extra'] = { type: 'string' };
  delete definitions['error']!.properties!['action'];
  definitions['agent']!.required = ['name', 'role'];
  definitions['done']!.properties!['outputPath'] = { type: 'string' };
  const commands = structuredClone(COMMAND_SCHEMA.$defs);
  commands['chat-use']!.required = ['v', 'type'];
  const said = await compare({ ...EVENT_SCHEMA, $defs: definitions }, { ...COMMAND_SCHEMA, $defs: commands });
  const failed = [...said.matchAll(/claims\.ts[:(](\d+)/g)].map(([, line]) => Number(line));
  // `start` and `dry-run` hold agents.
  const names = [...EVENT_NAMES, ...COMMAND_NAMES.map((name) => `command ${name}`)];
  const first = 3 + COMPARISON.split('\n').length;
  assert.equal(
    failed.map((line) => names[line - first - 1]),
    ['start', 'notice', 'message', 'dry-run', 'error', 'done', 'command chat-use'],
    said,
  );
});

// --- The schemas by themselves ---------------------------------------------------------------------------

schema('the schema names the types of event.ts, in their order', () => {
  assert.equal(EVENT_NAMES, [...EVENT_TYPES]);
  const unknown = EVENT_SCHEMA.$defs['unknown']!.properties!['type'] as { not?: { enum: string[] } };
  assert.equal(unknown.not?.enum, EVENT_NAMES);
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
    console.log(Object.keys(eventChecks).length, Object.keys(commandChecks).length, '__proto__' in eventChecks,
      eventChecks.notice({ v: 1, type: 'notice', message: 'é' }), eventChecks.notice({ v: 1, type: 'notice' }),
      commandChecks['chat-use']({ v: 1, type: 'chat-use', agent: ' ' }));`;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });
  assert.is(output, '20 5 false true false false\n');
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
  assert.is(schemaNames().length, 1 + 20 + 1 + 5);
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
