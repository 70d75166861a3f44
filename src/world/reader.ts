/** The program that reads our stdout. */
import { spawn } from 'node:child_process';

const STDOUT = 1;

/**
 * Calls `gone` when the reader of our stdout, a pipe, has gone away although nothing is written. Node does not tell;
 * `tail` of GNU watches its own stdout, which is ours here. Where there is no such `tail`, nothing is called.
 *
 * @returns stops watching
 */
export function watchReader(gone: () => void): () => void {
  // A `tail` on Windows does not know our process id: it would end at once, as if the reader had gone.
  if (process.platform === 'win32') return () => {};
  // In a session of its own, Ctrl+C does not end it; whichever way we end, it ends too.
  const watcher = spawn('tail', ['-f', `--pid=${process.pid}`, '/dev/null'], {
    stdio: ['ignore', STDOUT, 'ignore'],
    detached: true,
  });
  watcher.unref();
  const onExit = (status: number | null, signal: NodeJS.Signals | null) => {
    if (status === 0 || signal === 'SIGPIPE') gone();
  };
  watcher.once('error', () => {}).once('exit', onExit);
  return () => {
    watcher.off('exit', onExit);
    watcher.kill();
  };
}
