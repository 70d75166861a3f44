/** Where a link may lead. An allow-list: lists of bad schemes leak. */
import { decodeString } from 'micromark-util-decode-string';

/** What browsers and sloppy viewers drop from an address. */
const DROPPED = /[\0-\x20\x7F-\xA0\u1680\u2000-\u200F\u2028-\u202F\u205F\u2060\u3000\uFEFF]/g;

/**
 * Whether every reading of an address, however often decoded, leads to the web, to a mailbox or to a place beside
 * the document.
 *
 * @param source as it stands in the Markdown source, with its escapes and references
 */
function isGoodAddress(source: string): boolean {
  let address = source;
  // No reader decodes more than eight times.
  for (let round = 0; round < 8; round++) {
    const plain = address.replace(DROPPED, '');
    const scheme = /^([^/?#:]*):/.exec(plain.replaceAll('\\', ''))?.[1];
    if (/^[/\\]{2}/.test(plain) || (scheme !== undefined && !/^(?:https?|mailto)$/i.test(scheme)))
      return false;
    const decoded = decodeOnce(plain);
    if (decoded === address) return true;
    address = decoded;
  }
  return false;
}

function decodeOnce(address: string): string {
  // Browsers know references without their semicolon.
  return decodeString(address.replace(/&#(?:x[\da-f]{1,6}|\d{1,7})(?![\da-f;])/gi, '$&;')).replace(
    /%([\da-f]{2})/gi,
    (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** What is the same to every viewer, however it reads escapes and references; parentheses in pairs. */
const PLAIN = /^(?:[\w\-.:/?#@!+,;=%'\p{L}\p{N}]|&(?!#|[a-z\d]+;)|&amp;|\([\w\-.,]*\))*$/iu;

/** Whether an address as it is written is good, and the same to every viewer. */
export function isPlainAddress(source: string): boolean {
  return PLAIN.test(source) && isGoodAddress(source);
}

/** An address as a destination that every viewer reads alike: no blank, bracket, quote or escape in it. */
export function destination(address: string): string {
  const encoded = address.replace(/[^\w\-.:/?#@+,;=%&]/gu, (char) =>
    /[$'()*!~]/.test(char) ? `%${char.charCodeAt(0).toString(16).toUpperCase()}` : encodeURIComponent(char),
  );
  const good = isGoodAddress(encoded) ? encoded : `./${encoded}`;
  return good.replaceAll('&', '&amp;');
}
