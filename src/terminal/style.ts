/**
 * The colours and symbols of the program. A format is handed a {@link Style} and asks nothing of its
 * surroundings; whether there is colour at all is decided once, from outside, by {@link colorLevel}. No other
 * code writes an escape sequence for colour, and with level 0 none exists.
 *
 * The background of the terminal is unknown, and no colour has a contrast of 4.5:1 on both #1e1e1e and white. So
 * text is written in the terminal's own colour (bold, italic, underlined), or on a background that we set: names
 * and errors on a colour, code on a dark panel. Colours without a background are for gutters and symbols only,
 * which repeat what the words beside them say.
 */
import { Chalk, type ChalkInstance } from 'chalk';
import { checkOptions, type Expectations, flag, oneOf, required } from '../arguments.ts';

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
  /** Never broken, where it is the value beside a label: wider than the line, the terminal wraps it. */
  whole?: boolean;
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
  /** Before the name of the speaker. */
  dot: ['●', '*'],
  circle: ['○', 'o'],
  bullet: ['•', '-'],
  success: ['✓', '+'],
  failure: ['✗', 'x'],
  warning: ['▲', '!'],
  chevron: ['›', '>'],
  arrow: ['→', '->'],
  /** Before a line that continues the one above. */
  continued: ['↳', '\\'],
  /** Between facts on one line. */
  separator: ['·', '-'],
  ellipsis: ['…', '...'],
  checked: ['[✓]', '[x]'],
  unchecked: ['[ ]', '[ ]'],
  /** The frames of the spinner, a character each. */
  spinner: ['⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏', '|/-\\'],
} as const satisfies Record<string, readonly [string, string]>;

/** The paints by name: with the sixteen colours, and with 256 where that differs. */
const PAINTS = {
  /** Rules, bars and bullets, and lines that are not events: fainter than text. */
  dim: (chalk) => [chalk.dim],
  bold: (chalk) => [chalk.bold],
  /** Matches of a search. */
  match: (chalk) => [chalk.inverse],
  italic: (chalk) => [chalk.italic],
  strike: (chalk) => [chalk.strikethrough],
  heading: (chalk) => [chalk.bold.underline],
  link: (chalk) => [chalk.underline],
  /** Symbols and gutters of errors, of warnings, of what went well: not for text. */
  error: (chalk) => [chalk.red.bold, chalk.ansi256(196).bold],
  warning: (chalk) => [chalk.yellow, chalk.ansi256(136)],
  success: (chalk) => [chalk.green, chalk.ansi256(64)],
  /** The bar before a quote, and before what no agent said. */
  gutter: (chalk) => [chalk.dim],
  /** The words that name an error. */
  alarm: (chalk) => [chalk.inverse.bold, chalk.bgAnsi256(160).ansi256(231).bold],
  /** Code inside a sentence, and a line of a block of code. */
  code: (chalk) => [chalk.bgBlack.whiteBright, chalk.bgAnsi256(235).ansi256(253)],
  /** Parts of code, on the background of `code` alone. */
  keyword: (chalk) => [chalk.yellowBright, chalk.ansi256(176)],
  string: (chalk) => [chalk.greenBright, chalk.ansi256(114)],
  number: (chalk) => [chalk.cyan, chalk.ansi256(180)],
  comment: (chalk) => [chalk.whiteBright.italic, chalk.ansi256(247)],
  /** Keys of data, tags and attributes. */
  key: (chalk) => [chalk.cyanBright, chalk.ansi256(117)],
  /** The name of a function, where it is declared or called. */
  call: (chalk) => [chalk.yellow, chalk.ansi256(222)],
  variable: (chalk) => [chalk.cyanBright, chalk.ansi256(215)],
  /** Lines of a diff. */
  added: (chalk) => [chalk.greenBright, chalk.ansi256(114)],
  removed: (chalk) => [chalk.yellow, chalk.ansi256(210)],
} as const satisfies Record<string, (chalk: ChalkInstance) => readonly [ChalkInstance, ChalkInstance?]>;

type Paints = { readonly [Name in keyof typeof PAINTS]: Paint };

/** All paints, and the symbols. */
export interface Style extends Paints {
  readonly level: ColorLevel;
  readonly ascii: boolean;
  readonly symbols: Readonly<Record<keyof typeof SYMBOLS, string>>;
  /** The colour of an agent, for symbols and gutters. */
  agent(name: string): Paint;
  /** The same colour for the name itself. */
  name(name: string): Paint;
}

/** Names are compared by so many code units: longer ones with the same beginning share a colour. */
const MAX_AGENT_NAME = 200;

/** Agents with a fixed colour, in the order of {@link AGENT_COLORS}. */
const KNOWN_AGENTS = ['codex', 'claude', 'vibe', 'ollama', 'user', 'gemini'];

/** Of the 256: black on them has a contrast of 4.5:1, and they 3:1 on black, #1e1e1e and white. Red is for errors. */
const AGENT_COLORS = [32, 166, 134, 100, 102, 30, 168, 64, 99, 136, 67, 169];

interface AgentColor {
  mark: Paint;
  name: Paint;
}

function agentColors(chalk: ChalkInstance): readonly AgentColor[] {
  if (chalk.level > 1) {
    return AGENT_COLORS.map((color) => ({
      mark: paint(chalk.ansi256(color).bold),
      name: paint(chalk.bgAnsi256(color).ansi256(16).bold),
    }));
  }
  // Of the sixteen, those on which black can be read in the palettes in use.
  return [
    { mark: paint(chalk.cyan.bold), name: paint(chalk.bgCyan.black) },
    { mark: paint(chalk.yellow.bold), name: paint(chalk.bgYellow.black) },
    { mark: paint(chalk.greenBright.bold), name: paint(chalk.bgGreenBright.black) },
    { mark: paint(chalk.yellowBright.bold), name: paint(chalk.bgYellowBright.black) },
    { mark: paint(chalk.bold), name: paint(chalk.inverse) },
  ];
}

/**
 * Assigns colours to names. A name gets its fixed colour, or one by its hash; if that is taken, a free one; if none
 * is free, the colour of the least recently used name.
 */
function agentPainter(colors: readonly AgentColor[]): (name: string) => AgentColor {
  /** Names with a colour, the most recently used last. */
  const holders = new Map<string, AgentColor>();

  function choose(name: string): AgentColor {
    const own = colors[KNOWN_AGENTS.indexOf(name)];
    const others = colors.slice(KNOWN_AGENTS.length);
    const from = others.length > 0 ? hash(name) % others.length : 0;
    // The fixed colours come last, so that they are free when the agents they belong to speak.
    const wanted = [...others.slice(from), ...others.slice(0, from), ...colors.toReversed()];
    const held = new Set(holders.values());
    const free = [...(own ? [own] : []), ...wanted].find((color) => !held.has(color));
    if (free) return free;
    const oldest = holders.keys().next().value!;
    const color = holders.get(oldest)!;
    holders.delete(oldest);
    return color;
  }

  return (whole) => {
    const name = whole.slice(0, MAX_AGENT_NAME);
    const color = holders.get(name) ?? choose(name);
    holders.delete(name);
    holders.set(name, color);
    return color;
  };
}

/** One argument only: chalk joins all it is given, and `map` gives three. */
function paint(chalk: ChalkInstance): Paint {
  return (text) => chalk(text);
}

const OPTIONS: Expectations<{ level: ColorLevel; ascii: boolean }> = {
  level: required(oneOf(0, 1, 2, 3)),
  ascii: flag,
};

/**
 * The style of one run.
 *
 * @param options.level how much colour, from {@link colorLevel}
 * @param options.ascii whether the program's own characters keep to ASCII; default false
 * @throws TypeError for an unknown option or a wrong type
 * @example
 * const style = createStyle({ level: 0, ascii: true });
 * style.error(style.symbols.failure); // 'x'
 */
export function createStyle(options: { level: ColorLevel; ascii?: boolean }): Style {
  checkOptions('createStyle', OPTIONS, options);
  const { level, ascii = false } = options;
  const chalk = new Chalk({ level });
  const symbols = Object.entries(SYMBOLS).map(([name, twins]) => [name, twins[ascii ? 1 : 0]]);
  const paints = Object.entries(PAINTS).map(([name, colors]) => {
    const [basic, rich = basic] = colors(chalk) as readonly [ChalkInstance, ChalkInstance?];
    return [name, paint(level > 1 ? rich : basic)];
  });
  const agents = agentPainter(agentColors(chalk));
  return {
    ...(Object.fromEntries(paints) as Paints),
    level,
    ascii,
    symbols: Object.fromEntries(symbols),
    agent: (name) => agents(name).mark,
    name: (name) => agents(name).name,
  };
}

function hash(name: string): number {
  let sum = 0;
  for (let at = 0; at < name.length; at++) sum = (sum * 31 + name.charCodeAt(at)) >>> 0;
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
