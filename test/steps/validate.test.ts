import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventChecks } from '#validators';
import { EVENT_TYPES, type EventType, type Finding, type Item } from '../../src/event.ts';
import { fill, labelsFor } from '../../src/labels/labels.ts';
import {
  COMMAND_SCHEMA,
  type Definition,
  EVENT_SCHEMA,
  resolve,
  type Schema,
  typesOf,
} from '../../src/schema/definitions.ts';
import { type CommandItem, checkCommand, checkShape } from '../../src/steps/validate.ts';
import { BROKEN, events, FIXTURES, item, read } from '../fixtures.ts';
import { mutants } from '../protocol/mutants.ts';
import { fc } from '../random.ts';

const validate = suite('validate');

const findingsOf = (checked: Item | CommandItem): readonly Finding[] => checked.findings ?? [];
const check = (event: object, strict = false): Item => checkShape(item(JSON.stringify(event), 7), { strict });
/** Each finding as `path message`. */
const brief = (checked: Item | CommandItem): string[] =>
  findingsOf(checked).map(({ path, message }) => `${path} ${message}`);
/** The sentences, as a person reads them. */
const sentences = (checked: Item | CommandItem, language: 'en' | 'fr' = 'en'): string[] => {
  const table: Record<string, string> = labelsFor(language).findings;
  return findingsOf(checked).map(({ message, values }) => fill(table[message]!, values));
};

validate('a good event passes as the very same item', () => {
  for (const name of FIXTURES.filter((fixture) => fixture !== BROKEN)) {
    for (const [index, text] of read(name).trimEnd().split('\n').entries()) {
      const before = item(text, index + 1);
      assert.is(checkShape(before), before, `${name}:${index + 1}`);
      if (name !== 'unknown-events')
        assert.is(checkShape(before, { strict: true }), before, `${name}:${index + 1}`);
    }
  }
});

validate('every wrong or missing field of every fixture is one finding', () => {
  let count = 0;
  const types = new Set<string>();
  for (const name of FIXTURES) {
    for (const event of events(name)) {
      if (!EVENT_TYPES.includes(event['type'] as EventType)) continue;
      types.add(event['type'] as string);
      for (const { what, path, value } of mutants(event)) {
        const checked = check(value);
        const where = `${name}, ${event['type']}, ${what}`;
        assert.is(checked.kind, 'fault', where);
        const found = findingsOf(checked);
        assert.is(found.length, 1, where);
        const { code, severity, line, path: foundPath } = found[0]!;
        assert.equal(
          { code, severity, line, path: foundPath },
          { code: 'invalid-field', severity: 'error', line: 7, path },
          where,
        );
        count++;
      }
    }
  }
  assert.equal([...types].sort(), [...EVENT_TYPES].sort(), 'every type is in a fixture');
  assert.ok(count > 5000, `only ${count} mutants`);
});

validate('several wrong fields are as many findings', () => {
  const checked = check({ v: 1, type: 'message', turn: 'two', role: null, content: '' });
  assert.equal(brief(checked), [
    '$.agent invalid-field.missing',
    '$.turn invalid-field.integer',
    '$.role invalid-field.string',
  ]);
  assert.equal(sentences(checked), [
    '`message`: `agent` is missing',
    '`message`: `turn` is "two"; an integer from 1 is expected',
    '`message`: `role` is null; text is expected',
  ]);
  assert.equal(checked.kind === 'fault' && checked.value, {
    v: 1,
    type: 'message',
    turn: 'two',
    role: null,
    content: '',
  });
});

validate('turns and summary are required in Debate and Ask alone', () => {
  const start = {
    v: 1,
    type: 'start',
    topic: '',
    agents: [],
    filesCount: 0,
    session: events('ask')[0]!['session'],
  };
  const missing = ['turns', 'summaryEnabled', 'summaryAgent', 'earlyStop'].map(
    (name) => `$.${name} invalid-field.missing`,
  );
  for (const mode of ['debate', 'ask']) assert.equal(brief(check({ ...start, mode })), missing);
  for (const mode of ['chat', 'duel']) assert.equal(brief(check({ ...start, mode })), []);
  assert.equal(brief(check({ ...start, mode: 'chat', turns: 0, summaryAgent: null })), [
    '$.turns invalid-field.integer',
  ]);
});

validate('what is left open passes', () => {
  const error = { v: 1, type: 'error', phase: 'dawn', kind: 'flood', message: '' };
  for (const more of [
    {},
    { retryAfter: 0 },
    { retryAfter: 'soon' },
    { details: { exitCode: 'x', a: [null] } },
  ]) {
    assert.equal(brief(check({ ...error, ...more })), []);
  }
  for (const [more, message] of [
    [{ retryAfter: 1.5 }, '$.retryAfter invalid-field.integer-or-string'],
    [{ retryAfter: null }, '$.retryAfter invalid-field.integer-or-string'],
    [{ details: [] }, '$.details invalid-field.object'],
    [{ agent: null }, '$.agent invalid-field.string'],
  ] as const) {
    assert.equal(brief(check({ ...error, ...more })), [message]);
  }
});

validate('strict names what is unknown, as warnings, and the item stays', () => {
  const found = events('unknown-events').map((event) => {
    const before = item(JSON.stringify(event), 7);
    const after = checkShape(before, { strict: true });
    assert.is(after.kind, before.kind);
    for (const { severity } of findingsOf(after)) assert.is(severity, 'warning');
    return brief(after);
  });
  assert.equal(found, [
    [],
    ['$.type unknown-type'],
    ['$.role unknown-value', '$.budget unknown-field'],
    ['$.role unknown-value', '$.model unknown-field'],
    [],
  ]);
  assert.equal(sentences(check({ v: 1, type: 'thinking-start', agent: 'x', role: 'judge', mood: 1 }, true)), [
    '`thinking-start`: `role` is "judge", which is not a known word',
    '`thinking-start`: `mood` is not a known field',
  ]);
});

validate('strict looks at every level, but not inside details', () => {
  const agents = [{ name: 'codex', role: 'bard', age: 3 }];
  assert.equal(brief(check({ v: 1, type: 'chat-agents', agents }, true)), [
    '$.agents[0].role unknown-value',
    '$.agents[0].age unknown-field',
  ]);
  const error = {
    v: 1,
    type: 'error',
    phase: 'ask',
    kind: 'timeout',
    message: '',
    details: { new: { role: 'bard' } },
  };
  assert.equal(brief(check(error, true)), []);
});

validate('an agent that the configuration lacks is `unknown` in a dry-run, and nowhere else', () => {
  const missing = { name: 'ghost', role: 'unknown', type: 'unknown' };
  const dryRun = (agent: object) => ({ ...events('dry-run-ask')[0], agents: [agent] });
  assert.equal(brief(check(dryRun(missing), true)), []);
  assert.equal(brief(check(dryRun({ ...missing, role: 'bard', type: 'api' }), true)), [
    '$.agents[0].role unknown-value',
    '$.agents[0].type unknown-value',
  ]);
  assert.equal(sentences(check(dryRun({ ...missing, role: 5 }))), [
    '`dry-run`: `agents[0].role` is 5; text is expected',
  ]);
  assert.equal(brief(check({ ...events('ask')[0], agents: [missing] }, true)), [
    '$.agents[0].role unknown-value',
    '$.agents[0].type unknown-value',
  ]);
});

validate('errors come before the warnings of strict', () => {
  const unknown = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, 1]));
  const found = findingsOf(check({ v: 1, type: 'notice', ...unknown, message: 5 }, true));
  assert.is(found[0]!.path, '$.message');
  assert.is(found.length, 101);
});

validate('paths are JSONPath, whatever the name', () => {
  const names: [string, string][] = [
    ['odd key', "$['odd key']"],
    ["it's", "$['it\\'s']"],
    ['a"b\\c', "$['a\"b\\\\c']"],
    ['\\"', "$['\\\\\"']"],
    ['', "$['']"],
    ['0', "$['0']"],
    ['a\tb\u0001', "$['a\\tb\\u0001']"],
    ['été', "$['été']"],
    ['_x9', '$._x9'],
    ['constructor', '$.constructor'],
  ];
  for (const [name, path] of names) {
    assert.equal(brief(check({ v: 1, type: 'thinking-end', [name]: 1 }, true)), [`${path} unknown-field`]);
  }
  const own = item('{"v":1,"type":"thinking-end","__proto__":{"turn":1}}');
  assert.equal(brief(checkShape(own, { strict: true })), ['$.__proto__ unknown-field']);
});

validate('findings that an item has are kept', () => {
  const text = '{"v":1,"type":"notice","message":"\ufffd"}';
  const damaged = item(text, 7, { damage: 'invalid-utf8' });
  assert.is(checkShape(damaged), damaged);
  const wrong = checkShape(item(text.replace('message', 'massage'), 7, { damage: 'invalid-utf8' }), {
    strict: true,
  });
  assert.equal(
    findingsOf(wrong).map(({ code }) => code),
    ['invalid-utf8', 'invalid-field', 'unknown-field'],
  );
  const unknown = item('{"v":1,"type":"x"}', 7, { damage: 'invalid-utf8' });
  assert.is(checkShape(unknown), unknown);
  assert.equal(
    findingsOf(checkShape(unknown, { strict: true })).map(({ code }) => code),
    ['invalid-utf8', 'unknown-type'],
  );
});

validate('text and faults pass as they are', () => {
  for (const text of ['npm warn', '{"v":2,"type":"start"}', '{']) {
    const before = item(text);
    assert.is(checkShape(before, { strict: true }), before);
  }
});

validate('a million wrong entries are a hundred findings', () => {
  const text = `{"v":1,"type":"chat-agents","agents":[${'0,'.repeat(1e6)}0]}`;
  const found = findingsOf(checkShape(item(text)));
  assert.is(found.length, 100);
  assert.is(found[99]!.path, '$.agents[99]');
  const nested = `{"v":1,"type":"notice","message":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
  assert.equal(sentences(checkShape(item(nested))), ['`notice`: `message` is [...]; text is expected']);
});

validate('long values are quoted in short', () => {
  const [{ values }] = findingsOf(check({ v: 1, type: 'done', outputPath: { a: 1 } })) as unknown as [
    Finding,
  ];
  assert.is(values['found'], '{...}');
  const turn = 'x'.repeat(1000);
  const [long] = findingsOf(check({ v: 1, type: 'message', turn, agent: '', role: '', content: '' }));
  assert.is(long!.values['found'], `"${'x'.repeat(200)}"`);
});

validate('the findings and the compiled checks agree on any value', () => {
  const originals = FIXTURES.flatMap(events).filter(({ type }) => EVENT_TYPES.includes(type as EventType));
  const fields = (event: object) => fc.constantFrom(...Object.keys(event), 'extra');
  const broken = fc.constantFrom(...originals).chain((event) =>
    fc.array(fc.tuple(fields(event), fc.jsonValue()), { maxLength: 3 }).map((changes) => ({
      ...event,
      ...Object.fromEntries(changes),
      v: 1,
      type: event['type'],
    })),
  );
  let wrong = 0;
  fc.assert(
    fc.property(broken, (event) => {
      const valid = eventChecks[event.type as EventType](event);
      const found = findingsOf(check(event, true));
      if (!valid) wrong++;
      assert.is(
        found.some(({ severity }) => severity === 'error'),
        !valid,
      );
    }),
    { numRuns: 3000 },
  );
  assert.ok(wrong > 500, `only ${wrong} of them were wrong`);
});

validate('every sentence of a shape stands in both languages, with all its values', () => {
  const checked = [
    check({
      v: 1,
      type: 'start',
      mode: 'ask',
      topic: 1,
      agents: 1,
      filesCount: -1,
      session: 1,
      earlyStop: 1,
      summaryAgent: 1,
    }),
    check({ v: 1, type: 'error', retryAfter: null }),
    check({ v: 1, type: 'x' }, true),
    check({ v: 1, type: 'notice', message: '', x: 1 }, true),
    check({ v: 1, type: 'thinking-start', agent: '', role: 'x' }, true),
    checkCommand(item('{"v":1,"type":"chat-use","agent":" "}')),
    checkCommand(item('{"v":1,"type":"nope"}')),
  ];
  const used = new Set(checked.flatMap((one) => findingsOf(one)).map(({ message }) => message));
  for (const language of ['en', 'fr'] as const) {
    const keys = Object.keys(labelsFor(language).findings).filter((key) =>
      /^(invalid-field|unknown-)/.test(key),
    );
    assert.equal([...used].sort(), keys.sort());
    for (const sentence of checked.flatMap((one) => sentences(one, language)))
      assert.not.match(sentence, /[{}]/);
  }
  assert.is(
    sentences(checked[0]!, 'fr').find((sentence) => sentence.includes('earlyStop')),
    '`start`\u00a0: `earlyStop` vaut 1\u00a0; true ou false est attendu',
  );
});

validate('whatever type a field of the schemas has, there is a sentence for a wrong one', () => {
  let count = 0;
  const walk = (schema: Schema, reference: Definition): void => {
    const definition = resolve(schema, reference);
    for (const field of [...Object.values(definition.properties ?? {}), definition.items ?? []].flat()) {
      const key = `invalid-field.${typesOf(resolve(schema, field)).join('-or-')}`;
      const isConstant = resolve(schema, field).const !== undefined;
      if (!isConstant) assert.ok(Object.hasOwn(labelsFor('en').findings, key), key);
      count++;
      walk(schema, field);
    }
  };
  for (const schema of [EVENT_SCHEMA, COMMAND_SCHEMA])
    for (const definition of Object.values(schema.$defs)) walk(schema, definition);
  assert.ok(count > 50);
});

validate('a Chat command is told from what is none', () => {
  const command = (text: string, strict = false) => checkCommand(item(text, 7), { strict });
  for (const text of [
    '{"v":1,"type":"chat-send","content":"a\\nb"}',
    '{"v":1,"type":"chat-consult","agent":"vibe"}',
    '{"v":1,"type":"chat-use","agent":"vibe"}',
    '{"v":1,"type":"chat-agents"}',
    '{"v":1,"type":"chat-end"}',
  ]) {
    assert.equal(command(text, true), { line: { number: 7, text }, command: JSON.parse(text), findings: [] });
  }
  for (const [text, expected] of [
    ['/end', 'null not-json'],
    ['{"v":1', 'null not-an-event.json'],
    ['[]', 'null not-an-event.object'],
    ['{"v":2,"type":"chat-end"}', 'null unsupported-version'],
    ['{"v":1,"type":"chat-sing"}', '$.type unknown-type.command'],
    ['{"v":1,"type":"message","turn":"x"}', '$.type unknown-type.command'],
    ['{"v":1,"type":"__proto__"}', '$.type unknown-type.command'],
    ['{"v":1,"type":"constructor"}', '$.type unknown-type.command'],
    ['{"v":1,"type":"chat-send"}', '$.content invalid-field.missing'],
    ['{"v":1,"type":"chat-send","content":" \\n\\u00a0\\t"}', '$.content invalid-field.blank'],
    ['{"v":1,"type":"chat-use","agent":""}', '$.agent invalid-field.blank'],
    ['{"v":1,"type":"chat-use","agent":5}', '$.agent invalid-field.string'],
  ] as const) {
    const checked = command(text);
    assert.is(checked.command, undefined, text);
    assert.equal(brief(checked), [expected], text);
    assert.is(checked.findings[0]!.severity, 'error', text);
  }
  assert.is(
    checkCommand(item('{"v":1,"type":"chat-end"}', 7, { damage: 'invalid-utf8' })).command,
    undefined,
  );
});

validate('a field that a command does not know is a warning of strict', () => {
  const text = '{"v":1,"type":"chat-end","now":true}';
  assert.equal(checkCommand(item(text)).findings, []);
  const checked = checkCommand(item(text), { strict: true });
  assert.equal(brief(checked), ['$.now unknown-field']);
  assert.is(checked.findings[0]!.severity, 'warning');
  assert.is(checked.command?.type, 'chat-end');
});

validate.run();
