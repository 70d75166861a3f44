/**
 * The one table of commands and options, and how a command line is read by it. Help, completion, the manual
 * and the README are printed from this table or checked against it.
 */
import { parseArgs } from 'node:util';
import { closest, distance } from 'fastest-levenshtein';
import { fill, type Labels, type Language, labelsFor } from '../labels/labels.ts';
import { parseRange, type Range } from '../steps/filter.ts';
import { DEFAULT_MAX_LINE, HIGHEST_MAX_LINE } from '../steps/lines.ts';

/** The commands, in the order of the help. */
export const COMMANDS = [
  'pretty',
  'markdown',
  'filter',
  'validate',
  'encode',
  'run',
  'schema',
  'completion',
  'help',
] as const;
export type Command = (typeof COMMANDS)[number];

/** Other names of commands. */
export const COMMAND_ALIASES: Readonly<Record<string, Command>> = { md: 'markdown' };

/** What `color` may be. */
export const COLORS = ['auto', 'always', 'never'] as const;
export const LANGUAGES = ['en', 'fr'] as const satisfies readonly Language[];
export const REPORTS = ['text', 'json'] as const;
export const FORMATS = ['pretty', 'markdown', 'filter'] as const;

/** What a person asked for, with defaults in place. */
export interface Options {
  help: boolean;
  version: boolean;
  lang: Language;
  color: (typeof COLORS)[number];
  quiet: boolean;
  'exit-status': boolean;
  /** Bytes. */
  'max-line': number;
  /** Cells; 0 is unlimited, undefined asks the terminal. */
  width: number | undefined;
  compact: boolean;
  plain: boolean;
  ascii: boolean;
  verbose: boolean;
  tee: string | undefined;
  output: string | undefined;
  title: string | undefined;
  notices: boolean;
  'no-header': boolean;
  type: string[];
  'not-type': string[];
  agent: string[];
  role: string[];
  kind: string[];
  phase: string[];
  turn: Range[];
  session: Range[];
  grep: RegExp | undefined;
  'invert-match': boolean;
  'max-count': number;
  count: boolean;
  extract: string | undefined;
  null: boolean;
  strict: boolean;
  commands: boolean;
  'no-session': boolean;
  literal: boolean;
  whole: boolean;
  as: (typeof FORMATS)[number];
  report: (typeof REPORTS)[number];
}

export type OptionName = keyof Options | 'no-color' | 'ignore-case';

/** One option as it is typed. */
export interface OptionSpec {
  name: OptionName;
  /** One letter, typed after one dash. */
  short?: string;
  /** Another long name. */
  alias?: string;
  /** What stands for the value in the help; an option without one is a switch. */
  value?:
    | 'FILE'
    | 'N'
    | 'SIZE'
    | 'TEXT'
    | 'TYPE'
    | 'AGENT'
    | 'ROLE'
    | 'KIND'
    | 'PHASE'
    | 'RANGE'
    | 'REGEX'
    | 'FIELD'
    | 'WORD';
  /** The words that the value may be. */
  choices?: readonly string[];
  /** May be given several times, and take several values with commas. */
  many?: true;
  /** The commands that take it. */
  of: readonly Command[];
}

/** The commands that read events. */
const READERS = ['pretty', 'markdown', 'filter', 'validate'] as const;
export type Reader = (typeof READERS)[number];

export const OPTIONS: readonly OptionSpec[] = [
  { name: 'width', short: 'w', value: 'N', of: ['pretty', 'run'] },
  { name: 'compact', of: ['pretty', 'run'] },
  { name: 'plain', of: ['pretty', 'run'] },
  { name: 'ascii', of: ['pretty', 'run'] },
  { name: 'verbose', of: ['pretty', 'run'] },
  { name: 'output', short: 'o', value: 'FILE', of: ['markdown', 'run'] },
  { name: 'title', value: 'TEXT', of: ['markdown', 'run'] },
  { name: 'notices', of: ['markdown', 'run'] },
  { name: 'no-header', of: ['markdown', 'run'] },
  { name: 'tee', value: 'FILE', of: ['pretty', 'markdown', 'run'] },
  { name: 'type', short: 't', value: 'TYPE', many: true, of: ['filter', 'run'] },
  { name: 'not-type', short: 'T', value: 'TYPE', many: true, of: ['filter', 'run'] },
  { name: 'agent', value: 'AGENT', many: true, of: ['filter', 'run'] },
  { name: 'role', value: 'ROLE', many: true, of: ['filter', 'run'] },
  { name: 'kind', value: 'KIND', many: true, of: ['filter', 'run'] },
  { name: 'phase', value: 'PHASE', many: true, of: ['filter', 'run'] },
  { name: 'turn', value: 'RANGE', many: true, of: ['filter', 'run'] },
  { name: 'session', value: 'RANGE', many: true, of: ['filter', 'run'] },
  { name: 'grep', short: 'g', value: 'REGEX', of: ['filter', 'run'] },
  { name: 'ignore-case', short: 'i', of: ['filter', 'run'] },
  { name: 'invert-match', short: 'v', of: ['filter', 'run'] },
  { name: 'max-count', short: 'm', value: 'N', of: ['filter', 'run'] },
  { name: 'count', short: 'c', of: ['filter', 'run'] },
  { name: 'extract', short: 'x', value: 'FIELD', of: ['filter', 'run'] },
  { name: 'null', short: '0', of: ['filter', 'encode', 'run'] },
  { name: 'strict', of: ['validate'] },
  { name: 'commands', of: ['validate'] },
  { name: 'no-session', of: ['validate'] },
  { name: 'report', value: 'WORD', choices: REPORTS, of: ['validate'] },
  { name: 'literal', of: ['encode'] },
  { name: 'whole', of: ['encode'] },
  { name: 'as', value: 'WORD', choices: FORMATS, of: ['run'] },
  { name: 'max-line', value: 'SIZE', of: [...READERS, 'encode', 'run'] },
  { name: 'exit-status', short: 'e', of: [...READERS, 'run'] },
  { name: 'quiet', short: 'q', of: [...READERS, 'encode', 'run'] },
  { name: 'color', value: 'WORD', choices: COLORS, of: COMMANDS },
  { name: 'no-color', of: COMMANDS },
  { name: 'lang', alias: 'language', value: 'WORD', choices: LANGUAGES, of: COMMANDS },
  { name: 'help', short: 'h', of: COMMANDS },
  { name: 'version', short: 'V', of: COMMANDS },
];

/** A command line, read. */
export interface Invocation {
  command: Command;
  options: Options;
  /** The files, or what else the command takes. */
  operands: string[];
  /** No command was named: the first operand may be one that was mistyped. */
  implicit: boolean;
  /** All operands come after `--`. */
  terminated: boolean;
}

/** A command line that cannot be followed. The message is a sentence in the person's language. */
export class UsageError extends Error {
  readonly command: Command;
  readonly lang: Language;
  constructor(message: string, command: Command, lang: Language) {
    super(message);
    this.name = 'UsageError';
    this.command = command;
    this.lang = lang;
  }
}

/** The name that is nearest to `word`, where one is near enough to be meant. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const typed = word.toLowerCase();
  const name = names.length > 0 ? closest(typed, names) : '';
  return distance(typed, name) <= Math.max(1, Math.floor(name.length / 3)) ? name : undefined;
}

/** The command of that name, if it is one. */
export function commandNamed(word: string): Command | undefined {
  if (Object.hasOwn(COMMAND_ALIASES, word)) return COMMAND_ALIASES[word];
  return COMMANDS.find((command) => command === word);
}

/**
 * Reads the arguments after the program's name, in the words of `env` for the language.
 *
 * @throws UsageError for an option or a value that is not understood; it suggests the nearest.
 * @example
 * parseCommandLine(['filter', '-t', 'message', 'a.ndjson'], process.env);
 * // { command: 'filter', options: { type: ['message'], … }, operands: ['a.ndjson'], … }
 */
export function parseCommandLine(args: readonly string[], env: NodeJS.ProcessEnv): Invocation {
  // Node's own tokens, not its verdict: it knows `-tmessage`, `-ct message` and values that begin with a
  // dash, but its errors are neither in the person's language nor of any help.
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries(OPTIONS.flatMap(tokenNames)),
  });

  const operands: string[] = [];
  let command: Command | undefined;
  let terminated = false;
  let before = 0;
  for (const token of tokens) {
    if (token.kind === 'option-terminator') {
      terminated = true;
      before = operands.length;
    }
    if (token.kind !== 'positional') continue;
    const named = operands.length === 0 && !command && !terminated ? commandNamed(token.value) : undefined;
    if (named) command = named;
    else operands.push(token.value);
  }
  const implicit = command === undefined;
  const settings = createSettings(command ?? 'pretty', implicit ? operands[0] : undefined, env);
  // The language first, so that what is wrong with the others is said in it.
  const typed = tokens.filter((token) => token.kind === 'option');
  for (const token of typed) if (isLanguage(token.name)) settings.set(token);
  for (const token of typed) if (!isLanguage(token.name)) settings.set(token);
  return {
    command: command ?? 'pretty',
    options: settings.finish(),
    operands,
    implicit,
    terminated: terminated && before === 0,
  };
}

function isLanguage(name: string): boolean {
  return name === 'lang' || name === 'language';
}

function tokenNames(spec: OptionSpec) {
  const type = spec.value ? ('string' as const) : ('boolean' as const);
  const named = { type, ...(spec.short === undefined ? {} : { short: spec.short }) };
  return spec.alias
    ? [[spec.name, named] as const, [spec.alias, { type }] as const]
    : [[spec.name, named] as const];
}

interface OptionToken {
  name: string;
  rawName: string;
  value?: string | undefined;
}

/**
 * Collects the options of one command line, each checked as it comes. Where no command was named, `firstWord` may
 * have been meant as one.
 */
function createSettings(command: Command, firstWord: string | undefined, env: NodeJS.ProcessEnv) {
  const options = defaults(env);
  let pattern: string | undefined;
  let ignoreCase = false;
  const typed: OptionSpec[] = [];

  function refuse(key: keyof Labels['usage'], values: Record<string, string>, helpful = command): never {
    throw new UsageError(fill(labelsFor(options.lang).usage[key], values), helpful, options.lang);
  }

  function unknown(rawName: string): never {
    const elsewhere = OPTIONS.find((spec) => isName(spec, rawName));
    if (elsewhere) {
      const meant = firstWord === undefined ? undefined : nearest(firstWord, elsewhere.of);
      if (meant) refuse('commandNear', { word: firstWord!, suggestion: meant }, meant as Command);
      refuse('otherCommand', { option: rawName, command: elsewhere.of[0]! }, elsewhere.of[0]!);
    }
    const mine = OPTIONS.filter((spec) => spec.of.includes(command))
      .flatMap(({ name, alias }) => [name, alias ?? name])
      .map((name) => `--${name}`);
    const suggestion = rawName.startsWith('--') ? nearest(rawName, mine) : undefined;
    if (suggestion) refuse('unknownOptionNear', { option: rawName, suggestion });
    refuse('unknownOption', { option: rawName });
  }

  function word(spec: OptionSpec, value: string): string {
    const choices = spec.choices ?? [];
    if (choices.includes(value)) return value;
    const suggestion = nearest(value, choices);
    const values = { option: `--${spec.name}`, value, choices: choices.join(', ') };
    if (suggestion) refuse('badWordNear', { ...values, suggestion });
    refuse('badWord', values);
  }

  function whole(spec: OptionSpec, value: string): number {
    if (!/^\d{1,15}$/.test(value)) refuse('badNumber', { option: `--${spec.name}`, value });
    return Number(value);
  }

  function size(spec: OptionSpec, value: string): number {
    const [, digits, unit = ''] = /^(\d{1,15})([kmg]?)$/i.exec(value) ?? [];
    const bytes = Number(digits ?? 0) * 1024 ** ['', 'k', 'm', 'g'].indexOf(unit.toLowerCase());
    if (bytes < 1 || bytes > HIGHEST_MAX_LINE) refuse('badSize', { option: `--${spec.name}`, value });
    return bytes;
  }

  function range(spec: OptionSpec, value: string): Range {
    return parseRange(value) ?? refuse('badRange', { option: `--${spec.name}`, value });
  }

  return {
    set({ name, rawName, value }: OptionToken): void {
      const spec = OPTIONS.find(
        (spec) => spec.of.includes(command) && (spec.name === name || spec.alias === name),
      );
      if (!spec) unknown(rawName);
      if (spec.value && value === undefined) refuse('needsValue', { option: rawName, value: spec.value });
      if (!spec.value && value !== undefined) refuse('takesNoValue', { option: rawName });
      const text = value ?? '';
      typed.push(spec);
      switch (spec.name) {
        case 'no-color':
          options.color = 'never';
          break;
        case 'ignore-case':
          ignoreCase = true;
          break;
        case 'lang':
          options.lang = word(spec, text) as Language;
          break;
        case 'color':
          options.color = word(spec, text) as Options['color'];
          break;
        case 'as':
          options.as = word(spec, commandNamed(text) ?? text) as Options['as'];
          break;
        case 'report':
          options.report = word(spec, text) as Options['report'];
          break;
        case 'max-line':
          options['max-line'] = size(spec, text);
          break;
        case 'width':
        case 'max-count':
          options[spec.name] = whole(spec, text);
          break;
        case 'turn':
        case 'session':
          options[spec.name].push(...text.split(',').map((part) => range(spec, part)));
          break;
        case 'type':
        case 'not-type':
        case 'agent':
        case 'role':
        case 'kind':
        case 'phase':
          options[spec.name].push(...text.split(','));
          break;
        case 'grep':
          pattern = text;
          break;
        case 'tee':
        case 'output':
        case 'title':
        case 'extract':
          options[spec.name] = text;
          break;
        default:
          options[spec.name] = true;
      }
    },
    finish(): Options {
      if (options.null && options.extract === undefined && command !== 'encode') refuse('nullAlone', {});
      if (command === 'run') {
        const foreign = typed.find(
          (spec) => !spec.of.includes(options.as) && !spec.of.every((of) => of === 'run'),
        );
        if (foreign) refuse('otherFormat', { option: `--${foreign.name}`, format: foreign.of[0]! });
      }
      if (pattern !== undefined) {
        try {
          options.grep = new RegExp(pattern, ignoreCase ? 'imu' : 'mu');
        } catch (error) {
          refuse('badRegex', { value: pattern, reason: (error as Error).message });
        }
      }
      return options;
    },
  };
}

/** Whether an option is typed so: `--name` or `-n`. */
function isName(spec: OptionSpec, rawName: string): boolean {
  return [`--${spec.name}`, `--${spec.alias}`, `-${spec.short}`].includes(rawName);
}

function defaults(env: NodeJS.ProcessEnv): Options {
  return {
    help: false,
    version: false,
    lang: languageOf(env),
    color: 'auto',
    quiet: false,
    'exit-status': false,
    'max-line': DEFAULT_MAX_LINE,
    width: undefined,
    compact: false,
    plain: false,
    ascii: env['PALABRE_ASCII'] === '1' || namesOtherCharset(env),
    verbose: false,
    tee: undefined,
    output: undefined,
    title: undefined,
    notices: false,
    'no-header': false,
    type: [],
    'not-type': [],
    agent: [],
    role: [],
    kind: [],
    phase: [],
    turn: [],
    session: [],
    grep: undefined,
    'invert-match': false,
    'max-count': Number.POSITIVE_INFINITY,
    count: false,
    extract: undefined,
    null: false,
    strict: false,
    commands: false,
    'no-session': false,
    literal: false,
    whole: false,
    as: 'pretty',
    report: 'text',
  };
}

function languageOf(env: NodeJS.ProcessEnv): Language {
  const locale = env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || '';
  return /^fr(?![a-z])/i.test(locale) ? 'fr' : 'en';
}

/** Whether the locale says that the terminal shows something else than UTF-8. */
function namesOtherCharset(env: NodeJS.ProcessEnv): boolean {
  const charset = /\.([^@]+)/.exec(env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '')?.[1];
  return charset !== undefined && !/^utf-?8$/i.test(charset);
}
