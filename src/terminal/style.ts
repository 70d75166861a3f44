/**
 * The colours and symbols of the program. A format is handed a {@link Style} and asks nothing of its
 * surroundings; whether there is colour at all is decided once, from outside, by {@link colorLevel}. No other
 * code writes an escape sequence for colour, and with level 0 none exists.
 */
import { Chalk, type ChalkInstance } from 'chalk';

/** 0 no colour, 1 the sixteen colours, 2 the 256, 3 all. */
export type ColorLevel = 0 | 1 | 2 | 3;

/** What `--color` says. */
export type ColorFlag = 'auto' | 'always' | 'never';

/** Wraps text in colour codes; with level 0 gives it back untouched. The text must have passed its gate. */
export type Paint = (text: string) => string;

/** A piece of one line, safe already, and how it is painted. */
export interface Span {
  text: string;
  paint?: Paint;
}

/** The program's own characters, each with a twin for terminals that know ASCII only. */
const SYMBOLS = {
  /** Gutters and the columns of tables. */
  vertical: ['│', '|'],
  /** Rules. */
  horizontal: ['─', '-'],
  cross: ['┼', '+'],
  /** Quotes inside a message. */
  quote: ['▎', '>'],
  /** Before the name of one who speaks. */
  dot: ['●', '*'],
  circle: ['○', 'o'],
  bullet: ['•', '-'],
  success: ['✓', '+'],
  failure: ['✗', 'x'],
  warning: ['▲', '!'],
  chevron: ['›', '>'],
  arrow: ['→', '->'],
  /** Before what goes on from the line above. */
  continued: ['↳', '\\'],
  /** Between facts on one line. */
  separator: ['·', '-'],
  ellipsis: ['…', '...'],
  checked: ['☑', '[x]'],
  unchecked: ['☐', '[ ]'],
} as const satisfies Record<string, readonly [string, string]>;

/** The frames of the animation of someone thinking, one cell each. */
const SPINNER = ['⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏', '|/-\\'] as const;

export type Symbols = Record<keyof typeof SYMBOLS, string> & { readonly spinner: readonly string[] };

/** Every way in which text is set off, and the symbols. */
export interface Style {
  readonly level: ColorLevel;
  readonly ascii: boolean;
  readonly symbols: Symbols;
  readonly dim: Paint;
  readonly bold: Paint;
  readonly italic: Paint;
  readonly strike: Paint;
  readonly heading: Paint;
  readonly error: Paint;
  readonly warning: Paint;
  readonly success: Paint;
  readonly notice: Paint;
  readonly code: Paint;
  readonly link: Paint;
  /** The address of a link, beside its text. */
  readonly address: Paint;
  /** The bar before a quote, and before an answer when no agent's colour fits. */
  readonly gutter: Paint;
  /** Words, texts, numbers and remarks of code. */
  readonly keyword: Paint;
  readonly string: Paint;
  readonly number: Paint;
  readonly comment: Paint;
  /**
   * The colour of an agent: by order of first appearance, so that it is the same from one run to the next, and
   * distinct until the palette is used up.
   */
  agent(name: string): Paint;
}

/** Names remembered by {@link Style.agent}; the colour of any further one comes from its letters. */
const MAX_AGENTS = 1000;
const MAX_AGENT_NAME = 200;

/**
 * The colours of agents. Those of 256 and all colours have a contrast of 3:1 or more on white, black and the
 * usual greys and creams; of the sixteen, only those that themes keep readable. Red is for errors.
 */
const AGENT_COLORS = {
  1: ['magenta', 'green', 'blue', 'yellow', 'cyan'],
  2: [32, 166, 168, 28, 98, 100, 30],
  3: ['#2b7fd4', '#b8651b', '#c0518f', '#2e8b57', '#7d6bd6', '#6f8a1f', '#128a9c'],
} as const;

function agentColors(chalk: ChalkInstance, level: ColorLevel): readonly Paint[] {
  if (level === 0) return [same];
  if (level === 1) return AGENT_COLORS[1].map((color) => paint(chalk[color].bold));
  if (level === 2) return AGENT_COLORS[2].map((color) => paint(chalk.ansi256(color).bold));
  return AGENT_COLORS[3].map((color) => paint(chalk.hex(color).bold));
}

function same(text: string): string {
  return text;
}

/** One argument only: chalk joins all it is given, and `map` gives three. */
function paint(chalk: ChalkInstance): Paint {
  return (text) => chalk(text);
}

/**
 * The style of one run.
 *
 * @param options.level how much colour, from {@link colorLevel}
 * @param options.ascii whether the program's own characters keep to ASCII; default false
 * @example
 * const style = createStyle({ level: 0, ascii: true });
 * style.error(style.symbols.failure); // 'x'
 */
export function createStyle(options: { level: ColorLevel; ascii?: boolean }): Style {
  const { level, ascii = false } = options;
  const chalk = new Chalk({ level });
  /** One of the sixteen colours, or the one of 256 that is readable on light and dark backgrounds alike. */
  const pick = (basic: ChalkInstance, rich: number): ChalkInstance =>
    level > 1 ? chalk.ansi256(rich) : basic;
  const symbols = Object.fromEntries(
    Object.entries(SYMBOLS).map(([key, twins]) => [key, twins[ascii ? 1 : 0]]),
  );
  return {
    level,
    ascii,
    symbols: { ...(symbols as Record<keyof typeof SYMBOLS, string>), spinner: [...SPINNER[ascii ? 1 : 0]] },
    dim: paint(chalk.dim),
    bold: paint(chalk.bold),
    italic: paint(chalk.italic),
    strike: paint(chalk.strikethrough),
    heading: paint(chalk.bold.underline),
    error: paint(chalk.red.bold),
    warning: paint(pick(chalk.yellow, 130)),
    success: paint(pick(chalk.green, 28)),
    notice: paint(chalk.dim),
    code: paint(pick(chalk.cyan, 30)),
    link: paint(chalk.underline),
    address: paint(chalk.dim),
    gutter: paint(chalk.dim),
    keyword: paint(pick(chalk.magenta, 133)),
    string: paint(pick(chalk.green, 28)),
    number: paint(pick(chalk.cyan, 30)),
    comment: paint(chalk.dim),
    agent: agentPaint(agentColors(chalk, level)),
  };
}

function agentPaint(colors: readonly Paint[]): (name: string) => Paint {
  const seen = new Map<string, Paint>();
  return (name) => {
    const known = seen.get(name);
    if (known) return known;
    if (seen.size >= MAX_AGENTS || name.length > MAX_AGENT_NAME) return colors[hash(name) % colors.length]!;
    const color = colors[seen.size % colors.length]!;
    seen.set(name, color);
    return color;
  };
}

function hash(name: string): number {
  let sum = 0;
  for (let at = 0; at < name.length && at < MAX_AGENT_NAME; at++)
    sum = (sum * 31 + name.charCodeAt(at)) >>> 0;
  return sum;
}

/**
 * How much colour an output gets. `--color always` and `never` win, then `NO_COLOR` (any value but empty: none),
 * then `FORCE_COLOR` (`0` or `false` none, `1` to `3` that level, anything else 1), then whether it is a
 * terminal that is not `TERM=dumb`. The level of a terminal follows from `COLORTERM` and `TERM`.
 *
 * @example
 * colorLevel({ flag: 'auto', env: { TERM: 'xterm-256color' }, isTTY: true }); // 2
 */
export function colorLevel(options: {
  flag: ColorFlag;
  env: Readonly<Record<string, string | undefined>>;
  isTTY: boolean;
}): ColorLevel {
  const { flag, env, isTTY } = options;
  if (flag === 'never') return 0;
  if (flag === 'always') return forcedLevel(env['FORCE_COLOR']) || terminalLevel(env);
  if (env['NO_COLOR']) return 0;
  if (env['FORCE_COLOR'] !== undefined) return forcedLevel(env['FORCE_COLOR']);
  return isTTY && env['TERM'] !== 'dumb' ? terminalLevel(env) : 0;
}

function forcedLevel(value: string | undefined): ColorLevel {
  if (value === undefined || value === '0' || value === 'false') return 0;
  return value === '2' ? 2 : value === '3' ? 3 : 1;
}

function terminalLevel(env: Readonly<Record<string, string | undefined>>): 1 | 2 | 3 {
  const { COLORTERM: colors, TERM: term = '' } = env as { COLORTERM?: string; TERM?: string };
  if (colors === 'truecolor' || colors === '24bit' || term.endsWith('-direct')) return 3;
  return term.includes('256color') ? 2 : 1;
}
