/**
 * What an agent could write to take hold of a terminal, what people write that only looks like it, and a checker
 * of outputs. The checker asks the properties of Unicode and not the table of `src/text.ts`, so that a gap in
 * that table shows.
 */

/** Each by a name for the test report. Every one must come out harmless, and most of its letters readable. */
export const ATTACKS: Readonly<Record<string, string>> = {
  'window title': '\x1b]0;owned\x07after',
  'window title, ended by ST': '\x1b]2;owned\x1b\\after',
  clipboard: '\x1b]52;c;cm0gLXJmIH4K\x07after',
  'palette and notification': '\x1b]4;1;rgb:00/00/00\x07\x1b]9;hello\x07\x1b]777;notify;a;b\x07',
  hyperlink: '\x1b]8;;https://evil.example\x1b\\https://good.example\x1b]8;;\x1b\\',
  'hyperlink in C1': '\x9d8;;https://evil.example\x9chttps://good.example\x9d8;;\x9c',
  'inline image': '\x1b]1337;File=inline=1:AAAA\x07',
  'cursor up and overwrite': 'refused\x1b[1A\x1b[2K\rapproved',
  'cursor home and clear': '\x1b[H\x1b[2J\x1b[3Jclean',
  'save and restore cursor': '\x1b7\x1b[10;10Hx\x1b8',
  'alternate screen': '\x1b[?1049hhidden\x1b[?1049l',
  'hide cursor, mouse, paste': '\x1b[?25l\x1b[?1000h\x1b[?2004h',
  'scroll region': '\x1b[1;3r\x1b[5S',
  reset: '\x1bc\x1b[!p',
  blink: '\x1b[5mblink\x1b[25m',
  conceal: '\x1b[8mhidden\x1b[28m',
  inverse: '\x1b[7;30;47mpaper\x1b[0m',
  'colon colours': '\x1b[38:2::1:2:3mrgb',
  'device report': '\x1b[6n\x1b[c\x1b[>q\x05',
  DCS: '\x1bP$q"p\x1b\\after',
  sixel: '\x1bPq#0;2;0;0;0~~\x1b\\',
  APC: '\x1b_Gf=24;AAAA\x1b\\after',
  'PM and SOS': '\x1b^pm\x1b\\\x1bXsos\x1b\\',
  'C1 CSI': '\x9b2J\x9b31mred',
  'C1 OSC': '\x9d0;owned\x9cafter',
  'C1 DCS, APC, PM, SOS': '\x90q\x9c\x9fG\x9c\x9ep\x9c\x98s\x9c',
  'C1 line moves': 'a\x84b\x85c\x8dd',
  'character sets': '\x1b(0lqqk\x1b(B\x0exx\x0f',
  'unfinished sequence': 'text\x1b[',
  'escape at the end': 'text\x1b',
  'two escapes': '\x1b\x1b[2J',
  'escape in a sequence': '\x1b[3\x1b[2J1m',
  'carriage return overwrite': 'rm -rf /\recho ok ',
  'carriage returns and breaks': 'a\r\nb\rc\n\rd\r\r\n',
  'backspace overwrite': 'rm -rf /\b\b\b\b\b\b\b\becho ok ',
  'vertical tab and form feed': 'a\vb\fc',
  bell: '\x07\x07\x07',
  NUL: 'a\0b',
  DEL: 'a\x7fb',
  'every C0 control': Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join('x'),
  'every C1 control': Array.from({ length: 33 }, (_, code) => String.fromCharCode(0x7f + code)).join('x'),
  'bidi override': 'access \u202enimda\u202c granted',
  'bidi embedding': '\u202aa\u202bb\u202c\u202dc\u202c',
  'bidi isolates': 'if (admin\u2066 // only\u2069 \u2067x\u2068y\u2069',
  'bidi marks': 'a\u200eb\u200fc\u061cd',
  'old format controls': '\u206aa\u206bb\u206cc\u206dd\u206ee\u206f',
  'tag characters': `say hello${[...'ignore this'].map((c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join('')}`,
  'language tag': '\u{e0001}\u{e0065}\u{e006e}\u{e007f}',
  'text in variation selectors': `😀${[...'secret'].map((c) => String.fromCodePoint(0xe0100 + c.charCodeAt(0))).join('')}`,
  'text in short selectors': 'a\ufe00\ufe01\ufe02\ufe0f\ufe0e',
  'selectors in a row': '❤\ufe0f\ufe0f\ufe0e\ufe0f',
  'zero-width spaces': 'pass\u200bword pay\u2060pal',
  'zero-width joiners in Latin': 'pass\u200dword pay\u200cpal',
  'joiners after a letter that Latin shares with Devanagari':
    'don\u02bc\u200dt don\u02bc\u200ct x\u200c\u02bc',
  'a joiner after an emoji with a mark on it': '👩\u094d\u200d👩',
  'a joiner after a flag of a region': '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}\u200d❤',
  'a joiner after a mark and a skin tone': '👩\u094d🏽\u200d👩',
  'joiners in a row': 'می\u200c\u200c\u200d\u200dخواهم क्\u200d\u200d\u200dष',
  'joiner at the ends': '\u200dabc\u200d',
  'endless emoji': '👩\u200d'.repeat(5000),
  'endless emoji with skin tones': '👩🏽\u200d'.repeat(5000),
  'skin tones joined to each other': '🏽\u200d🏽 👋🏽\u200d🏽',
  'emoji joiner before nothing': '👩\u200d and 👩\u200dx',
  'byte order marks': '\ufeffa\ufeffb',
  'soft hyphens in a row and at the ends': '\u00adpass\u00ad\u00adword\u00ad 1\u00ad2',
  'soft hyphen before a filler': 'a\u00ad\u3164b',
  'zero-width spaces in and beside Thai': 'a\u200bb ไ\u200b\u200bท ย\u200bx \u200b',
  'direction marks in a row beside Hebrew': 'ש\u200e\u200f\u061c\u200e a\u200eb 1\u200f2',
  'bidi override beside Hebrew': 'ש\u202eabc\u202c \u2067ש\u2069',
  'variation selectors after Latin, two after Han': 'a\u{e0100}b 葛\u{e0100}\u{e0101} の\u{e0100}\u{e0101}',
  'tags after a flag, without end or too many':
    '🏴\u{e0067}\u{e0062}\u{e0065} 🏴\u{e0067}\u{e007f} 🏴\u{e0069}\u{e0067}\u{e006e}\u{e006f}\u{e0072}\u{e0065}\u{e0069}\u{e007f}',
  'tags after another symbol': '🚩\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
  'grapheme joiner': 'a\u034fb',
  fillers: 'a\u115fb\u1160c\u3164d\uffa0e\u17b4f\u17b5',
  'Mongolian selectors': 'a\u180bb\u180cc\u180dd\u180ee\u180f',
  annotation: 'a\ufff9b\ufffac\ufffb',
  'line separators': 'a\u2028b\u2029c\u0085d',
  'musical and shorthand controls': '\u{1d173}\u{1d17a}\u{1bca0}\u{1bca3}',
  'invisible operators': 'f\u2061x\u2062y\u2063z\u2064w\u2065',
  'hieroglyph controls': '\u{13000}\u{13430}\u{13000}\u{1343f}',
  zalgo: `Z${'\u0301\u0321\u0489'.repeat(20)}a${'\u0322'.repeat(30)}`,
  '10,000 combining marks': `e${'\u0301'.repeat(10_000)}`,
  'marks with joiners between': `क${'\u094d\u200d'.repeat(5000)}`,
  'marks with selectors between': `e${'\u0301\ufe0f'.repeat(5000)}`,
  'marks before anything': '\u0338\u0338first\n\u20dd',
  '10,000 Hangul vowels': `\u1100${'\u1161'.repeat(10_000)}`,
  'lone high surrogate': 'a\ud83db',
  'lone low surrogate': 'a\ude00b',
  'surrogates the wrong way round': '\ude00\ud83d',
  'surrogate at the end': 'end\ud83d',
  'looks like ours': '{U+202E} {U+0301…×9} ␛[31m ␤',
  'a header at column 0': 'text\n● claude (reviewer)\n│ I agree.',
};

/** Text that people write. It must pass unchanged. */
export const ORDINARY: Readonly<Record<string, string>> = {
  empty: '',
  English: 'Plain words, 100 % “quoted” – and so on…\n\tindented\n',
  French: 'Où ça ? « Là », dit-elle ; l’œuvre coûte 12 € !',
  German: 'Größe, Übermaß, ÄÖÜ',
  Vietnamese: 'Tiếng Việt, Nguyễn Thị Hằng',
  'Vietnamese, decomposed': 'Tiếng Việt Nguyễn'.normalize('NFD'),
  Polish: 'Zażółć gęślą jaźń',
  Greek: 'Ελληνικά, ἀρχαῖος',
  Russian: 'Съешь ещё этих мягких булок',
  Hebrew: 'שָׁלוֹם עֲלֵיכֶם',
  'Hebrew with accents': 'בְּרֵאשִׁ֖ית בָּרָ֣א אֱלֹהִ֑ים',
  Arabic: 'السَّلَامُ عَلَيْكُمْ ـه',
  'Persian with non-joiners': 'می‌خواهم کتاب‌ها را بخوانم',
  'Persian ending after a foreign word': 'چند PDF‌ها و API‌ها',
  'Persian ending after a closing mark': '«کتاب»‌ها',
  'Arabic final form with joiner': 'سنة 1445 ه‍ ثم',
  'Arabic with a joiner after a vowel sign and a tatweel': 'هَ\u200d هـ\u200d',
  'Vedic with a joiner after a sign of its own': '\u1ce9\u200dक\u1cda\u200dष',
  'Hindi with joiners': 'क्‍ष र्‍य क्‌ष हिन्दी में लिखा',
  Bengali: 'র‍্যাব বাংলা',
  Malayalam: 'അവന്‍ പോയി',
  Sinhala: 'ශ්‍රී ලංකා',
  Tamil: 'தமிழ் மொழி',
  Thai: 'ภาษาไทยที่นี่ น้ำ',
  Tibetan: 'བོད་ཡིག ཧཱུྃ',
  Burmese: 'မြန်မာဘာသာ ကျွန်ုပ်',
  Khmer: 'ភាសាខ្មែរ ស្ត្រី',
  Chinese: '中文，标点。「引号」',
  Japanese: '日本語のテキスト、カタカナ ガ がぎぐ',
  Korean: '한국어',
  'Korean, decomposed': '한국어'.normalize('NFD'),
  emoji: '😀 🎉 ⌚ ✅ ⚠️ ❤️ ☎︎ ✔︎ ↔️ ™️ ㊗️',
  keycaps: '1️⃣ #️⃣ *️⃣',
  'flags of regions':
    '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}, 🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}',
  'Thai, Khmer, Lao, Burmese and Japanese with zero-width spaces':
    'ภาษา\u200bไทย ភាសា\u200bខ្មែរ ພາສາ\u200bລາວ မြန်မာ\u200bဘာသာ 日本\u200bご',
  'Hebrew and Arabic with marks of direction': 'שלום\u200f! \u200eשלום C++ عربي\u061c 1 \u200fעברית',
  'ideographic variants': '葛\u{e0100}城 辻\u{e0101}',
  'German with soft hyphens': 'Donau\u00addampf\u00adschiff',
  flags: '🇫🇷 🇯🇵🇧🇷 🏳️‍🌈 🏴‍☠️ 🏳️‍⚧️',
  'joined emoji': '👨‍👩‍👧‍👦 👩‍💻 ❤️‍🔥 🐈‍⬛ 👁️‍🗨️ 🧑‍🤝‍🧑',
  'skin tones': '👍🏽 👩🏿‍🚀 🤦🏻‍♂️ 👩🏻‍❤️‍💋‍👨🏿',
  mathematics: '∀x∈ℝ: ⌈x⌉ = −⌊−x⌋, a⃗·b̂ ≠ 0, 𝒜',
  'box drawing': '├── src\n│   └── text.ts',
  'private use': '\ue0b0 \uf113',
  code: 'const s = `a\\u001b[31m`; // \\x1b stays text\n',
};

/** The codes that `src/style.ts` uses: no blink, no inverse, no conceal, no background. */
const OWN_COLOR = /\x1b\[(?:[123479]|2[23479]|3[0-369]|9[2367]|4[0369]|10[23]|[34]8;5;\d{1,3})m/g;

const PICTURE = '\\p{Extended_Pictographic}\\p{Emoji_Modifier}?\\ufe0f?';
/** Characters that show nothing by themselves, where they mean something. */
const MEANT = [
  /(?<=\u{1f3f4})[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}/gu,
  // An emoji sequence of up to four pictures.
  new RegExp(`(?<!\\u200d)${PICTURE}(?:\\u200d${PICTURE}){1,3}(?!\\u200d\\p{Extended_Pictographic})`, 'gu'),
  /[#*0-9]\ufe0f\u20e3/gu,
  /(?![\0-\x7f])[\p{Emoji}\p{S}][\ufe0e\ufe0f]/gu,
  // One soft hyphen between letters.
  /(?<=[\p{L}\p{M}])\u00ad(?=(?!\p{Default_Ignorable_Code_Point})\p{L})/gu,
  // One zero-width space between letters of scripts without blanks.
  /(?<=[\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Han}])\u200b(?=[\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Han}])/gu,
  // One joiner after a letter and its marks, of a script other than those that never join.
  /(?<=(?![\p{scx=Latin}\p{scx=Greek}\p{scx=Cyrillic}\p{scx=Han}\p{scx=Hangul}\p{scx=Hebrew}\p{scx=Common}\p{Default_Ignorable_Code_Point}])\p{L}[\p{M}\p{Cf}\u1161-\u11ff\ud7b0-\ud7fb]{0,12})(?<!\p{Default_Ignorable_Code_Point})[\u200c\u200d]/gu,
  // A non-joiner before an ending in such a script.
  /(?<=[\p{L}\p{N}\p{P}\p{S}])\u200c(?=(?![\p{scx=Latin}\p{scx=Greek}\p{scx=Cyrillic}\p{scx=Han}\p{scx=Hangul}\p{scx=Hebrew}])\p{L})/gu,
  // One mark of direction beside a letter of a right-to-left script.
  /(?<=[\p{scx=Arab}\p{scx=Hebr}\p{scx=Syrc}\p{scx=Thaa}\p{scx=Nkoo}\p{scx=Adlm}\p{scx=Mand}\p{scx=Samr}\p{scx=Rohg}])[\u200e\u200f\u061c]/gu,
  /(?<!\p{Default_Ignorable_Code_Point})[\u200e\u200f\u061c](?=[\p{scx=Arab}\p{scx=Hebr}\p{scx=Syrc}\p{scx=Thaa}\p{scx=Nkoo}\p{scx=Adlm}\p{scx=Mand}\p{scx=Samr}\p{scx=Rohg}])/gu,
  /(?<=\p{scx=Han})[\u{e0100}-\u{e01ef}]/gu,
];

/** Format characters that are seen: signs that enclose the numbers after them. */
const SEEN = /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/gu;
const UNSEEN =
  /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Variation_Selector}]/gu;
/** More marks on one base than any script has: a dozen, joiners included. */
const PILE = /(?:\p{M}|\u200c|\u200d|[\u1161-\u11ff\ud7b0-\ud7fb]){13}/u;

/**
 * What of an output is neither printable, newline, tab nor one of our colour codes: `['U+001B at 3', …]`.
 *
 * @param options.colors whether colour codes may stand in the output; their closing is not checked
 */
export function leaks(output: string, options: { colors: boolean }): string[] {
  const found: string[] = [];
  let rest = options.colors ? output.replace(OWN_COLOR, (code) => ' '.repeat(code.length)) : output;
  if (PILE.test(rest)) found.push('a pile of combining marks');
  for (const pattern of [...MEANT, SEEN]) rest = rest.replace(pattern, (text) => 'x'.repeat(text.length));
  for (const match of rest.matchAll(UNSEEN)) {
    const code = match[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
    found.push(`U+${code} at ${match.index}`);
  }
  return found;
}
