import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChatCommand, Line } from '../../src/event.ts';
import { type Encoded, encodeLine, type Refusal, SLASH_WORDS } from '../../src/steps/encode.ts';
import { parseLine } from '../../src/steps/parse.ts';
import { checkCommand } from '../../src/steps/validate.ts';
import { fc } from '../random.ts';

const test = suite('encode');

const check = (line: Line) => checkCommand(parseLine(line)!);
const encode = (text: string, literal = false): Encoded =>
  encodeLine({ number: 1, text }, { literal, check });
const line = (text: string, ends = false): Encoded => ({ kind: 'command', text, ends });
const refused = (reason: Refusal, word: string): Encoded => ({ kind: 'refused', reason, word });

/** What Palabre reads: one JSON object on one line, wherever a reader may break it. */
function commandOf(encoded: Encoded): ChatCommand {
  if (encoded.kind !== 'command') throw new Error(encoded.kind);
  assert.not.match(encoded.text, /[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/);
  const { command, findings } = checkCommand(parseLine({ number: 1, text: encoded.text })!, { strict: true });
  assert.equal(findings, []);
  assert.is(encoded.ends, command?.type === 'chat-end');
  return command!;
}

const said = (encoded: Encoded): string => {
  const command = commandOf(encoded);
  if (command.type !== 'chat-send') throw new Error(command.type);
  return command.content;
};

test('a line is a message', () => {
  assert.equal(encode('Hello'), line('{"v":1,"type":"chat-send","content":"Hello"}'));
  assert.equal(encode(' indented / text '), line('{"v":1,"type":"chat-send","content":" indented / text "}'));
  for (const text of ['1e3', '-5', '- item', '0x10', 'say /end', ' /end', ' {"v":1}', '[1]', '"x"', 'null']) {
    assert.is(said(encode(text)), text);
  }
});

test('slash words are commands', () => {
  assert.equal(encode('/consult vibe'), line('{"v":1,"type":"chat-consult","agent":"vibe"}'));
  assert.equal(encode('/use claude'), line('{"v":1,"type":"chat-use","agent":"claude"}'));
  assert.equal(encode('/agents'), line('{"v":1,"type":"chat-agents"}'));
  assert.equal(encode('/end'), line('{"v":1,"type":"chat-end"}', true));
  for (const word of ['/exit', '/quit', '/home']) assert.equal(encode(word), { kind: 'end' });
  assert.equal(encode('/consult \t vibe  '), encode('/consult vibe'));
  assert.equal(encode('/end  '), encode('/end'));
  assert.equal(encode('/exit\n'), { kind: 'end' });
});

test('other slash words, and more words than the command takes, are refused', () => {
  assert.equal(encode('/consutl vibe'), refused('unknownCommand', '/consutl'));
  for (const word of ['/', '/END', '/ends', '/etc/passwd', '/__proto__', '/constructor']) {
    assert.equal(encode(word), refused('unknownCommand', word));
  }
  assert.equal(encode('/ end'), refused('unknownCommand', '/'));
  assert.equal(encode('/consult'), refused('missingAgent', '/consult'));
  assert.equal(encode('/use  '), refused('missingAgent', '/use'));
  assert.equal(encode('/consult vibe claude'), refused('tooManyAgents', '/consult'));
  assert.equal(encode('/use vibe\nand more'), refused('tooManyAgents', '/use'));
  for (const word of ['/agents', '/end', '/exit', '/quit', '/home']) {
    assert.equal(encode(`${word} of the road`), refused('tooManyWords', word));
    assert.equal(encode(`${word}\nof the road`), refused('tooManyWords', word));
  }
});

test('two slashes send one', () => {
  assert.is(said(encode('//end')), '/end');
  assert.is(said(encode('//')), '/');
  assert.is(said(encode('/// a comment')), '// a comment');
  for (const word of SLASH_WORDS) assert.is(said(encode(`/${word} x`)), `${word} x`);
});

test('blank lines are skipped', () => {
  for (const text of ['', ' ', '\t', '\n\n', '\u00a0', '\ufeff', '\u2028']) {
    assert.equal(encode(text), { kind: 'skip' });
    assert.equal(encode(text, true), { kind: 'skip' });
  }
});

test('a valid command is passed on as it is written', () => {
  for (const text of [
    '{"v":1,"type":"chat-send","content":"caf\\u00e9 /end"}',
    '{ "type": "chat-use", "agent": "vibe", "v": 1 }',
    '{"v":1,"type":"chat-agents","later":"field"}',
    '{"v":1.0,"type":"chat-consult","agent":"vibe"}',
  ]) {
    assert.equal(encode(text), line(text));
  }
  assert.equal(encode('{"v":1,"type":"chat-end"}'), line('{"v":1,"type":"chat-end"}', true));
});

test('a command over several lines is passed on one', () => {
  const text = '{\r\n\t"v": 1,\n\n "type": "chat-send",\r"content": "a\u2028b\u0085c\\n"\n}\n';
  const expected = '{ "v": 1,  "type": "chat-send", "content": "a\\u2028b\\u0085c\\n" }';
  assert.equal(encode(text), line(expected));
  assert.is(said(encode(text)), 'a\u2028b\u0085c\n');
});

test('an object that is no valid command is not sent', () => {
  const codes = (text: string): string[] => {
    const encoded = encode(text);
    return encoded.kind === 'invalid' ? encoded.findings.map(({ code }) => code) : [encoded.kind];
  };
  assert.equal(codes('{"v":1,"type":"chat-send"}'), ['invalid-field']);
  assert.equal(codes('{"v":1,"type":"chat-send","content":" "}'), ['invalid-field']);
  assert.equal(codes('{"v":1,"type":"nope"}'), ['unknown-type']);
  assert.equal(codes('{"v":2,"type":"chat-end"}'), ['unsupported-version']);
  assert.equal(codes('{"type":"chat-end"}'), ['not-an-event']);
  assert.equal(codes('{'), ['not-an-event']);
});

test('literal lines are messages whatever they hold', () => {
  const command = '{"v":1,"type":"chat-end"}';
  for (const text of ['/end', '//end', '/consutl vibe', '{', command, '/exit', 'a\n/end\nb']) {
    assert.is(said(encode(text, true)), text);
  }
});

test('a damaged line is not sent', () => {
  const damaged = (text: string, damage: NonNullable<Line['damage']>): Encoded =>
    encodeLine({ number: 3, text, damage, bytes: 70_000_000 }, { literal: true, check });
  assert.equal(damaged('caf\ufffd', 'invalid-utf8'), refused('notUtf8', 'caf\ufffd'));
  const tooLong = damaged('', 'line-too-long');
  assert.is(tooLong.kind, 'invalid');
  assert.equal(tooLong.kind === 'invalid' && tooLong.findings.map(({ code, line }) => [code, line]), [
    ['line-too-long', 3],
  ]);
});

test('every code point of Unicode comes back, lone surrogates too', () => {
  const PER_LINE = 4096;
  for (let start = 0; start < 0x110000; start += PER_LINE) {
    let text = '';
    // A mark between them, or two halves would make a pair.
    for (let code = start; code < start + PER_LINE; code++) text += `${String.fromCodePoint(code)}.`;
    assert.is(said(encode(text, true)), text);
  }
  assert.equal(encode('\ud800!'), line('{"v":1,"type":"chat-send","content":"\\ud800!"}'));
});

test('any text comes back as it was', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }),
    fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes)),
    fc
      .array(fc.constantFrom(...SLASH_WORDS, '/', '{', '}', '"', '\\', ' ', '\n', '\r', '\0', '\u2028'))
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(anyText, (text) => {
      const literal = encode(text, true);
      if (text.trim() === '') return assert.is(literal.kind, 'skip');
      assert.is(said(literal), text);
      // As text for people: the same, or a command, or refused; a slash is doubled.
      const escaped = text.startsWith('/') ? `/${text}` : text;
      if (!text.startsWith('{')) assert.is(said(encode(escaped)), text);
      const encoded = encode(text);
      if (encoded.kind === 'command') commandOf(encoded);
    }),
    { numRuns: 2000 },
  );
});

test.run();
