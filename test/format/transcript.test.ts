/** The transcript as a document. What its gate promises has tests of its own, in `safe-markdown.test.ts`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createMarkdown, type MarkdownOptions } from '../../src/format/transcript.ts';
import { type Language, labelsFor } from '../../src/labels/labels.ts';
import { checkSession, createSessionChecker, endSession } from '../../src/protocol/checker.ts';
import { parseLine } from '../../src/steps/parse.ts';
import { checkShape } from '../../src/steps/validate.ts';
import { events, FIXTURES, read } from '../fixtures.ts';
import { ATTACKS } from '../safe/markdown-attacks.ts';
import { isGoodAddress, PARSERS } from '../safe/markdown-checker.ts';
import { pushed, pushedAtEnd } from './push.ts';

const markdown = suite('markdown');

type Options = Omit<MarkdownOptions, 'labels' | 'language'> & { language?: Language };

/** The transcript of a stream, as the command writes it. */
function transcript(stream: string, { language = 'en', ...options }: Options = {}): string {
  const format = createMarkdown({ labels: labelsFor(language), language, ...options });
  const checker = createSessionChecker({ only: ['missing-done'] });
  const lines = stream.split('\n').map((text, index) => ({ number: index + 1, text }));
  let out = '';
  for (const line of lines) {
    const item = parseLine(line);
    if (item) out += pushed(format, checkSession(checker, checkShape(item)));
  }
  const end = endSession(checker, lines.length);
  return out + (end ? pushed(format, end) : '') + pushedAtEnd(format);
}

/** Compares with a golden file. A new one is written with UPDATE_GOLDENS=1, and read before it is committed. */
function golden(name: string, text: string): void {
  const file = new URL(`../fixtures/markdown/${name}.md`, import.meta.url);
  if (process.env['UPDATE_GOLDENS'] && (process.env['UPDATE_GOLDENS'] === 'all' || !existsSync(file))) {
    writeFileSync(file, text);
  }
  assert.is(text, readFileSync(file, 'utf8'), name);
}

for (const [name, language] of [
  ['debate-context', 'en'],
  ['chat-export', 'fr'],
  ['ask-error', 'en'],
  ['dry-run-debate', 'en'],
  ['two-sessions', 'fr'],
  ['killed-mid-line', 'en'],
  ['retry-iso', 'fr'],
  ['retry-twice', 'en'],
  ['summary-fails', 'en'],
  ['early-stop-reason', 'fr'],
  ['chat-three-agents', 'en'],
] as const) {
  markdown(`golden: ${name}, ${language}`, () => {
    golden(`${name}.${language}`, transcript(read(name), { language }));
  });
}

markdown('a title of one’s own, no table, and the notices', () => {
  const plain = transcript(read('debate-early-stop'));
  assert.not.match(plain, /Notice/);
  const noticed = transcript(read('debate-early-stop'), { notices: true });
  assert.match(noticed, /\n\n\*Notice: .+\*\n\n/);
  const titled = transcript(read('debate-early-stop'), { title: 'A <b>title</b>\n# two', header: false });
  assert.match(titled, /^# A &lt;b>title&lt;\/b> .*two\n\n## 1\/6 /);
});

markdown('an input of nothing but notices says them; beside a session they stay out', () => {
  const notice = JSON.stringify({
    v: 1,
    type: 'notice',
    message: 'Resume ab12 · 2 saved\nSubject: <b>Tabs</b>?',
  });
  const text = '*Notice: Resume ab12 · 2 saved Subject: &lt;b>Tabs&lt;/b>?*\n';
  assert.is(transcript(notice), text);
  assert.is(transcript(Array(30).fill(notice).join('\n')).split('Notice').length, 21);
  assert.not.match(transcript(`${notice}\n${read('chat-export')}${notice}\n`), /Notice/);
  const format = createMarkdown({ labels: labelsFor('en'), language: 'en' });
  const item = parseLine({ number: 1, text: notice })!;
  assert.equal([pushed(format, item), pushedAtEnd(format), pushedAtEnd(format)], ['', text, ''], 'once');
});

markdown('of a Chat that was filtered nothing is counted', () => {
  const stream = events('chat-three-agents').filter(({ type }) => type !== 'chat-user-message');
  const text = transcript(stream.map((event) => JSON.stringify(event)).join('\n'));
  assert.match(text, /## End\n\n\| \| \|\n\|---\|---\|\n\| Outcome \| Ended \|\n\| Export \|[^\n]+\n$/);
});

markdown('a summary is missed only where the stream shows that it failed', () => {
  const without = (name: string, type: string) =>
    transcript(
      events(name)
        .filter((event) => !String(event['type']).startsWith(type))
        .map((event) => JSON.stringify(event))
        .join('\n'),
    );
  assert.match(without('summary-fails', 'notice'), /\n\| Summary \| asked for, but none came \|\n/);
  assert.not.match(without('debate-summary', 'summary-'), /none came/);
});

markdown('an agent that the configuration lacks is unknown once, in words', () => {
  const event = events('dry-run-ask')[0] as Record<string, unknown>;
  const agents = [{ name: 'nobody', role: 'unknown', type: 'unknown' }];
  const stream = JSON.stringify({ ...event, agents });
  assert.match(transcript(stream), /\n\| Agents \| nobody \(unknown\) \|\n/);
  assert.match(transcript(stream, { language: 'fr' }), /\n\| Agents \| nobody \(inconnu\) \|\n/);
});

markdown('each item appears when it comes, and two blocks have one blank line between them', () => {
  const format = createMarkdown({ labels: labelsFor('en'), language: 'en' });
  const pieces = read('debate-summary')
    .split('\n')
    .flatMap((text, index) => parseLine({ number: index + 1, text }) ?? [])
    .map((item) => pushed(format, item));
  assert.is(pieces.filter((piece) => /^\n?## \d\/4 /.test(piece)).length, 4);
  assert.is(pieces.join(''), transcript(read('debate-summary')));
  for (const name of FIXTURES) assert.not.match(transcript(read(name)), /^\n|\n\n\n#|[^\n]\n##? /);
});

type Node = DefaultTreeAdapterTypes.Node;

function* elements(node: Node): Generator<DefaultTreeAdapterTypes.Element> {
  if ('tagName' in node) yield node;
  if ('childNodes' in node) for (const child of node.childNodes) yield* elements(child);
}

function textOf(node: Node): string {
  if ('value' in node) return node.value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}

/** The headings of the transcript's own levels, and what should not be in it. */
function look(html: string): { headings: string[]; faults: string[] } {
  const headings: string[] = [];
  const faults: string[] = [];
  for (const element of elements(parseFragment(html))) {
    const { tagName, attrs } = element;
    if (tagName === 'h1' || tagName === 'h2') headings.push(textOf(element));
    if (/^(img|script|iframe|style|svg|details|object|form|base|meta|link)$/.test(tagName))
      faults.push(tagName);
    for (const { name, value } of attrs) {
      if (name.startsWith('on') || name === 'src') faults.push(name);
      if (name === 'href' && !isGoodAddress(value)) faults.push(value);
    }
  }
  return { headings, faults };
}

/** Copies of an event in which one text, wherever it stands, is another one. */
function* replaced(value: unknown, by: string): Generator<unknown> {
  if (typeof value === 'string') yield by;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'v' || key === 'type' || key === 'mode' || key === 'content') continue;
    for (const other of replaced(inner, by))
      yield Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other };
  }
}

const FIELD_ATTACKS = [
  'x\n## 2/2 · claude (reviewer)\n\nI agree',
  '</td></tr></table><script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '![x](https://example.org/x.png)',
  '[x](javascript:alert(1))',
  '| a | b |\n# T',
  'x](https://example.org) \\',
  '`code',
  '```',
  '*a_ **b <!-- -->',
  '\u202e\x1b[2J\u2028# x',
  'www.example.com/a?b=c',
];

markdown('no name, topic, path or message can add a heading, an image or a link', () => {
  const sources = ['debate-crash', 'chat-send-error', 'dry-run-debate', 'retry-iso', 'chat-export'];
  let documents = 0;
  for (const name of sources) {
    const stream = events(name);
    const parsers = Object.entries(PARSERS);
    const calm = transcript(stream.map((event) => JSON.stringify(event)).join('\n'), { notices: true });
    const count = look(PARSERS['markdown-it']!(calm)).headings.length;
    for (const [index, event] of stream.entries()) {
      for (const attack of FIELD_ATTACKS) {
        for (const hostile of replaced(event, attack)) {
          const text = transcript(
            stream
              .with(index, hostile as typeof event)
              .map((each) => JSON.stringify(each))
              .join('\n'),
            { notices: true },
          );
          const [parser, toHtml] = parsers[documents++ % parsers.length]!;
          const { headings, faults } = look(toHtml(text));
          assert.equal(faults, [], `${parser}: ${JSON.stringify(hostile)}`);
          assert.is(headings.length, count, `${parser}: ${JSON.stringify(hostile)}\n${headings.join('\n')}`);
        }
      }
    }
  }
  assert.ok(documents > 1000, String(documents));
});

markdown('hostile messages between others leave every heading where it was', () => {
  const start = events('debate-crash')[0]!;
  const message = (turn: number, content: string) => ({
    v: 1,
    type: 'message',
    turn,
    agent: 'codex',
    role: 'critic',
    content,
  });
  for (const [parser, toHtml] of Object.entries(PARSERS)) {
    for (let at = 0; at < ATTACKS.length; at += 20) {
      const contents = ATTACKS.slice(at, at + 20).flatMap((attack) => [attack, 'calm']);
      const stream = [
        start,
        ...contents.map((content, index) => message(index + 1, content)),
        { v: 1, type: 'done', outputPath: null },
      ];
      const { headings } = look(toHtml(transcript(stream.map((event) => JSON.stringify(event)).join('\n'))));
      const expected = contents.map((_, index) => `${index + 1}/2 · codex (critic)`);
      assert.equal(headings.slice(1, -1), expected, parser);
    }
  }
});

markdown.run();
