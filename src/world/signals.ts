/** What signals do while events are read. */

export const INTERRUPTED = 130;
const STATUS = { SIGTERM: 143, SIGHUP: 129 } as const;

/** What to do with each signal. */
export interface Listening {
  /** Whether another program writes the input, now. */
  isPiped(): boolean;
  /** Called before the process ends. */
  cleanUp(): void;
  /** Passes SIGTERM and SIGHUP on to a program whose end is ours; false where it has ended already. */
  forward?: ((signal: keyof typeof STATUS) => boolean) | undefined;
}

/**
 * Listens until the function that it returns is called. With an input that another program writes, the first
 * Ctrl+C is that program's: it still has its last events to write, and they are shown. A second one ends at once.
 */
export function listen({ isPiped, cleanUp, forward }: Listening): () => void {
  let interrupted = false;
  function leave(status: number): void {
    cleanUp();
    process.exit(status);
  }
  function onInterrupt(): void {
    if (interrupted || !isPiped()) leave(INTERRUPTED);
    interrupted = true;
  }
  function onEnd(signal: NodeJS.Signals): void {
    const ending = signal as keyof typeof STATUS;
    if (!forward?.(ending)) leave(STATUS[ending]);
  }
  process.on('SIGINT', onInterrupt).on('SIGTERM', onEnd).on('SIGHUP', onEnd);
  return () => {
    process.off('SIGINT', onInterrupt).off('SIGTERM', onEnd).off('SIGHUP', onEnd);
  };
}
