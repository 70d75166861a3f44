/**
 * Steps, put together and made into streams: the only file that knows through2.
 *
 * A step takes one value and pushes any number of values; {@link compose} makes one step of several, and
 * {@link toTransform} a Transform of a step, with the back-pressure and the errors of Node's streams. Several
 * steps in one Transform are several times as fast as a Transform each, since a value that waits in the queue of
 * a stream costs more than what most steps do with it.
 */
import { pipeline, type Readable, type Transform } from 'node:stream';
import through2 from 'through2';
import { checkOptions, oneOf, required, step as stepOption } from './arguments.ts';
import type { Step } from './event.ts';

/**
 * A step of a function: what it gives, or nothing for `undefined`.
 *
 * @example
 * map((line: string) => line.trim() || undefined); // lines that are not blank, trimmed
 */
export function map<In, Out>(convert: (value: In) => Out | undefined): Step<In, Out> {
  return {
    each(value, push) {
      const out = convert(value);
      if (out !== undefined) push(out);
    },
  };
}

/**
 * A step that shows each value to `look`, and passes it on.
 *
 * @example
 * compose(map(parseLine), tap((item) => console.error(item.line.number)));
 */
export function tap<Value>(look: (value: Value) => void): Step<Value, Value> {
  return {
    each(value, push) {
      look(value);
      push(value);
    },
  };
}

/** A step that passes on the first `count` values. */
export function take<Value>(count: number): Step<Value, Value> {
  let left = count;
  return {
    each(value, push) {
      if (left-- > 0) push(value);
    },
    done: () => left <= 0,
  };
}

/**
 * One step of several. Each value goes all the way before the next one starts, so what `done` says holds from the
 * value on after which it says so. The end of the first is followed by the end of the second, and so on.
 *
 * @example
 * const step = compose(createLineReader(), map(parseLine), createValidator());
 * step.each(Buffer.from('{"v":1,"type":"notice","message":"Hi"}\n'), console.log); // { kind: 'event', … }
 */
export function compose<A, B, C>(first: Step<A, B>, second: Step<B, C>): Step<A, C>;
export function compose<A, B, C, D>(a: Step<A, B>, b: Step<B, C>, c: Step<C, D>): Step<A, D>;
export function compose<A, B, C, D, E>(
  a: Step<A, B>,
  b: Step<B, C>,
  c: Step<C, D>,
  d: Step<D, E>,
): Step<A, E>;
export function compose<A, B, C, D, E, F>(
  a: Step<A, B>,
  b: Step<B, C>,
  c: Step<C, D>,
  d: Step<D, E>,
  e: Step<E, F>,
): Step<A, F>;
/** Any number of steps, of which those in the middle give what they take. */
export function compose<A, B, C, D>(
  first: Step<A, B>,
  second: Step<B, C>,
  ...others: [...Step<C, C>[], Step<C, D>]
): Step<A, D>;
export function compose(...steps: Step<unknown, unknown>[]): Step<unknown, unknown> {
  return steps.reduceRight((second, first) => pair(first, second));
}

function pair<A, B, C>(first: Step<A, B>, second: Step<B, C>): Step<A, C> {
  let give: (value: C) => void;
  // Few steps are ever done: the others are not asked before each value.
  const toSecond = second.done
    ? (value: B) => {
        if (!second.done!()) second.each(value, give);
      }
    : (value: B) => second.each(value, give);
  return {
    each(value, push) {
      give = push;
      first.each(value, toSecond);
    },
    end(push) {
      give = push;
      if (!second.done?.()) first.end?.(toSecond);
      second.end?.(push);
    },
    ...((first.done || second.done) && { done: () => !!(first.done?.() || second.done?.()) }),
  };
}

/**
 * What a step pushes, as a list.
 *
 * @example
 * const filter = createFilter({ type: 'error' });
 * const errors = collect<Item>((push) => items.forEach((item) => filter.each(item, push)));
 */
export function collect<Value>(run: (push: (value: Value) => void) => void): Value[] {
  const values: Value[] = [];
  run((value) => {
    values.push(value);
  });
  return values;
}

/** The type that a transform takes; in the types alone. */
declare const TAKES: unique symbol;

/** A destination that takes what `Out` is, or one that does not say what it takes. */
type Taking<Out, Next> = Next extends { readonly [TAKES]?: (value: infer In) => void }
  ? [Out] extends [In]
    ? unknown
    : { readonly [TAKES]?: (value: Out) => void }
  : unknown;

/**
 * A Transform that says what it takes and what it gives, so that a loop over it has values of a type, and a pipe
 * into one that takes something else does not compile.
 *
 * @example
 * for await (const item of process.stdin.pipe(parse())) console.log(item.line.number); // `item` is an `Item`
 */
export interface TypedTransform<In, Out> extends Transform {
  readonly [TAKES]?: (value: In) => void;
  [Symbol.asyncIterator](): NodeJS.AsyncIterator<Out>;
  /** For the types of `pipeline`, in which every stream gives strings and Buffers. */
  [Symbol.asyncIterator](): ReturnType<Transform[typeof Symbol.asyncIterator]>;
  toArray(options?: { signal?: AbortSignal }): Promise<Out[]>;
  on(event: 'data', listener: (value: Out) => void): this;
  on(event: 'error', listener: (error: Error) => void): this;
  // biome-ignore lint/suspicious/noExplicitAny: the types of Node say no more about other events
  on(event: string | symbol, listener: (...values: any[]) => void): this;
  pipe<Next extends NodeJS.WritableStream>(
    destination: Next & Taking<Out, Next>,
    options?: { end?: boolean },
  ): Next;
}

const TRANSFORM = { step: required(stepOption), input: oneOf('bytes', 'values') };

/**
 * A Transform of a step. What `each` and `end` give is pushed value by value; strings that one value gave are
 * pushed as one. An error that a step throws destroys the stream. Where the step is done, the readable side ends,
 * and what is still written is dropped.
 *
 * @param input `bytes` where the step reads Buffers (strings written to it are encoded), else `values`
 * @throws TypeError for what is not a step, or another `input`
 * @example
 * process.stdin.pipe(toTransform(compose(createLineReader(), map(parseLine)), 'bytes'));
 */
export function toTransform<Out>(
  step: Step<Buffer, Out>,
  input: 'bytes',
): TypedTransform<Buffer | string, Out>;
export function toTransform<In, Out>(step: Step<In, Out>): TypedTransform<In, Out>;
export function toTransform<In, Out>(step: Step<In, Out>, input: 'bytes' | 'values' = 'values'): Transform {
  checkOptions('toTransform', TRANSFORM, { step, input });
  let over = false;

  /** What a step throws must reach the stream as an error; thrown on, it would end the program. */
  function run(stream: Transform, give: (push: (value: Out) => void) => void, done: (error?: Error) => void) {
    let error: Error | undefined;
    let text = '';
    try {
      if (!over)
        give((value) => {
          if (typeof value === 'string') text += value;
          else stream.push(value);
        });
      if (text !== '') stream.push(text);
      if (!over && step.done?.()) {
        over = true;
        stream.push(null);
      }
    } catch (thrown) {
      error = thrown as Error;
    }
    done(error);
  }

  const stream = through2(
    { writableObjectMode: input === 'values', readableObjectMode: true },
    function (this: Transform, value: In, _encoding, done) {
      run(this, (push) => step.each(value, push), done);
    },
    function (this: Transform, done) {
      run(this, (push) => step.end?.(push), done);
    },
  );
  // through2 is typed by the package it takes its streams from; they are Node's own in shape.
  return stream as unknown as Transform;
}

/**
 * Lets a source flow through a transform to `write`, a value at a time, until the end or until `write` says that
 * nobody reads any more (false). Then the source is closed, as a pipe tells its writer.
 *
 * @throws what the source, the transform or `write` throws
 */
export async function consume<T>(
  source: Readable,
  transform: Transform,
  write: (value: T) => Promise<boolean>,
): Promise<void> {
  // An error of either reaches the loop, which reads the transform.
  pipeline(source, transform, () => {});
  try {
    for await (const value of transform) if (!(await write(value as T))) break;
  } finally {
    source.destroy();
  }
}
