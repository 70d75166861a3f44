import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createMarker } from '../../src/terminal/mark.ts';

const mark = suite('mark');

const paint = (text: string) => `<${text}>`;

mark('every match is painted, and nothing else', () => {
  assert.is(createMarker(/risk/u, paint)('a risk, a risk'), 'a <risk>, a <risk>');
  assert.is(createMarker(/RISK/iu, paint)('no Risk'), 'no <Risk>');
  assert.is(createMarker(/x*/u, paint)('ab'), 'ab');
  assert.is(createMarker(/risk/u, paint)(''), '');
});

mark('colours and hyperlinks are not looked at, and stay whole', () => {
  const line = '\x1b[1mbo\x1b[22mld \x1b]8;;file:///risk\x1b\\risk\x1b]8;;\x1b\\';
  assert.is(createMarker(/bold/u, paint)(line), line.replace('bo', '<bo>').replace('ld', '<ld>'));
  assert.is(createMarker(/risk/u, paint)(line), line.replace('\\risk', '\\<risk>'));
  assert.is(createMarker(/8;;|22m/u, paint)(line), line);
});

mark('a search that remembers where it was does not', () => {
  const marker = createMarker(/a/gu, paint);
  assert.is(marker('a'), '<a>');
  assert.is(marker('a'), '<a>');
});

mark.run();
