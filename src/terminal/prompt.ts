/**
 * The place where a person types in a Chat, on the terminal that shows the answers. What is typed goes to another
 * program, and the terminal itself echoes it; so nobody can ask what stands on the line.
 */

import { wrap } from './wrap.ts';

/** Milliseconds of silence after which the prompt is drawn, so that it comes after all that is to be said. */
const SILENCE = 100;
const PROMPT = '\n> ';
const ERASE = '\x1b[J';

export interface Prompt {
  /** Called after each event: whether the person is to type now. */
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
  /** Whether it has been their turn: in a Debate it never is. */
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
    // As many blanks as fit on a line: behind a half-typed one they run over to the next, at its start they do not.
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
