/**
 * The one table of commands and options, and how a command line is read by it. Help, completion, the manual
 * and the README are printed from this table or checked against it.
 */
import { parseArgs } from 'node:util';
import { closest, distance } from 'fastest-levenshtein';
import { parseRange, type Range } from '../arguments.ts';
import { fill, LANGUAGES, type Labels, type Language, labelsFor } from '../labels/labels.ts';
import { OUTCOMES } from '../protocol/observe.ts';
import { asciiSigns } from '../safe/ascii.ts';
import { DEFAULT_MAX_LINE, HIGHEST_MAX_LINE } from '../steps/lines.ts';
import { quote } from '../terminal/cut.ts';

/** The commands, in the order of the help. */
export const COMMANDS = [
  'pretty',
  'markdown',
  'filter',
  'validate',
  'list',
  'encode',
  'run',
  'schema',
  'completion',
  'help',
] as const;
export type Command = (typeof COMMANDS)[number];

/** Other names of commands. */
export const COMMAND_ALIASES: Readonly<Record<string, Command>> = { md: 'markdown' };

/** The commands that read events. */
const READERS = ['pretty', 'markdown', 'filter', 'validate', 'list'] as const;
export type Reader = (typeof READERS)[number];

/** What `run` can make of the events; it takes the options of these commands. */
export const FORMATS = ['pretty', 'markdown', 'filter'] as const;

/** One option: how it is typed, by which commands it is taken, and what its value is. */
interface Option<Value = unknown> {
  /** One letter, typed after one dash. */
  short?: string;
  /** Another long name. */
  alias?: string;
  /** What stands for the value in the help; an option without one is a switch. */
  value?: keyof Labels['help']['value'];
  /** The words that the value may be. */
  choices?: readonly string[];
  /** May be given several times, and take several values with commas. */
  many?: true;
  /** Another option, with a value, that this one is a short way to type. */
  means?: readonly [option: string, value: string];
  /** The commands that take it, but for `run`. */
  of: readonly Command[];
  /** The value where the option is not typed. */
  initial(env: NodeJS.ProcessEnv): Value;
  /**
   * The value once `text` is typed; `before` is what it was.
   *
   * @throws Refusal
   */
  read(text: string, before: Value): Value;
}

/** Why a value is refused: a sentence of `labels.usage` beside the option and the value, which it may quote. */
class Refusal extends Error {
  readonly key: UsageKey;
  readonly valuesIn: (labels: Labels) => UsageValues;
  constructor(key: UsageKey, valuesIn: (labels: Labels) => UsageValues = () => ({})) {
    super(key);
    this.key = key;
    this.valuesIn = valuesIn;
  }
}

type Names = Pick<Option, 'short' | 'alias' | 'means'>;

function flag(of: readonly Command[], names: Names = {}): Option<boolean> {
  return { ...names, of, initial: () => false, read: () => true };
}

function valued<Value>(
  value: NonNullable<Option['value']>,
  of: readonly Command[],
  initial: Value,
  read: (text: string) => Value,
  names: Names = {},
): Option<Value> {
  return { ...names, value, of, initial: () => initial, read };
}

/** Any text. */
function text(value: NonNullable<Option['value']>, of: readonly Command[], names?: Names) {
  return valued<string | undefined>(value, of, undefined, (text) => text, names);
}

/** The refusal of an empty value, which would choose nothing. */
function needsValue(value: NonNullable<Option['value']>): Refusal {
  return new Refusal('needsValue', ({ help }) => ({ value: help.value[value] }));
}

function readCopy(text: string): string {
  // Elsewhere it means stdout, which has the text already.
  if (text === '-') throw new Refusal('teeDash');
  return text;
}

function readField(text: string): string {
  if (text.trim() === '') throw needsValue('FIELD');
  return text;
}

/** One of several words, the first where nothing is typed. */
function word<const Word extends string>(
  choices: readonly [Word, ...Word[]],
  of: readonly Command[],
  names?: Names,
): Option<Word> {
  const read = (text: string) => readWord(commandNamed(text) ?? text, choices);
  return { ...valued<Word>('WORD', of, choices[0], read, names), choices };
}

function readWord<Word extends string>(text: string, choices: readonly Word[]): Word {
  const choice = choices.find((choice) => choice === text);
  if (choice !== undefined) return choice;
  throw new Refusal('badWord', () => ({ choices, suggestion: nearest(text, choices) }));
}

/** Several values, with commas between them or each with the option before it. */
function list<Value>(
  value: NonNullable<Option['value']>,
  of: readonly Command[],
  read: (text: string) => Value,
  names: Names = {},
): Option<readonly Value[]> {
  return {
    ...names,
    value,
    many: true,
    of,
    initial: () => [],
    read(text, before) {
      const parts = text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '');
      if (parts.length === 0) throw needsValue(value);
      return [...before, ...parts.map(read)];
    },
  };
}

function readWhole(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new Refusal('badNumber');
  return Number(text);
}

function readSize(text: string): number {
  const [, digits, unit = ''] = /^(\d{1,15})([kmg]?)$/i.exec(text) ?? [];
  const bytes = Number(digits ?? 0) * 1024 ** ['', 'k', 'm', 'g'].indexOf(unit.toLowerCase());
  if (bytes < 1 || bytes > HIGHEST_MAX_LINE) throw new Refusal('badSize');
  return bytes;
}

function readRange(text: string): Range {
  const range = parseRange(text);
  if (!range) throw new Refusal('badRange', () => ({ value: text }));
  return range;
}

function readPattern(text: string): RegExp {
  try {
    return new RegExp(text, 'mu');
  } catch (error) {
    // `Invalid regular expression: /(/mu: Unterminated group`. The pattern may hold a colon, the reason has none.
    const reason = (error as Error).message.split(': ').at(-1)!;
    throw new Refusal('badRegex', ({ regex }: { regex: Record<string, string> }) => ({
      reason: Object.hasOwn(regex, reason) ? regex[reason]! : reason,
    }));
  }
}

const TEXT: readonly Command[] = ['pretty'];
const TRANSCRIPT: readonly Command[] = ['markdown'];
const COPIED: readonly Command[] = ['pretty', 'markdown'];
const CHOSEN: readonly Command[] = ['filter'];
const SELECTED: readonly Command[] = ['pretty', 'markdown', 'filter'];
const LISTED: readonly Command[] = ['list'];
const CHECKED: readonly Command[] = ['validate'];
const SENT: readonly Command[] = ['encode'];

/** Every option, by its long name, in the order of the help. */
const TABLE = {
  width: valued<number | undefined>('N', TEXT, undefined, readWhole, { short: 'w' }),
  compact: flag(TEXT),
  plain: flag(TEXT),
  ascii: {
    ...flag([...TEXT, ...LISTED]),
    initial: (env: NodeJS.ProcessEnv) => env['PALABRE_ASCII'] === '1' || namesOtherCharset(env),
  },
  verbose: flag(TEXT),
  output: text('FILE', TRANSCRIPT, { short: 'o' }),
  title: text('TEXT', TRANSCRIPT),
  notices: flag(TRANSCRIPT),
  'no-header': flag(TRANSCRIPT),
  tee: valued<string | undefined>('FILE', COPIED, undefined, readCopy),
  type: list('TYPE', SELECTED, String, { short: 't' }),
  'not-type': list('TYPE', SELECTED, String, { short: 'T' }),
  agent: list('AGENT', [...SELECTED, ...LISTED], String),
  role: list('ROLE', SELECTED, String),
  kind: list('KIND', SELECTED, String),
  phase: list('PHASE', SELECTED, String),
  turn: list('RANGE', SELECTED, readRange),
  session: list('RANGE', [...SELECTED, ...LISTED], readRange),
  grep: valued<RegExp | undefined>('REGEX', [...SELECTED, ...LISTED], undefined, readPattern, { short: 'g' }),
  'ignore-case': flag([...SELECTED, ...LISTED], { short: 'i' }),
  'invert-match': flag(SELECTED, { short: 'v' }),
  'max-count': valued('N', CHOSEN, Number.POSITIVE_INFINITY, readWhole, { short: 'm' }),
  count: flag(CHOSEN, { short: 'c' }),
  'files-with-matches': flag(CHOSEN, { short: 'l' }),
  extract: valued<string | undefined>('FIELD', CHOSEN, undefined, readField, { short: 'x' }),
  null: flag(['filter', 'encode'], { short: '0' }),
  outcome: {
    ...list('WORD', LISTED, (text) => readWord(text, OUTCOMES)),
    choices: OUTCOMES,
  },
  mode: list('MODE', LISTED, String),
  json: flag(LISTED),
  strict: flag(CHECKED),
  commands: flag(CHECKED),
  'no-session': flag(CHECKED),
  report: word(['text', 'json'], CHECKED),
  literal: flag(SENT),
  whole: flag(SENT),
  as: word(FORMATS, ['run']),
  'max-line': valued('SIZE', [...READERS, 'encode'], DEFAULT_MAX_LINE, readSize),
  'exit-status': flag(READERS, { short: 'e' }),
  quiet: flag([...READERS, 'encode'], { short: 'q' }),
  color: word(['auto', 'always', 'never'], COMMANDS, { alias: 'colour' }),
  'no-color': flag(COMMANDS, { means: ['color', 'never'] }),
  lang: { ...word(LANGUAGES, COMMANDS, { alias: 'language' }), initial: languageOf },
  help: flag(COMMANDS, { short: 'h' }),
  version: flag(COMMANDS, { short: 'V' }),
} satisfies Record<string, Option>;

export type OptionName = keyof typeof TABLE;

/** What a person asked for, with defaults in place. `max-line` is in bytes, `width` in cells. */
export type Options = { [Name in OptionName]: ReturnType<(typeof TABLE)[Name]['initial']> };

export interface OptionSpec extends Option {
  name: OptionName;
}

/** The options as a list; `run` takes those of its formats as well. */
export const OPTIONS: readonly OptionSpec[] = Object.entries<Option>(TABLE).map(([name, option]) => {
  const isFormats = FORMATS.some((format) => option.of.includes(format));
  const of = isFormats && !option.of.includes('run') ? [...option.of, 'run' as const] : option.of;
  return { ...option, name: name as OptionName, of };
});

/** A command line, read. */
export interface Invocation {
  command: Command;
  options: Options;
  /** The files, or what else the command takes. */
  operands: string[];
  /** No command was named: the first operand may be one that was mistyped. */
  implicit: boolean;
}

/** A command line that cannot be followed. The message says why and where to look, in the person's words, safe to print. */
export class UsageError extends Error {}

/** In which words to speak to the person. */
export type Speech = Pick<Options, 'lang' | 'ascii'>;

/** The words that were asked for. */
export function labelsOf({ lang, ascii }: Speech): Labels {
  return labelsFor(lang, ascii);
}

type UsageKey = keyof Labels['usage'];
/** What a sentence is filled with: a text, which is made safe, or words of our own. */
type UsageValues = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * A sentence about the command line, with what was probably meant (`suggestion`) or could have been (`names`). This is
 * the one gate for what a person typed.
 */
export function usageSentence(speech: Speech, key: UsageKey, values: UsageValues): string {
  const { usage, words } = labelsOf(speech);
  const safe = Object.entries(values).map(([name, value = '']) => [
    name,
    typeof value === 'string' ? quote(value, undefined, words.ellipsis) : value.join(', '),
  ]);
  const more = values['suggestion'] ? usage.didYouMean : values['names']?.length ? usage.thereAre : '';
  const sentence = fill(usage[key] + more, Object.fromEntries(safe));
  return speech.ascii ? asciiSigns(sentence) : sentence;
}

/** The error with that sentence; the person is pointed to the help of `command`. */
export function usageError(
  { command, options }: Pick<Invocation, 'command' | 'options'>,
  key: UsageKey,
  values: UsageValues = {},
): UsageError {
  return new UsageError(
    `${usageSentence(options, key, values)}\n${usageSentence(options, 'tryHelp', { command })}`,
  );
}

/**
 * The name that is nearest to `word`, where it is near enough to be meant: one letter away, or more of them after the
 * same first one.
 */
export function nearest(word: string, names: readonly string[]): string | undefined {
  // No name is as long, and the time goes with the length.
  if (names.length === 0 || word.length > 100) return undefined;
  const typed = word.toLowerCase();
  const name = closest(typed, names);
  const [, dashes, letters = ''] = /^(-*)(.*)/.exec(name)!;
  const mayDiffer = typed.startsWith(`${dashes}${letters[0]}`) ? Math.ceil(letters.length / 3) : 1;
  return distance(typed, name) <= mayDiffer ? name : undefined;
}

/** The command of that name, if it is one. */
export function commandNamed(word: string): Command | undefined {
  if (Object.hasOwn(COMMAND_ALIASES, word)) return COMMAND_ALIASES[word];
  return COMMANDS.find((command) => command === word);
}

/** Each way to type an option: `-t`, `--type`. */
export function spellings({ short, name, alias }: OptionSpec): string[] {
  return [...(short ? [`-${short}`] : []), `--${name}`, ...(alias ? [`--${alias}`] : [])];
}

/** What an option does in a command, in words. */
export function meaningOf(name: OptionName, command: Command, { help }: Labels): string {
  const own: Partial<Record<Command, Partial<Record<OptionName, string>>>> = help.optionOf;
  return own[command]?.[name] ?? help.option[name];
}

/** The option that is typed so. */
export function optionTyped(rawName: string, options = OPTIONS): OptionSpec | undefined {
  return options.find((spec) => spellings(spec).includes(rawName));
}

/** An option as it was typed. */
interface TypedOption {
  rawName: string;
  value?: string | undefined;
  /** The value stands in the same word. */
  inlineValue?: boolean | undefined;
}

/** The words of a command line, before they are checked. */
export interface Words {
  command: Command | undefined;
  typed: TypedOption[];
  operands: string[];
  /** `--` was typed: whatever follows is an operand. */
  ended: boolean;
}

const TOKENS = Object.fromEntries(
  OPTIONS.flatMap((spec) => {
    const type = spec.value ? ('string' as const) : ('boolean' as const);
    const short = spec.short === undefined ? {} : { short: spec.short };
    return [
      [spec.name, { type, ...short }] as const,
      ...(spec.alias ? [[spec.alias, { type }] as const] : []),
    ];
  }),
);

/** Tells commands, options and operands apart. What follows the name of the command of `run` is not ours to read. */
export function readWords(args: readonly string[]): Words {
  // Node's own tokens, not its verdict: it knows `-tmessage`, `-ct message` and values that begin with a
  // dash, but its errors are neither in the person's language nor of any help.
  const settings = { args: [...args], strict: false, allowPositionals: true, tokens: true } as const;
  const { tokens } = parseArgs({ ...settings, options: TOKENS });
  const words: Words = { command: undefined, typed: [], operands: [], ended: false };
  for (const token of tokens) {
    if (token.kind === 'option') {
      words.typed.push(token);
    } else if (words.command === 'run') {
      words.ended = token.kind === 'option-terminator';
      words.operands = args.slice(words.ended ? token.index + 1 : token.index);
      break;
    } else if (token.kind === 'option-terminator') {
      words.ended = true;
    } else {
      const mayBeCommand = !words.command && !words.ended && words.operands.length === 0;
      words.command ??= mayBeCommand ? commandNamed(token.value) : undefined;
      if (!mayBeCommand || !words.command) words.operands.push(token.value);
    }
  }
  return words;
}

/**
 * Reads the arguments after the program's name, in the words of `env` for the language.
 *
 * @throws UsageError for an option or a value that is not understood; it suggests the nearest.
 * @example
 * parseCommandLine(['filter', '-t', 'message', 'a.ndjson'], process.env);
 * // { command: 'filter', options: { type: ['message'], … }, operands: ['a.ndjson'], implicit: false }
 */
export function parseCommandLine(args: readonly string[], env: NodeJS.ProcessEnv): Invocation {
  const words = readWords(args);
  const { command = 'pretty', operands } = words;
  const initial = OPTIONS.map(({ name, initial }) => [name, initial(env)]);
  const options = Object.fromEntries(initial) as Options;
  const invocation = { command, options, operands, implicit: words.command === undefined };
  const mine = OPTIONS.filter((spec) => spec.of.includes(command));
  const settings = words.typed.map((typed) => ({ typed, spec: optionTyped(typed.rawName, mine) }));
  // First how to speak, so that what is wrong with the others is said so.
  const isSpeech = ({ spec }: (typeof settings)[number]) => spec?.name === 'lang' || spec?.name === 'ascii';
  for (const { typed, spec } of [...settings.filter(isSpeech), ...settings]) {
    if (spec) set(invocation, spec, typed);
    // `help --tee` is about the option.
    else if (command === 'help' && optionTyped(typed.rawName)) operands.push(typed.rawName);
    else throw unknownOption(invocation, typed.rawName, mine);
  }
  finish(
    invocation,
    settings.flatMap(({ spec }) => spec ?? []),
  );
  return invocation;
}

function set(invocation: Invocation, spec: OptionSpec, { rawName, value }: TypedOption): void {
  if (spec.value && value === undefined)
    throw usageError(invocation, 'needsValue', { option: rawName, value: spec.value });
  if (!spec.value && value !== undefined) throw usageError(invocation, 'takesNoValue', { option: rawName });
  const options: Record<string, unknown> = invocation.options;
  const [name, text = ''] = spec.means ?? [spec.name, value];
  try {
    options[name] = (TABLE as Record<string, Option>)[name]!.read(text, options[name]);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const values = error.valuesIn(labelsOf(invocation.options));
    throw usageError(invocation, error.key, { option: `--${name}`, value: text, ...values });
  }
}

/** The error for an option that the command does not take: it names the command that is meant, or the nearest option. */
function unknownOption(invocation: Invocation, option: string, mine: readonly OptionSpec[]): UsageError {
  const { command: typed, implicit, operands, options } = invocation;
  const elsewhere = optionTyped(option);
  const word = option.startsWith('--') ? option.slice(2) : '';
  // A message may begin with a dash.
  if (typed === 'encode' && (elsewhere || !word)) return usageError(invocation, 'dashMessage', { option });
  if (elsewhere) {
    const [first = ''] = implicit ? operands : [];
    const command = nearest(first, elsewhere.of) as Command | undefined;
    if (command) return usageError({ options, command }, 'notCommand', { word: first, suggestion: command });
    const values = { option, command: typed, commands: elsewhere.of };
    // Where no command was typed, one that takes the option may be meant; else the command has another way to say it.
    const help = implicit ? elsewhere.of[0]! : typed;
    return usageError({ options, command: help }, 'otherCommand', values);
  }
  const mineSpelled = mine.flatMap(spellings);
  // Of short options there are few: one sees which of those of grep are among them.
  if (!word) {
    const letters = mineSpelled.filter((name) => !name.startsWith('--'));
    return usageError(invocation, 'unknownOption', { option, names: letters });
  }
  const names = mineSpelled.filter((name) => name.startsWith('--'));
  const suggestion = implicit && commandNamed(word) ? `palabre-fmt ${word}` : nearest(option, names);
  return usageError(invocation, 'unknownOption', { option, suggestion });
}

/** What several options say together. */
function finish(invocation: Invocation, typed: readonly OptionSpec[]): void {
  const { command, options } = invocation;
  if (options.null && options.extract === undefined && command !== 'encode')
    throw usageError(invocation, 'nullAlone');
  const instead = (['count', 'files-with-matches'] as const).find((name) => options[name]);
  if (instead && options.extract !== undefined)
    throw usageError(invocation, 'extractAlone', { option: `--${instead}` });
  if (command === 'run') {
    const foreign = typed.find(({ of }) => !of.includes(options.as) && !of.every((of) => of === 'run'));
    if (foreign)
      throw usageError(invocation, 'otherFormat', { option: `--${foreign.name}`, format: foreign.of[0]! });
  }
  if (options.grep && options['ignore-case']) options.grep = new RegExp(options.grep.source, 'imu');
}

function languageOf(env: NodeJS.ProcessEnv): Language {
  const locale = env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || '';
  return LANGUAGES.find((language) => new RegExp(`^${language}(?![a-z])`, 'i').test(locale)) ?? 'en';
}

/** Whether the locale says that the terminal shows something else than UTF-8. */
function namesOtherCharset(env: NodeJS.ProcessEnv): boolean {
  const charset = /\.([^@]+)/.exec(env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '')?.[1];
  return charset !== undefined && !/^utf-?8$/i.test(charset);
}
