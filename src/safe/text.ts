/**
 * The one gate for untrusted text on a terminal: all text from events, and from lines that are not events, passes one
 * of these functions before it is printed.
 *
 * Text is judged one code point at a time, never by recognising sequences: a parser of escape sequences can be
 * fooled, a code point cannot. What could move the cursor, hide or reorder text is made visible, not dropped:
 *
 * - C0 controls but newline and tab as their pictures (`␛`, `␇`), since a terminal acts on them; DEL as `␡`;
 * - C1 controls, for terminals that act on their 8-bit form;
 * - bidirectional controls, which show text in another order than it has;
 * - line and paragraph separators, where programs disagree on what a line is;
 * - zero-width, filler, tag and variation characters, which hide text in text;
 * - lone surrogates, which are not text.
 *
 * All but the pictures are written as `{U+202E}`. The result of every function here is its own result again.
 */

/**
 * A test of one character against the source of a regular expression. It is compiled on first use: most text needs none
 * of these, and with properties of Unicode in them they took a twentieth of the start-up time.
 */
export function matcher(source: string): (char: string) => boolean {
  let pattern: RegExp | undefined;
  return (char) => {
    pattern ??= new RegExp(`^${source}$`, 'u');
    return pattern.test(char);
  };
}

/** Code points that are made visible, unless {@link isKept} finds that they have a proper use where they stand. */
const UNSAFE =
  '\\0-\\x08\\x0B-\\x1F\\x7F-\\x9F\\xAD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B-\\u200F' +
  '\\u2028-\\u202E\\u2060-\\u206F\\u3164\\uFE00-\\uFE0F\\uFEFF\\uFFA0\\uFFF0-\\uFFFB\\u{13430}-\\u{1343F}' +
  '\\u{1BCA0}-\\u{1BCA3}\\u{1D173}-\\u{1D17A}\\u{E0000}-\\u{E0FFF}\\p{Cs}';

/** Zero-width: combining marks, and the vowels and finals of decomposed Hangul. */
export const MARK = '\\p{M}\\u1161-\\u11FF\\uD7B0-\\uD7FB';

/** Most marks kept on one base. Real scripts need fewer (Tibetan the most); more would be drawn over other lines. */
export const MAX_MARKS = 8;
/** Most joiners kept in one emoji: the longest sequences in use (families, couples) have three. */
const MAX_EMOJI_JOINERS = 3;

/** A quick check, ten times as fast as the exact one: not in ordinary text of Europe and East Asia. */
const UNUSUAL =
  /[^\n\t\x20-\x7E\xA0-\xAC\xAE-\u02FF\u0370-\u0482\u048A-\u058F\u1E00-\u200A\u2010-\u2027\u202F-\u205F\u2070-\u20C0\u2100-\u2BFF\u3000-\u3029\u3040-\u3098\u30A0-\u312F\u3400-\u9FFF\uAC00-\uD7A3]/;
const NEEDS_WORK = new RegExp(`[${UNSAFE}]|[${MARK}]{${MAX_MARKS + 1}}`, 'u');
const isUnsafe = matcher(`[${UNSAFE}]`);
const isMark = matcher(`[${MARK}]`);
/** A symbol that has a text and an emoji form. Digits, `#` and `*` have one only as keycaps. */
const isSymbol = matcher('(?![\\0-\\x7F])[\\p{Emoji}\\p{S}]');
const IS_KEYCAP = /^[#*0-9]$/;
const isPictograph = matcher('\\p{Extended_Pictographic}');
/** Letters and marks of the scripts whose spelling needs joiner and non-joiner. */
const JOINING_SCRIPTS = ['Arab', 'Syrc', 'Mand', 'Nkoo', 'Mong', 'Phag', 'Adlm', 'Rohg', 'Sogd', 'Chrs']
  .concat(['Deva', 'Beng', 'Guru', 'Gujr', 'Orya', 'Taml', 'Telu', 'Knda', 'Mlym', 'Sinh', 'Newa', 'Gran'])
  .concat(['Tibt', 'Mymr', 'Khmr', 'Java', 'Bali', 'Sund', 'Brah', 'Kthi', 'Limb', 'Tirh']);
/** Scripts without spaces between words: a zero-width space marks where a line may be broken. */
const UNSPACED_SCRIPTS = ['Thai', 'Laoo', 'Khmr', 'Mymr', 'Hira', 'Kana', 'Han'];
/** Scripts written from right to left, where direction marks order the punctuation beside their letters. */
const RIGHT_TO_LEFT_SCRIPTS = ['Arab', 'Hebr', 'Syrc', 'Thaa', 'Nkoo', 'Adlm', 'Mand', 'Samr', 'Rohg'];
const isJoining = matcher(lettersOf(JOINING_SCRIPTS));
const isUnspaced = matcher(lettersOf(UNSPACED_SCRIPTS));
const isRightToLeft = matcher(lettersOf(RIGHT_TO_LEFT_SCRIPTS));
const isHan = matcher('\\p{scx=Han}');
/** The flag of a region such as Scotland: a black flag, three to six letters and digits as tags, and the end. */
const REGION_FLAG = /\u{1F3F4}[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{3,6}\u{E007F}/uy;
const isLetter = matcher('\\p{L}');
const isSeen = matcher('[\\p{L}\\p{N}\\p{P}\\p{S}]');
const isSkinTone = matcher('\\p{Emoji_Modifier}');

const JOINER = 0x200d;
const NON_JOINER = 0x200c;
const SOFT_HYPHEN = 0xad;
const ZERO_WIDTH_SPACE = 0x200b;
/** Left-to-right, right-to-left and Arabic letter mark. */
const DIRECTION_MARKS = [0x200e, 0x200f, 0x61c];
/** Invisible characters that mean something between letters or emoji. */
const MEANINGFUL = new Set([JOINER, NON_JOINER, SOFT_HYPHEN, ZERO_WIDTH_SPACE, ...DIRECTION_MARKS]);

/** The state after the output so far. */
interface Context {
  /** The last code point of the output. */
  previous: number;
  /** The last code point that is not zero-width. */
  base: number;
  /** How many zero-width code points follow `base`. */
  marks: number;
  /** Joiners in the emoji sequence that `base` belongs to. */
  emojiJoiners: number;
}

/** Letters and marks of some scripts. A letter that these share with Latin, `ʼ`, says nothing of either. */
function lettersOf(scripts: readonly string[]): string {
  const any = scripts.map((script) => `\\p{scx=${script}}`).join('');
  return `(?=[\\p{L}\\p{M}])(?![${UNSAFE}]|(?=\\p{L})\\p{scx=Latn})[${any}]`;
}

/** Whether an unsafe code point has its proper use where it stands, such as a joiner inside an emoji. */
function isKept(code: number, next: number, context: Context): boolean {
  const { previous, base, marks, emojiJoiners } = context;
  if (marks >= MAX_MARKS) return false;
  const last = String.fromCodePoint(previous);
  const following = String.fromCodePoint(next);
  if (code === 0xfe0e || code === 0xfe0f) {
    return isSymbol(last) || (IS_KEYCAP.test(last) && next === 0x20e3);
  }
  if (code >= 0xe0100 && code <= 0xe01ef) return isHan(last) && isLetter(last);
  if (!MEANINGFUL.has(code)) return false;
  // Never two of the following in a row.
  if (code !== JOINER && code !== NON_JOINER && isUnsafe(last)) return false;
  if (code === SOFT_HYPHEN) {
    return /^[\p{L}\p{M}]$/u.test(last) && isLetter(following) && !isUnsafe(following);
  }
  const written = (is: (char: string) => boolean) => is(last) && is(String.fromCodePoint(base));
  if (code === ZERO_WIDTH_SPACE) return written(isUnspaced) && isUnspaced(following);
  if (DIRECTION_MARKS.includes(code)) return written(isRightToLeft) || isRightToLeft(following);
  // Many marks belong to several scripts: the letter that they stand on tells which one is written.
  if (written(isJoining)) return true;
  // A Persian ending after a foreign word or a closing mark: `PDF` + non-joiner + `ها`.
  if (code === NON_JOINER) {
    return isSeen(last) && isLetter(following) && isJoining(following);
  }
  return (
    emojiJoiners < MAX_EMOJI_JOINERS &&
    // Nothing stands between but the selector of the emoji form.
    marks === Number(previous === 0xfe0f) &&
    isPictograph(String.fromCodePoint(base)) &&
    isPictograph(following)
  );
}

/** A cache of {@link visible}, bounded by the number of unsafe code points and marks. */
const SHOWN = new Map<number, string>();

function visible(code: number): string {
  let shown = SHOWN.get(code);
  if (shown === undefined) {
    if (code < 0x20) shown = String.fromCharCode(0x2400 + code);
    else shown = code === 0x7f ? '␡' : `{U+${code.toString(16).toUpperCase().padStart(4, '0')}}`;
    SHOWN.set(code, shown);
  }
  return shown;
}

/**
 * Makes text of several lines safe to print: CRLF becomes LF, newline and tab stay, everything that a terminal
 * could act on or hide becomes visible. Kept where they belong: the variation selectors after a symbol or
 * a Han letter, joiners inside an emoji and in the scripts that need them, a zero-width space between letters of
 * scripts without blanks, a mark of direction beside a right-to-left letter, a soft hyphen between letters, the tags
 * of a region's flag. More than eight combining marks on one base are cut, and
 * the rest is counted: `{U+0301…×9992}`. Linear in the length; text without any of these is returned as it is.
 *
 * @example
 * safeText('\x1b[2Jdone'); // '␛[2Jdone'
 */
export function safeText(text: string): string {
  if (!UNUSUAL.test(text) || !NEEDS_WORK.test(text)) return text;
  const context: Context = { previous: 0x0a, base: 0x0a, marks: 0, emojiJoiners: 0 };
  const parts: string[] = [];
  let out = '';
  /** Where the text not yet copied begins. */
  let from = 0;
  let at = 0;

  function replace(length: number, replacement: string): void {
    out += text.slice(from, at) + replacement;
    // Asking for a character makes one flat string of the pieces: millions of them keep the garbage collector busy.
    if (out.length > 4096) {
      out.charCodeAt(0);
      parts.push(out);
      out = '';
    }
    at += length;
    from = at;
    const last = replacement.charCodeAt(replacement.length - 1);
    context.previous = last;
    context.base = last;
    context.marks = 0;
    context.emojiJoiners = 0;
  }

  while (at < text.length) {
    const code = text.codePointAt(at)!;
    const length = code > 0xffff ? 2 : 1;
    if (code === 0x0d && text.charCodeAt(at + 1) === 0x0a) {
      replace(2, '\n');
      continue;
    }
    if (code === 0x1f3f4) {
      REGION_FLAG.lastIndex = at;
      if (REGION_FLAG.test(text)) {
        // Nothing is joined to such a flag.
        Object.assign(context, { previous: 0xe007f, base: 0xe007f, marks: 0, emojiJoiners: 0 });
        at = REGION_FLAG.lastIndex;
        continue;
      }
    }
    const plain = (code >= 0x20 && code < 0x7f) || code === 0x0a || code === 0x09;
    const char = plain ? '' : String.fromCodePoint(code);
    if (!plain && isUnsafe(char)) {
      if (!isKept(code, text.codePointAt(at + length) ?? 0x0a, context)) {
        replace(length, visible(code));
        continue;
      }
      context.marks++;
      if (code === JOINER && isPictograph(String.fromCodePoint(context.base))) context.emojiJoiners++;
    } else if (!plain && isMark(char)) {
      if (context.marks >= MAX_MARKS) {
        const [end, count] = skipMarks(text, at);
        replace(end - at, count === 1 ? visible(code) : `${visible(code).slice(0, -1)}…×${count}}`);
        continue;
      }
      context.marks++;
    } else {
      // A skin tone belongs to the emoji right before it.
      const isTone = isSkinTone(char) && isPictograph(String.fromCodePoint(context.previous));
      if (context.previous !== JOINER && !isTone) context.emojiJoiners = 0;
      if (!isTone) context.base = code;
      context.marks = 0;
    }
    context.previous = code;
    at += length;
  }
  return parts.join('') + out + text.slice(from);
}

/** Where the run of marks at `start` ends, and how many code points it has. */
function skipMarks(text: string, start: number): [end: number, count: number] {
  let end = start;
  let count = 0;
  while (end < text.length) {
    const char = String.fromCodePoint(text.codePointAt(end)!);
    if (!isMark(char) || isUnsafe(char)) break;
    end += char.length;
    count++;
  }
  return [end, count];
}

/**
 * {@link safeText} on one line: blanks at the ends are trimmed, a line break inside becomes `␤` and a tab a space.
 *
 * @example
 * safeLine('first\nsecond\n'); // 'first␤second'
 */
export function safeLine(text: string): string {
  const safe = safeText(text);
  let start = 0;
  let end = safe.length;
  while (start < end && isBlank(safe.charCodeAt(start))) start++;
  while (end > start && isBlank(safe.charCodeAt(end - 1))) end--;
  return safe.slice(start, end).replaceAll('\n', '␤').replaceAll('\t', ' ');
}

/**
 * A name, or a path, without what is invisible in it: a soft hyphen and a blank Braille pattern have their place in text,
 * but two names would look like one. The result still has to pass a gate.
 *
 * @example
 * plainName('co\u00addex'); // 'co{U+00AD}dex'
 */
export function plainName(name: string): string {
  return name.replace(/[\xAD\u2800]/g, (char) => visible(char.charCodeAt(0)));
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09;
}
