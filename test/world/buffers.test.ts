/** Buffers that are lent, given back and written over. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEncoder, createPool } from '../../src/world/buffers.ts';
import { pick, randomOf } from '../random.ts';

const buffers = suite('buffers');

buffers('a buffer is lent again once a part of it was given back, and not before', () => {
  const pool = createPool(8);
  const first = pool.take();
  const second = pool.take();
  assert.is.not(first.buffer, second.buffer);
  pool.give(first.subarray(2, 3));
  const third = pool.take();
  assert.is(third.buffer, first.buffer);
  assert.is(third.length, 8, 'the whole of it');
  pool.give(third);
  pool.give(third);
  assert.is(pool.take().buffer, third.buffer);
  assert.is.not(pool.take().buffer, third.buffer, 'given twice, it is lent once');
  const foreign = Buffer.allocUnsafeSlow(8);
  pool.give(foreign);
  assert.is.not(pool.take().buffer, foreign.buffer, 'what was not lent is not taken in');
  pool.give(Buffer.alloc(9));
  assert.is(pool.take().length, 8, 'what is of another size is not taken in');
});

/** Texts on both sides of every edge of a buffer of 32 bytes, of characters of one to four bytes. */
const TEXTS = ['', 'a', 'é', '│', '👍', '\ud83d', 'x\udc4d'].flatMap((character) =>
  [1, 2, 5, 10, 11, 16, 31, 32, 33, 100].map((count) => character.repeat(count)),
);

buffers('what is taken is what was added, as UTF-8, in order', () => {
  const encoder = createEncoder(32);
  const random = randomOf(1);
  const taken: Buffer[] = [];
  const added: string[] = [];
  for (let round = 0; round < 2000; round++) {
    const text = pick(TEXTS, random);
    encoder.add(text);
    added.push(text);
    if (random() < 0.8) continue;
    for (const bytes of encoder.take()) {
      assert.ok(bytes.length > 0);
      taken.push(Buffer.from(bytes));
      encoder.give(bytes);
    }
  }
  taken.push(...encoder.take());
  assert.ok(Buffer.concat(taken).equals(Buffer.concat(added.map((text) => Buffer.from(text)))));
  assert.equal(encoder.take(), []);
});

buffers('what was taken stays as it is until it is given back', () => {
  const encoder = createEncoder(32);
  encoder.add('first');
  const [first] = encoder.take();
  encoder.add('second');
  encoder.add('x'.repeat(32));
  assert.is(first?.toString(), 'first');
  assert.equal(encoder.take().map(String), ['second', 'x'.repeat(32)]);
  assert.is(first?.toString(), 'first');
});

buffers.run();
