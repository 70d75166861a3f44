/**
 * What the Markdown gate costs: an ordinary answer, and the inputs that are worst for parsers of Markdown, from 8 KB to
 * 10 MB. Run by hand: `node --import tsx test/bench/safe-markdown.ts [family]`, or with `readmes`
 * what the gate leaves as it is of the READMEs of the packages that are installed; `readmes lines` names what it changes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { safeMarkdown } from '../../src/safe/markdown.ts';

const ANSWER = `### Findings

The parser in \`src/lines.ts\` holds back what follows the last newline, so a line that is cut between two chunks
arrives whole. Two things are left, see [the guide](https://docs.example/guide):

1. **Blank lines** are skipped, but counted.
2. A line over the limit is dropped; \`damage\` says why.

| case | result |
|------|--------|
| CRLF | same   |
| BOM  | dropped |

\`\`\`ts
const line: Line = { number: 1, text: '' };
\`\`\`
`;

/** Pieces that make the parser slow, or the text large, when they are repeated. */
export const FAMILIES: Record<string, (size: number) => string> = {};
const PIECES = [
  '*a_ ',
  '*a ',
  '**a',
  '_a_b',
  '*a **a ',
  'a**b',
  '> ',
  '>',
  '- ',
  '- - - x\n',
  '* * * * x\n',
  '1. ',
  '<?',
  '<!--',
  '<![CDATA[',
  '<!A ',
  '<a ',
  '<a href="',
  '<b>',
  '</b',
  '`',
  '` ',
  '`a',
  '``a` ',
  '[',
  '[a',
  '[a](',
  '[a](<',
  '![',
  '![a](',
  '[]',
  '](',
  ']',
  '[a](b)',
  '[a][b]',
  '![a](b)',
  '[a]: b\n',
  '[a]: b\n\n',
  '[^1]',
  '[^1]: a\n',
  '[^1]: ',
  '\\',
  '&',
  '&#',
  '&amp;',
  '&#27;',
  '|',
  '| ',
  '|a',
  '|-',
  '|-|\n',
  'a|b\n-|-\n',
  '~',
  '~~a',
  '~a',
  '#',
  '# a\n',
  '=\n',
  'a\n=\n',
  'a\n---\n',
  '---\n',
  '- a\n',
  '    a\n',
  '> a\n',
  '> a\nb\n',
  '```\n',
  '```',
  '~~~\n',
  '- ```\n',
  '$',
  '%',
  ':',
  ':::\n',
  'http://',
  'http://a',
  'http://a ',
  'www.',
  'www.a',
  'www.a.',
  'a@',
  'a@b.',
  'a@b.c ',
  '@',
  '//',
  '//a',
  'ftp://a',
  'xmpp:',
  '\t',
  ' ',
  ' \n',
  '\n',
  '-\t',
  '\n    a\n',
  'a\\\n',
  'a  \n',
  '"',
  '(',
  ')',
  '[a](b "',
  "[a](b '",
  '<https://a',
  'a',
  '\u202E',
  '\x1b',
  '\0',
  '\r',
  '*',
  '_',
  '***',
  '*_',
  '1. a\n',
  '-\n',
  '+ \t\n',
  '!',
  '^[',
  '{',
  '- [ ] a\n',
  '\uD800',
  'e\u0301',
  '\n\n- ',
  '\n> ',
  '`<',
  '<`',
  '[`',
  '`]',
  '[a](`',
  '*[',
  '[*',
  ']*',
  '_<',
  '[a]: <',
  '[a]: b "',
];
/** Something to escape in any text. */
const ACTIVE_END = '\n\n<b>\n';
for (const piece of PIECES) {
  FAMILIES[JSON.stringify(piece)] = (size) =>
    piece.repeat(Math.ceil(size / piece.length)).slice(0, size - ACTIVE_END.length) + ACTIVE_END;
}
FAMILIES['backtick runs of growing length'] = (size) => {
  let text = '';
  for (let length = 1; text.length < size; length++) text += `${'`'.repeat(length)} `;
  return text.slice(0, size);
};
FAMILIES['nested quotes, line by line'] = (size) => {
  let text = '';
  for (let depth = 1; text.length < size; depth++) text += `${'>'.repeat(depth)} a\n`;
  return text.slice(0, size);
};
FAMILIES['nested lists, line by line'] = (size) => {
  let text = '';
  for (let depth = 0; text.length < size; depth++) text += `${'  '.repeat(depth)}- a\n`;
  return text.slice(0, size);
};
FAMILIES['one definition, many references'] = (size) =>
  `[a]: https://x.example/${'y'.repeat(size / 2)}\n\n${'[a] '.repeat(size / 8)}`.slice(0, size);
FAMILIES['deep brackets around a link'] = (size) => '['.repeat(size / 2) + '](a)'.repeat(size / 8);
FAMILIES['a list of emphasis'] = (size) => '- *a* **b** `c` [d](e) <f>\n'.repeat(size / 26);
FAMILIES['ordinary answers'] = (size) => ANSWER.repeat(Math.ceil(size / ANSWER.length)).slice(0, size);
FAMILIES['a quote of one long line'] = (size) => `> ${'<a'.repeat(size / 2)}`;
FAMILIES['a wide table'] = (size) =>
  `${'|a'.repeat(size / 6)}\n${'|-'.repeat(size / 6)}\n${'|<b'.repeat(size / 12)}`;
FAMILIES['a long table'] = (size) => `|a|b|\n|-|-|\n${'|<b|`|`|\n'.repeat(size / 9)}`;

/** How many READMEs of the packages that are installed, those without HTML, come out as they are but for the levels of headings. */
function readmes(): void {
  const folder = new URL('../../node_modules/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^(?:@[^/]+\/)?[^/]+\/readme\.md$/i.test(name),
  );
  const plain = (text: string) => text.replace(/^#{1,6}(?= )/gm, '#');
  let count = 0;
  let same = 0;
  const lines = { all: 0, changed: 0 };
  for (const file of files) {
    const text = readFileSync(new URL(file, folder), 'utf8').replace(/\r\n?/g, '\n');
    if (/<[a-z/!]|!\[|^\[[^\]]*\]:/im.test(text.replace(/^(`{3,}).*?^\1|`[^`\n]*`/gms, ''))) continue;
    const printed = safeMarkdown(text);
    count++;
    if (plain(printed) === plain(text)) same++;
    const kept = new Set(plain(printed).split('\n'));
    for (const line of plain(text).split('\n')) {
      lines.all++;
      if (kept.has(line)) continue;
      lines.changed++;
      if (process.argv[3]) console.log(`${file}: ${line}`);
    }
  }
  console.log(`${same} of ${count} READMEs as they are; ${lines.changed} of ${lines.all} lines changed`);
}

if (process.argv[1]?.endsWith('bench/safe-markdown.ts') && process.argv[2] === 'readmes') readmes();
else if (process.argv[1]?.endsWith('bench/safe-markdown.ts')) {
  const only = process.argv[2];
  const sizes = (process.argv[3] ?? '8192,65536,262144,10485760').split(',').map(Number);
  let worst = 0;
  /** Of each family, how much longer the largest text takes for a byte than the one before it: 1 is linear. */
  const growths: { growth: number; family: string }[] = [];
  for (const [family, make] of Object.entries(FAMILIES)) {
    if (only && !family.includes(only)) continue;
    const times = sizes.map((size) => {
      const text = make(size);
      const before = process.cpuUsage();
      const out = safeMarkdown(text);
      const time = process.cpuUsage(before).user / 1000;
      worst = Math.max(worst, time);
      return { size, time, isFenced: out.startsWith('Shown as') };
    });
    const [before, last] = times.slice(-2);
    // Shorter times say nothing.
    if (before && last && !last.isFenced && last.time > 50)
      growths.push({ family, growth: last.time / last.size / (before.time / before.size) });
    const shown = times.map(({ time, isFenced }) => `${time.toFixed(0)} ms${isFenced ? ' fenced' : ''}`);
    console.log(family.padEnd(34), shown.join('   '));
  }
  console.log(`worst: ${worst.toFixed(0)} ms`);
  const [most] = growths.sort((a, b) => b.growth - a.growth);
  if (most) console.log(`most growth of the time for a byte: ${most.growth.toFixed(1)}, ${most.family}`);
  let count = 0;
  const before = performance.now();
  for (; performance.now() - before < 1000; count++) safeMarkdown(`${ANSWER}${count}`.repeat(3));
  console.log(`an answer of 2 KB: ${((performance.now() - before) / count).toFixed(2)} ms`);
}
