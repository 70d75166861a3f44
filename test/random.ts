/** Chance that is the same every time. */
import fc from 'fast-check';

/** `SEED=2 npm test` tries other cases. */
fc.configureGlobal({ seed: Number(process.env['SEED'] ?? 1) });

/** Tests of properties. */
export { fc };

/** A source of chance: numbers from 0 up to 1. */
export type Random = () => number;

/** Numbers that look random and are the same for the same seed (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x100000000;
  };
}

/** A whole number below `end`. */
export function below(end: number, random: Random): number {
  return Math.floor(random() * end);
}

export function pick<Value>(list: readonly Value[], random: Random): Value {
  return list[below(list.length, random)]!;
}
