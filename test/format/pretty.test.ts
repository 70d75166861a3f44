import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  EVENT_TYPES,
  type EventOfType,
  type EventType,
  type Finding,
  type FindingMessage,
  type Item,
  type Line,
  type PalabreEvent,
} from '../../src/event.ts';
import { createPretty, type PrettyOptions } from '../../src/format/pretty.ts';
import { type Language, labelsFor } from '../../src/labels/labels.ts';
import { createSessionChecker, endSession } from '../../src/protocol/checker.ts';
import { parseLine } from '../../src/steps/parse.ts';
import { renderMarkdown } from '../../src/terminal/markdown.ts';
import { type ColorLevel, createStyle } from '../../src/terminal/style.ts';
import { cells } from '../../src/terminal/width.ts';
import { fc } from '../random.ts';
import { ATTACKS, leaks, ORDINARY } from '../safe/attacks.ts';
import { pushed, pushedAtEnd } from './push.ts';

const INPUT = new URL('../fixtures/input/', import.meta.url);
const GOLDEN = new URL('../fixtures/pretty/', import.meta.url);
const FIXTURES = readdirSync(INPUT).filter((name) => name.endsWith('.ndjson'));

interface Look extends Partial<Omit<PrettyOptions, 'style' | 'labels' | 'language'>> {
  language?: Language;
  level?: ColorLevel;
  ascii?: boolean;
}

function create({ language = 'en', level = 0, ascii = false, ...rest }: Look = {}) {
  const style = createStyle({ level, ascii });
  return createPretty({ width: 0, ...rest, style, language, labels: labelsFor(language, ascii) });
}

function fault(
  code: Finding['code'],
  message: FindingMessage = code as FindingMessage,
  values: Finding['values'] = {},
): Finding {
  return { code, severity: 'error', line: 7, path: null, message, values };
}

/** The items of a fixture, as the pipe gives them: an open session ends with a mark. */
function itemsOf(name: string): Item[] {
  const text = readFileSync(new URL(name, INPUT), 'utf8');
  const lines = text.split('\n');
  const last = lines.pop()!;
  const read: Line[] = lines.map((line, index) => ({ number: index + 1, text: line }));
  if (last !== '') read.push({ number: lines.length + 1, text: last, unterminated: true });
  const items = read.flatMap((line) => parseLine(line) ?? []);
  const checker = createSessionChecker();
  for (const each of items) checker.each(each);
  const end = endSession(checker, read.length);
  return end ? [...items, end] : items;
}

function render(items: readonly Item[], look: Look = {}): string {
  const pretty = create(look);
  return items.map((item) => pushed(pretty, item)).join('') + pushedAtEnd(pretty);
}

function item(event: PalabreEvent, findings?: Finding[]): Item {
  const line = { number: 7, text: JSON.stringify(event) };
  return { kind: 'event', line, event, ...(findings && { findings }) };
}

function show(events: readonly PalabreEvent[], look: Look = {}): string {
  return render(
    events.map((event) => item(event)),
    look,
  );
}

/** One plain event of each type. */
const SAMPLES: { [Type in EventType]: EventOfType<Type> } = {
  start: {
    v: 1,
    type: 'start',
    mode: 'debate',
    topic: 'Paper or plastic?',
    turns: 2,
    agents: [
      { name: 'codex', role: 'implementer', type: 'cli' },
      { name: 'claude', role: 'reviewer', type: 'cli' },
    ],
    summaryEnabled: true,
    summaryAgent: 'claude',
    earlyStop: false,
    filesCount: 3,
    session: {
      startedAt: '2026-03-01T12:00:00.000Z',
      localDate: '2026-03-01',
      timeZone: 'Europe/Paris',
      cwd: '/home/user/bags',
    },
  },
  notice: { v: 1, type: 'notice', message: 'They agree.' },
  warning: { v: 1, type: 'warning', message: 'No such folder: attic' },
  'turn-start': { v: 1, type: 'turn-start', turn: 1, totalTurns: 2, agent: 'codex', role: 'implementer' },
  'ask-response-start': {
    v: 1,
    type: 'ask-response-start',
    response: 1,
    totalResponses: 3,
    agent: 'codex',
    role: 'implementer',
  },
  'thinking-start': { v: 1, type: 'thinking-start', agent: 'codex', role: 'implementer' },
  'thinking-end': { v: 1, type: 'thinking-end' },
  message: { v: 1, type: 'message', turn: 1, agent: 'codex', role: 'implementer', content: 'Paper.' },
  'ask-response': {
    v: 1,
    type: 'ask-response',
    response: 1,
    agent: 'codex',
    role: 'implementer',
    content: 'Paper.',
  },
  'summary-start': { v: 1, type: 'summary-start', agent: 'claude', role: 'summarizer' },
  'summary-message': {
    v: 1,
    type: 'summary-message',
    agent: 'claude',
    role: 'summarizer',
    content: 'Paper it is.',
  },
  'chat-agents': { v: 1, type: 'chat-agents', agents: [{ name: 'codex', role: 'implementer' }] },
  'chat-user-message': {
    v: 1,
    type: 'chat-user-message',
    agent: 'user',
    role: 'architect',
    content: 'Well?',
    createdAt: '2026-03-01T12:00:05.000Z',
  },
  'chat-message': {
    v: 1,
    type: 'chat-message',
    agent: 'codex',
    role: 'implementer',
    content: 'Paper.',
    createdAt: '2026-03-01T12:01:30.000Z',
  },
  'chat-consultation-start': { v: 1, type: 'chat-consultation-start', agent: 'vibe', role: 'critic' },
  'chat-consultation': {
    v: 1,
    type: 'chat-consultation',
    agent: 'vibe',
    role: 'critic',
    content: 'Plastic.',
    createdAt: '2026-03-01T12:02:00.000Z',
  },
  'chat-agent-changed': { v: 1, type: 'chat-agent-changed', agent: 'claude', role: 'reviewer' },
  'dry-run': {
    v: 1,
    type: 'dry-run',
    configPath: '/home/user/palabre.json',
    configTrusted: false,
    mode: 'debate',
    agents: [{ name: 'codex', role: 'implementer', type: 'cli' }],
    summary: { enabled: true, agent: 'codex' },
    context: { files: ['a.ts', 'b.ts'], warnings: ['Too large: c.bin'] },
    limits: { turns: 4, requestedResponses: 4 },
    outputDir: '/home/user/bags/.palabre',
  },
  error: {
    v: 1,
    type: 'error',
    phase: 'debate',
    kind: 'usage-limit',
    message: 'codex hit a limit',
    agent: 'codex',
    role: 'implementer',
    turn: 2,
    action: 'send',
    retryAfter: 'soon',
    details: { exitCode: 3, stderr: 'limit\nreached' },
  },
  done: { v: 1, type: 'done', outputPath: '/home/user/bags/.palabre/paper.debate.md' },
};
const ALL = EVENT_TYPES.map((type): PalabreEvent => SAMPLES[type]);

function sample<Type extends EventType>(
  type: Type,
  fields: Partial<EventOfType<Type>> = {},
): EventOfType<Type> {
  return { ...(SAMPLES[type] as EventOfType<Type>), ...fields };
}

const chat = sample('start', { mode: 'chat', topic: '' });
delete chat.turns;
delete chat.summaryEnabled;
delete chat.summaryAgent;
delete chat.earlyStop;

const golden = suite('pretty: whole sessions');

const LOOKS: Record<string, Look> = {
  plain: {},
  color: { level: 3 },
  40: { width: 40 },
  20: { width: 20 },
  ascii: { ascii: true },
  compact: { compact: true, verbose: true },
  french: { language: 'fr' },
  verbose: { verbose: true },
  rendered: {
    level: 2,
    width: 80,
    render: (content, width) => renderMarkdown(content, { width, style: createStyle({ level: 2 }) }),
  },
};

const NAMES = FIXTURES.map((name) => name.replace('.ndjson', ''));
const GOLDENS: Record<string, readonly string[]> = {
  plain: NAMES,
  color: NAMES,
  40: NAMES,
  20: ['debate-crash'],
  ascii: NAMES,
  compact: NAMES,
  french: NAMES,
  verbose: ['unknown-events'],
  rendered: ['sample', 'table'],
};

for (const [look, names] of Object.entries(GOLDENS)) {
  for (const name of names) {
    golden(`${name}, ${look}`, () => {
      const actual = render(itemsOf(`${name}.ndjson`), LOOKS[look]).replaceAll('\x1b', '␛');
      const file = new URL(`${name}.${look}.txt`, GOLDEN);
      // Read every line of a new file before it is kept.
      if (process.env['UPDATE_GOLDENS'] && (process.env['UPDATE_GOLDENS'] === 'all' || !existsSync(file))) {
        writeFileSync(file, actual);
      }
      assert.is(actual, readFileSync(file, 'utf8'));
    });
  }
}

golden('colour and ASCII change how a line looks, and no word of it', () => {
  // The program's own characters; what stands in a content is not ours to change.
  const words = (text: string) =>
    text
      // Three dots take more room than one sign, so a quote is cut earlier.
      .replace(/[\w"]*(…|\.\.\.)$/gm, '')
      .replace(/[^\p{L}\p{N}\s]/gu, '')
      .replace(/ +/g, ' ')
      .replace(/^ | $/gm, '');
  for (const name of FIXTURES) {
    const plain = render(itemsOf(name));
    assert.is(uncolored(render(itemsOf(name), { level: 3 })), plain, name);
    // `o` stands for a circle there, and `x` for a cross.
    const ascii = render(itemsOf(name), { ascii: true }).replace(/^[ox] /gm, '');
    assert.is(words(ascii), words(plain), name);
  }
});

golden('every line of every content comes out, behind the gutter', () => {
  for (const name of FIXTURES) {
    const lines = render(itemsOf(name)).split('\n');
    let at = 0;
    let found = 0;
    for (const { kind, ...rest } of itemsOf(name)) {
      const { event } = rest as { event?: { content?: string } };
      if (kind !== 'event' || event?.content === undefined) continue;
      for (const line of event.content.split('\n')) {
        const expected = line === '' ? '│' : `│ ${line}`;
        at = lines.indexOf(expected, at) + 1;
        assert.ok(at > 0, `${name}: ${line}`);
        found++;
      }
    }
    if (/debate-summary|chat-export/.test(name)) assert.ok(found > 5, name);
  }
});

golden('no line but one of our own marks begins at column 0, none ends in a blank', () => {
  for (const [look, options] of Object.entries(LOOKS)) {
    if (look === 'compact') continue;
    for (const name of FIXTURES) {
      for (const line of uncolored(render(itemsOf(name), options)).split('\n')) {
        assert.match(line, /^(?:$|[│─●○✓✗▲·›→|*ox+!>-])/, `${name}, ${look}`);
        // The background of code is filled up, as wide as its rules.
        if (look !== 'rendered') assert.not.match(line, /[^ ] +$/, `${name}, ${look}`);
      }
    }
  }
});

golden('two sessions are told apart', () => {
  const lines = render(itemsOf('two-sessions.ndjson')).split('\n');
  const rules = lines.filter((line) => line.startsWith('──'));
  assert.is(rules.length, 2);
  assert.is(lines[lines.indexOf(rules[1]!) - 1], '');
});

golden.run();

const blocks = suite('pretty: blocks');

blocks('who is at work is shown once, and the answer follows', () => {
  assert.is(
    show([SAMPLES['turn-start'], SAMPLES['thinking-start'], SAMPLES['thinking-end'], SAMPLES.message]),
    '● 1/2 codex (implementer)\n│ Paper.\n',
  );
});

blocks('what comes before an answer stands above it', () => {
  assert.is(
    show([SAMPLES['turn-start'], SAMPLES.notice, SAMPLES.message]),
    '· They agree.\n\n● 1/2 codex (implementer)\n│ Paper.\n',
  );
});

blocks('whoever was asked and does not answer is named, once', () => {
  const header = '● 1/2 codex (implementer)\n';
  const ends: [PalabreEvent[], string][] = [
    // At the end of the input.
    [[], ''],
    [[SAMPLES.notice], '· They agree.\n\n'],
    [[SAMPLES['summary-start'], SAMPLES['summary-message']], ''],
    [[sample('turn-start', { turn: 2 }), sample('message', { turn: 2 })], ''],
    [[SAMPLES.done], ''],
    [[sample('error', { kind: 'cancelled', agent: 'claude' }), SAMPLES.done], ''],
  ];
  const nobody = sample('error', { kind: 'timeout' });
  delete nobody.agent;
  ends.push([[nobody, SAMPLES.done], '']);
  for (const [events, before] of ends) {
    const text = show([SAMPLES['turn-start'], ...events]);
    assert.is(text.split(header).length, 2, text);
    assert.ok(text.startsWith(before + header), text);
  }
  // The error names them.
  const text = show([SAMPLES['turn-start'], SAMPLES.error, SAMPLES.done]);
  assert.not.match(text, /●/);
  assert.match(text, /│ Agent +codex \(implementer\)\n│ During +debate, /);
});

blocks('whoever was asked when the stream breaks off is named above its end', () => {
  const end: Item = {
    kind: 'fault',
    line: { number: 7, text: '' },
    findings: [fault('missing-done')],
    brokeOff: true,
  };
  const text = render([item(SAMPLES.start), item(SAMPLES['turn-start']), end]);
  assert.match(text, /\n\n● 1\/2 codex \(implementer\)\n\n▲ The stream ends here[^\n]*\n$/);
  const asked = [chat, SAMPLES['chat-user-message'], SAMPLES['thinking-start']].map((event) => item(event));
  assert.match(render([...asked, end]), /│ Well\?\n\n● codex \(implementer\)\n\n▲ The stream/);
});

blocks('of those who are not to be shown nobody is named', () => {
  const hidden = (event: PalabreEvent): Item => ({ ...item(event), hidden: true });
  assert.is(render([hidden(SAMPLES['turn-start'])]), '');
  const question = hidden(SAMPLES['chat-user-message']);
  assert.is(render([question, hidden(SAMPLES['thinking-start'])]), '');
  // What a person typed on the same terminal is hidden; whoever thinks about it is not.
  assert.is(render([question, item(SAMPLES['thinking-start'])]), '● codex (implementer)\n');
});

blocks('a summary looks like the result of the session', () => {
  const events = [SAMPLES['summary-start'], SAMPLES['summary-message']];
  assert.is(show(events), `── Summary · claude ${'─'.repeat(52)}\n│ Paper it is.\n`);
  assert.is(show(events, { width: 24 }), '── Summary · claude ────\n│ Paper it is.\n');
  assert.is(show(events, { width: 12 }), '── Summary ·\n│  claude\n│ Paper it\n│ is.\n');
});

blocks('an answer by another than the one at work has its own header', () => {
  assert.is(
    show([SAMPLES['turn-start'], sample('message', { agent: 'vibe', role: 'critic' })]),
    '● 1/2 codex (implementer)\n\n● 1/2 vibe (critic)\n│ Paper.\n',
  );
});

blocks('the total of the last start counts, else that of the session', () => {
  assert.is(show([SAMPLES.message]), '● 1 codex (implementer)\n│ Paper.\n');
  assert.match(show([SAMPLES.start, SAMPLES.message]), /^● 1\/2 codex/m);
  assert.match(
    show([SAMPLES.start, sample('turn-start', { totalTurns: 9 }), SAMPLES.message]),
    /^● 1\/9 codex/m,
  );
  // The turns of an Ask mean nothing: everyone answers once.
  assert.match(show([sample('start', { mode: 'ask', turns: 8 }), SAMPLES['ask-response']]), /^● 1\/2 codex/m);
});

blocks('Chat: the one who thinks is named, a person has no role', () => {
  const text = show([chat, SAMPLES['chat-user-message'], SAMPLES['thinking-start'], SAMPLES['chat-message']]);
  assert.match(text, /\n● user\n│ Well\?\n\n● codex \(implementer\)\n│ Paper\.\n$/);
  // Outside of Chat the header stands already.
  assert.is(show([SAMPLES['thinking-start']]), '');
  const consulted = [
    SAMPLES['chat-consultation-start'],
    SAMPLES['thinking-start'],
    SAMPLES['chat-consultation'],
  ];
  assert.match(show([chat, ...consulted]), /\n○ Opinion · vibe \(critic\)\n│ Plastic\.\n$/);
});

blocks('notes stand close to each other, blocks apart', () => {
  assert.is(
    show([
      SAMPLES.notice,
      SAMPLES.warning,
      SAMPLES['chat-agent-changed'],
      SAMPLES['chat-agents'],
      SAMPLES.message,
    ]),
    '· They agree.\n▲ No such folder: attic\n→ from here on, claude (reviewer) answers\n' +
      '· Agents: codex (implementer)\n\n● 1 codex (implementer)\n│ Paper.\n',
  );
});

blocks('a notice of several lines keeps them behind the gutter', () => {
  assert.is(show([sample('notice', { message: 'one\n● two\n' })]), '· one\n│ ● two\n');
});

blocks('the header leaves out what is not there', () => {
  const bare = { ...chat, agents: [], filesCount: 0, session: { ...chat.session, timeZone: '', cwd: '' } };
  assert.is(show([bare]), `── Chat ${'─'.repeat(64)}\n│ Date  2026-03-01\n`);
  const silent = { ...bare, session: { ...bare.session, localDate: '' } };
  assert.is(show([silent]), `── Chat ${'─'.repeat(64)}\n`);
});

blocks('the header says everything', () => {
  assert.is(
    show([sample('start', { topic: 'One\ntwo\n', earlyStop: true, summaryAgent: null })]),
    `── Debate ${'─'.repeat(62)}
│ One
│ two
│
│ Agents   codex (implementer), claude (reviewer)
│ Turns    2, fewer when they agree early
│ Summary  yes
│ Files    3
│ Date     2026-03-01 (Europe/Paris)
│ Folder   /home/user/bags
`,
  );
});

blocks('words that this version does not know are shown as they are', () => {
  const text = show([
    sample('start', { mode: 'duel' }),
    sample('turn-start', { role: 'constructor' }),
    sample('message', { role: 'constructor' }),
    sample('error', { kind: 'hasOwnProperty', phase: 'encore', action: 'toString' }),
  ]);
  assert.match(text, /^── duel ─/m);
  assert.match(text, /^● 1\/2 codex \(constructor\)$/m);
  assert.match(text, /^✗ Error: hasOwnProperty$/m);
  assert.match(text, /^│ During +encore, toString$/m);
});

blocks('without a name or a role nothing is made up', () => {
  const text = show([sample('message', { agent: '', role: '', turn: 0 })]);
  assert.is(text, '● ?\n│ Paper.\n');
});

blocks('an empty answer has a gutter all the same', () => {
  assert.is(show([sample('message', { content: '' })]), '● 1 codex (implementer)\n│\n');
});

blocks('CRLF in content is LF, trailing blank lines are dropped', () => {
  assert.is(
    show([sample('message', { content: '\r\na\r\n\r\nb\n\n' })]),
    '● 1 codex (implementer)\n│\n│ a\n│\n│ b\n',
  );
});

blocks('agents’ Markdown is rendered where a renderer is given, what a person typed is not', () => {
  const asked: [string, number][] = [];
  const options: Look = {
    width: 30,
    render(content, width) {
      asked.push([content, width]);
      return ['<1>', '', '<2>'];
    },
  };
  assert.is(show([SAMPLES.message], options), '● 1 codex (implementer)\n│ <1>\n│\n│ <2>\n');
  assert.equal(asked, [['Paper.', 28]]);
  assert.is(show([SAMPLES['chat-user-message']], options), '● user\n│ Well?\n');
  assert.is(asked.length, 1);
});

blocks('a faulty event of a known type is shown as far as it goes', () => {
  const line = { number: 7, text: '' };
  const findings = [fault('invalid-field', 'invalid-field.missing', { type: 'message', field: 'turn' })];
  const value = { type: 'message' as const, agent: 'codex', content: ['a'] };
  assert.is(render([{ kind: 'fault', line, findings, value }]), '● codex\n│ ["a"]\n');
  for (const type of EVENT_TYPES) render([{ kind: 'fault', line, findings: [], value: { type } }]);
});

blocks('the styles of an agent stay over several inputs, everything else begins anew', () => {
  const pretty = create({ level: 3 });
  const color = (text: string) => /\x1b\[38;5;\d+m/.exec(text)?.[0];
  const first = color(pushed(pretty, item(SAMPLES.message)));
  const other = color(pushed(pretty, item(sample('message', { agent: 'claude' }))));
  assert.is(pushedAtEnd(pretty), '');
  const text = pushed(pretty, item(sample('message', { agent: 'claude' })));
  assert.is(color(text), other);
  assert.is.not(first, other);
  // No total is known any more.
  assert.match(uncolored(text), /^\n● 1 claude/);
});

blocks('colour sets names and counters off, and can be taken away again', () => {
  const plain = show(ALL);
  const colored = show(ALL, { level: 3 });
  assert.is(uncolored(colored), plain);
  // The whole line of a speaker, so that it outweighs a heading in the answer.
  const [line] = show([SAMPLES['turn-start'], SAMPLES.message], { level: 3 }).split('\n');
  assert.match(line!, / \x1b\[48;5;32m\S*m1\/2 codex \(implementer\)\x1b/);
});

blocks.run();

const errors = suite('pretty: errors');

function errorLines(
  fields: Partial<EventOfType<'error'>>,
  language: Language = 'en',
  before: PalabreEvent[] = [],
): string[] {
  const event = { v: 1, type: 'error', phase: 'debate', kind: 'timeout', message: 'm', ...fields } as const;
  return show([...before, event], { language })
    .split('\n')
    .slice(before.length > 0 ? show(before, { language }).split('\n').length : 0);
}

errors('kind, message, agent and place', () => {
  assert.equal(errorLines({ message: 'one\ntwo', agent: 'vibe', role: 'critic', turn: 2 }), [
    '✗ Error: no answer in time · timeout',
    '│ one',
    '│ two',
    '│',
    '│ Agent   vibe (critic)',
    '│ During  debate, turn 2',
    '│ Advice  raise timeoutMs in the configuration, or ask for less at once',
    '',
  ]);
  const places: [Partial<EventOfType<'error'>>, string, string][] = [
    [{ phase: 'debate' }, 'debate', 'débat'],
    [{ phase: 'ask', turn: 2 }, 'Ask, answer 2', 'Ask, réponse 2'],
    // The summary is no turn, though its number may say so.
    [{ phase: 'summary', turn: 3 }, 'summary', 'synthèse'],
    [{ phase: 'chat', action: 'send' }, 'Chat, sending a message', 'Chat, envoi d’un message'],
    [{ phase: 'chat', action: 'consult' }, 'Chat, asking for an opinion', 'Chat, demande d’avis'],
    [{ phase: 'chat', action: 'end' }, 'Chat, ending the conversation', 'Chat, fin de la conversation'],
  ];
  for (const [fields, en, fr] of places) {
    assert.ok(errorLines(fields).includes(`│ During  ${en}`), en);
    assert.ok(errorLines(fields, 'fr').includes(`│ Pendant  ${fr}`), fr);
  }
});

errors('a cancellation is no failure of anyone', () => {
  assert.equal(errorLines({ kind: 'cancelled', message: 'by the user', phase: 'chat' }), [
    '▲ Cancelled',
    '│ by the user',
    '│',
    '│ During  Chat',
    '',
  ]);
});

errors('when to try again, in words', () => {
  const table: [number | string, string, string][] = [
    [2700, 'in 45 minutes', 'dans 45 minutes'],
    [1, 'in 1 second', 'dans 1 seconde'],
    [90, 'in 1 minute 30 seconds', 'dans 1 minute 30 secondes'],
    [3600, 'in 1 hour', 'dans 1 heure'],
    [7265, 'in 2 hours 1 minute', 'dans 2 heures 1 minute'],
    [86_405, 'in 1 day', 'dans 1 jour'],
    [266_400, 'in 3 days 2 hours', 'dans 3 jours 2 heures'],
    [0, 'now', 'maintenant'],
    [1e308, '1e+308', '1e+308'],
    ['17:30', 'at 17:30', 'à 17:30'],
    ['2026-03-01T17:45:00Z', 'on 2026-03-01 at 17:45 (UTC)', 'le 2026-03-01 à 17:45 (UTC)'],
    ['2026-03-01T17:45:00+02:00', 'on 2026-03-01 at 15:45 (UTC)', 'le 2026-03-01 à 15:45 (UTC)'],
    ['next Tuesday', 'next Tuesday', 'next Tuesday'],
    ['2026-99-99T99:99:99Z', '2026-99-99T99:99:99Z', '2026-99-99T99:99:99Z'],
  ];
  for (const [retryAfter, en, fr] of table) {
    assert.ok(errorLines({ retryAfter }).includes(`│ Retry   ${en}`), en);
    assert.ok(errorLines({ retryAfter }, 'fr').includes(`│ Réessayer  ${fr}`), fr);
  }
  // In the zone of the session, where one is known.
  const lines = errorLines({ retryAfter: '2026-07-01T17:45:00Z' }, 'en', [SAMPLES.start]);
  assert.ok(lines.includes('│ Retry   on 2026-07-01 at 19:45 (Europe/Paris)'), lines.join('\n'));
});

errors('of the details what can be read and was not said', () => {
  const lines = errorLines({
    kind: 'non-zero-exit',
    message: 'codex exited with code 3: TypeError: boom\nat run',
    retryAfter: 60,
    details: {
      exitCode: 3,
      retryAfter: 60,
      stderr: 'cloning\nTypeError: boom\n    at run\n',
      stdout: '\tbegin\nend\n\n',
      killed: true,
      empty: '',
      nothing: null,
      nested: { deep: [1] },
      __proto__: 5,
    },
  });
  assert.equal(lines.slice(-8), [
    '│ During  debate',
    '│ Retry   in 1 minute',
    '│ Advice  run the agent by itself to see why it fails: it may need to log in',
    '│ stderr  cloning',
    '│ stdout      begin',
    '│         end',
    '│ killed  true',
    '',
  ]);
  const other = errorLines({ message: 'codex failed', details: { exitCode: 3, stderr: 'codex failed' } });
  assert.ok(other.includes('│ Exit code  3') && !other.join().includes('stderr'), other.join('\n'));
  // A part of a word is not said.
  const part = errorLines({ message: 'claude failed', details: { stderr: 'aud' } });
  assert.ok(part.includes('│ stderr  aud'), part.join('\n'));
});

errors('of a progress bar in a message the last state is shown', () => {
  const shown = (message: string) => errorLines({ message })[1];
  assert.is(shown('codex exited with code 1: 98 %\r99 %\r\nfull'), '│ codex exited with code 1: 99 %');
  assert.is(shown('pull: 98 %\rpull: 99 %'), '│ pull: 99 %');
  assert.is(shown('98 %\r99 %\r'), '│ 99 %');
  const event = sample('error', { message: 'codex exited with code 1: 98 %\r99 %' });
  assert.match(show([event], { compact: true }), /: codex exited with code 1: 99 %\n$/);
});

errors('each fact once: what the message says is not said again', () => {
  const retry = (message: string, retryAfter: number | string, language: Language = 'en') =>
    errorLines({ kind: 'usage-limit', message, retryAfter }, language).some((line) =>
      /^│ (Retry|Réessayer)/.test(line),
    );
  assert.not.ok(retry('limit: try again in 45 minutes', 2700));
  assert.not.ok(retry('limit: try again at 17:30.', '17:30'));
  assert.ok(retry('limit: try again in 45 minutes', 2700, 'fr'), 'the message is English');
  assert.ok(retry('limit: try again in 145 minutes', 2700));
  const stderr = (kind: string, message: string, text: string) =>
    errorLines({ kind, message, details: { stderr: text } })
      .filter((line) => /^│ (stderr| {4})/.test(line))
      .map((line) => line.slice(2).replace('stderr', '').trim());
  const limit = 'codex hit a usage limit: try again in 45 minutes';
  assert.equal(stderr('usage-limit', limit, 'Error: usage limit reached, try again in 45 minutes'), []);
  assert.equal(stderr('usage-limit', 'limit: at 17:30', '\nlimit: at 17:30\nnext\nat 17:30\n'), [
    '… 1 line before',
    'next',
  ]);
  assert.equal(stderr('non-zero-exit', 'exited: line 2: no disk', 'line 1: no disk\nline 2: no disk\n'), []);
  assert.equal(stderr('usage-limit', limit, 'Error: usage limit reached, try again in 5 minutes'), [
    'Error: usage limit reached, try again in 5 minutes',
  ]);
  const numbers = errorLines({
    message: 'HTTP 503 after 2 tries, port 80',
    details: { status: 503, tries: 2, port: 80 },
  });
  assert.equal(numbers.slice(-3), ['│ tries   2', '│ port    80', '']);
  assert.equal(stderr('timeout', 'no answer', 'connecting to server\nno answer'), ['connecting to server']);
});

errors('every kind has its word beside its sentence, and advice where somebody can do something', () => {
  for (const kind of Object.keys(labelsFor('en').words.kinds)) {
    for (const language of ['en', 'fr'] as const) {
      const lines = errorLines({ kind }, language);
      const isPlain = kind === 'cancelled';
      assert.is(lines[0]!.endsWith(` · ${kind}`), !isPlain, lines[0]);
      const advised = lines.some((line) => /^│ (Advice|Conseil) /.test(line));
      assert.is(advised, !['cancelled', 'unknown'].includes(kind), kind);
    }
  }
  // A kind that is new is its own sentence.
  assert.is(errorLines({ kind: 'solar-flare' })[0], '✗ Error: solar-flare');
});

errors('of a progress bar the last state is shown, and of a long line the end', () => {
  const bar = errorLines({ details: { stderr: '10 %\r50 %\r100 %\r\nfailed to unpack\r\n' } });
  assert.ok(bar.includes('│ stderr  100 %') && bar.includes('│         failed to unpack'), bar.join('\n'));
  const long = errorLines({ details: { stderr: `${'x'.repeat(1_000_000)} the reason` } }).join('\n');
  assert.ok(long.length < 700, `${long.length}`);
  assert.match(long, /…x+ the reason\n$/);
  const wide = errorLines({ details: { stderr: '漢👩‍👩‍👧e\u0301'.repeat(400) } }).join('\n');
  assert.ok(wide.length < 4000 && wide.isWellFormed(), `${wide.length}`);
});

errors('of long details the end, and how much went before', () => {
  const many = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`).join('\n');
  const lines = errorLines({ details: { stderr: many } });
  assert.is(lines.filter((line) => /line \d/.test(line)).length, 12);
  assert.ok(lines.includes('│ stderr  … 28 lines before'));
  // Those in the message are counted too.
  const said = errorLines({ message: 'codex failed: no', details: { stderr: `codex failed: no\n${many}` } });
  assert.ok(said.includes('│ stderr  … 29 lines before'), said.join('\n'));
  assert.ok(lines.includes('│         line 40'));
  const fields = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, index]));
  assert.ok(errorLines({ details: fields }).length < 20);
});

errors.run();

const footer = suite('pretty: the end');

/** The line that closes a session of these events. */
function closing(events: PalabreEvent[], look: Look = {}): string | undefined {
  return show([...events, sample('done', { outputPath: null })], look)
    .trimEnd()
    .split('\n')
    .findLast((line) => !line.startsWith('│'));
}

/** A turn of a Debate, whole. */
const turn = (number: number): PalabreEvent[] => [
  sample('turn-start', { turn: number }),
  sample('message', { turn: number }),
];
const asked = [SAMPLES['chat-user-message'], SAMPLES['chat-message']];
const consulted = [SAMPLES['chat-consultation-start'], SAMPLES['chat-consultation']];

footer('how it went, and how many answered', () => {
  const start = sample('start', { earlyStop: true });
  const failed = sample('error', { kind: 'timeout' });
  const table: [PalabreEvent[], string, string][] = [
    [[start, ...turn(1), ...turn(2)], '✓ Finished · 2 of 2 answered', '✓ Terminé · 2 réponses sur 2'],
    [[start, ...turn(2)], '✓ Finished · 2 of 2 answered', '✓ Terminé · 2 réponses sur 2'],
    [[start, ...turn(1)], '✓ Stopped early · 1 of 2 answered', '✓ Arrêté avant la fin · 1 réponse sur 2'],
    [[start, ...turn(1), failed], '✗ Failed · 1 of 2 answered', '✗ Échec · 1 réponse sur 2'],
    [[start, sample('turn-start', {}), failed], '✗ Failed · 0 of 2 answered', '✗ Échec · 0 réponse sur 2'],
    [
      [chat, ...asked, ...consulted],
      '✓ Finished · 1 answer · 1 opinion · 2 minutes',
      '✓ Terminé · 1 réponse · 1 avis · 2 minutes',
    ],
    // What was before `start` is another session.
    [
      [...turn(1), start, ...turn(1), ...turn(2)],
      '✓ Finished · 2 of 2 answered',
      '✓ Terminé · 2 réponses sur 2',
    ],
    // A stream that was filtered shows neither how it went nor how many answered.
    [[start, failed], '✗ Failed', '✗ Échec'],
    [[start, sample('message', {}), failed], '✗ Failed', '✗ Échec'],
    [[start, sample('message', {}), sample('message', { turn: 2 })], '· Ended', '· Fin de la session'],
    [[start, ...turn(1), sample('turn-start', { turn: 2 })], '· Ended', '· Fin de la session'],
    [[sample('message', {})], '· Ended', '· Fin de la session'],
    [[start], '· Ended', '· Fin de la session'],
    [[], '· Ended', '· Fin de la session'],
  ];
  for (const [events, en, fr] of table) {
    assert.is(closing(events), en);
    assert.is(closing(events, { language: 'fr' }), fr);
  }
});

footer('how long it took, by the clock where one is given', () => {
  // The start arrives five seconds late; each look at the clock is 62.5 seconds after the one before.
  const clock = (time: number) => () => (time += 62_500);
  const start = Date.parse('2026-03-01T12:00:05.000Z') - 62_500;
  const watched = show([SAMPLES.start, ...turn(2), SAMPLES.done], { now: clock(start) });
  assert.match(watched, /\n● 2\/2 codex \(implementer\) · 1 minute 3 seconds\n│ Paper\.\n/);
  assert.match(watched, /\n✓ Finished · 2 of 2 answered · 3 minutes 8 seconds\n/);
  // An answer to nobody's question took no time that anybody knows.
  const unasked = show([SAMPLES.start, SAMPLES['turn-start'], sample('message', { turn: 2 })], {
    now: clock(start),
  });
  assert.match(unasked, /\n● 2\/2 codex \(implementer\)\n/);
  // A record that is piped in, an hour later: the clock tells how fast it was read, and nothing else.
  const late = show([SAMPLES.start, ...turn(2), SAMPLES.done], { now: clock(start + 3_600_000) });
  assert.is(late, show([SAMPLES.start, ...turn(2), SAMPLES.done]));
  // A stream whose times make no sense says nothing about it.
  for (const createdAt of ['', 'yesterday', '2020-01-01T00:00:00Z', '2026-03-01T13:00:00']) {
    const events = [chat, SAMPLES['chat-user-message'], sample('chat-message', { createdAt })];
    assert.is(closing(events), '✓ Finished · 1 answer', createdAt);
  }
});

footer('who answered how often, where there are several', () => {
  const row = (events: PalabreEvent[]) =>
    show([...events, SAMPLES.done])
      .split('\n')
      .find((line) => line.startsWith('│ Answers'));
  const other = [
    sample('turn-start', { turn: 2, agent: 'claude' }),
    sample('message', { turn: 2, agent: 'claude' }),
  ];
  assert.is(row([SAMPLES.start, ...turn(1), ...other]), '│ Answers  codex 1, claude 1');
  assert.is(row([chat, ...asked, ...consulted]), '│ Answers  codex 1, vibe 1 opinion');
  const both = consulted.map((event) => ({ ...event, agent: 'codex' }) as PalabreEvent);
  assert.is(
    row([chat, ...asked, ...asked, ...both, ...consulted]),
    '│ Answers  codex 2 + 1 opinion, vibe 1 opinion',
  );
  assert.is(row([SAMPLES.start, ...turn(1), ...turn(2)]), undefined, 'one alone');
  // Of a session that was resumed, the first answers are not in this stream.
  const resumed = [3, 4].flatMap((number) => {
    const agent = number === 3 ? 'codex' : 'claude';
    return [sample('turn-start', { turn: number, agent }), sample('message', { turn: number, agent })];
  });
  assert.is(row([sample('start', { turns: 4 }), ...resumed]), undefined);
  assert.is(row([SAMPLES.start, SAMPLES.message, ...other]), undefined, 'a stream that was filtered');
});

footer('one line says what came of a session that was cancelled', () => {
  const cancelled = sample('error', { kind: 'cancelled', message: 'Enough.', turn: 2 });
  delete cancelled.action;
  delete cancelled.retryAfter;
  delete cancelled.details;
  const start = sample('start', { earlyStop: true });
  const block = (language: Language, ...events: PalabreEvent[]) =>
    show([start, ...turn(1), ...events], { language })
      .split('\n')
      .slice(13);
  assert.equal(block('en', cancelled, sample('done', { outputPath: '/home/user/bags/a.md' })), [
    '▲ Cancelled · 1 of 2 answered',
    '│ Enough.',
    '│',
    '│ Agent   codex (implementer)',
    '│ During  debate, turn 2',
    '│ Export  a.md',
    '',
  ]);
  assert.is(block('fr', cancelled)[0], '▲ Annulé · 1 réponse sur 2');
  // Whatever comes between stands between.
  assert.equal(block('en', cancelled, SAMPLES.notice, SAMPLES.done).slice(5), [
    '',
    '· They agree.',
    '',
    '│ Export  .palabre/paper.debate.md',
    '',
  ]);
  assert.is(block('en', cancelled, sample('done', { outputPath: null })).length, 6);
  // A producer that was killed at once.
  const cut: Item = { ...item(chat, [fault('missing-done')]), brokeOff: true };
  const killed = render([...[start, ...turn(1), cancelled].map((event) => item(event)), cut]);
  assert.match(killed, /\n\n▲ The stream ends here without `done`\n\n── Chat/);
  // Where the error is not shown, the end says it.
  const hidden: Item = { ...item(cancelled), hidden: true };
  const text = render([...[start, ...turn(1)].map((event) => item(event)), hidden, item(SAMPLES.done)]);
  assert.match(text, /\n\n▲ Cancelled · 1 of 2 answered\n│ Export /);
});

footer('a fact that does not fit begins a line of its own', () => {
  const lines = (width: number) =>
    show([chat, ...asked, ...consulted, sample('done', { outputPath: null })], { width })
      .split('\n\n')
      .at(-1);
  const answers = '│ Answers  codex 1, vibe 1 opinion\n';
  assert.is(lines(45), `✓ Finished · 1 answer · 1 opinion · 2 minutes\n${answers}`);
  assert.is(lines(44), `✓ Finished · 1 answer · 1 opinion\n│ 2 minutes\n${answers}`);
});

footer('of a Chat that was filtered nothing is counted', () => {
  const text = show([chat, SAMPLES['chat-message'], ...consulted, sample('done', { outputPath: null })]);
  assert.ok(text.endsWith('\n\n· Ended\n'), text);
});

footer('the end after a dry-run is no failure', () => {
  const text = show([SAMPLES['dry-run'], sample('done', { outputPath: null })]);
  assert.ok(text.endsWith('\n\n· Dry run\n'), text);
});

footer('a session that breaks off', () => {
  const end: Item = {
    kind: 'fault',
    line: { number: 7, text: '' },
    findings: [fault('missing-done')],
    brokeOff: true,
  };
  const broken = [SAMPLES.start, ...turn(1)].map((event) => item(event));
  assert.ok(
    render([...broken, end]).endsWith('\n\n▲ The stream ends here without `done` · 1 of 2 answered\n'),
  );
  // Told by the start of the next one.
  const next = render([...broken, { ...item(chat, [fault('missing-done')]), brokeOff: true }]);
  assert.match(next, /\n\n▲ The stream ends here without `done` · 1 of 2 answered\n\n── Chat ─+\n/);
  assert.ok(
    render([...broken, end], { language: 'fr' }).endsWith(
      '▲ Le flux s’arrête ici sans `done` · 1 réponse sur 2\n',
    ),
  );
});

footer('the export is a hyperlink only where text and address say the same', () => {
  const links = (outputPath: string, width = 0) =>
    show([sample('done', { outputPath })], { hyperlinks: true, width }).replaceAll('\x1b', '␛');
  assert.is(
    links('/home/user/two words/é#1?.md'),
    '· Ended\n│ Export  ␛]8;;file:///home/user/two%20words/%C3%A9%231%3F.md␛\\/home/user/two words/é#1?.md␛]8;;␛\\\n',
  );
  assert.ok(
    links('C:\\Users\\user\\a b.md').includes(
      '␛]8;;file:///C:/Users/user/a%20b.md␛\\C:\\Users\\user\\a b.md␛]8;;␛\\',
    ),
  );
  for (const path of [
    '.palabre/a.md',
    '//host/share/a.md',
    '\\\\host\\a',
    '/a\x1b\\b',
    '/a\u202eb',
    '/a\nb',
    '/\ud800',
    '',
  ]) {
    assert.not.match(links(path), /␛\]/, JSON.stringify(path));
  }
  assert.not.match(show([SAMPLES.done]), /\x1b/);
  // A path with blanks is wrapped, and every piece is the same link.
  const pieces =
    links('/home/user/two long words/to/a.md', 32).match(/␛\]8;;file:\S+?␛\\[^␛]+␛\]8;;␛\\/g) ?? [];
  assert.is(pieces.length, 2);
  assert.is(new Set(pieces.map((piece) => piece.split('␛\\')[0])).size, 1);
});

footer('the export can be copied: short where it can be, and whole', () => {
  const lines = (outputPath: string, cwd: string, width = 0) => {
    const start = sample('start', { session: { ...SAMPLES.start.session, cwd } });
    return show([start, sample('done', { outputPath })], { width })
      .split('· Ended\n')[1]!
      .split('\n')
      .slice(0, -1);
  };
  const table: [outputPath: string, cwd: string, shown: string][] = [
    ['/home/user/bags/.palabre/a.md', '/home/user/bags', '.palabre/a.md'],
    ['/home/user/bags/a.md', '/home/user/bags/', 'a.md'],
    ['/a.md', '/', 'a.md'],
    ['C:\\bags\\.palabre\\a.md', 'C:\\bags', '.palabre\\a.md'],
    // Elsewhere, or nowhere that is known.
    ['/home/user/bagsy/a.md', '/home/user/bags', '/home/user/bagsy/a.md'],
    ['/home/user/bags', '/home/user/bags', '/home/user/bags'],
    ['/home/user/bags//a.md', '/home/user/bags', '/home/user/bags//a.md'],
    ['/a.md', '', '/a.md'],
    ['.palabre/a.md', '/home/user/bags', '.palabre/a.md'],
  ];
  for (const [path, cwd, shown] of table) assert.equal(lines(path, cwd), [`│ Export  ${shown}`], path);
  // Where it does not fit beside its label, it stands below; wider than the terminal, the terminal wraps it.
  assert.equal(lines('/a/long/path/to/a.md', '', 30), ['│ Export  /a/long/path/to/a.md']);
  assert.equal(lines('/a/long/path/to/a.md', '', 29), ['│ Export', '│   /a/long/path/to/a.md']);
  assert.equal(lines('/a/long/path/to/a.md', '', 23), ['│ Export', '│ /a/long/path/to/a.md']);
  assert.equal(lines('/a/long/path/to/a.md', '', 9), ['│ Export', '│ /a/long/path/to/a.md']);
  // What a terminal wraps must not look like a line of ours.
  for (const path of ['/a/long ● 2/4 claude', '/a/long/──────────────────────']) {
    for (const line of lines(path, '', 14)) assert.ok(cells(line) <= 14, line);
  }
});

footer.run();

const strays = suite('pretty: what is no event');

strays('a stray line is quoted, dimmed and cannot be a header', () => {
  const text = (line: string): Item => ({
    kind: 'text',
    line: { number: 7, text: line },
    findings: [fault('not-json')],
  });
  assert.is(render([text('npm warn'), text('● claude')]), '› npm warn\n› ● claude\n');
  assert.is(render([text('a')], { level: 3 }), '\x1b[2m›\x1b[22m \x1b[2ma\x1b[22m\n');
});

strays('a line that is no event leaves a mark', () => {
  const line = { number: 7, text: '{"v":1' };
  const finding = fault('not-an-event', 'not-an-event.json', { text: '{"v":1\x1b[2J' });
  assert.is(render([{ kind: 'fault', line, findings: [finding] }]), '▲ line 7: broken JSON: {"v":1␛[2J\n');
  const french = render([{ kind: 'fault', line, findings: [finding] }], { language: 'fr' });
  assert.match(french, /^▲ ligne 7\u00a0: JSON mal formé/);
});

strays('another version is told once for each input', () => {
  const other: Item = {
    kind: 'fault',
    line: { number: 7, text: '' },
    findings: [fault('unsupported-version', 'unsupported-version', { version: 2 })],
  };
  const pretty = create();
  assert.match(pushed(pretty, other), /^▲ line 7: stream version 2; /);
  assert.is(pushed(pretty, other), '');
  pushedAtEnd(pretty);
  assert.match(pushed(pretty, other), /^▲ line 7: stream version 2; /);
});

strays('what is wrong with the order of events is not shown', () => {
  const findings = [fault('turn-order'), fault('event-after-done')];
  assert.is(render([item(SAMPLES.notice, findings)]), '· They agree.\n');
  assert.is(render([{ kind: 'fault', line: { number: 7, text: '' }, findings }]), '');
});

strays('an unknown type is passed over, and one line with verbose', () => {
  for (const type of ['agent-chunk', '__proto__', 'constructor']) {
    const unknown: Item = {
      kind: 'unknown',
      line: { number: 7, text: `{"v":1,"type":"${type}","x":"${'y'.repeat(500)}"}` },
      event: { v: 1, type },
    };
    assert.is(render([unknown]), '');
    assert.is(render([unknown], { compact: true }), '');
    const text = render([unknown], { verbose: true });
    assert.ok(text.startsWith(`· unknown event ${type}: {"v":1,`) && text.endsWith('y…\n'), text);
    assert.is(text.split('\n').length, 2);
    assert.match(render([unknown], { verbose: true, compact: true }), /^unknown [\w-]+: .*…\n$/);
  }
});

strays.run();

const compact = suite('pretty: compact');

compact('one line for each event, none for thinking', () => {
  for (const type of EVENT_TYPES) {
    const line = show([SAMPLES[type]], { compact: true });
    if (type.startsWith('thinking')) assert.is(line, '');
    else {
      assert.is(line.split('\n').length, 2, type);
      assert.ok(line.startsWith(type), line);
      assert.ok(line.endsWith('\n'), line);
    }
  }
});

compact('the first line that is not blank, and how many follow', () => {
  const line = (content: string, look: Look = {}) =>
    show([sample('message', { content })], { compact: true, ...look });
  assert.is(line('\n\n first\nb\n\nc\n\n'), 'message 1 codex (implementer): first (+3 lines)\n');
  assert.is(line('first\nb'), 'message 1 codex (implementer): first (+1 line)\n');
  assert.is(line('a\nb\nc', { language: 'fr' }), 'message 1 codex (implementer): a (+2 lignes)\n');
  assert.is(line('only'), 'message 1 codex (implementer): only\n');
  assert.is(line(' \n '), 'message 1 codex (implementer)\n');
  assert.is(line('x'.repeat(500)), `message 1 codex (implementer): ${'x'.repeat(119)}…\n`);
  assert.is(
    line(`${'x'.repeat(500)}\ny`, { width: 60 }),
    `message 1 codex (implementer): ${'x'.repeat(18)}… (+1 line)\n`,
  );
  assert.is(line('x', { width: 12 }), 'message 1 c…\n');
});

compact('words to search for do not change with the language', () => {
  const events = [SAMPLES.start, ...turn(1), sample('error', { retryAfter: 60 }), SAMPLES.done];
  const [start, , message, error, done] = show(events, { compact: true, language: 'fr' }).split('\n');
  assert.is(start, 'start debate codex (implementer), claude (reviewer): Paper or plastic?');
  assert.is(message, 'message 1/2 codex (implementer): Paper.');
  assert.is(
    error,
    'error usage-limit debate send codex (implementer) (réessayer dans 1 minute): codex hit a limit',
  );
  assert.is(done, 'done failed 1/2: /home/user/bags/.palabre/paper.debate.md');
});

compact('what is no event', () => {
  const line = { number: 7, text: 'npm warn' };
  const look: Look = { compact: true };
  assert.is(render([{ kind: 'text', line, findings: [] }], look), 'text: npm warn\n');
  const findings = [fault('truncated-line', 'truncated-line', { text: '{' })];
  assert.is(
    render([{ kind: 'fault', line, findings }], look),
    'fault line 7: the input ends in the middle of an event: {\n',
  );
  assert.is(
    render(
      [item(SAMPLES.start), { kind: 'fault', line, findings: [fault('missing-done')], brokeOff: true }],
      look,
    ).split('\n')[1],
    'unfinished: The stream ends here without `done`',
  );
});

compact.run();

const safety = suite('pretty: hostile text');

/** Every string of a value, replaced one at a time. */
function* replaced(value: unknown, by: string): Generator<unknown> {
  if (typeof value === 'string') yield by;
  else if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) {
      for (const other of replaced(entry, by)) yield value.with(index, other);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, entry] of Object.entries(value)) {
      if (key === 'type' && 'v' in value) continue;
      for (const other of replaced(entry, by)) yield { ...value, [key]: other };
    }
  }
}

const HEADER = /^(?:──|[●○✓✗→])/;

/** Lines that look like a header, a footer or an error. */
function headers(text: string): string[] {
  return uncolored(text)
    .split('\n')
    .filter((line) => HEADER.test(line));
}

function uncolored(text: string): string {
  return text.replace(/\x1b\[[\d;]*m/g, '');
}

const FORGERIES = {
  'a header': 'x\n● 2/4 claude (reviewer)\n│ I agree.\n\n✓ Finished',
  'a header after CR': 'x\r● 2/4 claude (reviewer)\r\n── Debate ──',
  'a header after other breaks': 'x\u2028● claude\u0085● claude\v● claude\f● claude',
  'a header where the line wraps': `${' '.repeat(200)}● 2/4 claude (reviewer)`,
  'a wide header': `${'x '.repeat(19)}● 2/4 claude`,
};

const HOSTILE_LOOKS: readonly Look[] = [{}, { width: 40, level: 3 }, { compact: true }, { width: 20 }];

for (const [name, attack] of Object.entries({ ...ATTACKS, ...FORGERIES })) {
  safety(name, () => {
    // The looks take turns: every attack meets each of them, in another field.
    let turn = name.length;
    for (const type of EVENT_TYPES) {
      for (const event of replaced(SAMPLES[type], attack)) {
        const look = HOSTILE_LOOKS[turn++ % HOSTILE_LOOKS.length]!;
        const text = show([event as PalabreEvent], look);
        assert.equal(leaks(text, { colors: true }), [], `${type}: ${JSON.stringify(event).slice(0, 300)}`);
        if (look.compact) assert.ok(text.split('\n').length <= 2, text);
        else {
          assert.ok(headers(text).length <= headers(show([SAMPLES[type]], look)).length, text);
          for (const line of uncolored(text).split('\n')) assert.match(line, /^(?:$|──|[│●○✓✗▲·›→])/);
        }
      }
    }
    const line = { number: 7, text: attack };
    const findings = [fault('not-an-event', 'not-an-event.json', { text: attack })];
    const others: Item[] = [
      { kind: 'text', line, findings: [] },
      { kind: 'fault', line, findings },
      { kind: 'unknown', line, event: { v: 1, type: attack } },
      {
        kind: 'fault',
        line,
        findings: [],
        value: { type: 'error', details: { [attack]: attack }, kind: attack },
      },
      { kind: 'fault', line, findings: [], value: { type: 'start', agents: [attack, { name: attack }] } },
    ];
    for (const look of [{}, { width: 30, level: 3 }, { compact: true }, { ascii: true }] satisfies Look[]) {
      const text = render(others, { verbose: true, hyperlinks: true, ...look });
      assert.equal(leaks(text, { colors: true }), []);
      if (!('compact' in look) && !('ascii' in look)) {
        // The error and the header of the session.
        assert.ok(headers(text).length <= 2, text);
      }
    }
  });
}

safety('ordinary text passes unchanged', () => {
  for (const text of Object.values(ORDINARY)) {
    const lines = text.replace(/\n+$/, '').split('\n');
    const expected = lines.map((line) => (line === '' ? '│\n' : `│ ${line}\n`)).join('');
    assert.is(show([sample('message', { content: text })]), `● 1 codex (implementer)\n${expected}`);
  }
});

safety('names of any length stay names', () => {
  const text = show([sample('message', { agent: 'x'.repeat(10_000), role: 'y'.repeat(10_000) })]);
  assert.is(text, `● 1 ${'x'.repeat(59)}… (${'y'.repeat(59)}…)\n│ Paper.\n`);
});

safety.run();

const width = suite('pretty: width');

width('no line is wider than asked for', () => {
  const alphabet = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc
      .array(
        fc.constantFrom(
          ' ',
          '\n',
          '\t',
          'a',
          'long-word',
          '日本',
          '👩🏽‍💻',
          'é',
          '한',
          'https://example.org/a/b',
        ),
      )
      .map((all) => all.join('')),
  );
  fc.assert(
    fc.property(
      alphabet,
      fc.integer({ min: 8, max: 120 }),
      fc.boolean(),
      fc.boolean(),
      (text, columns, ascii, short) => {
        const look: Look = { width: columns, ascii, compact: short, level: 1 };
        // The terminal wraps the path of an export.
        const types = EVENT_TYPES.filter((type) => type !== 'done');
        const events = types.flatMap((type) => [...replaced(SAMPLES[type], text)] as PalabreEvent[]);
        for (const line of uncolored(show(events, look)).split('\n')) {
          if (cells(line) > columns) return false;
        }
        return true;
      },
    ),
    { numRuns: 60 },
  );
});

width.run();
