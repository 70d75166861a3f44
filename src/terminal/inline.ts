/**
 * The inline part of Markdown (the text of a paragraph, a heading, a cell) as one text with colours. Each piece
 * passes the gate after its entities and escapes are decoded, with what stands before it as context.
 */
import type { Association, Nodes, PhrasingContent } from 'mdast';
import { safeLine, safeText } from '../safe/text.ts';
import type { Paint, Style } from './style.ts';
import { reach } from './width.ts';
import { linked } from './wrap.ts';

/** Emphasis inside emphasis that is still painted. */
const MAX_PAINTS = 8;
/** UTF-16 code units of context that the gate needs to judge a joiner or count marks across two pieces. */
const CONTEXT = 64;
/** Longest address, in cells, that is shown inside a table; a longer one becomes a note below it. */
const SHORT_ADDRESS = 24;

/** What every part of the renderer needs: the text that was parsed, and how to write. */
export interface Place {
  source: string;
  style: Style;
  /** Whether the terminal knows hyperlinks. */
  hyperlinks: boolean;
}

/** The name of a definition or of a reference to one. */
export function labelOf(node: Association): string {
  return safeLine(node.label ?? node.identifier);
}

/** The source of a node, for what has no form of its own. */
export function written(node: Nodes, { source }: Place): string {
  return source.slice(node.position?.start.offset, node.position?.end.offset);
}

/**
 * Inline nodes as text with colours; line breaks stay. Without colour, emphasis and code keep their marks.
 *
 * @param notes where given, addresses are collected here and the text refers to them by number, from `[1]`
 */
export function inline(nodes: readonly PhrasingContent[], place: Place, notes?: string[]): string {
  const { style } = place;
  const gate = createGate();

  function all(children: readonly Nodes[], depth: number): string {
    return children.map((node) => one(node as PhrasingContent, depth)).join('');
  }

  /** The text of a link or an image, and its address unless the text says it already. */
  function link(text: () => string, url: string, title: string | null | undefined): string {
    const from = gate.length();
    const shown = text();
    const label = gate.since(from);
    const target = safeLine(url);
    // Only text that is the address itself becomes a hyperlink.
    const toTarget = (text: string): string =>
      place.hyperlinks && target === url ? linked(text, target) : text;
    const same = label === target || `http://${label}` === target || `mailto:${label}` === target;
    if (notes && target && (!same || reach(label) > SHORT_ADDRESS)) {
      if (!notes.includes(target)) notes.push(target);
      const name = title ? ` "${safeLine(title)}"` : '';
      const number = `[${notes.indexOf(target) + 1}]${name}`;
      // A bare address is replaced by its number.
      return same || label === '' ? gate.pass(number) : shown + gate.pass(` ${number}`);
    }
    const name = title ? `"${safeLine(title)}"` : '';
    const open = `${label ? ' ' : ''}(`;
    if (same || target === '') {
      return (label === target ? toTarget(shown) : shown) + (name && gate.pass(`${open}${name})`));
    }
    return shown + gate.pass(open) + toTarget(gate.pass(target)) + gate.pass(name ? ` ${name})` : ')');
  }

  function one(node: PhrasingContent, depth: number): string {
    const paint = (paint: Paint, text: string): string => (depth < MAX_PAINTS ? paint(text) : text);
    /** Text that is set off by colour, or by its marks where there is none. */
    const marked = (by: Paint, mark: string, text: () => string): string => {
      const own = style.level === 0 ? mark : '';
      return paint(by, gate.pass(own) + text() + gate.pass(own));
    };
    switch (node.type) {
      case 'text':
      case 'html':
        return gate.pass(node.value);
      case 'emphasis':
        return marked(style.italic, '*', () => all(node.children, depth + 1));
      case 'strong':
        return marked(style.bold, '**', () => all(node.children, depth + 1));
      case 'delete':
        return marked(style.strike, '~~', () => all(node.children, depth + 1));
      case 'inlineCode':
        return marked(style.code, '`', () => gate.pass(node.value));
      case 'break':
        return gate.pass('\n');
      case 'link':
        return link(() => paint(style.link, all(node.children, depth + 1)), node.url, node.title);
      case 'image':
        return link(() => paint(style.link, gate.pass(node.alt ?? '')), node.url, node.title);
      case 'linkReference':
      case 'imageReference': {
        const text = (): string =>
          node.type === 'linkReference' ? all(node.children, depth + 1) : gate.pass(node.alt ?? '');
        const name = node.referenceType === 'full' ? `[${labelOf(node)}]` : '';
        return gate.pass('[') + paint(style.link, text()) + gate.pass(']') + gate.pass(name);
      }
      case 'footnoteReference':
        return gate.pass(`[^${labelOf(node)}]`);
      default:
        return gate.pass(written(node, place));
    }
  }

  const text = all(nodes, 0);
  return gate.isSafe() ? text : safeText(gate.since(0));
}

/** Makes each piece of a text safe in its context, and keeps the result without colours. */
function createGate() {
  let plain = '';
  return {
    pass(value: string): string {
      const context = plain.slice(-CONTEXT);
      const safe = safeText(context + value);
      const piece = safe.startsWith(context) ? safe.slice(context.length) : safeText(value);
      plain += piece;
      return piece;
    },
    length: () => plain.length,
    since: (from: number) => plain.slice(from),
    /** Pieces that are safe alone may be unsafe together; the text is then written without colours. */
    isSafe: () => safeText(plain) === plain,
  };
}
