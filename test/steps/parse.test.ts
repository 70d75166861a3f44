import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EVENT_TYPES, type Item, type Line } from '../../src/event.ts';
import { parseLine } from '../../src/steps/parse.ts';
import { item } from '../fixtures.ts';

const parse = suite('parse');

/** Kind and message of what is wrong. */
function verdict(text: string, extra: Partial<Line> = {}): string {
  const { kind, findings = [] } = item(text, 7, extra);
  for (const finding of findings) assert.is(finding.line, 7);
  return [kind, ...findings.map(({ message }) => message)].join(' ');
}

parse('a known type is an event, another one unknown', () => {
  for (const type of EVENT_TYPES) assert.is(verdict(JSON.stringify({ v: 1, type })), 'event');
  for (const type of ['agent-chunk', '__proto__', 'constructor', 'toString', '']) {
    assert.is(verdict(JSON.stringify({ v: 1, type })), 'unknown');
  }
});

parse('the event is what the line says, the line stays with it', () => {
  const text = '{"v":1,"type":"notice","message":"hi","extra":[1]}';
  const found = item(text, 3) as Extract<Item, { kind: 'event' }>;
  assert.equal(found.event, { v: 1, type: 'notice', message: 'hi', extra: [1] });
  assert.equal(found.line, { number: 3, text });
});

parse('blank lines are nothing', () => {
  for (const text of ['', ' ', '\t', '\u00a0', '\r']) assert.is(parseLine({ number: 1, text }), undefined);
});

parse('JSON that is no event says why', () => {
  assert.is(verdict('null'), 'fault not-an-event.object');
  assert.is(verdict('[]'), 'fault not-an-event.object');
  assert.is(verdict('"x"'), 'fault not-an-event.object');
  assert.is(verdict('12'), 'fault not-an-event.object');
  assert.is(verdict('{}'), 'fault not-an-event.v');
  assert.is(verdict('{"v":"1","type":"done"}'), 'fault not-an-event.v');
  assert.is(verdict('{"v":null,"type":"done"}'), 'fault not-an-event.v');
  assert.is(verdict('{"v":1}'), 'fault not-an-event.type');
  assert.is(verdict('{"v":1,"type":3}'), 'fault not-an-event.type');
  assert.is(verdict('{"v":2,"type":"start"}'), 'fault unsupported-version');
  assert.is(verdict('{"v":1.5}'), 'fault unsupported-version');
});

parse('what does not parse is text, or an event that broke', () => {
  assert.is(verdict('npm warn deprecated'), 'text not-json');
  assert.is(verdict('[1,'), 'text not-json');
  assert.is(verdict('  {"v":1,'), 'fault not-an-event.json');
  assert.is(verdict('{"v":1,{"v":1,"type":"done"}'), 'fault not-an-event.json');
  assert.is(verdict('{"v":1,', { unterminated: true }), 'fault truncated-line');
  assert.is(verdict('npm', { unterminated: true }), 'text not-json');
  assert.is(verdict('['.repeat(20_000)), 'text not-json');
});

parse('deep nesting is read', () => {
  assert.is(verdict(`{"v":1,"type":"x","a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`), 'unknown');
});

parse('damage is told', () => {
  assert.is(verdict('', { damage: 'line-too-long', bytes: 99 }), 'fault line-too-long');
  assert.is(verdict('{"v":1,"type":"done"}', { damage: 'utf-16' }), 'event utf-16');
  assert.is(verdict('{"v":1,"type":"done"}', { damage: 'invalid-utf8' }), 'event invalid-utf8');
  assert.is(verdict('caf\uFFFD', { damage: 'invalid-utf8' }), 'text not-json');
});

parse('an escape sequence before an event is told, and the event is read without it', () => {
  for (const before of ['\x1b[0m', '\x1b[200~', '\x1b[?25h\x1b[1;31m ']) {
    const { line, findings = [], kind } = item(`${before}{"v":1,"type":"thinking-end"}`);
    assert.equal([kind, line.text], ['event', '{"v":1,"type":"thinking-end"}']);
    assert.equal(
      findings.map(({ message }) => message),
      ['not-json.escape'],
    );
  }
  assert.is(item('\x1b[31mnpm warn').kind, 'text');
  assert.is(item('\x1b]0;title\x07{"v":1,"type":"thinking-end"}').kind, 'text');
});

parse('a long line is quoted in part', () => {
  const { findings = [] } = item('x'.repeat(1_000_000));
  assert.is(String(findings[0]?.values['text']).length, 200);
});

parse.run();
