/**
 * Light highlighting of code: remarks, texts, numbers and a few words. A handful of patterns for families of
 * languages, right for most lines of most code, and never more than colour: the text stays as it is.
 */
import type { Paint, Style } from './style.ts';

/** Longer code stays plain. */
const MAX_LENGTH = 64 * 1024;

/** Texts within one line; the bound keeps a line of quotes alone from being read again from each of them. */
const DOUBLE = '"(?:\\\\.|[^"\\\\\\n]){0,2000}"';
/** An apostrophe inside a word opens nothing. */
const SINGLE = "(?<!\\w)(?:[fFrRbBuU]{1,2})?'(?:\\\\.|[^'\\\\\\n]){0,2000}'";
const BACKTICK = '`(?:\\\\[^]|[^`\\\\])*(?:`|$)';
const TRIPLE = '"""[^]*?(?:"""|$)|\'\'\'[^]*?(?:\'\'\'|$)';
const BLOCK_REMARK = '/\\*[^]*?(?:\\*/|$)';
const SLASH_REMARK = `//[^\\n]*|${BLOCK_REMARK}`;
const HASH_REMARK = '(?<![^\\s])#[^\\n]*';
const DASH_REMARK = `--[^\\n]*|${BLOCK_REMARK}`;

/** What stands for a text, what for a remark, and the words that are set off. */
interface Family {
  names: string;
  remark: string;
  string: string;
  words: string;
}

const FAMILIES: readonly Family[] = [
  {
    names:
      'js jsx mjs cjs javascript ts tsx mts cts typescript java c h cpp c++ cc hpp cs csharp go kotlin kt swift php scala dart',
    remark: SLASH_REMARK,
    string: `${DOUBLE}|${SINGLE}|${BACKTICK}`,
    words:
      'abstract as async await break case catch class const continue declare def default defer delete do else enum export ' +
      'extends extern false final finally fn for foreach from fun func function go goto if implements import in ' +
      'instanceof interface internal is let match module namespace new nil null of override package private protected ' +
      'protocol public readonly return select static struct super switch template this throw throws trait true try type ' +
      'typedef typeof undefined union unsafe using val var void while with yield',
  },
  {
    names: 'rust rs',
    remark: SLASH_REMARK,
    // An apostrophe is a lifetime more often than a character.
    string: `${DOUBLE}|'(?:\\\\[^\\n]{1,10}|[^'\\\\\\n])'`,
    words:
      'as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move ' +
      'mut pub ref return self Self static struct super trait true type unsafe use where while',
  },
  {
    names: 'py python python3',
    remark: '#[^\\n]*',
    string: `${TRIPLE}|${DOUBLE}|${SINGLE}`,
    words:
      'and as assert async await break case class continue def del elif else except False finally for from global if ' +
      'import in is lambda match None nonlocal not or pass raise return True try while with yield',
  },
  {
    names: 'sh bash zsh shell fish rb ruby perl pl r make makefile dockerfile nix elixir',
    remark: HASH_REMARK,
    string: `${DOUBLE}|${SINGLE}`,
    words:
      'begin break case class continue def do done elif else elsif end esac exit export false fi for function if in local ' +
      'module next nil readonly require rescue return self set shift then true unless unset until when while yield',
  },
  {
    names: 'yaml yml toml ini conf',
    remark: HASH_REMARK,
    string: `${DOUBLE}|${SINGLE}`,
    words: 'true false null yes no on off',
  },
  { names: 'json json5 jsonc ndjson jsonl', remark: SLASH_REMARK, string: DOUBLE, words: 'true false null' },
  { names: 'css scss less', remark: BLOCK_REMARK, string: `${DOUBLE}|${SINGLE}`, words: 'important' },
  {
    names: 'sql lua haskell hs',
    remark: DASH_REMARK,
    string: `${DOUBLE}|${SINGLE}`,
    words:
      'add all alter and as asc begin between by case class constraint create data default delete desc distinct do ' +
      'drop else elseif end exists false for foreign from function group having if import in index inner insert instance ' +
      'into is join key left let like limit local module nil not null offset on or order outer primary references ' +
      'repeat return right select set table then true type union unique until update using values view when where while with',
  },
];

/** Languages whose words may be written in capitals. */
const ANY_CASE = new Set(['sql']);

const TOKENS = new Map<string, RegExp>();
for (const { names, remark, string, words } of FAMILIES) {
  for (const name of names.split(' ')) {
    const word = `(?<![\\w$.-])(?:${words.replaceAll(' ', '|')})(?![\\w$-])`;
    const source = `(?<string>${string})|(?<remark>${remark})|(?<word>${word})|(?<number>(?<![\\w$])\\d[\\w.]*)`;
    TOKENS.set(name, new RegExp(source, ANY_CASE.has(name) ? 'gi' : 'g'));
  }
}

/**
 * Colours code of a language that is known; any other is given back as it is.
 *
 * @param code safe text of several lines
 * @param language the first word after the fence, in any case
 */
export function highlight(code: string, language: string, style: Style): string {
  if (style.level === 0 || code.length > MAX_LENGTH) return code;
  const name = language.toLowerCase();
  if (name === 'diff' || name === 'patch')
    return code
      .split('\n')
      .map((line) => diffLine(line, style))
      .join('\n');
  const tokens = TOKENS.get(name);
  if (!tokens) return code;
  return code.replace(tokens, (token, ...rest) => {
    const groups = rest.at(-1) as Record<string, string | undefined>;
    return paintFor(groups, style)(token);
  });
}

function paintFor(groups: Record<string, string | undefined>, style: Style): Paint {
  if (groups['string'] !== undefined) return style.string;
  if (groups['remark'] !== undefined) return style.comment;
  return groups['word'] !== undefined ? style.keyword : style.number;
}

function diffLine(line: string, style: Style): string {
  if (line.startsWith('+')) return style.added(line);
  if (line.startsWith('-')) return style.removed(line);
  return line.startsWith('@@') ? style.key(line) : line;
}
