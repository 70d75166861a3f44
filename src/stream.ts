/**
 * Steps to streams: the only file that knows through2. A step is a {@link Stage}, a function of one value to
 * any number of values; here it becomes a Transform with the back-pressure and the errors of Node's streams.
 */
import type { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import through2 from 'through2';
import type { Stage } from './event.ts';

/**
 * A Transform of a stage. What `each` and `end` give is pushed value by value; a step that gives nothing for
 * a value pushes nothing. An error that a step throws destroys the stream.
 *
 * @param stage the step
 * @param input `bytes` where the step reads Buffers (strings written to it are encoded), else `values`
 */
export function toTransform<In, Out>(
  stage: Stage<In, Iterable<Out>>,
  input: 'bytes' | 'values' = 'values',
): Transform {
  const stream = through2(
    { writableObjectMode: input === 'values', readableObjectMode: true },
    function (this: Transform, value: In, _encoding, done) {
      push(this, () => stage.each(value), done);
    },
    function (this: Transform, done) {
      push(this, () => stage.end?.() ?? [], done);
    },
  );
  // through2 is typed by the package it takes its streams from; they are Node's own in shape.
  return stream as unknown as Transform;
}

/** Pushes what `step` gives. What it throws must reach the stream as an error; thrown on, it would end the program. */
function push(stream: Transform, step: () => Iterable<unknown>, done: (error?: Error) => void): void {
  try {
    for (const out of step()) stream.push(out);
  } catch (error) {
    done(error as Error);
    return;
  }
  done();
}

/**
 * Lets a source flow through steps to `take`, a value at a time, until the end or until `take` says no. Then the
 * source is closed, as a pipe tells its writer that nobody reads any more.
 *
 * @throws what the source, a step or `take` throws
 */
export async function consume<T>(
  source: Readable,
  steps: Transform[],
  take: (value: T) => Promise<boolean>,
): Promise<void> {
  let over = false;
  let failure: unknown;
  async function sink(values: AsyncIterable<T>): Promise<void> {
    for await (const value of values) {
      try {
        over = !(await take(value));
      } catch (error) {
        over = true;
        failure = error;
      }
      if (over) return;
    }
  }
  try {
    await pipeline([source, ...steps, sink as never]);
  } catch (error) {
    // To leave before the end is an error to Node, and another one than what made us leave.
    if (!over) throw error;
  }
  if (failure !== undefined) throw failure;
}
