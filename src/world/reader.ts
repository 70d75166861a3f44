/** The program that reads our stdout. */
import { spawn } from 'node:child_process';

const STDOUT = 1;

/**
 * Calls `gone` when the reader of our stdout, a pipe, closes it while nothing is written. Node does not report that; GNU
 * `tail` watches its own stdout, which it shares with us here. Without GNU `tail`, nothing is called.
 *
 * @returns stops watching
 */
export function watchReader(gone: () => void): () => void {
  // On Windows, `tail` does not know our process id and would end at once, as if the reader had gone.
  if (process.platform === 'win32') return () => {};
  // In a session of its own, so that Ctrl+C does not end it. It always ends with us.
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
