/**
 * The line that says who thinks, and for how long, while nothing else is printed.
 *
 * The producer may write to the same terminal whenever it likes (its warnings on stderr, what a person types),
 * and nobody can ask where that left the cursor. So the line stands one row below the cursor, which stays where
 * the next text goes: whole lines or half ones of another program are never drawn over, and from the cursor on
 * there is nothing to erase but our line. The terminal's modes are not touched but for the hidden cursor.
 *
 * What is left: of several lines that another program writes at once, a short second one stands before the rest of
 * ours until the screen scrolls on. Only a part of the screen that never scrolls would prevent that, at the price
 * of a terminal that a kill leaves unusable.
 */
import { asciiSigns } from '../safe/ascii.ts';
import { agentName, shorten } from './cut.ts';
import type { Style } from './style.ts';
import { cells, fit, USUAL_COLUMNS } from './width.ts';

/** Milliseconds from one drawing to the next. */
const INTERVAL = 100;

const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
/** To the end of the screen: also what is left of a line that a narrower window has wrapped. */
const ERASE = '\x1b[J';
/** One row down and up again: on the last row, the screen scrolls. The column stays. */
const MAKE_ROOM = '\x1bD\x1b[A';
const SAVE_CURSOR = '\x1b7';
const RESTORE_CURSOR = '\x1b8';
const NEXT_ROW = '\x1b[B\r';

/** Somebody who thinks. */
export interface Thinker {
  /** What the answer will be, such as `2/4`: safe text. Default: nothing. */
  title?: string;
  /** The agent's name: untrusted. */
  agent: string;
  /** Milliseconds of the clock that is passed to {@link liveLine}. */
  since: number;
}

/**
 * What the line says at a time: a frame of the animation, whose answer is due, and the time as `m:ss`. Where the width
 * is short what stands between them is cut, then left out.
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
  // One turn a second, however many frames it has.
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
 * Draws the line on a terminal whenever somebody thinks, ten times a second, and never keeps the program alive
 * for it. Whichever way the program ends or is stopped, the line is erased and the cursor shown first; no
 * program can do so for SIGKILL.
 */
export function createLive(terminal: Terminal, style: Style): Live {
  let thinker: Thinker | undefined;
  let timer: NodeJS.Timeout | undefined;
  let drawn = false;

  function draw(): void {
    // A terminal of one row has none to spare.
    if (!thinker || terminal.rows === 1) return;
    const columns = terminal.columns || USUAL_COLUMNS;
    // One cell is left free: in the last one, some terminals begin a new row.
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

  /** Does what the signal would have done without us, after the line is gone. */
  function giveWay(signal: NodeJS.Signals): void {
    erase();
    process.off(signal, giveWay);
    process.once('SIGCONT', () => process.on(signal, giveWay));
    process.kill(process.pid, signal);
  }

  process.on('exit', erase).on('SIGTSTP', giveWay).on('SIGQUIT', giveWay);
  return {
    show,
    erase,
    end: () => show(undefined),
  };
}
