import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EVENT_TYPES, type EventType } from '../../src/event.ts';
import { mend } from '../../src/schema/mend.ts';
import { events, FIXTURES } from '../fixtures.ts';
import { mutants } from '../protocol/mutants.ts';

const mended = suite('mend');

type Value = Parameters<typeof mend>[0];

mended('the stand-ins, field by field', () => {
  assert.equal(mend({ v: 1, type: 'message', turn: 'two', agent: 'codex', content: ['Yes.', { a: null }] }), {
    v: 1,
    type: 'message',
    turn: 0,
    agent: 'codex',
    role: '',
    content: '["Yes.",{"a":null}]',
  });
  assert.equal(
    mend({ v: 1, type: 'chat-agents', agents: [{ name: 'vibe' }, 'codex', null, { name: 5, role: 'x' }] }),
    {
      v: 1,
      type: 'chat-agents',
      agents: [
        { name: 'vibe', role: '' },
        { name: '', role: '' },
        { name: '', role: '' },
        { name: '5', role: 'x' },
      ],
    },
  );
  assert.equal(mend({ v: 1, type: 'done' }), { v: 1, type: 'done', outputPath: null });
  assert.equal(mend({ v: 1, type: 'done', outputPath: { a: 1 } }), {
    v: 1,
    type: 'done',
    outputPath: '{"a":1}',
  });
});

mended('optional fields that are wrong are left out, right ones stay', () => {
  const wrong = { agent: null, role: 5, turn: '1', action: {}, retryAfter: -1, details: 'x', extra: 1 };
  const bare = { v: 1, type: 'error', phase: '', kind: 'null', message: '' } as const;
  assert.equal(mend({ v: 1, type: 'error', kind: null, ...wrong }), bare);
  const right = { agent: 'vibe', turn: 2, retryAfter: '17:30', details: { a: [1] } };
  assert.equal(mend({ v: 1, type: 'error', kind: null, ...right }), { ...bare, ...right });
  const start = mend({ v: 1, type: 'start', mode: 'debate', turns: 'x', earlyStop: true });
  assert.equal(start, {
    v: 1,
    type: 'start',
    mode: 'debate',
    topic: '',
    agents: [],
    filesCount: 0,
    session: { startedAt: '', localDate: '', timeZone: '', cwd: '' },
    earlyStop: true,
  });
});

mended('an event of any type can be made of nothing', () => {
  for (const type of EVENT_TYPES) assert.is(mend({ type }).type, type);
  assert.equal(mend({ type: 'dry-run', summary: [], limits: null }), {
    v: 1,
    type: 'dry-run',
    configPath: '',
    configTrusted: false,
    mode: '',
    agents: [],
    summary: { enabled: false, agent: null },
    context: { files: [], warnings: [] },
    limits: { turns: 0, requestedResponses: 0 },
    outputDir: '',
  });
});

mended('a right event stays as it is, without what is unknown', () => {
  for (const name of FIXTURES) {
    for (const event of events(name)) {
      if (!EVENT_TYPES.includes(event['type'] as EventType)) continue;
      const { budget, model, ...known } = event;
      assert.equal(mend(event as Value), known);
    }
  }
});

/** What formatters rely on: the JSON kind of every field. */
function kinds(value: unknown): unknown {
  if (Array.isArray(value)) return 'list';
  if (typeof value !== 'object' || value === null) return value === null ? 'string' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, kinds(field)]));
}

mended('whatever is wrong, each field has its type again', () => {
  const optional = new Set(['turns', 'summaryEnabled', 'summaryAgent', 'earlyStop']);
  for (const event of FIXTURES.flatMap(events)) {
    if (!EVENT_TYPES.includes(event['type'] as EventType)) continue;
    const { budget, model, details, ...known } = event;
    const right = kinds(known) as Record<string, unknown>;
    for (const { what, value } of mutants(event)) {
      const { details: shown, ...rest } = mend(value as Value) as unknown as Record<string, unknown>;
      const found = kinds(rest) as Record<string, unknown>;
      for (const key of Object.keys(right)) {
        if (!(key in found) && (event['type'] === 'error' || optional.has(key))) continue;
        // A time to wait is text or a number.
        if (key === 'retryAfter') continue;
        assert.equal(found[key], right[key], `${event['type']}, ${what}`);
      }
    }
  }
});

mended('hostile values are bounded', () => {
  const agents = new Array(1e6).fill(0);
  assert.is((mend({ type: 'chat-agents', agents }) as { agents: unknown[] }).agents.length, 10_000);
});

mended('JSON in the place of text is whole, however deep', () => {
  const text = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const { message } = mend({ type: 'notice', message: JSON.parse(text) }) as { message: string };
  // Compared here, since a report of the difference would take minutes.
  assert.ok(message === text);
});

mended.run();
