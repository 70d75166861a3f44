/** Binary input is known by its first bytes, and text never is taken for it. */
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { binaryKind, createTextOnly } from '../../src/steps/binary.ts';
import { FIXTURES, read } from '../fixtures.ts';

const binary = suite('binary');

/** What comes through of an input that is cut into pieces of `size` bytes, and what it is taken for. */
function through(input: Buffer, size: number) {
  const step = createTextOnly();
  const out: Buffer[] = [];
  for (let at = 0; at < input.length && !step.done(); at += size) {
    step.each(input.subarray(at, at + size), (bytes) => out.push(bytes));
  }
  if (!step.done()) step.end((bytes) => out.push(bytes));
  return { text: Buffer.concat(out), kind: step.kind() };
}

binary('compressed data is told by its magic number, however it is cut, and nothing of it passes', () => {
  const samples = {
    gzip: gzipSync('{"v":1,"type":"done","outputPath":null}\n'),
    zstd: Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0x24, 0x00),
    xz: Buffer.of(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00),
    bzip2: Buffer.from('BZh91AY&SY'),
    zip: Buffer.of(0x50, 0x4b, 0x03, 0x04, 0x14, 0x00),
    'utf32, little': Buffer.from(Uint32Array.from('{"v":1}\n', (each) => each.codePointAt(0)!).buffer),
    'utf32, with a mark': Buffer.of(0xff, 0xfe, 0, 0, 0x7b, 0, 0, 0),
    'utf32, big': Buffer.of(0, 0, 0, 0x7b, 0, 0, 0, 0x22),
    'utf32, big, with a mark': Buffer.of(0, 0, 0xfe, 0xff, 0, 0, 0, 0x7b),
  };
  for (const [name, input] of Object.entries(samples)) {
    const [kind] = name.split(',');
    for (const size of [1, 3, 1000]) {
      const result = through(input, size);
      assert.equal([result.kind, result.text.length], [kind, 0], `${kind} by ${size}`);
    }
  }
});

binary('other data with many control characters is binary; a few of them in text are not', () => {
  const noise = Buffer.from(Array.from({ length: 600 }, (_, index) => (index * 37 + 0x41) % 256));
  assert.is(binaryKind(noise), 'other');
  assert.is(binaryKind(Buffer.alloc(600)), 'other');
  assert.is(
    binaryKind(Buffer.from('text with \x01, \x02 and \0 in it, and a colour: \x1b[31mred\x1b[0m\n')),
    undefined,
  );
});

binary('text passes whole: every fixture, UTF-16, inputs of a few bytes', () => {
  const texts = [
    ...FIXTURES.map((name) => Buffer.from(read(name))),
    Buffer.from('x'),
    Buffer.from('\n\n'),
    Buffer.alloc(0),
  ];
  for (const text of texts) {
    const little = Buffer.from(text.toString(), 'utf16le');
    for (const input of [text, little, Buffer.from(little).swap16()]) {
      for (const size of [1, 7, 100_000])
        assert.equal(through(input, size), { text: input, kind: undefined });
    }
  }
});

binary.run();
