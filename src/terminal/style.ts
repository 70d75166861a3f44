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
} as const satisfies Record<string, readonly [string, string]>;

/** The frames of the spinner, one cell each. */
const SPINNER = ['⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏', '|/-\\'] as const;

type Symbols = Record<keyof typeof SYMBOLS, string> & { readonly spinner: readonly string[] };

/** All paints, and the symbols. */
export interface Style {
  readonly level: ColorLevel;
  readonly ascii: boolean;
  readonly symbols: Symbols;
  /** Rules, bars and bullets, and lines that are not events: fainter than text. */
  readonly dim: Paint;
  readonly bold: Paint;
  /** Matches of a search. */
  readonly match: Paint;
  readonly italic: Paint;
  readonly strike: Paint;
  readonly heading: Paint;
  readonly link: Paint;
  /** Symbols and gutters of errors, of warnings, of what went well: not for text. */
  readonly error: Paint;
  readonly warning: Paint;
  readonly success: Paint;
  /** The words that name an error. */
  readonly alarm: Paint;
  /** Code inside a sentence, and a line of a block of code. */
  readonly code: Paint;
  /** Parts of code, on the background of {@link Style.code} alone. */
  readonly keyword: Paint;
  readonly string: Paint;
  readonly number: Paint;
  readonly comment: Paint;
  /** Keys of data, tags and attributes. */
  readonly key: Paint;
  /** The name of a function, where it is declared or called. */
  readonly call: Paint;
  readonly variable: Paint;
  /** Lines of a diff. */
  readonly added: Paint;
  readonly removed: Paint;
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
  let newest: string | undefined;

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
    if (name !== newest) {
      holders.delete(name);
      holders.set(name, color);
      newest = name;
    }
    return color;
  };
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
  /** One of the sixteen colours, or one of the 256. */
  const pick = (basic: ChalkInstance, rich: number): Paint => paint(level > 1 ? chalk.ansi256(rich) : basic);
  const symbols = Object.fromEntries(
    Object.entries(SYMBOLS).map(([key, twins]) => [key, twins[ascii ? 1 : 0]]),
  );
  const agents = agentPainter(agentColors(chalk));
  return {
    level,
    ascii,
    symbols: { ...(symbols as Record<keyof typeof SYMBOLS, string>), spinner: [...SPINNER[ascii ? 1 : 0]] },
    dim: paint(chalk.dim),
    bold: paint(chalk.bold),
    match: paint(chalk.inverse),
    italic: paint(chalk.italic),
    strike: paint(chalk.strikethrough),
    heading: paint(chalk.bold.underline),
    link: paint(chalk.underline),
    error: paint(level > 1 ? chalk.ansi256(196).bold : chalk.red.bold),
    warning: pick(chalk.yellow, 136),
    success: pick(chalk.green, 64),
    alarm: paint(level > 1 ? chalk.bgAnsi256(160).ansi256(231).bold : chalk.inverse.bold),
    code: paint(level > 1 ? chalk.bgAnsi256(235).ansi256(253) : chalk.bgBlack.whiteBright),
    keyword: pick(chalk.yellowBright, 176),
    string: pick(chalk.greenBright, 114),
    number: pick(chalk.cyan, 180),
    comment: pick(chalk.whiteBright.italic, 247),
    key: pick(chalk.cyanBright, 117),
    call: pick(chalk.yellow, 222),
    variable: pick(chalk.cyanBright, 215),
    added: pick(chalk.greenBright, 114),
    removed: pick(chalk.yellow, 210),
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
