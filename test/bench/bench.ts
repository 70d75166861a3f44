/**
 * `npm run bench`: how fast the program starts, how much it reads in a second, and whether its memory stays flat
 * and its time in proportion; beside other programs that do the same.
 *
 *     npm run bench -- [--only start,speed,latency,memory,lines,hostile] [--megabytes 100] [--rounds 5] [--memory 2000]
 *
 * Medians, of rounds in which the programs take turns; a ratio is the median of the ratios within a round, so that
 * a machine that is busy for a while does not change it. Data goes into a temporary folder and is removed.
 */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { refuse, scriptNumber, scriptOptions } from '../options.ts';
import { type Kind, writeLongLine, writeStream } from './data.ts';
import { firstByte, has, latencies, measure, median, type Run } from './measure.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SECTIONS = { start, speed, latency, memory, lines, hostile };
const USAGE = `npm run bench -- [--only ${Object.keys(SECTIONS).join(',')}] [--megabytes 100] [--rounds 5] [--memory 2000]`;

const { values } = scriptOptions(USAGE, {
  options: {
    only: { type: 'string', default: Object.keys(SECTIONS).join(',') },
    megabytes: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '5' },
    memory: { type: 'string', default: '2000' },
  },
});
const sections = values.only.split(',').map((name) => {
  if (!Object.hasOwn(SECTIONS, name)) refuse(`There is no section '${name}'.`, USAGE);
  return SECTIONS[name as keyof typeof SECTIONS];
});
const rounds = scriptNumber('rounds', values.rounds, USAGE);
const megabytes = scriptNumber('megabytes', values.megabytes, USAGE);
/** Megabytes of the large stream. */
const large = scriptNumber('memory', values.memory, USAGE);
const folder = mkdtempSync(join(tmpdir(), 'palabre-fmt-bench-'));
const SAMPLE = `${root}test/fixtures/input/sample.ndjson`;
const NODE = `'${process.execPath}'`;
const OURS = `${NODE} '${root}bin/palabre-fmt.js'`;

let missed = 0;

/** One line for a target of ours. */
function target(what: string, value: number, most: number, unit = '×'): void {
  const isMet = value <= most;
  if (!isMet) missed++;
  console.log(
    `${isMet ? 'met   ' : 'MISSED'} ${what}: ${value.toFixed(2)} ${unit} (at most ${most} ${unit})`,
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length), 3));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join(' | ')} |`;
  console.log(
    [line(head), `|${widths.map((size) => '-'.repeat(size + 2)).join('|')}|`, ...rows.map(line)].join('\n'),
  );
}

/** An empty list for each name. */
function series<Value = number>(names: readonly string[]): Record<string, Value[]> {
  return Object.fromEntries(names.map((name) => [name, []]));
}

function file(name: string): string {
  return join(folder, name);
}

/** The ratio of two programs: of each round, then the median. */
function ratio(of: readonly number[] | undefined, to: readonly number[] | undefined): number {
  return of && to ? median(of.map((value, round) => value / to[round]!)) : Number.NaN;
}

function times(value: number): string {
  return Number.isNaN(value) ? '–' : value.toFixed(2);
}

async function start(): Promise<void> {
  const programs: Record<string, string> = {
    'node -e 0': `${NODE} -e 0`,
    pretty: `${OURS} '${SAMPLE}'`,
    filter: `${OURS} filter '${SAMPLE}'`,
    validate: `${OURS} validate '${SAMPLE}'`,
    markdown: `${OURS} markdown '${SAMPLE}'`,
    '--version': `${OURS} --version`,
    ...(has('jq') ? { 'jq .': `jq . '${SAMPLE}'` } : {}),
  };
  const names = Object.keys(programs);
  const [first, end, cpu, peak] = [series(names), series(names), series(names), series(names)];
  // A start is short and so are its pauses: more rounds.
  for (let round = 0; round < rounds * 4; round++) {
    for (const [name, command] of Object.entries(programs)) {
      const took = await firstByte(command);
      // What writes nothing is done when it ends.
      first[name]!.push(Number.isNaN(took.first) ? took.end : took.first);
      end[name]!.push(took.end);
      const run = measure(`$RUN ${command} > /dev/null`);
      cpu[name]!.push(run.cpu);
      peak[name]!.push(run.memory);
    }
  }
  const base = first['node -e 0'];
  console.log('\n## Start: a short stream\n');
  table(
    ['command', 'first line, ms', 'end, ms', 'CPU, ms', 'peak, MiB', '× node -e 0'],
    names.map((name) => [
      name,
      median(first[name]!).toFixed(0),
      median(end[name]!).toFixed(0),
      (median(cpu[name]!) * 1000).toFixed(0),
      median(peak[name]!).toFixed(0),
      times(ratio(first[name], base)),
    ]),
  );
  console.log();
  for (const name of ['pretty', 'filter']) target(`first line of ${name}`, ratio(first[name], base), 1.25);
}

/** The ways by which a stream reaches a program. */
const WAYS = {
  file: (input: string, command: string) => `$RUN ${command} < '${input}' > /dev/null`,
  pipe: (input: string, command: string) => `cat '${input}' | $RUN ${command} > /dev/null`,
};
type Way = keyof typeof WAYS;

/** Programs on one stream, by turns. Gives the CPU time of one as a multiple of another's. */
function race(kind: Kind, size: number, way: Way, programs: Record<string, string>) {
  const input = file(`${kind}.ndjson`);
  writeStream(input, kind, size);
  const runs = series<Run>(Object.keys(programs));
  for (let round = 0; round < rounds; round++) {
    for (const [name, command] of Object.entries(programs)) {
      runs[name]!.push(measure(WAYS[way](input, command)));
    }
  }
  const written = statSync(input).size / 1e6;
  rmSync(input);
  const cpu = (name: string) => runs[name]?.map((run) => run.cpu);
  const [bare] = Object.keys(programs);
  console.log(`\n## Speed: ${written.toFixed(0)} MB, ${kind}, from a ${way}\n`);
  table(
    ['command', 'CPU, s', 'wall, s', 'MB/s', 'peak, MiB', `× ${bare}`, '× jq'],
    Object.entries(runs).map(([name, list]) => [
      name,
      median(list.map((run) => run.cpu)).toFixed(2),
      median(list.map((run) => run.wall)).toFixed(2),
      (written / median(list.map((run) => run.wall))).toFixed(0),
      median(list.map((run) => run.memory)).toFixed(0),
      times(ratio(cpu(name), cpu(bare!))),
      times(ratio(cpu(name), cpu('jq'))),
    ]),
  );
  console.log();
  return (name: string, to: string) => ratio(cpu(name), cpu(to));
}

/** How much of the CPU time of the bare loop a command may take: on long answers, on short events. */
const LIMITS = {
  'filter -t message': [1.3, 1.4],
  validate: [1.5, 1.5],
  pretty: [2.5, 2.5],
  'pretty --compact': [2, 2],
} as const;

function speed(): void {
  const query = `-c 'select(.type=="message")'`;
  const pino = `${NODE} '${root}node_modules/pino-pretty/bin.js'`;
  const others = {
    'filter --agent claude': `${OURS} filter --agent claude`,
    'pretty --agent claude': `${OURS} pretty --agent claude`,
    list: `${OURS} list`,
    ...(has('jq') ? { jq: `jq ${query}` } : {}),
    ...(has('gojq') ? { gojq: `gojq ${query}` } : {}),
    'pino-pretty': `${pino} -m content`,
  };
  const bare = 'bare loop';
  const programs = {
    [bare]: `${NODE} '${root}test/bench/rivals/limit.mjs' message`,
    ...Object.fromEntries(Object.keys(LIMITS).map((command) => [command, `${OURS} ${command}`])),
  };
  for (const kind of ['long', 'short', 'french', 'fixtures'] as const) {
    for (const way of ['file', 'pipe'] as const) {
      const of = race(kind, megabytes, way, { ...programs, ...(way === 'file' ? others : {}) });
      if (kind !== 'long' && kind !== 'short') continue;
      for (const [command, limits] of Object.entries(LIMITS))
        target(`${command}, ${kind}, ${way}`, of(command, bare), limits[kind === 'long' ? 0 : 1]);
      if (way === 'pipe') continue;
      if (has('jq'))
        target(`filter, ${kind}, to jq`, of('filter -t message', 'jq'), kind === 'long' ? 0.25 : 0.4);
      target(`pretty, ${kind}, to pino-pretty`, of('pretty', 'pino-pretty'), 0.33);
    }
  }
  race('long', megabytes / 10, 'file', {
    'bare parse': `${NODE} '${root}test/bench/rivals/markdown.mjs'`,
    markdown: `${OURS} markdown`,
  });
}

async function latency(): Promise<void> {
  console.log('\n## Latency: an event written to a pipe until its line is out, ms\n');
  const rows: string[][] = [];
  for (const command of ['pretty', 'pretty --compact', 'filter', 'validate']) {
    const took = await latencies(process.execPath, [`${root}bin/palabre-fmt.js`, ...command.split(' ')], 200);
    rows.push([command, median(took).toFixed(2), Math.max(...took).toFixed(2)]);
  }
  table(['command', 'median of 200', 'worst'], rows);
}

const COMMANDS = [
  'pretty',
  'pretty --compact',
  'markdown',
  'filter',
  'filter -c',
  'validate',
  'validate --report json',
];
/** Of these two sizes the larger may take so much more. */
const SMALL = 20;

function memory(): void {
  const piece = file('piece.ndjson');
  writeStream(piece, 'long', SMALL);
  const stream = (megabytes: number) =>
    `for i in $(seq ${Math.ceil(megabytes / SMALL)}); do cat '${piece}'; done`;
  const cases: Record<string, [small: string, large: string]> = {};
  for (const command of COMMANDS) {
    // The parser of Markdown takes a minute for what the others read in seconds.
    const much = command === 'markdown' ? large / 10 : large;
    cases[command] = [
      `${stream(SMALL)} | $RUN ${OURS} ${command} > /dev/null`,
      `${stream(much)} | $RUN ${OURS} ${command} > /dev/null`,
    ];
  }
  const slow = '(sleep 5; cat) > /dev/null';
  for (const command of ['pretty', 'filter']) {
    cases[`${command}, slow reader`] = [
      `${stream(SMALL)} | $RUN ${OURS} ${command} | ${slow}`,
      `${stream(large / 4)} | $RUN ${OURS} ${command} | ${slow}`,
    ];
  }
  const endless = (megabytes: number) => `head -c ${megabytes}M /dev/zero | tr '\\0' x`;
  for (const command of ['pretty', 'filter', 'markdown', 'validate']) {
    // The longest line that is held at all is the same in both.
    const run = `$RUN ${OURS} ${command} -q --max-line 8M > /dev/null`;
    cases[`${command}, endless line`] = [`${endless(SMALL)} | ${run}`, `${endless(large / 2)} | ${run}`];
  }
  console.log(
    `\n## Memory: ${SMALL} MB beside ${large} MB (Markdown a tenth, slow reader a quarter, endless line a half)\n`,
  );
  const results = Object.entries(cases).map(([name, pair]) => {
    const peaks = pair.map((command) => {
      // The middle of three: the collector of garbage has its moods.
      return median([0, 1, 2].slice(0, rounds).map(() => measure(command, [0, 1]).memory));
    });
    return { name, peaks };
  });
  table(
    ['command', 'small, MiB', 'large, MiB', 'ratio'],
    results.map(({ name, peaks }) => [
      name,
      peaks[0]!.toFixed(0),
      peaks[1]!.toFixed(0),
      times(peaks[1]! / peaks[0]!),
    ]),
  );
  console.log();
  for (const { name, peaks } of results) {
    target(`memory of ${name}`, peaks[1]! / peaks[0]!, 1.25);
    target(`peak of ${name}`, peaks[1]!, name.includes('markdown') ? 200 : 110, 'MiB');
  }
}

function lines(): void {
  const sizes = [1, 4, 16, 63];
  console.log('\n## Time by the length of one line: seconds of CPU\n');
  const rows = ['pretty', 'markdown', 'filter -t message', 'validate'].map((command) => {
    const cpu = sizes.map((megabytes) => {
      const path = file(`line-${megabytes}.ndjson`);
      writeLongLine(path, megabytes);
      const took = [0, 1, 2].map(() => measure(`$RUN ${OURS} ${command} '${path}' > /dev/null`).cpu);
      rmSync(path);
      return median(took);
    });
    return { command, cpu };
  });
  table(
    ['command', ...sizes.map((size) => `${size} MB`)],
    rows.map(({ command, cpu }) => [command, ...cpu.map((seconds) => seconds.toFixed(2))]),
  );
  console.log();
  for (const { command, cpu } of rows) {
    // What a start takes is no part of it. From 16 to 63 MB is four times as much, and half more for the collector.
    const startup = measure(`$RUN ${OURS} --version > /dev/null`).cpu;
    target(`growth of ${command}`, (cpu[3]! - startup) / Math.max(cpu[2]! - startup, 0.02), 6);
  }
}

/** A message that is made to cost the parser of Markdown as much as it can. */
const HOSTILE: Record<string, string> = {
  '[ × 1M': '['.repeat(1e6),
  '< × 1M': '<'.repeat(1e6),
  '*a_ × 1M': '*a_ '.repeat(1e6),
  '> × 1M': '>'.repeat(1e6),
  '` runs × 64K': Array.from({ length: 64_000 }, (_, at) => `${'`'.repeat((at % 300) + 1)} `).join(''),
  'nested lists × 30K': Array.from({ length: 300 }, (_, depth) => `${'  '.repeat(depth)}- x`)
    .join('\n')
    .repeat(3),
  'table row, 10 MB': `|${'a|'.repeat(5e6)}\n|${'-|'.repeat(1000)}`,
  '*a_ × 64K': '*a_ '.repeat(16_000),
  '> × 64K': '>'.repeat(64_000),
  '[ × 64K': '['.repeat(64_000),
  '![ × 64K': '!['.repeat(32_000),
  '](: × 64K': '](:'.repeat(21_000),
  '<a × 64K': '<a '.repeat(21_000),
  '<? × 64K': '<? '.repeat(21_000),
  '- - - x × 64K': '- - - x\n'.repeat(8000),
  'x⏎= × 64K': 'x\n=\n'.repeat(16_000),
  '&#1; × 64K': '&#1;'.repeat(16_000),
  '[x]: y × 64K': '[x]: y\n'.repeat(9000),
  '[^1] × 64K': '[^1]'.repeat(16_000),
  '| a × 64K': `| a |\n|---|\n${'| a |\n'.repeat(10_000)}`,
  'http:// × 64K': 'http://'.repeat(9000),
  'a@b. × 64K': 'a@b.'.repeat(16_000),
  'x@ × 64K': 'x'.repeat(64_000),
  'tabs × 64K': '\t'.repeat(64_000),
  'lone CR × 64K': '\r'.repeat(64_000),
  'x<? × 64K': `x${'<?'.repeat(32_000)}`,
  'x<!-- × 64K': `x${'<!-- '.repeat(13_000)}`,
  'x<![CDATA[ × 64K': `x${'<![CDATA['.repeat(7000)}`,
  'marks × 1M': `e${'\u0301'.repeat(1e6)}`,
};
/** Seconds, start included: the most that one message may take. */
const PATIENCE = 5;

function hostile(): void {
  console.log('\n## Hostile Markdown: seconds of CPU\n');
  const path = file('hostile.ndjson');
  const worst = { markdown: 0, pretty: 0 };
  // `script` gives the program a terminal, without which it styles nothing.
  const terminal = has('script')
    ? (line: string) => `$RUN script -qec "${line}" /dev/null > /dev/null`
    : undefined;
  const rows = Object.entries(HOSTILE).map(([name, content]) => {
    const event = { v: 1, type: 'message', turn: 1, agent: 'codex', role: 'reviewer', content };
    writeFileSync(path, `${JSON.stringify(event)}\n`);
    const markdown = measure(`$RUN ${OURS} markdown '${path}' > /dev/null`).cpu;
    const pretty = terminal ? measure(terminal(`${OURS} --color always '${path}'`), [0, 1]).cpu : Number.NaN;
    worst.markdown = Math.max(worst.markdown, markdown);
    worst.pretty = Math.max(worst.pretty, pretty);
    return [name, markdown.toFixed(2), times(pretty)];
  });
  table(['message', 'markdown', 'pretty on a terminal'], rows);
  console.log();
  target('worst Markdown transcript', worst.markdown, PATIENCE, 's');
  if (terminal) target('worst Markdown on a terminal', worst.pretty, PATIENCE, 's');
}

console.log(
  `# ${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${platform()} ${arch()}, ` +
    `${cpus().length} × ${cpus()[0]?.model.trim()}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB; median of ${rounds} rounds`,
);
try {
  for (const section of sections) await section();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(missed === 0 ? '\nAll targets met.' : `\n${missed} targets missed.`);
