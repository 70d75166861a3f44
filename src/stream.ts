/**
 * Steps to streams: the only file that knows through2. A step is a {@link Stage}, a function of one value to
 * any number of values; here it becomes a Transform with the back-pressure and the errors of Node's streams.
 */
import type { Transform } from 'node:stream';
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
