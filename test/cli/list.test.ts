/** `list`, run as a person runs it, and compared with what jq makes of the same streams. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { path, read } from '../fixtures.ts';
import { run, shell } from '../process.ts';
import { below, pick, type Random, randomOf } from '../random.ts';

const list = suite('list');

let folder = '';
list.before(() => {
  folder = mkdtempSync(join(tmpdir(), 'palabre-fmt-'));
});
list.after(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const full = join(folder, name);
  writeFileSync(full, text);
  return full;
}

/** The values of NDJSON. */
function values(text: string) {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

list('a line for each session, its columns the same for one file and for several', async () => {
  const one = await run(['list', path('two-sessions')]);
  assert.is(one.status, 0);
  assert.is(one.stderr, '');
  const lines = one.stdout.split('\n').slice(0, -1);
  assert.equal(
    lines.map((line) => [...line.split('\t').slice(1, 4), line.split('\t')[6]]),
    [
      ['debate', 'finished', '1/1', path('two-sessions')],
      ['ask', 'finished', '2/2', path('two-sessions')],
    ],
  );
  const piped = await run(['list'], { input: read('ask') });
  assert.is(piped.stdout.split('\t')[6], 'stdin\n');
  const { stdout } = await run(['list', path('ask'), path('debate-crash'), '--lang', 'fr']);
  assert.equal(
    stdout.split('\n').map((line) => line.split('\t').at(-1)),
    [path('ask'), path('debate-crash'), ''],
  );
});

list('the options choose', async () => {
  const all = ['ask', 'debate-crash', 'debate-early-stop', 'chat-export'].map(path);
  const files = async (...args: string[]) =>
    (await run(['list', ...args, ...all])).stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split('\t').at(-1));
  assert.equal(await files('--outcome', 'failed,stopped-early'), [all[1], all[2]]);
  assert.equal(await files('--mode', 'ask', '--mode', 'chat'), [all[0], all[3]]);
  assert.equal(await files('--session', '2..3'), [all[1], all[2]]);
  assert.equal(await files('--agent', 'nobody'), []);
  assert.equal(await files('-g', 'NO SUCH', '-i'), []);
  const unknown = await run(['list', '--mode', 'debat', ...all]);
  assert.is(
    unknown.stderr,
    'palabre-fmt: --mode: debat is unknown, and used as it is; did you mean debate?\n',
  );
  assert.is(unknown.status, 0);
  const refused = await run(['list', '--outcome', 'fialed', ...all]);
  assert.is(refused.status, 2);
  assert.match(refused.stderr, 'did you mean failed?');
});

list('an archive with broken files: they are reported, the others are told', async () => {
  const relay = file('relay.json', '{"v":1,"type":"relay-result","status":"replied"}\n');
  const files = [
    path('ask'),
    join(folder, 'missing.ndjson'),
    path('killed-mid-line'),
    relay,
    path('debate-crash'),
  ];
  const { status, stdout, stderr } = await run(['list', ...files]);
  assert.is(status, 2);
  assert.equal(
    stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split('\t')[2]),
    ['finished', 'unfinished', 'failed'],
  );
  assert.match(stderr, 'missing.ndjson: No such file');
  assert.match(stderr, ':3: truncated-line: ');
  assert.not.match(stderr, 'missing-done');
});

list('a session without its end is no fault, and has its own status with -e', async () => {
  const open = file('open.ndjson', `${JSON.stringify({ ...START, v: 1 })}\n`);
  assert.is((await run(['list', open])).status, 0);
  assert.is((await run(['list', open])).stderr, '');
  assert.is((await run(['list', '-e', open])).status, 1);
});

list('the number of a session in JSON selects it', async () => {
  const files = [path('ask'), path('two-sessions'), path('sample')];
  const { stdout } = await run(['list', '--json', ...files]);
  const entries = values(stdout);
  assert.equal(
    entries.map(({ session }) => session),
    [1, 2, 3, 4],
  );
  for (const { session, topic } of entries) {
    const start = await run(['filter', '-t', 'start', '-x', 'topic', '--session', `${session}`, ...files]);
    assert.is(start.stdout, `${topic}\n`);
  }
});

list('in a log of CI, no mark of the runner', async () => {
  const start = JSON.stringify({ ...START, v: 1, topic: '##vso[task.complete]x', mode: '::error::x' });
  const marks = file('marks.ndjson', `${start}\n`);
  for (const options of [[], ['--json']]) {
    const { stdout } = await run(['list', ...options, marks], {
      env: { TF_BUILD: 'True', GITHUB_ACTIONS: 'true' },
    });
    assert.not.match(stdout, /##\w*\[|^\s*::/m);
    if (options.length > 0) assert.is(JSON.parse(stdout).topic, '##vso[task.complete]x');
  }
});

// ---------------------------------------------------------------------------------------------------------
// A thousand sessions of all outcomes, read by jq as well.

const START = {
  type: 'start',
  mode: 'debate',
  topic: 'Which of the two?',
  turns: 2,
  agents: [
    { name: 'codex', role: 'implementer', type: 'cli' },
    { name: 'claude', role: 'reviewer', type: 'cli' },
  ],
  summaryEnabled: false,
  summaryAgent: null,
  earlyStop: true,
  filesCount: 0,
  session: {
    startedAt: '2026-03-09T10:00:00.000Z',
    localDate: '2026-03-09',
    timeZone: 'UTC',
    cwd: '/home/user',
  },
};

type Event = { type: string; [field: string]: unknown };

const WORDS = ['tabs', 'spaces', 'why?', '\n', '\t', ' ', 'é', '🙂', '**bold**'];
const some = (random: Random): string =>
  Array.from({ length: below(8, random) }, () => pick(WORDS, random)).join(' ');

/** The exchanges of a session, each an opener, perhaps thinking, and the answer. */
function exchanges(mode: string, from: number, total: number, random: Random): Event[][] {
  return Array.from({ length: total - from + 1 }, (_, index) => {
    const number = from + index;
    const who = { agent: pick(['codex', 'claude', 'vibe'], random), role: 'critic' };
    const content = some(random);
    const thinking = [{ type: 'thinking-start', ...who }, { type: 'thinking-end' }];
    const createdAt = new Date(Date.UTC(2026, 2, 9, 10, 0, number * 7)).toISOString();
    const [opener, answer]: [Event, Event] =
      mode === 'debate'
        ? [
            { type: 'turn-start', turn: number, totalTurns: total, ...who },
            { type: 'message', turn: number, ...who, content },
          ]
        : mode === 'ask'
          ? [
              { type: 'ask-response-start', response: number, totalResponses: total, ...who },
              { type: 'ask-response', response: number, ...who, content },
            ]
          : [
              {
                type: 'chat-user-message',
                agent: 'user',
                role: 'architect',
                content: `\nAnd ${number}?`,
                createdAt,
              },
              { type: 'chat-message', ...who, content, createdAt },
            ];
    return [opener, ...(random() < 0.5 ? thinking : []), answer];
  });
}

/** A session of a random mode that ends in a random way. */
function generated(random: Random): Event[] {
  const mode = pick(['debate', 'ask', 'chat'], random);
  const end = pick(['done', 'early', 'failed', 'cancelled', 'killed', 'dry-run', 'answers', 'ends'], random);
  const total = 1 + below(6, random);
  const from = random() < 0.2 ? 1 + below(total, random) : 1;
  const start = { ...START, mode, topic: some(random), turns: total };
  const done = { type: 'done', outputPath: pick([null, '/home/user/a.md'], random) };
  const all = exchanges(mode, from, total, random);
  if (end === 'dry-run')
    return [
      {
        type: 'dry-run',
        mode,
        agents: START.agents,
        configPath: '/c',
        configTrusted: true,
        summary: { enabled: false, agent: null },
        context: { files: [], warnings: [] },
        limits: { turns: 2, requestedResponses: 2 },
        outputDir: '/o',
      },
    ];
  const before = random() < 0.2 ? [{ type: 'notice', message: 'Resume\nSubject: x' }] : [];
  const error = (kind: string): Event => ({
    type: 'error',
    phase: mode,
    kind,
    agent: 'codex',
    message: 'No.',
  });
  const some_ = all.slice(0, 1 + below(all.length, random));
  const last = some_.at(-1)!;
  const broken = [...some_.slice(0, -1).flat(), ...last.slice(0, 1 + below(last.length, random))];
  const head = [...before, start];
  if (end === 'done') return [...head, ...all.flat(), done];
  if (end === 'early') return [...head, ...some_.flat(), { type: 'notice', message: 'Early stop' }, done];
  if (end === 'killed') return [...head, ...broken];
  if (end === 'answers') return [...head, ...all.map((exchange) => exchange.at(-1)!), done];
  if (end === 'ends') return [start, done];
  return [...head, ...broken, error(end === 'failed' ? 'timeout' : 'cancelled'), done];
}

/** What jq makes of the events of one session, without anything of ours. */
const INDEPENDENT = `
  . as $e
  | ($e | map(select(.type == "start" or .type == "dry-run")) | first) as $start
  | ($e | map(select(.type == "error")) | first) as $error
  | ($e | map(select(.type == "message" or .type == "ask-response" or .type == "chat-message"))) as $answers
  | ($e | map(select(.type == "turn-start" or .type == "ask-response-start" or .type == "chat-user-message"))) as $openers
  | ($start.mode == "chat") as $chat
  | (if $chat then null else ($openers | last | .totalTurns // .totalResponses) end) as $total
  | ($openers | first | (.turn // .response // 1) - 1) as $saved
  | (if $chat then ($answers | length) else ([$saved, ($answers[] | .turn // .response)] | max) end) as $reached
  | (($answers | length) > ($openers | length)) as $filtered
  | {
      mode: $start.mode,
      topic: (($start.topic // "") as $topic
        | ($e | map(select(.type == "chat-user-message")) | first) as $question
        | if ($topic | test("[^ \\t\\n]")) or $question == null then $topic else ($question.content | ltrimstr("\n")) end),
      startedAt: $start.session.startedAt,
      seconds: (if $chat and any($e[]; .createdAt) and $error == null and ($filtered | not)
        then ($e | map(.createdAt // empty) | last | .[17:19] | tonumber) else null end),
      outcome: (
        if $start.type == "dry-run" then "dry-run"
        elif ($e | last | .type) != "done" and ($filtered | not) then "unfinished"
        elif $error != null then (if $error.kind == "cancelled" then "cancelled" else "failed" end)
        elif $filtered or ($openers | length) == 0 then "ended"
        elif $total == null or $reached >= $total then "finished"
        elif $start.mode == "debate" then "stopped-early"
        else "ended" end),
      answers: (if $filtered or ($openers | length) == 0 then null else $reached end),
      total: (if $filtered or ($openers | length) == 0 then null else $total end),
      agents: (
        ($start.agents | map({name, role})) as $named
        | reduce ($answers[] | {name: .agent, role}) as $one ($named;
            if any(.[]; .name == $one.name) then . else . + [$one] end)
        | map(. as $one | ($answers | map(select(.agent == $one.name))) as $said | $one + {
            answers: ($said | length),
            words: ($said | map(.content | [scan("[^ \\t\\n]+")] | length) | add // 0)
          })),
      errors: (if $error == null then [] else [$error | {phase, kind, agent, message}] end),
      outputPath: ($e | last | .outputPath)
    }`;

list('a thousand sessions are what jq says they are', async () => {
  if ((await shell('command -v jq')).status !== 0) {
    console.log('jq is not here: its comparison was not made');
    return;
  }
  const random = randomOf(16);
  const all = Array.from({ length: 1000 }, () => generated(random).map((event) => ({ v: 1, ...event })));
  const stream = file(
    'all.ndjson',
    all
      .flat()
      .map((event) => `${JSON.stringify(event)}\n`)
      .join(''),
  );
  const each = file('each.ndjson', all.map((events) => `${JSON.stringify(events)}\n`).join(''));
  const program = file('session.jq', INDEPENDENT);
  const ours = await run(['list', '--json', stream]);
  assert.is(ours.stderr, '');
  const theirs = await shell(`jq -c -f '${program}' '${each}'`);
  assert.is(theirs.stderr, '');
  const entries = values(ours.stdout);
  const expected = values(theirs.stdout);
  assert.is(entries.length, 1000);
  const seen = new Set<string>();
  let line = 1;
  for (const [index, { file: name, session, line: at, ...entry }] of entries.entries()) {
    assert.equal(entry, expected[index], `session ${index + 1}: ${JSON.stringify(all[index])}`);
    assert.is(name, stream);
    assert.is(session, index + 1);
    assert.is(at, line + all[index]!.findIndex(({ type }) => type !== 'notice'));
    line += all[index]!.length;
    seen.add(entry.outcome);
  }
  assert.is(seen.size, 7, [...seen].join(' '));
});

list.run();
