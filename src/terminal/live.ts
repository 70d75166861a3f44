/**
 * The status line of a terminal: which agent is thinking, and for how long.
 *
 * Other programs write to the same terminal at any time (the producer's warnings on stderr, the echo of what a person
 * types), and the position of the cursor afterwards is unknown. So the line is drawn one row below the cursor, and the
 * cursor is put back to where the next text goes. This never overwrites the text of another program, even half a line
 * of it, and everything after the cursor is ours to erase. The only terminal mode that we change is the visible cursor.
 *
 * Known limit: when another program writes several lines at once, the second one overwrites the start of our line, and
 * the rest of it remains until the screen scrolls. A scroll region would prevent that, but SIGKILL would then leave the
 * terminal unusable.
 */
import { asciiSigns } from '../safe/ascii.ts';
import { agentName, shorten } from './cut.ts';
import type { Style } from './style.ts';
import { cells, fit, USUAL_COLUMNS } from './width.ts';

/** Milliseconds between two redraws. */
const INTERVAL = 100;

const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
/** To the end of the screen, since a narrower window may have wrapped the line. */
const ERASE = '\x1b[J';
/** One row down and up again: on the last row, the screen scrolls. The column stays. */
const MAKE_ROOM = '\x1bD\x1b[A';
const SAVE_CURSOR = '\x1b7';
const RESTORE_CURSOR = '\x1b8';
const NEXT_ROW = '\x1b[B\r';

/** An agent that is thinking. */
export interface Thinker {
  /** What the answer will be, such as `2/4`: safe text. Default: nothing. */
  title?: string;
  /** The agent's name: untrusted. */
  agent: string;
  /** Milliseconds of the clock that is passed to {@link liveLine}. */
  since: number;
}

/**
 * The text of the line at one moment: a frame of the spinner, the turn and the agent, and the elapsed time as `m:ss`. Where
 * the width is short, turn and agent are cut, then left out.
 *
 * @param now milliseconds, by the clock of `since`
 * @param width cells, from 1
 * @example
 * const style = createStyle({ level: 0 });
 * liveLine({ title: '2/4', agent: 'codex', since: 0 }, 65_000, 80, style); // '⠋ 2/4 · codex · 1:05'
 */
export function liveLine(
  { title = '', agent, since }: Thinker,
  now: number,
  width: number,
  style: Style,
): string {
  const { spinner, separator } = style.symbols;
  const { text, paint = style.bold } = agentName(agent, style);
  const elapsed = Math.max(0, now - since);
  // One revolution per second, for any number of frames.
  const frame = spinner[Math.floor((elapsed * spinner.length) / 1000) % spinner.length]!;
  const clock = minutes(elapsed);
  const time = ` ${separator} ${clock}`;
  const room = width - cells(frame) - 1 - cells(time);
  if (room < 1) return fit(`${frame} ${clock}`, width);
  const name = style.ascii ? asciiSigns(text) : text;
  const who = shorten(title === '' ? name : `${title} ${separator} ${name}`, room, style.symbols.ellipsis);
  return `${style.bold(frame)} ${paint(fit(who, room))}${time}`;
}

function minutes(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** The line on a terminal. */
export interface Live {
  /** Called after each event with the agent at work, undefined for none. */
  show(thinker: Thinker | undefined): void;
  /** Called before anything is printed. The line comes back by itself, below what was printed. */
  erase(): void;
  /** The input has ended. */
  end(): void;
}

/** A terminal to draw on: `process.stdout` where it is one. */
export type Terminal = Pick<NodeJS.WriteStream, 'columns' | 'rows' | 'write'>;

/**
 * Draws the line ten times a second while an agent is thinking. Its timer does not keep the program alive. When the
 * program ends or is stopped, the line is erased and the cursor shown first, except on SIGKILL, which cannot be caught.
 */
export function createLive(terminal: Terminal, style: Style): Live {
  let thinker: Thinker | undefined;
  let timer: NodeJS.Timeout | undefined;
  let drawn = false;

  function draw(): void {
    // A terminal of one row has no room for it.
    if (!thinker || terminal.rows === 1) return;
    const columns = terminal.columns || USUAL_COLUMNS;
    // Some terminals start a new row once the last cell is written, so that one is left free.
    const line = liveLine(thinker, Date.now(), Math.max(1, columns - 1), style);
    drawn = true;
    terminal.write(HIDE_CURSOR + ERASE + MAKE_ROOM + SAVE_CURSOR + NEXT_ROW + line + RESTORE_CURSOR);
  }

  function erase(): void {
    if (!drawn) return;
    drawn = false;
    terminal.write(ERASE + SHOW_CURSOR);
  }

  function show(next: Thinker | undefined): void {
    thinker = next;
    if (thinker) {
      timer ??= setInterval(draw, INTERVAL).unref();
      return;
    }
    clearInterval(timer);
    timer = undefined;
    erase();
  }

  /** Erases the line, then lets the signal have its default effect. */
  function yieldTo(signal: NodeJS.Signals): void {
    erase();
    process.off(signal, yieldTo);
    process.once('SIGCONT', () => process.on(signal, yieldTo));
    process.kill(process.pid, signal);
  }

  process.on('exit', erase).on('SIGTSTP', yieldTo).on('SIGQUIT', yieldTo);
  return {
    show,
    erase,
    end: () => show(undefined),
  };
}
