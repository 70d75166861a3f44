/**
 * The prompt of a Chat, on the terminal that shows the answers. What a person types goes to another program, and the
 * terminal itself echoes it, so we do not know what has been typed so far.
 */
import { wrap } from './wrap.ts';

/** Milliseconds without output after which the prompt is drawn, so that it follows all events of one burst. */
const SILENCE = 100;
const PROMPT = '\n> ';
const ERASE = '\x1b[J';

export interface Prompt {
  /** Called after each event: whether it is the person's turn to type. */
  show(isTurn: boolean): void;
  /** Called before anything is printed, which then begins a line. The prompt comes back below what was printed. */
  clear(): void;
  /** The input has ended. */
  end(): void;
}

/**
 * @param hint what can be typed: safe text, shown before the first prompt
 */
export function createPrompt(terminal: Pick<NodeJS.WriteStream, 'columns' | 'write'>, hint: string): Prompt {
  let isTurn = false;
  /** Whether a prompt was ever due: in a Debate it never is. */
  let isChat = false;
  let timer: NodeJS.Timeout | undefined;
  let isFirst = true;

  function draw(): void {
    const lines = isFirst ? wrap(hint, terminal.columns ?? 0) : [];
    isFirst = false;
    terminal.write(lines.map((line) => `\n${line}`).join('') + PROMPT);
  }

  function schedule(): void {
    clearTimeout(timer);
    timer = isTurn ? setTimeout(draw, SILENCE).unref() : undefined;
  }

  function show(next: boolean): void {
    isTurn = next;
    isChat ||= next;
    schedule();
  }

  function clear(): void {
    // A line's width of blanks: they wrap to the next line if something was typed on this one, else they do not.
    if (isChat && terminal.columns) terminal.write(`${' '.repeat(terminal.columns)}\r${ERASE}`);
    schedule();
  }

  return {
    show,
    clear,
    end() {
      if (isTurn) clear();
      show(false);
    },
  };
}
