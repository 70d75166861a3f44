/**
 * The blocks of a message. Lines are read one after the other into the few kinds of blocks that every viewer reads
 * alike, and each block is printed in the one form in which it does. What is written in that form comes out byte
 * for byte; what is no block of these kinds is text.
 */
import { inline, label, pairsInOneWay, type References, target } from './inline.ts';

/** Stands for one `#` of a heading until the highest heading of the message is known; no visible text holds it. */
export const HASH = '\x01';

/** Containers deeper than that are text. */
const MAX_QUOTES = 3;
const MAX_LISTS = 6;

const BLANK = /^\s*$/;
const FENCE = /^(`{3,})([^`]*)$|^(~{3,})(.*)$/;
const RULE = /^(?:\*[ \t]*\*[ \t]*\*[* \t]*|-[ \t]*-[ \t]*-[- \t]*|_[ \t]*_[ \t]*_[_ \t]*)$/;
const HEADING = /^(#{1,6})[ \t]+(\S.*)$/;
const UNDERLINE = /^(?:=+|-+)\s*$/;
const ITEM = /^([-+*]|\d{1,9}[.)])([ \t]+)(\S.*)$/;
const CHECKBOX = /^(\[[ xX]\])[ \t]+(?=\S)/;
const DELIMITERS = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const DEFINITION =
  /^\[((?:[^[\]\\\n]|\\.){1,999})\]:[ \t]*(?:<([^<>\n]*)>|([^\s<>]+))(?:[ \t]+("[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*$/;
/** Code that does harm in a viewer that knows no fences in lists and quotes: HTML, links, headings. */
const LOUD = /<[a-z/!?]|!\[|\]\(|\]:|^[ \t]*#|^[ \t]*(?:=+|-+)[ \t]*$/im;

interface Block {
  kind: 'text' | 'item' | 'heading' | 'code' | 'table' | 'rule' | 'quote';
  /** Blank lines before it. */
  blanks: number;
  /** Text of paragraphs and items; the lines as they are printed for others. */
  lines: string[];
  /** What stands before the first line, and before the others. */
  first: string;
  rest: string;
  /** Of code: whether it may stand in a list or a quote. */
  isQuiet?: boolean;
}

/** A list that is open: columns of the source, and columns of what is printed. */
interface List {
  indent: number;
  content: number;
  printIndent: number;
  printContent: number;
}

export interface Context {
  references: References;
  /** Text on one line as it is. */
  literal: (text: string) => string;
}

/** A line without its indent, and the column at which it begins. */
function measure(line: string): { column: number; text: string } {
  let column = 0;
  let at = 0;
  for (; at < line.length; at++) {
    if (line[at] === ' ') column++;
    else if (line[at] === '\t') column += 4 - (column % 4);
    else break;
  }
  return { column, text: at === 0 && /\S/.test(line[0] ?? '') ? line : line.slice(at).trimStart() };
}

/** `line` without `columns` of blanks at its start, or without those that it has. */
function dedent(line: string, columns: number): string {
  let column = 0;
  let at = 0;
  for (; at < line.length && column < columns; at++) {
    if (line[at] === ' ') column++;
    else if (line[at] === '\t') column += 4 - (column % 4);
    else break;
  }
  return ' '.repeat(Math.max(0, column - columns)) + line.slice(at);
}

/** A line without its `>` and the blank that belongs to it, which may be part of a tab. */
function unquoted(text: string, column: number): string {
  if (text[1] === ' ') return text.slice(2);
  return text[1] === '\t' ? spaced(text.slice(1), column + 1).slice(1) : text.slice(1);
}

/** Spaces in the place of the blanks at the start of a line that goes on at `column`. */
function spaced(text: string, column: number): string {
  const start = /^[ \t]*/.exec(text)![0];
  return ' '.repeat(measure(' '.repeat(column) + start).column - column) + text.slice(start.length);
}

/** The cells of a row, with their blanks; what is outside of the outer pipes is none. */
function cells(row: string): string[] {
  const inner = row.trim().replace(/^\|/, '');
  const found: string[] = [];
  let start = 0;
  for (let at = 0; at < inner.length; at++) {
    if (inner[at] === '\\') at++;
    else if (inner[at] === '|') {
      found.push(inner.slice(start, at));
      start = at + 1;
    }
  }
  if (start < inner.length) found.push(inner.slice(start));
  return found;
}

/**
 * Where the references of a text lead: to the definitions outside of its fences, as long as the links that take
 * their place make it no more than twice as long.
 */
export function definitions(text: string): References {
  if (!text.includes(']:')) return () => undefined;
  const found = new Map<string, string>();
  let fence = '';
  for (const line of text.split('\n')) {
    if (!/^ {0,3}(?:\[|`{3}|~{3})/.test(line)) continue;
    const content = line.trim();
    if (fence !== '') {
      if (content.startsWith(fence) && /^(?:`+|~+)$/.test(content)) fence = '';
      continue;
    }
    fence = /^(?:`{3,}|~{3,})/.exec(content)?.[0] ?? '';
    const definition = DEFINITION.exec(content);
    if (!definition || definition[1]!.startsWith('^')) continue;
    const name = label(definition[1]!);
    if (!found.has(name)) found.set(name, target(definition[2] ?? definition[3]!, definition[4]));
  }
  let room = text.length + 1000;
  return (name) => {
    const to = found.get(label(name));
    if (to !== undefined) room -= to.length;
    return room < 0 ? undefined : to;
  };
}

/** Code between fences that are longer than any run in it. */
function codeBlock(code: string[], info: string, prefix: string, blanks: number, mark = '```'): Block {
  let ticks = mark;
  for (const line of code) {
    const run = /^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
    if (run[0] === ticks[0] && run.length >= ticks.length) ticks = run + run[0];
  }
  // One plain word: some viewers take no fence with more than that for one, others find attributes in it.
  const language = /^\s*(\w[\w.+#-]*)(?![^\s,:{])/.exec(info)?.[1] ?? '';
  return {
    kind: 'code',
    blanks,
    // Some viewers close no fence without a line in it.
    lines: [ticks + language, ...(code.length > 0 ? code : ['']), ticks],
    first: prefix,
    rest: prefix,
    isQuiet: !LOUD.test(code.join('\n')),
  };
}

/** Reads the lines of a message, or of a quote in one, from the first to the last. */
function readBlocks(
  source: readonly string[],
  context: Context,
  depth: number,
): { blocks: Block[]; blanks: number } {
  const lines = source.slice();
  const blocks: Block[] = [];
  let lists: List[] = [];
  let blanks = 0;
  let at = 0;
  /** The paragraph or item that the next line may go on with. */
  let open: Block | undefined;

  function add(block: Omit<Block, 'first' | 'rest' | 'blanks'> & Partial<Block>): Block {
    const made = { first: '', rest: '', blanks, ...block };
    blocks.push(made);
    blanks = 0;
    open = made.kind === 'text' || made.kind === 'item' ? made : undefined;
    return made;
  }

  /** Adds a block that stands at the margin and so ends all lists. */
  function addAtMargin(block: Parameters<typeof add>[0]): void {
    lists = [];
    add(block);
  }

  /** Closes the lists that a line at `column` does not belong to. */
  function closeLists(column: number): void {
    while (lists.length > 0 && column < lists.at(-1)!.content) lists.pop();
  }

  function addCode(code: Block): void {
    const outside = (depth > 0 || code.first !== '') && !code.isQuiet;
    if (outside && lists.length > 0) {
      // Out to the margin; what follows in the list begins there anew.
      for (const list of lists) Object.assign(list, { printIndent: 0, printContent: 0 });
      Object.assign(code, { first: '', rest: '' });
    }
    add(code);
  }

  function fenced(column: number, mark: string, info: string): void {
    closeLists(column);
    const code: string[] = [];
    for (at++; at < lines.length; at++) {
      const closing = /^\s*(`{3,}|~{3,})[ \t]*$/.exec(lines[at]!)?.[1];
      if (closing?.startsWith(mark) && measure(lines[at]!).column < column + 4) break;
      code.push(dedent(lines[at]!, column));
    }
    const isClosed = at < lines.length;
    at++;
    const endsWithNewline = !isClosed && code.at(-1) === '';
    if (endsWithNewline) code.pop();
    addCode(codeBlock(code, info, ' '.repeat(lists.at(-1)?.printContent ?? 0), blanks, mark));
    if (endsWithNewline) blanks = 1;
  }

  function indented(): void {
    const code: string[] = [];
    const gap: string[] = [];
    const margin = (lists.at(-1)?.content ?? 0) + 4;
    for (; at < lines.length; at++) {
      if (BLANK.test(lines[at]!)) gap.push(lines[at]!);
      else if (measure(lines[at]!).column < margin) break;
      else {
        for (const blank of gap.splice(0)) code.push(blank);
        code.push(lines[at]!);
      }
    }
    const previous = blocks.at(-1)?.kind;
    const isPlain = depth === 0 && lists.length === 0 && previous !== 'item' && previous !== 'text';
    const isAfterText =
      previous === 'text' && blocks.at(-1)!.first === '' && lists.length === 0 && depth === 0;
    if ((isPlain || isAfterText) && code.every((line) => BLANK.test(line) || /^(?: {4}|\t)/.test(line))) {
      add({ kind: 'code', lines: code });
    } else {
      const prefix = ' '.repeat(lists.at(-1)?.printContent ?? 0);
      addCode(
        codeBlock(
          code.map((line) => dedent(line, margin)),
          '',
          prefix,
          blanks,
        ),
      );
    }
    blanks = gap.length;
  }

  function quoted(base: number): void {
    let prefix = ' '.repeat(lists.at(-1)?.printContent ?? 0);
    const inner: string[] = [];
    for (; at < lines.length; at++) {
      const { column, text } = measure(lines[at]!);
      if (column >= base && column < base + 4 && text.startsWith('>')) inner.push(unquoted(text, column));
      else if (BLANK.test(text) || BLANK.test(inner.at(-1)!) || (column < base + 4 && beginsBlock(text)))
        break;
      else inner.push(text);
    }
    const read = readBlocks(inner, context, depth + 1);
    let group: Block[] = [];
    const flush = (trailing: number) => {
      if (group.length === 0 && trailing === 0) return;
      const printed = print(group, context);
      for (let blank = 0; blank < trailing; blank++) printed.push('');
      const quote = printed.map((line) => (line === '' ? '>' : `> ${line}`));
      add({ kind: 'quote', lines: quote, first: prefix, rest: prefix });
      group = [];
    };
    for (const block of read.blocks) {
      if (block.kind === 'code' && !block.isQuiet) {
        flush(0);
        addAtMargin({ ...block, first: '', rest: '' });
        prefix = '';
      } else group.push(group.length === 0 && block !== read.blocks[0] ? { ...block, blanks: 0 } : block);
    }
    if (group.length === 0) blanks = 0;
    flush(read.blanks);
  }

  function item(column: number, [, marker, gap, content]: RegExpExecArray): void {
    const after = FENCE.exec(content!);
    const width = measure(' '.repeat(column + marker!.length) + gap).column - column - marker!.length;
    if (after) {
      // A fence beside a marker is no fence to some: the marker becomes text above it.
      add({ kind: 'text', lines: [marker!] });
      lines[at] = ' '.repeat(column + marker!.length + width) + content!;
      lists = [];
      return;
    }
    let parent = lists.length;
    while (parent > 0 && column < lists[parent - 1]!.content) parent--;
    // Beside the items of a list that is open, or one deeper.
    const sibling = lists[Math.min(parent, MAX_LISTS - 1)];
    const above = lists[parent - 1];
    const printIndent =
      sibling?.printIndent ?? (above?.printContent ?? 0) + Math.min(3, column - (above?.content ?? 0));
    const spaces = width > 4 ? 1 : width;
    const printContent = printIndent + marker!.length + spaces;
    lists.length = Math.min(parent, MAX_LISTS - 1);
    lists.push({ indent: column, content: column + marker!.length + spaces, printIndent, printContent });
    const box = CHECKBOX.exec(content!);
    add({
      kind: 'item',
      lines: [box ? content!.slice(box[0].length) : content!],
      first: `${' '.repeat(printIndent)}${marker}${' '.repeat(spaces)}${box ? `${box[1]} ` : ''}`,
      rest: ' '.repeat(printContent),
    });
    at++;
  }

  function isTable(text: string): boolean {
    const next = lines[at + 1] ?? '';
    return (
      text.includes('|') &&
      next.includes('|') &&
      DELIMITERS.test(next.trim()) &&
      cells(text).length === cells(next).length
    );
  }

  function table(): void {
    const rows: string[] = [];
    for (; at < lines.length && !BLANK.test(lines[at]!); at++) {
      const { column, text } = measure(lines[at]!);
      if (rows.length > 1 && column < 4 && beginsBlock(text)) break;
      rows.push(text);
    }
    const isSimple = rows.every((row) => cells(row).every(pairsInOneWay));
    const formulas = rows.join('\n');
    const dollars = formulas.indexOf('$') !== formulas.lastIndexOf('$');
    addAtMargin({
      kind: 'table',
      lines: rows.map((row, index) => {
        if (index === 1) return `|${cells(row).join('|')}|`;
        const printed = cells(row).map((cell) => {
          const text = cell.trim();
          const [before, after] = text === '' ? [cell.replace(/\S/g, '') || ' ', ''] : cell.split(text);
          return (
            blanksOf(before!) +
            inline(text, context.references, context.literal, isSimple, false, dollars) +
            blanksOf(after!)
          );
        });
        // A backslash at the end of a cell would escape the pipe.
        return `|${printed.map((cell) => cell.replace(/\\$/, '\\ ')).join('|') || ' '}|`;
      }),
    });
  }

  while (at < lines.length) {
    const line = lines[at]!;
    if (BLANK.test(line)) {
      blanks++;
      open = undefined;
      at++;
      continue;
    }
    const { column, text } = measure(line);
    const fence = FENCE.exec(text);
    if (!open) closeItems(column);
    const base = lists.at(-1)?.content ?? 0;
    if (!open && column >= base + 4) {
      indented();
      continue;
    }
    const isInList = lists.length > 0 && column >= base;
    const match = { heading: HEADING.exec(text), item: ITEM.exec(text) };
    if (fence) fenced(column, fence[1] ?? fence[3]!, fence[2] ?? fence[4]!);
    else if (open?.kind === 'text' && lists.length === 0 && open.lines.length === 1 && UNDERLINE.test(text)) {
      const level = text.startsWith('=') ? 1 : 2;
      open.kind = 'heading';
      open.lines = [open.lines[0]!.trimEnd()];
      open.first = `${HASH.repeat(level)} `;
      open = undefined;
      at++;
    } else if (RULE.test(text)) {
      addAtMargin({ kind: 'rule', lines: [/^_+$/.test(text) ? '___' : '***'] });
      at++;
    } else if (match.heading && !isInList && column < 4) {
      addAtMargin({
        kind: 'heading',
        lines: [match.heading[2]!.trimEnd()],
        first: `${HASH.repeat(match.heading[1]!.length)} `,
      });
      at++;
    } else if (text.startsWith('>') && column < base + 4 && depth < MAX_QUOTES) {
      if (!isInList) lists = [];
      quoted(isInList ? base : 0);
    } else if (match.item && column < base + 4) item(column, match.item);
    else if (!isInList && column < 4 && isTable(text)) table();
    else if (DEFINITION.test(text) && !isInList) {
      addAtMargin({ kind: 'text', lines: [text] });
      open = undefined;
      at++;
    } else {
      if (open) open.lines.push(text);
      else {
        const prefix = ' '.repeat(lists.at(-1)?.printContent ?? 0);
        add({ kind: 'text', lines: [text], first: prefix, rest: prefix });
      }
      at++;
    }
  }
  return { blocks, blanks };

  /** Closes lists for a line after a blank one; a marker may still be an item beside the last. */
  function closeItems(column: number): void {
    if (ITEM.test(lines[at]!.trimStart()) && column < (lists.at(-1)?.content ?? 0) + 4) return;
    closeLists(column);
  }
}

/** The blanks of a text alone, as spaces. */
function blanksOf(text: string): string {
  return ' '.repeat(text.length);
}

/** Whether a line ends a quote or a table that it stands below. */
function beginsBlock(text: string): boolean {
  return FENCE.test(text) || RULE.test(text) || HEADING.test(text) || ITEM.test(text) || text.startsWith('>');
}

/** Blank lines that a block needs between itself and the one before, so that every viewer sees where it begins. */
function blanksBetween(before: Block | undefined, block: Block): number {
  if (!before) return 0;
  if (before.kind === 'heading')
    return block.lines[0]!.startsWith(' ') || block.lines[0]!.startsWith('\t') ? 1 : 0;
  const isInner = block.first !== '';
  if (block.kind === 'heading' && before.kind === 'text' && before.first === '') return 0;
  if (block.kind === 'item') {
    if (before.kind === 'item' || (before.kind === 'code' && before.first !== ''))
      return needsBlank(before, block);
    return before.kind === 'text' ? needsBlank(before, block) : 1;
  }
  return block.kind === 'code' && isInner && before.kind !== 'code' ? 0 : 1;
}

/** Whether an item cannot begin right below some text: a number other than 1, unless it goes on with a list. */
function needsBlank(before: Block, block: Block): number {
  const number = /\d+/.exec(block.first)?.[0];
  const isDeeper = block.rest.length > before.rest.length || before.kind === 'text';
  return number !== undefined && number !== '1' && isDeeper ? 1 : 0;
}

/** The lines of blocks, blank ones between them. */
function print(blocks: readonly Block[], { references, literal }: Context): string[] {
  const out: string[] = [];
  let before: Block | undefined;
  for (const block of blocks) {
    const count = Math.max(block.blanks, blanksBetween(before, block));
    for (let blank = 0; blank < count; blank++) out.push('');
    const isText = block.kind === 'text' || block.kind === 'item' || block.kind === 'heading';
    const lines = isText
      ? inline(block.lines.join('\n'), references, literal, undefined, block.kind !== 'heading').split('\n')
      : block.lines;
    lines.forEach((line, index) => {
      const prefix = index === 0 ? block.first : block.rest;
      out.push(line === '' && block.kind === 'code' ? '' : prefix + line);
    });
    before = block;
  }
  return out;
}

/** The Markdown of a message, with {@link HASH} for the marks of its headings. */
export function printBlocks(text: string, context: Context): string {
  const { blocks, blanks } = readBlocks(text.split('\n'), context, 0);
  const out = print(blocks, context);
  for (let blank = 0; blank < blanks; blank++) out.push('');
  return out.join('\n');
}
