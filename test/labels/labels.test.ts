/** The tables of words: every language says the same things, each by its own rules. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fill, LANGUAGES, labelsFor } from '../../src/labels/labels.ts';

const labels = suite('labels');

/** Every text of a table, by the path of its key. */
function texts(table: object, path = ''): Map<string, string> {
  const found = new Map<string, string>();
  for (const [key, value] of Object.entries(table)) {
    const name = `${path}/${key}`;
    if (typeof value === 'string') found.set(name, value);
    else for (const [inner, text] of texts(value, name)) found.set(inner, text);
  }
  return found;
}

const placeholders = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

const ENGLISH = texts(labelsFor('en'));
const FRENCH = texts(labelsFor('fr'));
const OTHERS = LANGUAGES.filter((language) => language !== 'en').map(
  (language) => [language, texts(labelsFor(language))] as const,
);

labels('the languages have the same keys, in the same order', () => {
  for (const [language, table] of OTHERS) assert.equal([...table.keys()], [...ENGLISH.keys()], language);
  assert.ok(ENGLISH.size > 100);
});

labels('the languages have the same placeholders', () => {
  for (const [key, text] of ENGLISH) {
    for (const [language, table] of OTHERS)
      assert.equal(placeholders(table.get(key)!), placeholders(text), `${language}: ${key}`);
  }
});

labels('no text is empty or begins or ends with a blank', () => {
  for (const table of [ENGLISH, ...OTHERS.map(([, table]) => table)]) {
    for (const [key, text] of table) {
      assert.not.match(text, /^[ \n]|[ \n]$/, key);
      assert.is.not(text, '', key);
    }
  }
});

/** What a shell or JSON reads has rules of its own. */
const isTyped = (key: string) => key.startsWith('/help/example/') || key.startsWith('/help/synopsis/');

labels('French: a no-break space before : ; ! ? and inside « »', () => {
  for (const [key, text] of FRENCH) {
    const prose = text.replace(/`[^`]*`/g, '`').replace(/\$\w+|\{\w+\}/g, 'x');
    assert.not.match(prose, /[^\u00a0\s:]:(?=\s|$)|[^\u00a0][;!?](?=\s|$)| [:;!?]/, key);
    assert.not.match(prose, /«(?!\u00a0)|(?<!\u00a0)»/, key);
    if (!isTyped(key)) assert.not.match(prose, /\p{L}'\p{L}/u, `${key}: the apostrophe is ’`);
  }
});

labels('English: none of it', () => {
  for (const [key, text] of ENGLISH) {
    assert.not.match(text, /\u00a0|[«»]/, key);
    if (!isTyped(key)) assert.not.match(text.replace(/\{\w+\}/g, 'x'), / [:;!?](?=\s|$)/, key);
  }
});

labels('values take the place of their names, and of nothing else', () => {
  assert.is(fill('{a} of {b}', { a: 1, b: '{a}' }), '1 of {a}');
  assert.is(fill('{a} {toString}', { a: '$&' }), '$& {toString}');
});

labels('every language is a table of its own', () => {
  assert.ok(LANGUAGES.length > 1);
  assert.is(new Set(LANGUAGES.map((language) => labelsFor(language).help.usage)).size, LANGUAGES.length);
});

labels.run();
