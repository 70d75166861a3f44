/**
 * The blocks of a message. Its lines are parsed into the few kinds of blocks that every viewer reads alike, and each
 * block is printed in one fixed form. Everything else is printed as a paragraph with its special characters escaped.
 */
import { codeSpans, inline, label, MAX_TARGET, type References, target } from './inline.ts';
import { opensComment } from './line.ts';

/** Quotes and lists nested deeper than this are printed as text. */
const MAX_QUOTES = 3;
const MAX_LISTS = 6;

const BLANK = /^\s*$/;
const FENCE = /^(`{3,})([^`]*)$|^(~{3,})(.*)$/;
const CLOSING_FENCE = /^\s*(`{3,}|~{3,})[ \t]*$/;
const RULE = /^(?:\*[ \t]*\*[ \t]*\*[* \t]*|-[ \t]*-[ \t]*-[- \t]*|_[ \t]*_[ \t]*_[_ \t]*)$/;
const HEADING = /^(#{1,6})[ \t]+(\S.*)$/;
const UNDERLINE = /^(?:=+|-+)\s*$/;
const ITEM = /^([-+*]|\d{1,9}[.)])([ \t]+)(\S.*)$/;
const CHECKBOX = /^(\[[ xX]\])[ \t]+(?=[^\s(])/;
const DELIMITERS = /^\|?(?:[ \t]*:?-+:?[ \t]*(?:\||$))+$/;
const DEFINITION =
  /^\[((?:[^[\]\\\n]|\\.){1,999})\]:[ \t]*(?:<([^<>\n]*)>|([^\s<>]+))(?:[ \t]+("[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*$/;
/**
 * Lines that some viewers take for a fence or a definition even inside a fenced block. An index signature of
 * TypeScript, `[key: string]: number;`, is neither.
 */
const NO_FENCE =
  /^[^\S\n]{0,3}(?:`{3}|~{3}|\[\^[^\]\n]+\]:|\[(?!\w+: ?\w+\]: ?[\w.[\]]+[;,]?$)[^\]\n]*\]:[ \t]*(?:$|[^ \t\n]+[ \t]*(?:$|["'(])))/m;
/**
 * Code that does harm in viewers without code blocks in lists and quotes, which read it as text: HTML, links,
 * attributes, headings, rules, definitions.
 */
const LOUD =
  /<[a-z/!?]|!\[|`\{|\]\(|^[ \t]*#|^[ \t]*(?:=+[ \t]*|(?:[-*_][ \t]*)+)$|^[ \t>*+\-\d.)]*\[(?!\w+: ?\w+\])[^\]\n]*\]:/im;

type Fence = [mark: string, language: string];

interface Block {
  kind: 'text' | 'item' | 'heading' | 'code' | 'table' | 'rule' | 'quote';
  /** How many blank lines the message has before it. */
  blanks: number;
  /** The source lines, without indentation, markers of quotes and items, or fences. */
  lines: string[];
  /** Printed before the first line, such as indentation and a list marker, and before the other lines. */
  first: string;
  rest: string;
  /** Of a heading: 1 to 6. */
  level?: number;
  /** Of fenced code; undefined where code is to be indented. */
  fence?: Fence | undefined;
  /** The blocks inside a quote. */
  blocks?: Block[];
}

/** An open list, in columns: where its text begins in the source, where markers and text begin in the output. */
interface List {
  content: number;
  printIndent: number;
  printContent: number;
}

/** Collected while a message is parsed: the targets of its link definitions, and its highest heading level. */
interface Message {
  targets: Map<string, string>;
  highest: number;
}

/** The state of the parser, for a message or for a quote in it. */
interface Reader {
  message: Message;
  lines: string[];
  /** The index of the next line. */
  at: number;
  depth: number;
  blocks: Block[];
  /** Blank lines since the last block. */
  blanks: number;
  lists: List[];
  /** The paragraph or item that the next line may continue. */
  open: Block | undefined;
}

/** The columns of indentation of a line, and its text without them; at most `limit` of them are removed. */
function dedent(line: string, limit = Number.POSITIVE_INFINITY): { column: number; text: string } {
  let column = 0;
  let at = 0;
  for (; at < line.length && column < limit; at++) {
    if (line[at] === ' ') column++;
    else if (line[at] === '\t') column += 4 - (column % 4);
    else return { column, text: limit < column ? line.slice(at) : line.slice(at).trimStart() };
  }
  return { column, text: ' '.repeat(Math.max(0, column - limit)) + line.slice(at) };
}

/** The column at which the text of the innermost list begins; 0 outside of lists. */
function baseOf({ lists }: Reader): number {
  return lists.at(-1)?.content ?? 0;
}

function add(reader: Reader, block: Pick<Block, 'kind' | 'lines'> & Partial<Block>): void {
  const prefix = ' '.repeat(reader.lists.at(-1)?.printContent ?? 0);
  const made = { first: prefix, rest: prefix, blanks: reader.blanks, ...block };
  reader.blocks.push(made);
  reader.blanks = 0;
  reader.open = made.kind === 'text' || made.kind === 'item' ? made : undefined;
}

/** Adds a block at the left margin, which ends all open lists. */
function addAtMargin(reader: Reader, block: Parameters<typeof add>[1]): void {
  reader.lists = [];
  add(reader, block);
}

function addHeading(reader: Reader, level: number, text: string): void {
  reader.message.highest = Math.min(reader.message.highest, level);
  addAtMargin(reader, { kind: 'heading', lines: [text.trimEnd()], level });
}

function isLoud(code: readonly string[]): boolean {
  return mustIndent(code) || LOUD.test(code.join('\n'));
}

function mustIndent(code: readonly string[]): boolean {
  return NO_FENCE.test(code.join('\n'));
}

function addCode(reader: Reader, lines: string[], fence?: Fence): void {
  // It is moved to the left margin, and the items after it are printed from there as well.
  if (isLoud(lines)) for (const list of reader.lists) list.printIndent = list.printContent = 0;
  add(reader, { kind: 'code', lines, fence: mustIndent(lines) ? undefined : fence });
}

/** Reads fenced code; without a closing fence, to the end of the message or quote. */
function readFence(reader: Reader, column: number, mark: string, info: string): void {
  const { lines } = reader;
  const code: string[] = [];
  for (reader.at++; reader.at < lines.length; reader.at++) {
    const line = lines[reader.at]!;
    if (CLOSING_FENCE.exec(line)?.[1]?.startsWith(mark) && dedent(line).column < column + 4) break;
    code.push(column === 0 ? line : dedent(line, column).text);
  }
  const isOpen = reader.at++ >= lines.length && code.at(-1) === '';
  if (isOpen) code.pop();
  // The info string is cut to one plain word: with more, some viewers do not see a fence, and others read attributes.
  // Empty code gets an empty line, since some viewers do not close a fence without a line in it.
  const language = /^\s*(\w[\w.+#-]*)(?![^\s,:{])/.exec(info)?.[1] ?? '';
  addCode(reader, code.length > 0 ? code : [''], [mark, language]);
  if (isOpen) reader.blanks = 1;
}

function readIndented(reader: Reader): void {
  const margin = baseOf(reader) + 4;
  const code: string[] = [];
  let end = 0;
  for (; reader.at < reader.lines.length; reader.at++) {
    const line = reader.lines[reader.at]!;
    const isBlank = BLANK.test(line);
    if (!isBlank && dedent(line).column < margin) break;
    code.push(dedent(line, margin).text);
    if (!isBlank) end = code.length;
  }
  addCode(reader, code.slice(0, end));
  reader.blanks = code.length - end;
}

/** Reads a quote, including lines without `>` that continue its last paragraph. */
function readQuote(reader: Reader, base: number): void {
  const inner: string[] = [];
  for (; reader.at < reader.lines.length; reader.at++) {
    const { column, text } = dedent(reader.lines[reader.at]!);
    const isNear = column < base + 4;
    if (isNear && column >= base && text.startsWith('>')) inner.push(text.replace(/^> ?/, ''));
    else if (BLANK.test(text) || BLANK.test(inner.at(-1)!) || (isNear && beginsBlock(text))) break;
    else inner.push(text);
  }
  const count = reader.blocks.length;
  let blocks: Block[] = [];
  const flush = () => {
    if (blocks.length === 0) return;
    blocks[0]!.blanks = 0;
    add(reader, { kind: 'quote', lines: [], blocks });
    blocks = [];
  };
  for (const block of readBlocks(inner, reader.depth + 1, reader.message).blocks) {
    if (block.kind === 'code' && isLoud(block.lines)) {
      flush();
      addAtMargin(reader, { ...block, first: '', rest: '' });
    } else blocks.push(block);
  }
  flush();
  if (reader.blocks.length === count) add(reader, { kind: 'text', lines: ['>'] });
}

function readItem(reader: Reader, column: number, [, marker, gap, content]: RegExpExecArray): void {
  const { lists } = reader;
  const width = marker!.length + (/^ {1,4}$/.test(gap!) ? gap!.length : 1);
  if (FENCE.test(content!)) {
    // Some viewers do not see a fence on the line of a list marker: the marker is printed as text above it.
    addAtMargin(reader, { kind: 'text', lines: [marker!] });
    reader.lines[reader.at] = ' '.repeat(column + width) + content!;
    return;
  }
  let parent = lists.length;
  while (parent > 0 && column < lists[parent - 1]!.content) parent--;
  parent = Math.min(parent, MAX_LISTS - 1);
  const above = lists[parent - 1] ?? { content: 0, printContent: 0 };
  // At the indentation of the open list of this level, or else indented below the list above.
  const printIndent = lists[parent]?.printIndent ?? above.printContent + Math.min(3, column - above.content);
  lists.length = parent;
  lists.push({ content: column + width, printIndent, printContent: printIndent + width });
  const box = CHECKBOX.exec(content!);
  const mark = (' '.repeat(printIndent) + marker!).padEnd(printIndent + width);
  const lines = [content!.slice(box?.[0].length ?? 0)];
  add(reader, { kind: 'item', lines, first: mark + (box ? `${box[1]} ` : '') });
  reader.at++;
}

/** The cells of a row with their whitespace, without the outer pipes. */
function cells(row: string): string[] {
  const inner = row.trim().replace(/^\|/, '');
  const found = [...inner.matchAll(/([^\\|]*(?:\\.?[^\\|]*)*)(\||$)/g)];
  return found.filter(([, cell, end]) => cell !== '' || end !== '').map(([, cell]) => cell!);
}

function isTable({ lines, at }: Reader, text: string): boolean {
  const next = lines[at + 1] ?? '';
  const isDelimited = text.includes('|') && next.includes('|') && DELIMITERS.test(next.trim());
  return isDelimited && cells(text).length === cells(next).length;
}

function readTable(reader: Reader): void {
  const rows: string[] = [];
  for (; reader.at < reader.lines.length; reader.at++) {
    const { column, text } = dedent(reader.lines[reader.at]!);
    if (BLANK.test(text) || (rows.length > 1 && column < 4 && beginsBlock(text))) break;
    rows.push(text);
  }
  addAtMargin(reader, { kind: 'table', lines: rows });
}

/** Whether a line right below a quote or a table ends it by beginning another block. */
function beginsBlock(text: string): boolean {
  return FENCE.test(text) || RULE.test(text) || HEADING.test(text) || ITEM.test(text) || text.startsWith('>');
}

/** Reads the block that the next line begins or continues. The line is not blank. */
function readBlock(reader: Reader): void {
  const { column, text } = dedent(reader.lines[reader.at]!);
  const fence = FENCE.exec(text);
  // An item of the same list may be indented a little less than the text of the item before.
  const mayGoOn = reader.open || (ITEM.test(text) && column < baseOf(reader) + 4);
  if (fence || !mayGoOn) while (column < baseOf(reader)) reader.lists.pop();
  const { open, lists, depth, message } = reader;
  const base = baseOf(reader);
  const isNear = column < base + 4;
  const isInList = lists.length > 0 && column >= base;
  const atMargin = !isInList && column < 4;
  if (!open && !isNear) return void readIndented(reader);
  if (fence) return void readFence(reader, column, fence[1] ?? fence[3]!, fence[2] ?? fence[4]!);
  if (text.startsWith('>') && isNear && depth < MAX_QUOTES) {
    if (!isInList) reader.lists = [];
    return void readQuote(reader, baseOf(reader));
  }
  const isRule = RULE.test(text);
  const item = isNear && !isRule && ITEM.exec(text);
  if (item) return void readItem(reader, column, item);
  if (atMargin && isTable(reader, text)) return void readTable(reader);
  const title = atMargin && HEADING.exec(text);
  const definition = !isInList && text.length <= MAX_TARGET && DEFINITION.exec(text);
  if (open?.kind === 'text' && lists.length === 0 && open.lines.length === 1 && UNDERLINE.test(text)) {
    reader.blocks.pop();
    reader.blanks = open.blanks;
    addHeading(reader, text.startsWith('=') ? 1 : 2, open.lines[0]!);
  } else if (isRule) addAtMargin(reader, { kind: 'rule', lines: [/^_+$/.test(text) ? '___' : '***'] });
  else if (title) addHeading(reader, title[1]!.length, title[2]!);
  else if (definition) {
    const [, name, address, word, end] = definition;
    const key = label(name!);
    if (!key.startsWith('^') && !message.targets.has(key))
      message.targets.set(key, target(address ?? word!, end));
    addAtMargin(reader, { kind: 'text', lines: [text] });
    reader.open = undefined;
  } else if (open) open.lines.push(text);
  else add(reader, { kind: 'text', lines: [text] });
  reader.at++;
}

function readBlocks(lines: string[], depth: number, message: Message): Reader {
  const reader: Reader = { message, lines, depth, at: 0, blocks: [], blanks: 0, lists: [], open: undefined };
  while (reader.at < lines.length) {
    if (!BLANK.test(lines[reader.at]!)) readBlock(reader);
    else {
      reader.blanks++;
      reader.open = undefined;
      reader.at++;
    }
  }
  return reader;
}

/** How many blank lines a block needs before it, so that every viewer sees where it begins. */
function blanksBetween(before: Block | undefined, block: Block): number {
  if (!before) return 0;
  if (before.kind === 'heading') return block.kind === 'code' && !block.fence ? 1 : 0;
  if (block.kind === 'heading') return before.kind === 'text' && before.rest === '' ? 0 : 1;
  const isInner = before.rest !== '' && before.kind !== 'quote';
  if (block.kind === 'item' && (isInner || before.kind === 'text')) {
    // Right below text, a list can begin with the number 1 only; any number can continue a list.
    const isFirst = block.rest.length > before.rest.length || before.kind === 'text';
    return isFirst && /\d/.test(block.first) && !/\b1[.)]/.test(block.first) ? 1 : 0;
  }
  if (before.kind === 'code') {
    const isBelowFence = before.fence && before.rest === '' && block.kind === 'text' && block.rest === '';
    return isBelowFence ? 0 : 1;
  }
  // Some viewers do not see a fence right below text, nor right below an item if the code has blank lines.
  const isShort = block.kind === 'code' && !block.lines.some((line) => BLANK.test(line));
  return isShort && block.rest !== '' ? 0 : 1;
}

function printTable(rows: string[], references: References): string[] {
  const table = rows.map(cells);
  const isSimple = table.every((row) => row.every((cell) => codeSpans(cell).isSimple));
  const options = { isSimple, hasFormulas: /\$[^$]*\$/.test(rows.join('\n')) };
  return table.map((row, index) => {
    if (index === 1) return `|${row.join('|')}|`;
    // A row of such lines is no row to some.
    const isLine = row.every((cell) => /^[\s=:+-]*$/.test(cell));
    const printed = row.map((cell, column) => {
      const text = cell.trim();
      const before = cell.indexOf(text);
      const shown =
        ' '.repeat(before) + inline(text, references, { ...options, isFirst: column === 0 && isLine });
      // A backslash at the end of a cell would escape the pipe.
      return shown + ' '.repeat(cell.length - before - text.length || +shown.endsWith('\\'));
    });
    return `|${printed.join('|') || ' '}|`;
  });
}

/**
 * Indented code; blank lines at its start and end are dropped, since they would not belong to it. It is text where it would
 * leave a comment of HTML open.
 */
function indented(code: string[]): string[] {
  const isCode = (line: string) => !BLANK.test(line);
  if (opensComment(code.join('\n'))) {
    const text = code.filter(isCode).map((line) => line.trim());
    return inline(text.join('\n'), () => undefined).split('\n');
  }
  const lines = code.slice(code.findIndex(isCode), code.findLastIndex(isCode) + 1);
  return lines.map((line) => (line === '' ? '' : `    ${line}`));
}

/** Code at the left margin. Not for right below a list, where indented code would belong to the last item. */
export function printCode(code: string[], [mark, language]: Fence): string[] {
  return mustIndent(code) ? indented(code) : [mark + language, ...code, mark];
}

function printBlock(
  block: Block,
  before: Block | undefined,
  references: References,
  shift: number,
): string[] {
  const { kind, lines, fence } = block;
  if (kind === 'rule') return lines;
  if (kind === 'table') return printTable(lines, references);
  if (kind === 'quote')
    return print(block.blocks!, references, shift).map((line) => (line === '' ? '>' : `> ${line}`));
  if (kind === 'code') {
    // Below a list, an indented line continues the last item; a rule ends the list first.
    const isAfterList = before !== undefined && before.rest !== '';
    if (isAfterList && mustIndent(lines)) return ['***', '', ...indented(lines)];
    // Some viewers look for tables first, and find one in indented code.
    const isTable = lines.some((line) => line.includes('|') && DELIMITERS.test(line.trim()));
    const isPlain = !isTable && !opensComment(lines.join('\n'));
    if (!fence && block.rest === '' && !isAfterList && isPlain) return indented(lines);
    return printCode(lines, fence ?? ['```', '']);
  }
  const text = inline(lines.join('\n'), references, { isFirst: kind !== 'heading' });
  return kind === 'heading' ? [`${'#'.repeat(Math.min(6, block.level! + shift))} ${text}`] : text.split('\n');
}

/** Blocks as lines of Markdown, with the blank lines between them. `shift` is added to the level of each heading. */
function print(blocks: readonly Block[], references: References, shift: number): string[] {
  const out: string[] = [];
  let before: Block | undefined;
  for (const block of blocks) {
    for (let count = Math.max(block.blanks, blanksBetween(before, block)); count > 0; count--) out.push('');
    printBlock(block, before, references, shift).forEach((line, index) => {
      if (line === '' && block.kind === 'code') out.push('');
      else out.push((index === 0 ? block.first : block.rest) + line);
    });
    before = block;
  }
  return out;
}

/** A message as Markdown whose headings are all below `level`. */
export function printBlocks(text: string, level: number): string {
  const message: Message = { targets: new Map(), highest: 6 };
  const { blocks, blanks } = readBlocks(text.split('\n'), 0, message);
  // References are replaced by links, which could repeat a long address often: at most, they double the text.
  let room = text.length + 1000;
  const references = (name: string) => {
    const to = message.targets.get(label(name));
    if (to !== undefined) room -= to.length;
    return room < 0 ? undefined : to;
  };
  const out = print(blocks, references, Math.max(0, level + 1 - message.highest));
  for (let blank = 0; blank < blanks; blank++) out.push('');
  return out.join('\n');
}
