/** What one reading of the text asks for, construct by construct. */
import { parse, postprocess, preprocess } from 'micromark';
import { gfm } from 'micromark-extension-gfm';
import { decodeString } from 'micromark-util-decode-string';
import { normalizeIdentifier } from 'micromark-util-normalize-identifier';
import type { Event, Extension, Token } from 'micromark-util-types';
import { destination, isGoodAddress } from './address.ts';
import { layoutEdits } from './layout.ts';
import { continuation, type Edit, lineEnd } from './source.ts';
import { Kind, textEdits } from './text-rules.ts';

const GFM = gfm();
const NO_HTML: Extension = { disable: { null: ['htmlFlow', 'htmlText'] } };

/** A way to read the text. */
export interface Grammar {
  extensions: Extension[];
  knowsTables: boolean;
  /** Reads a text that has none of this as the first grammar does. */
  differsBy: RegExp;
}

/**
 * How the text is read. Without HTML first, so that code is known as code and an unclosed `<script>` hides
 * nothing; with HTML, since a tag can begin where code was; without GFM, since tables, footnotes and bare
 * addresses change what is a code span.
 */
export const GRAMMARS: readonly Grammar[] = [
  { extensions: [GFM, NO_HTML], knowsTables: true, differsBy: /(?:)/ },
  { extensions: [GFM], knowsTables: true, differsBy: /<[A-Za-z/!?]/ },
  { extensions: [], knowsTables: false, differsBy: /<[A-Za-z/!?]|[|~@]|:-|-:|\[\^|www\.|https?:/i },
];

const KINDS: Partial<Record<string, Kind>> = {
  codeText: Kind.code,
  codeFlowValue: Kind.code,
  codeFencedFenceSequence: Kind.code,
  codeFencedFenceInfo: Kind.info,
  codeFencedFenceMeta: Kind.info,
  characterEscape: Kind.escape,
  resourceDestinationString: Kind.destination,
  definitionDestinationString: Kind.destination,
  literalAutolink: Kind.bareLink,
  atxHeadingSequence: Kind.syntax,
  blockQuotePrefix: Kind.syntax,
  definitionLabelMarker: Kind.syntax,
  definitionMarker: Kind.syntax,
  gfmFootnoteCall: Kind.bracket,
  gfmFootnoteDefinitionLabel: Kind.syntax,
  labelImageMarker: Kind.bracket,
  labelMarker: Kind.bracket,
  linePrefix: Kind.syntax,
  listItemIndent: Kind.syntax,
  listItemPrefix: Kind.syntax,
  referenceMarker: Kind.bracket,
  resourceMarker: Kind.bracket,
  setextHeadingLineSequence: Kind.syntax,
  tableDelimiterRow: Kind.syntax,
  taskListCheck: Kind.syntax,
  thematicBreak: Kind.syntax,
};
/** An autolink that stays: of the web or of a mailbox. */
const GOOD_AUTOLINK = /^<(?:https?:|mailto:|[^:]*@)/i;

/** The kind of every UTF-16 unit of the text. */
function kindsOf(text: string, events: Event[]): Uint8Array {
  const kinds = new Uint8Array(text.length);
  for (const [phase, { type, start, end }] of events) {
    if (phase === 'exit') continue;
    const kind = KINDS[type];
    // References and escapes in a fence's info stay info.
    if (kind !== undefined && kinds[start.offset] !== Kind.info) kinds.fill(kind, start.offset, end.offset);
    if (type === 'autolink' && GOOD_AUTOLINK.test(text.slice(start.offset, start.offset + 100))) {
      kinds.fill(Kind.autolink, start.offset, end.offset);
    }
  }
  return kinds;
}

/** The tokens of a link or an image. */
interface Link {
  label?: Token;
  labelText?: Token;
  resource?: Token;
  destination?: Token;
  isLiteral?: true;
  reference?: Token;
  referenceString?: Token;
}

/** All edits that one reading of the text asks for; none where nothing is left to find. */
export function editsFor(text: string, grammar: Grammar, level: number): Edit[] {
  const events = postprocess(
    parse({ extensions: grammar.extensions })
      .document()
      .write(preprocess()(text, undefined, true)),
  );
  const kinds = kindsOf(text, events);
  const edits = [
    ...constructEdits(text, events, level),
    ...layoutEdits(text, events, kinds, grammar.knowsTables),
    ...textEdits(text, kinds, grammar.knowsTables),
  ];
  for (const edit of edits) {
    // A bare address would take the backslash in, round after round.
    if (edit.text.startsWith('\\') && kinds[edit.start - 1] === Kind.bareLink) edit.text = ` ${edit.text}`;
  }
  return edits;
}

function constructEdits(text: string, events: Event[], level: number): Edit[] {
  const edits: Edit[] = [];
  const headings: Token[] = [];
  const definitions = new Map<string, string>();
  const references: Link[] = [];
  const open: Link[] = [];
  let label = '';
  const slice = (token: Token) => text.slice(token.start.offset, token.end.offset);
  const insert = (at: number, inserted: string) => edits.push({ start: at, end: at, text: inserted });

  /** A blank line after a block that becomes text, so that the next line does not become part of it. */
  function separate(start: number, end: number): void {
    if (end < text.length && !/^\n[ \t>]*(?:\n|$)/.test(text.slice(end, end + 1000))) {
      insert(end, `\n${continuation(text, start).trimEnd()}`);
    }
  }

  for (const [phase, token] of events) {
    const { type } = token;
    const start = token.start.offset;
    const end = token.end.offset;
    const link = open.at(-1);
    if (phase === 'exit') {
      if (type !== 'link' && type !== 'image') continue;
      open.pop();
      if (link!.resource) edits.push(...destinationEdits(text, link!));
      else references.push(link!);
      const { label } = link!;
      if (label && slice(label) === '![]') insert(label.end.offset - 1, 'image');
      continue;
    }
    switch (type) {
      case 'link':
      case 'image':
        open.push({});
        break;
      case 'label':
      case 'labelText':
      case 'resource':
      case 'reference':
      case 'referenceString':
        if (link) link[type] = token;
        break;
      case 'resourceDestination':
        if (link) link.destination = token;
        break;
      case 'resourceDestinationLiteral':
        if (link) link.isLiteral = true;
        break;
      case 'atxHeading':
        headings.push(token);
        break;
      case 'setextHeadingLineSequence':
        insert(start, '\\');
        separate(start, lineEnd(text, end));
        break;
      case 'thematicBreak':
        if (!/^(?:\*{3,}|_{3,})$/.test(slice(token))) edits.push({ start, end, text: '***' });
        break;
      case 'definition':
        insert(start, '\\');
        // Far to the right it is text that goes on, and would become code.
        if (!/^\n[ \t>]*(?: {4}|\t)/.test(text.slice(end, end + 1000))) separate(start, end);
        break;
      case 'gfmFootnoteDefinition':
        insert(start, '\\');
        break;
      case 'definitionLabelString':
        label = normalizeIdentifier(slice(token));
        break;
      case 'definitionDestinationString':
        if (!definitions.has(label)) definitions.set(label, decodeString(slice(token)));
        break;
    }
  }
  edits.push(...headingEdits(text, headings, level));
  edits.push(...referenceEdits(text, references, definitions));
  return edits;
}

/** As many `#` more as put the highest heading below the document's own, at most six. */
function headingEdits(text: string, headings: Token[], level: number): Edit[] {
  const sizes = headings.map(
    ({ start }) => /^#*/.exec(text.slice(start.offset, start.offset + 6))![0].length,
  );
  const shift = level + 1 - sizes.reduce((highest, size) => Math.min(highest, size), 6);
  if (shift <= 0) return [];
  return headings.map(({ start: { offset } }, index) => {
    return { start: offset, end: offset, text: '#'.repeat(Math.min(6 - sizes[index]!, shift)) };
  });
}

function destinationEdits(text: string, link: Link): Edit[] {
  if (!link.destination) return [];
  const start = link.destination.start.offset;
  const end = link.destination.end.offset;
  const source = text.slice(start, end);
  // In brackets it may begin with what looks like a tag, and hold blanks.
  if (link.isLiteral) return [{ start, end, text: destination(decodeString(source.slice(1, -1))) }];
  return isGoodAddress(source) ? [] : [{ start, end: start, text: './' }];
}

/** Puts the address in the place of a reference to it. The definitions stay as text, titles and all. */
function referenceEdits(text: string, references: Link[], definitions: Map<string, string>): Edit[] {
  const edits: Edit[] = [];
  // A long address with many references would make a small text a large one.
  let budget = text.length + 1000;
  for (const { label, labelText, reference, referenceString } of references) {
    const name = (referenceString ?? labelText)!;
    const address = definitions.get(normalizeIdentifier(text.slice(name.start.offset, name.end.offset)));
    if (address === undefined) continue;
    const resource = `(${destination(address)})`;
    budget -= resource.length;
    if (budget < 0) break;
    const at = label!.end.offset;
    edits.push({ start: at, end: reference?.end.offset ?? at, text: resource });
  }
  return edits;
}
