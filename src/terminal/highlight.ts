/**
 * Light highlighting of code, by a handful of patterns for families of languages: right for most lines of most
 * code, and never more than colour, for the text stays as it is. Libraries have a grammar for each language, which
 * promises nothing about hostile code and is several times the size of all this.
 *
 * Every pattern must be linear: what follows an opening is bounded, or taken to the end of the code.
 */
import type { Paint, Style } from './style.ts';

/** UTF-16 code units; longer code stays plain. */
const MAX_LENGTH = 64 * 1024;

/** Nothing but indentation before. It is looked for only behind a character that may follow: blanks are many. */
const LINE_START = '(?<=^[ \\t]{0,100})';
/** The end of the code. */
const END = '(?![^])';
/** Strings within one line; the bound keeps a line of quotes alone from being read again from each of them. */
const DOUBLE = '"(?:\\\\.|[^"\\\\\\n]){0,2000}"';
/** An apostrophe inside a word opens nothing. */
const SINGLE = "(?<!\\w)(?:[fFrRbBuU]{1,2})?'(?:\\\\.|[^'\\\\\\n]){0,2000}'";
const BACKTICK = `\`(?:\\\\[^]|[^\`\\\\])*(?:\`|${END})`;
const TRIPLE = `"""[^]*?(?:"""|${END})|'''[^]*?(?:'''|${END})`;
const BLOCK_COMMENT = `/\\*[^]*?(?:\\*/|${END})`;
const SLASH_COMMENT = `//[^\\n]*|${BLOCK_COMMENT}`;
const HASH_COMMENT = '(?<![^\\s])#[^\\n]*';
const DASH_COMMENT = `--[^\\n]*|${BLOCK_COMMENT}`;

const NUMBER = '(?<![\\w$])\\d[\\w.]*';
/** A name before its parenthesis. */
const CALL = '(?<![\\w$])[A-Za-z_$][\\w$]{0,80}(?=\\()';
const SHELL_VARIABLE = '\\$(?:\\w+|[#?@*!$]|\\{[^}\\n]{0,200}\\}?)';
/** `<a`, `</a`, `/>`, `>`. */
const TAG = '<[/!?]?[A-Za-z][\\w:.-]*|[/?]?>';

/** The kinds of tokens, each a paint of {@link Style}. The first pattern that fits wins. */
const KINDS = ['comment', 'key', 'string', 'keyword', 'call', 'variable', 'number'] as const;
type Kind = (typeof KINDS)[number];

interface Family {
  names: string;
  patterns: Partial<Record<Kind, string>>;
  /** Keywords. */
  words?: string;
  /** Variables that stand inside strings in double quotes. */
  inside?: string;
}

const C_WORDS =
  'abstract as async await break case catch class const continue declare def default defer delete do else enum export ' +
  'extends extern false final finally fn for foreach from fun func function go goto if implements import in ' +
  'instanceof interface internal is let match module namespace new nil null of override package private protected ' +
  'protocol public readonly return select static struct super switch template this throw throws trait true try type ' +
  'typedef typeof undefined union unsafe using val var void while with yield';
const C_PATTERNS = {
  comment: SLASH_COMMENT,
  string: `${DOUBLE}|${SINGLE}|${BACKTICK}`,
  call: CALL,
  number: NUMBER,
};
const SHELL_WORDS =
  'begin break case class continue def do done elif else elsif end esac exit export false fi for function if in local ' +
  'module next nil readonly require rescue return self set shift then true unless unset until when while yield';
const SHELL_PATTERNS = {
  comment: HASH_COMMENT,
  string: `${DOUBLE}|${SINGLE}`,
  variable: SHELL_VARIABLE,
  number: NUMBER,
};

const FAMILIES: readonly Family[] = [
  {
    names:
      'js mjs cjs javascript ts mts cts typescript java go golang kotlin kt swift scala dart cs csharp c#',
    patterns: C_PATTERNS,
    words: C_WORDS,
  },
  {
    names: 'jsx tsx',
    // `Array<string>` is not a tag.
    patterns: { ...C_PATTERNS, key: '(?<![\\w)])</?[A-Za-z][\\w.]*(?=[\\s/>])|/>' },
    words: C_WORDS,
  },
  {
    names: 'c h cpp c++ cc hpp cxx',
    patterns: { ...C_PATTERNS, key: `(?=#)${LINE_START}#[ \\t]{0,20}\\w+` },
    words: `${C_WORDS} auto bool char double float inline int long short signed sizeof unsigned volatile`,
  },
  { names: 'php', patterns: { ...C_PATTERNS, variable: '\\$\\w+' }, words: `${C_WORDS} echo use` },
  {
    names: 'rust rs',
    patterns: {
      comment: SLASH_COMMENT,
      key: '#!?\\[[^\\]\\n]{0,200}\\]',
      // An apostrophe is a lifetime more often than a character.
      string: `${DOUBLE}|'(?:\\\\[^\\n]{1,10}|[^'\\\\\\n])'`,
      call: '(?<![\\w$])[A-Za-z_]\\w{0,80}!?(?=\\()',
      number: NUMBER,
    },
    words:
      'as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move ' +
      'mut pub ref return self Self static struct super trait true type unsafe use where while',
  },
  {
    names: 'py python python3',
    patterns: {
      comment: '#[^\\n]*',
      key: `(?=@)${LINE_START}@[\\w.]+`,
      string: `${TRIPLE}|${DOUBLE}|${SINGLE}`,
      call: CALL,
      number: NUMBER,
    },
    words:
      'and as assert async await break case class continue def del elif else except False finally for from global if ' +
      'import in is lambda match None nonlocal not or pass raise return True try while with yield',
  },
  {
    names: 'sh bash zsh shell fish console make makefile nix',
    patterns: { ...SHELL_PATTERNS, key: '(?<![^\\s])--?[A-Za-z][\\w-]*' },
    words: SHELL_WORDS,
    inside: SHELL_VARIABLE,
  },
  {
    names: 'rb ruby perl pl r elixir ex',
    patterns: {
      ...SHELL_PATTERNS,
      call: CALL,
      variable: '[$@%]{1,2}[A-Za-z_]\\w*',
      key: '(?<![\\w:]):[A-Za-z_]\\w*',
    },
    words: SHELL_WORDS,
  },
  {
    names: 'dockerfile docker',
    patterns: SHELL_PATTERNS,
    words:
      'add arg as cmd copy entrypoint env expose from healthcheck label run shell stopsignal user volume workdir',
    inside: SHELL_VARIABLE,
  },
  {
    names: 'yaml yml',
    patterns: {
      comment: HASH_COMMENT,
      key: `(?=[\\w$./<"'])(?<=^[ \\t]{0,100}(?:- {1,4}){0,8})(?:${DOUBLE}|'[^'\\n]{0,200}'|[\\w$./<][^:#\\n]{0,200})(?=:(?:[ \\t]|$))`,
      string: `${DOUBLE}|${SINGLE}`,
      variable: '(?<=[ \\t])[&*][\\w-]+',
      number: NUMBER,
    },
    words: 'true false null yes no on off',
  },
  {
    names: 'toml ini conf env properties dotenv',
    patterns: {
      comment: HASH_COMMENT,
      key: `(?=[[\\w."'-])${LINE_START}(?:\\[{1,2}[^\\]\\n]{0,200}\\]{1,2}|[\\w."'-]{1,200}(?=[ \\t]{0,20}=))`,
      string: `${TRIPLE}|${DOUBLE}|${SINGLE}`,
      number: NUMBER,
    },
    words: 'true false null yes no on off',
  },
  {
    names: 'json json5 jsonc ndjson jsonl',
    patterns: {
      comment: SLASH_COMMENT,
      key: `${DOUBLE}(?=[ \\t\\n]{0,20}:)`,
      string: DOUBLE,
      number: '(?<![\\w$])-?\\d[\\w.+-]*',
    },
    words: 'true false null',
  },
  {
    names: 'html htm xhtml xml svg vue svelte',
    patterns: {
      comment: `<!--[^]*?(?:-->|${END})`,
      key: TAG,
      // Quotes in plain text do not delimit strings.
      string: '(?<==)(?:"[^"\\n]{0,2000}"|\'[^\'\\n]{0,2000}\')',
      call: '(?<=\\s)[\\w:@.#-]{1,80}(?=\\=)',
      number: '&#?\\w{1,32};',
    },
  },
  {
    names: 'css scss less',
    patterns: {
      comment: BLOCK_COMMENT,
      key: '(?<![\\w-])[A-Za-z-]{1,60}(?=[ \\t]{0,5}:[^{\\n]{0,200}(?:;|$))',
      string: `${DOUBLE}|${SINGLE}`,
      keyword: '@[\\w-]+|!important',
      call: '(?<![\\w-])[.#][A-Za-z_][\\w-]*(?=[^;\\n]{0,200}[{,])',
      variable: '[$]\\w+|(?<![\\w-])--[\\w-]+',
      number: '(?<![\\w$])(?:#[\\da-fA-F]{3,8}|\\d[\\w.%]*)',
    },
  },
  {
    names: 'sql lua haskell hs',
    patterns: { comment: DASH_COMMENT, string: `${DOUBLE}|${SINGLE}`, call: CALL, number: NUMBER },
    words:
      'add all alter and as asc begin between by case class constraint create data default delete desc distinct do ' +
      'drop else elseif end exists false for foreign from function group having if import in index inner insert instance ' +
      'into is join key left let like limit local module nil not null offset on or order outer primary references ' +
      'repeat return right select set table then true type union unique until update using values view when where while with',
  },
];

/** Languages whose keywords may be written in capitals. */
const ANY_CASE = new Set(['sql', 'dockerfile', 'docker']);

const LANGUAGES = new Map<string, { tokens: RegExp; inside: RegExp | undefined }>();
for (const { names, patterns, words, inside } of FAMILIES) {
  const keyword = words && `(?<![\\w$.-])(?:${words.replaceAll(' ', '|')})(?![\\w$-])`;
  const source = KINDS.flatMap((kind) => {
    const pattern = patterns[kind] ?? (kind === 'keyword' ? keyword : undefined);
    return pattern ? `(?<${kind}>${pattern})` : [];
  }).join('|');
  for (const name of names.split(' ')) {
    const tokens = new RegExp(source, ANY_CASE.has(name) ? 'gim' : 'gm');
    LANGUAGES.set(name, { tokens, inside: inside ? new RegExp(inside, 'g') : undefined });
  }
}

/**
 * Colours code of a language that is known; any other is given back as it is.
 *
 * @param code safe text of several lines
 * @param name the language: the first word after the fence, in any case
 */
export function highlight(code: string, name: string, style: Style): string {
  if (style.level === 0 || code.length > MAX_LENGTH) return code;
  const known = name.toLowerCase();
  if (known === 'diff' || known === 'patch')
    return code.replace(/^.+$/gm, (line) => diffPaint(line, style)(line));
  const language = LANGUAGES.get(known);
  if (!language) return code;
  return code.replace(language.tokens, (token, ...rest) => {
    const groups = rest.at(-1) as Record<string, string | undefined>;
    const kind = KINDS.find((each) => groups[each] !== undefined)!;
    if (kind === 'string' && language.inside && token.startsWith('"'))
      return paintInside(token, language.inside, style);
    return style[kind](token);
  });
}

/** A string with its variables. */
function paintInside(token: string, variables: RegExp, { string, variable }: Style): string {
  const strings = token.split(variables);
  const found = token.match(variables) ?? [];
  return strings.map((text, at) => string(text) + (at < found.length ? variable(found[at]!) : '')).join('');
}

function diffPaint(line: string, style: Style): Paint {
  if (/^(?:diff |index |\+\+\+ |--- )/.test(line)) return style.comment;
  if (line.startsWith('@@')) return style.key;
  if (line.startsWith('+')) return style.added;
  return line.startsWith('-') ? style.removed : (text) => text;
}
