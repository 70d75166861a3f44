/** What signals do while events are read. */
import { basename } from 'node:path';

export const INTERRUPTED = 130;
const STATUS = { SIGTERM: 143, SIGHUP: 129 } as const;

/**
 * Whether `nohup` started us. Node makes every signal fatal that was ignored when it started, and nothing tells it
 * afterwards; but most shells write into the environment which program they started.
 */
export function isHangupIgnored(): boolean {
  return basename(process.env['_'] ?? '') === 'nohup';
}

/** Lets a SIGHUP pass that was to be ignored. To be called first of all. */
export function keepIgnored(): void {
  if (isHangupIgnored()) process.on('SIGHUP', () => {});
}

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
  process.on('SIGINT', onInterrupt).on('SIGTERM', onEnd);
  if (!isHangupIgnored()) process.on('SIGHUP', onEnd);
  return () => {
    process.off('SIGINT', onInterrupt).off('SIGTERM', onEnd).off('SIGHUP', onEnd);
  };
}
