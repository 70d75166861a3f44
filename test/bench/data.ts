/** Streams of any size, the same from one run to the next. */
import { closeSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { INPUT } from '../fixtures.ts';
import { below, pick, type Random, randomOf } from '../random.ts';

/**
 * What the events of a stream are like: answers of 2 KB in ASCII, the same with accents (which take Node and others
 * twice as long to read), the short events that stand between answers, or the sessions of the fixtures one after the
 * other, which have every type of event.
 */
export type Kind = 'long' | 'french' | 'short' | 'fixtures';

const MIB = 1024 * 1024;
/** Characters of an answer. */
const ANSWER = 2000;

const SENTENCES = [
  'I would keep the reader apart from the parser: it is the part that must never block.',
  'That holds while the consumer is fast; what happens when `stdout` is a slow terminal?',
  'The cost is about **forty lines**, and the risk is *small*.',
  'See [the notes](https://example.org/notes) and `src/lines.ts`.',
  'Nobody asked for a second copy of the text, so there is none.',
  'A batch is written once, and never held back for the next.',
];
const PHRASES = [
  'Je garderais le lecteur à part : c’est lui qui ne doit jamais bloquer.',
  'Sérieusement : la mesure d’abord, l’avis ensuite.',
  'Coût : environ **quarante lignes** ; le risque est *faible*.',
];
const BLOCKS = [
  '- one line per second\n- a line without its end\n- a very long line',
  '```ts\nexport const lines = (text: string) => text.split("\\n");\n```',
  '> It is the part that must never block.',
  '| case | time |\n|---|---|\n| short | 0.2 s |\n| long | 1.4 s |',
];

/** Prose with a block of Markdown now and then, of about `length` characters. */
function prose(length: number, random: Random, sentences: readonly string[] = SENTENCES): string {
  let text = '';
  while (text.length < length) {
    const paragraph = Array.from({ length: 2 + below(4, random) }, () => pick(sentences, random)).join(' ');
    text += `${paragraph}\n\n`;
    if (random() < 0.3) text += `${pick(BLOCKS, random)}\n\n`;
  }
  return text.slice(0, length).trimEnd();
}

/** A Debate of `turns` turns, as lines. */
function session(kind: Kind, turns: number, random: Random): string {
  const agents = ['codex', 'claude'].map((name, index) => ({
    name,
    role: index === 0 ? 'implementer' : 'reviewer',
    type: 'cli',
  }));
  const events: object[] = [
    {
      type: 'start',
      mode: 'debate',
      topic: 'Should the reader be split from the parser?',
      turns,
      agents,
      summaryEnabled: false,
      summaryAgent: null,
      earlyStop: false,
      filesCount: 0,
      session: {
        startedAt: '2026-01-05T09:00:00.000Z',
        localDate: '2026-01-05',
        timeZone: 'UTC',
        cwd: '/home/user/project',
      },
    },
  ];
  for (let turn = 1; turn <= turns; turn++) {
    const { name: agent, role } = agents[(turn - 1) % 2]!;
    const spoken = { agent, role };
    events.push({ type: 'turn-start', turn, totalTurns: turns, ...spoken });
    events.push({ type: 'thinking-start', ...spoken }, { type: 'thinking-end' });
    const content =
      kind === 'short'
        ? SENTENCES[turn % SENTENCES.length]
        : prose(ANSWER, random, kind === 'french' ? PHRASES : SENTENCES);
    events.push({ type: 'message', turn, ...spoken, content });
  }
  events.push({ type: 'done', outputPath: '/home/user/project/.palabre/reader.debate.md' });
  return events.map((event) => `${JSON.stringify({ v: 1, ...event })}\n`).join('');
}

/** Writes whole sessions of a kind into a file until it holds `megabytes`. */
export function writeStream(path: string, kind: Kind, megabytes: number): void {
  const random = randomOf(1);
  const file = openSync(path, 'w');
  const sessions = kind === 'fixtures' ? goodFixtures() : undefined;
  for (let bytes = 0; bytes < megabytes * MIB; )
    bytes += writeSync(file, sessions ?? session(kind, 200, random));
  closeSync(file);
}

/** The fixtures in which every line is an event. */
function goodFixtures(): string {
  const texts = readdirSync(INPUT).map((name) => readFileSync(join(INPUT, name), 'utf8'));
  return texts.filter((text) => text.split('\n').every((line) => line === '' || isEvent(line))).join('');
}

function isEvent(line: string): boolean {
  try {
    return JSON.parse(line).v === 1;
  } catch {
    return false;
  }
}

/** Writes one session whose only answer has `megabytes` of text, on one line. */
export function writeLongLine(path: string, megabytes: number): void {
  const answer = prose(64 * 1024, randomOf(1));
  const content = answer.repeat(Math.ceil((megabytes * MIB) / answer.length)).slice(0, megabytes * MIB);
  const lines = session('long', 1, randomOf(1))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map((event) => JSON.stringify(event.type === 'message' ? { ...event, content } : event));
  const file = openSync(path, 'w');
  writeSync(file, `${lines.join('\n')}\n`);
  closeSync(file);
}
