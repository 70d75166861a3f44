/**
 * What a terminal shows, as an SVG: text with colour codes in, a picture out. One picture is light or dark, as the page
 * around it: its style sheet has both.
 */
import { cells } from '../../src/terminal/width.ts';

interface Theme {
  background: string;
  foreground: string;
  border: string;
  /** The eight basic colours, black first. */
  basic: readonly string[];
}

const THEMES: Readonly<Record<'light' | 'dark', Theme>> = {
  light: {
    background: '#ffffff',
    foreground: '#1f2328',
    border: '#d0d7de',
    basic: ['#24292f', '#cf222e', '#116329', '#8a5a00', '#0969da', '#8250df', '#1b7c83', '#6e7781'],
  },
  dark: {
    background: '#0d1117',
    foreground: '#e6edf3',
    border: '#30363d',
    basic: ['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4'],
  },
};

const FONT = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace";
const FONT_SIZE = 14;
/** Low enough that the bars of one line meet those of the next. */
const LINE_HEIGHT = 17;
const CELL_WIDTH = 8.4;
const MARGIN = 16;

interface Look {
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  strike: boolean;
  /** In hexadecimal, or `c0` to `c7`: a colour of the theme. */
  color: string | undefined;
  background: string | undefined;
}

const PLAIN: Look = {
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  strike: false,
  color: undefined,
  background: undefined,
};

/** The style sheet: the colours that differ from theme to theme, by class. */
function styles({ background, foreground, border, basic }: Theme): string {
  const colors = basic.map((color, number) => `.c${number}{fill:${color}}`);
  return [`.box{fill:${background};stroke:${border}}`, `.text{fill:${foreground}}`, ...colors].join('');
}

/** The attribute that fills with a colour. */
function fill(color: string): string {
  return color.startsWith('#') ? ` fill="${color}"` : ` class="${color}"`;
}

/** A colour of the 256. */
function rich(number: number): string {
  if (number < 16) return `c${number % 8}`;
  const levels =
    number > 231
      ? Array(3).fill(8 + 10 * (number - 232))
      : [36, 6, 1].map((unit) => [0, 95, 135, 175, 215, 255][Math.floor((number - 16) / unit) % 6]);
  return hex(levels);
}

function hex(levels: readonly number[]): string {
  return `#${levels.map((level) => level.toString(16).padStart(2, '0')).join('')}`;
}

/** What a colour code makes of the look before it. A code that is not known here is a mistake to be seen. */
function follow(look: Look, code: string): Look {
  const numbers = code.split(';').map(Number);
  const [first = 0, second, third = 0] = numbers;
  if (first === 38 && second === 5) return { ...look, color: rich(third) };
  if (first === 48 && second === 5) return { ...look, background: rich(third) };
  if (first >= 40 && first <= 47) return { ...look, background: `c${first - 40}` };
  if (first >= 100 && first <= 107) return { ...look, background: `c${first - 100}` };
  if (first >= 90 && first <= 97) return { ...look, color: `c${first - 90}` };
  if (first >= 30 && first <= 37) return { ...look, color: `c${first - 30}` };
  const changes: Record<number, Partial<Look>> = {
    0: PLAIN,
    1: { bold: true },
    2: { dim: true },
    3: { italic: true },
    4: { underline: true },
    9: { strike: true },
    22: { bold: false, dim: false },
    23: { italic: false },
    24: { underline: false },
    29: { strike: false },
    39: { color: undefined },
    49: { background: undefined },
  };
  const change = changes[first];
  if (!change) throw new Error(`no colour code: ${code}`);
  return { ...look, ...change };
}

function attributes(look: Look): string {
  const decoration = [look.underline && 'underline', look.strike && 'line-through'].filter(Boolean).join(' ');
  const set = {
    'fill-opacity': look.dim ? '.6' : undefined,
    'font-weight': look.bold ? 'bold' : undefined,
    'font-style': look.italic ? 'italic' : undefined,
    'text-decoration': decoration || undefined,
  };
  const others = Object.entries(set)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${value}"`);
  return [look.color && fill(look.color), ...others].filter(Boolean).join('');
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

const tidy = (number: number) => String(Math.round(number * 10) / 10);

/**
 * The picture of `text`. Each piece stands at its column and takes the room of its cells, whatever the width of
 * the letters in the font that there is.
 *
 * @param title for those who do not see it
 */
export function toSvg(text: string, title: string): string {
  const rows = text.replace(/\r/g, '').trimEnd().split('\n');
  let look = PLAIN;
  let columns = 0;
  const lines = rows.map((row, index) => {
    let column = 0;
    const y = MARGIN + LINE_HEIGHT * index + FONT_SIZE;
    // Even pieces are text, odd ones the inside of a code.
    const pieces = row.split(/\x1b\[([\d;]*)m/).map((piece, at) => {
      if (at % 2 === 1) {
        look = follow(look, piece);
        return '';
      }
      if (/[\x00-\x1f\x7f]/.test(piece)) throw new Error(`a control character: ${JSON.stringify(piece)}`);
      const start = column + piece.length - piece.trimStart().length;
      column += cells(piece);
      // Browsers drop blanks at the ends, and make one of several.
      const shown = piece.trim().replaceAll(' ', '\u00a0');
      const panel = look.background
        ? `<rect x="${tidy(MARGIN + (column - cells(piece)) * CELL_WIDTH)}" y="${y - FONT_SIZE}" width="${tidy(cells(piece) * CELL_WIDTH)}" height="${LINE_HEIGHT}"${fill(look.background)}/>`
        : '';
      if (shown === '') return panel;
      const x = tidy(MARGIN + start * CELL_WIDTH);
      const length = `textLength="${tidy(cells(shown) * CELL_WIDTH)}" lengthAdjust="spacingAndGlyphs"`;
      return `${panel}<text x="${x}" y="${y}" ${length}${attributes(look)}>${escaped(shown)}</text>`;
    });
    columns = Math.max(columns, column);
    return pieces.join('');
  });
  const width = Math.ceil(columns * CELL_WIDTH) + 2 * MARGIN;
  const height = LINE_HEIGHT * rows.length + 2 * MARGIN;
  const box = `x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${styles(THEMES.light)}@media(prefers-color-scheme:dark){${styles(THEMES.dark)}}</style>`,
    `<rect ${box} class="box"/>`,
    `<g font-family="${FONT}" font-size="${FONT_SIZE}" class="text">`,
    ...lines.filter(Boolean),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}
