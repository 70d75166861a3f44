/** What the gates write in place of what they do not let through, for terminals that know ASCII only. */

/** Pictures of control characters and of a line break, and the count of marks that were cut. */
const SIGNS = /[\u2400-\u241F\u2421\u2424]|…×(?=\d+\})/g;

/**
 * Text that passed a gate, with the signs of the gate in ASCII: control characters as `cat -v` shows them. An agent
 * that wrote such a picture itself is shown the same.
 *
 * @example
 * asciiSigns(safeText('\x1b[2J')); // '^[[2J'
 */
export function asciiSigns(text: string): string {
  return text.replace(SIGNS, (sign) => {
    if (sign.length > 1) return '...x';
    if (sign === '␤') return '^J';
    return sign === '␡' ? '^?' : `^${String.fromCharCode(sign.charCodeAt(0) - 0x2400 + 0x40)}`;
  });
}
