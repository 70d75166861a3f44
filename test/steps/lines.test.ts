import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Line } from '../../src/event.ts';
import { createLineReader } from '../../src/steps/lines.ts';
import { collect } from '../../src/stream.ts';
import { fc } from '../random.ts';

const lines = suite('lines');

/** Reads bytes cut into pieces of a size, or at the places given. */
function read(
  bytes: Buffer | string,
  { size = Infinity, cuts = [] as number[], maxLine = 1000 } = {},
): Line[] {
  const whole = Buffer.from(bytes);
  const reader = createLineReader({ maxLine });
  const ends = size === Infinity ? [...cuts, whole.length] : [];
  for (let at = size; at < whole.length + size && size !== Infinity; at += size) ends.push(at);
  const out: Line[] = [];
  let from = 0;
  for (const end of ends) {
    reader.each(whole.subarray(from, end), (line) => out.push(line));
    from = end;
  }
  reader.end((line) => out.push(line));
  return out;
}

const texts = (found: Line[]) => found.map(({ text }) => text);

lines('LF and CRLF end a line; the last needs no newline', () => {
  assert.equal(read('a\nb\r\nc'), [
    { number: 1, text: 'a' },
    { number: 2, text: 'b' },
    { number: 3, text: 'c', unterminated: true },
  ]);
  assert.equal(read('a\n'), [{ number: 1, text: 'a' }]);
  assert.equal(read(''), []);
});

lines('blank lines count', () => {
  assert.equal(texts(read('a\n\n\r\nb\n')), ['a', '', '', 'b']);
});

lines('a line is given as soon as its newline has come', () => {
  const reader = createLineReader();
  const after = (bytes: string) => collect<Line>((push) => reader.each(Buffer.from(bytes), push));
  assert.equal(after('a'), []);
  assert.equal(after('b\nc'), [{ number: 1, text: 'ab' }]);
  assert.equal(after('\n'), [{ number: 2, text: 'c' }]);
  assert.equal(collect(reader.end), []);
});

lines('a CR that ends no line stays', () => {
  assert.equal(texts(read('a\rb\n\r\r\n')), ['a\rb', '\r']);
});

lines('a byte order mark is dropped at the start of every line', () => {
  assert.equal(texts(read('\uFEFFa\n\uFEFFb\nc\uFEFFd\n')), ['a', 'b', 'c\uFEFFd']);
  assert.equal(texts(read('\uFEFFa\n', { size: 1 })), ['a']);
  assert.equal(texts(read('\uFEFF')), []);
  assert.equal(read(Buffer.of(0xef, 0xbb)), [
    { number: 1, text: '\uFFFD', unterminated: true, damage: 'invalid-utf8' },
  ]);
});

lines('UTF-16 is read with and without a mark, in both byte orders, however it is cut', () => {
  const text = '{"é":"😀"}\r\n漢\n';
  const little = Buffer.from(text, 'utf16le');
  const big = Buffer.from(little).swap16();
  for (const input of [
    little,
    big,
    Buffer.concat([Buffer.of(0xff, 0xfe), little]),
    Buffer.concat([Buffer.of(0xfe, 0xff), big]),
  ]) {
    for (const size of [1, 2, 3, Infinity]) {
      assert.equal(read(input, { size }), [
        { number: 1, text: '{"é":"😀"}', damage: 'utf-16' },
        { number: 2, text: '漢' },
      ]);
    }
  }
});

lines('a character cut between two chunks is whole', () => {
  const text = 'é€😀\n日本語\n';
  for (let cut = 0; cut <= Buffer.byteLength(text); cut++) {
    assert.equal(texts(read(text, { cuts: [cut] })), ['é€😀', '日本語']);
  }
});

lines('bytes that are no UTF-8 are marked on their own line', () => {
  const input = Buffer.concat([
    Buffer.from('good\n'),
    Buffer.of(0x61, 0xff, 0x0a),
    Buffer.from('\uFFFD too\n'),
  ]);
  assert.equal(read(input), [
    { number: 1, text: 'good' },
    { number: 2, text: 'a\uFFFD', damage: 'invalid-utf8' },
    { number: 3, text: '\uFFFD too' },
  ]);
});

lines('a line over the limit is dropped and the next is intact', () => {
  const input = `ok\n${'x'.repeat(11)}\r\n${'y'.repeat(10)}\r\n${'z'.repeat(12)}\nend\n${'w'.repeat(13)}`;
  const expected = [
    { number: 1, text: 'ok' },
    { number: 2, text: '', damage: 'line-too-long', bytes: 11 },
    { number: 3, text: 'y'.repeat(10) },
    { number: 4, text: '', damage: 'line-too-long', bytes: 12 },
    { number: 5, text: 'end' },
    { number: 6, text: '', damage: 'line-too-long', bytes: 13 },
  ];
  for (const size of [1, 2, 3, 7, 10, 11, 12, Infinity])
    assert.equal(read(input, { size, maxLine: 10 }), expected);
});

lines('the limit counts bytes, not characters', () => {
  assert.equal(texts(read('ééééé\n', { maxLine: 10 })), ['ééééé']);
  assert.is(read('ééééé\n', { maxLine: 9 })[0]!.bytes, 10);
});

lines('the result never depends on where the chunks are cut', () => {
  const piece = fc.constantFrom('a', 'bcdef', '\n', '\r\n', '\r', 'é', '😀', '\uFEFF', '\0', 'x'.repeat(20));
  const bytes = fc.array(
    fc.oneof(
      piece.map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 4 }),
    ),
  );
  fc.assert(
    fc.property(bytes, fc.array(fc.nat(200), { maxLength: 8 }), (parts, cuts) => {
      const whole = Buffer.concat(parts.map((part) => Buffer.from(part)));
      const sorted = cuts.filter((cut) => cut < whole.length).sort((a, b) => a - b);
      const expected = read(whole, { maxLine: 12 });
      assert.equal(read(whole, { maxLine: 12, cuts: sorted }), expected);
      assert.equal(read(whole, { maxLine: 12, size: 1 }), expected);
    }),
  );
});

/** What is not held any more is given back now. Node shows this function only to those who ask by a flag. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

lines('a line that is too long is not held in memory', () => {
  const reader = createLineReader({ maxLine: 1000 });
  const chunk = Buffer.alloc(1_000_000, 'x');
  const before = process.memoryUsage().arrayBuffers;
  // Fresh copies: were they held, they would add up to 200 MB.
  const out: Line[] = [];
  for (let i = 0; i < 200; i++) reader.each(Buffer.from(chunk), (line) => out.push(line));
  collectGarbage();
  assert.ok(process.memoryUsage().arrayBuffers - before < 50_000_000);
  reader.each(Buffer.from('\nnext\n'), (line) => out.push(line));
  assert.equal(out, [
    { number: 1, text: '', damage: 'line-too-long', bytes: 200_000_000 },
    { number: 2, text: 'next' },
  ]);
});

lines('what a step throws for a line reaches the caller, and the lines after it are not given', () => {
  const reader = createLineReader();
  const given: string[] = [];
  const receive = ({ text }: Line) => {
    given.push(text);
    if (text === 'b') throw new RangeError('b');
  };
  assert.throws(
    () => reader.each(Buffer.from('a\nb\nc\n'), receive),
    (error: unknown) => error instanceof RangeError,
  );
  assert.equal(given, ['a', 'b']);
});

lines.run();
