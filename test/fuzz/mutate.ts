/** Streams that something happened to: bytes, lines and events of the fixtures, changed by chance. */

import { FIXTURES, read } from '../fixtures.ts';
import { below, pick, type Random } from '../random.ts';
import { ATTACKS, ORDINARY } from '../safe/attacks.ts';
import { ATTACKS as MARKDOWN } from '../safe/markdown-attacks.ts';

export const STREAMS: readonly Buffer[] = FIXTURES.map((name) => Buffer.from(read(name)));
const LINES = STREAMS.flatMap((stream) => stream.toString().split('\n').filter(Boolean));
const EVENTS: Record<string, unknown>[] = LINES.filter((line) => line.endsWith('}')).map((line) =>
  JSON.parse(line),
);

const LF = 0x0a;
/** Bytes that mean something to somebody. */
const BYTES: readonly Buffer[] = [
  [0x00],
  [0x0a],
  [0x0d],
  [0x0d, 0x0a],
  [0x1b],
  [0x22],
  [0x5c],
  [0x7b],
  [0x7d],
  [0xc3],
  [0xef, 0xbb, 0xbf],
  [0xff, 0xfe],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xf0, 0x9f, 0x92],
  [0xe2, 0x80, 0xa8],
].map((bytes) => Buffer.from(bytes));
const NOISE = [
  'npm warn deprecated',
  '',
  ' ',
  '{',
  '}',
  '[]',
  'null',
  '{}',
  '{"v":2,"type":"start"}',
  '"',
  '1e999',
  '{"v":1}',
];
const TEXTS = [...Object.values(ATTACKS), ...Object.values(ORDINARY), ...MARKDOWN];

/** A value of any kind, also of none that the contract knows. */
function anyValue(random: Random): unknown {
  switch (below(12, random)) {
    case 0:
      return null;
    case 1:
      return pick([0, -0, -1, 1.5, 1e21, 2 ** 53, Number.MAX_VALUE, 5e-324], random);
    case 2:
      return random() < 0.5;
    case 3:
      return [];
    case 4:
      return {};
    case 5:
      return Array.from({ length: below(6, random) }, () => anyValue(random));
    case 6: {
      let value: unknown = 'deep';
      for (let depth = below(3000, random); depth > 0; depth--) value = depth % 2 ? [value] : { a: value };
      return value;
    }
    case 7:
      return pick(TEXTS, random).repeat(1 + below(300, random));
    case 8:
      return String.fromCharCode(...Array.from({ length: 20 }, () => below(0x10000, random)));
    default:
      return pick(TEXTS, random);
  }
}

const NAMES = [
  'v',
  'type',
  'content',
  'agent',
  'role',
  'turn',
  'details',
  '__proto__',
  'constructor',
  'toString',
  '',
];
const TYPES = [
  ...new Set(EVENTS.map(({ type }) => type)),
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'chat-send',
  '',
];

/** One event with a field changed, added or gone, or with another type. */
function changeEvent(event: Record<string, unknown>, random: Random): Record<string, unknown> {
  const names = Object.keys(event);
  const entries = Object.entries(event);
  switch (below(5, random)) {
    case 0:
      return Object.fromEntries(entries.filter(([name]) => name !== pick(names, random)));
    case 1:
      return Object.fromEntries([...entries, [pick(NAMES, random), anyValue(random)]]);
    case 2:
      return { ...event, type: random() < 0.9 ? pick(TYPES, random) : anyValue(random) };
    default: {
      const name = pick(names, random);
      const value = event[name];
      const isInside = typeof value === 'object' && value !== null && !Array.isArray(value) && random() < 0.7;
      const changed = isInside ? changeEvent(value as Record<string, unknown>, random) : anyValue(random);
      return Object.fromEntries(entries.map((entry) => (entry[0] === name ? [name, changed] : entry)));
    }
  }
}

function spliced(stream: Buffer, from: number, to: number, ...between: Buffer[]): Buffer {
  return Buffer.concat([stream.subarray(0, from), ...between, stream.subarray(to)]);
}

/** Where lines begin and end, without their newlines. */
function lineBounds(stream: Buffer): [from: number, to: number][] {
  const bounds: [number, number][] = [];
  for (let from = 0; from < stream.length; ) {
    const newline = stream.indexOf(LF, from);
    const to = newline < 0 ? stream.length : newline;
    bounds.push([from, to]);
    from = to + 1;
  }
  return bounds;
}

type Mutation = (stream: Buffer, random: Random) => Buffer;

const onBytes: readonly Mutation[] = [
  (stream, random) => {
    const changed = Buffer.from(stream);
    const at = below(stream.length, random);
    changed[at] = changed[at]! ^ (1 << below(8, random));
    return changed;
  },
  (stream, random) => {
    const at = below(stream.length + 1, random);
    return spliced(stream, at, at + below(4, random), pick(BYTES, random));
  },
  (stream, random) => stream.subarray(0, below(stream.length + 1, random)),
  (stream, random) => {
    const [from, to] = [below(stream.length, random), below(stream.length, random)].sort((a, b) => a - b);
    return spliced(stream, from!, Math.min(to!, from! + 200));
  },
  (stream, random) => Buffer.concat([pick(BYTES.slice(10, 12), random), stream]),
];

const onLines: readonly Mutation[] = [
  (stream, random) => {
    const [from, to] = pick(lineBounds(stream), random);
    return spliced(stream, from, to + 1);
  },
  (stream, random) => {
    const [from, to] = pick(lineBounds(stream), random);
    return spliced(stream, from, from, stream.subarray(from, to), Buffer.of(LF));
  },
  (stream, random) => {
    const [from] = pick(lineBounds(stream), random);
    const text = random() < 0.5 ? pick(NOISE, random) : pick(LINES, random);
    return spliced(stream, from, from, Buffer.from(`${text}\n`));
  },
  (stream, random) => {
    const [, to] = pick(lineBounds(stream), random);
    return spliced(stream, to, to + 1);
  },
  (stream, random) => {
    const bounds = lineBounds(stream);
    const [one, other] = [pick(bounds, random), pick(bounds, random)].sort(([a], [b]) => a - b);
    const [first, second] = [stream.subarray(...one!), stream.subarray(...other!)];
    if (one![0] === other![0]) return stream;
    return Buffer.concat([
      stream.subarray(0, one![0]),
      second,
      stream.subarray(one![1], other![0]),
      first,
      stream.subarray(other![1]),
    ]);
  },
  (stream) => Buffer.from(stream.toString('latin1').replaceAll('\n', '\r\n'), 'latin1'),
  (stream, random) => Buffer.concat([stream, pick(STREAMS, random)]),
];

const onEvents: Mutation = (stream, random) => {
  const [from, to] = pick(lineBounds(stream), random);
  let event: unknown;
  try {
    event = JSON.parse(stream.toString('utf8', from, to));
  } catch {
    event = pick(EVENTS, random);
  }
  if (typeof event !== 'object' || event === null) event = pick(EVENTS, random);
  const changed = JSON.stringify(changeEvent(event as Record<string, unknown>, random));
  return spliced(stream, from, to, Buffer.from(changed));
};

/** A stream of the fixtures with one to six things done to it. */
export function mutated(random: Random): Buffer {
  let stream = pick(STREAMS, random);
  for (let count = 1 + below(6, random); count > 0 && stream.length > 0; count--) {
    const kind = random();
    const mutation = kind < 0.25 ? pick(onBytes, random) : kind < 0.5 ? pick(onLines, random) : onEvents;
    stream = mutation(stream, random);
  }
  return stream;
}

/** The pieces that a stream arrives in. */
export function cuts(stream: Buffer, random: Random): Buffer[] {
  const pieces: Buffer[] = [];
  const most = pick([1, 7, 100, 65_536], random);
  for (let at = 0; at < stream.length; ) {
    // Not a thousand steps for every byte of a long one.
    const size = 1 + below(Math.max(most, stream.length / 2000), random);
    pieces.push(stream.subarray(at, at + size));
    at += size;
  }
  return pieces;
}
