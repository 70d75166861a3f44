/**
 * The manual pages say what the program does: its commands, options, values and codes, no more and no fewer, in
 * both languages. Every example of theirs runs.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SHELLS } from '../../src/cli/completion.ts';
import {
  COMMAND_ALIASES,
  COMMANDS,
  type Command,
  FORMATS,
  OPTIONS,
  type OptionSpec,
} from '../../src/cli/options.ts';
import type { FindingCode } from '../../src/event.ts';
import { GROUPS } from '../../src/steps/filter.ts';
import { path } from '../fixtures.ts';
import { PATIENCE, PROGRAM } from '../process.ts';

/** Every code; the compiler asks for a missing one. */
const CODES = Object.keys({
  'not-json': true,
  'not-an-event': true,
  'line-too-long': true,
  'invalid-utf8': true,
  'utf-16': true,
  'truncated-line': true,
  'unsupported-version': true,
  'invalid-field': true,
  'unknown-type': true,
  'unknown-field': true,
  'unknown-value': true,
  'event-before-start': true,
  'missing-done': true,
  'duplicate-done': true,
  'event-after-done': true,
  'duplicate-start': true,
  'event-after-error': true,
  'duplicate-error': true,
  'wrong-mode': true,
  'turn-order': true,
  'turn-mismatch': true,
  'answer-without-start': true,
  'start-without-answer': true,
  'thinking-not-closed': true,
  'thinking-not-opened': true,
  'thinking-mismatch': true,
  'consultation-before-message': true,
  'dry-run-not-alone': true,
  'done-path-after-nothing': true,
} satisfies Record<FindingCode, true>);

const PAGES = [
  { name: 'English', file: 'palabre-fmt.1', findings: 'FINDINGS', examples: 'EXAMPLES' },
  { name: 'French', file: 'fr/palabre-fmt.1', findings: 'CONSTATS', examples: 'EXEMPLES' },
];

/** The lines of the sections, or of the subsections, by their titles. */
function split(lines: readonly string[], macro: '.Sh' | '.Ss'): Map<string, string[]> {
  const parts = new Map<string, string[]>();
  let part: string[] = [];
  for (const line of lines) {
    if (line.startsWith(`${macro} `)) {
      part = [];
      parts.set(line.slice(macro.length + 1), part);
    } else {
      part.push(line);
    }
  }
  return parts;
}

/** The arguments of each `.It` that begins with `macro`. */
function items(lines: readonly string[], macro: 'Fl' | 'Cm'): string[] {
  return lines.filter((line) => line.startsWith(`.It ${macro} `)).map((line) => line.slice('.It '.length));
}

/** `Fl w Ar n , Fl -width Ns = Ns Ar n` is `-w, --width`. */
function spellingsOf(item: string): string {
  return Array.from(item.matchAll(/\bFl (\S+)/g), ([, name]) => `-${name}`).join(', ');
}

function spellings({ short, name, alias }: OptionSpec): string {
  return [...(short ? [`-${short}`] : []), `--${name}`, ...(alias ? [`--${alias}`] : [])].join(', ');
}

/** What stands for the value of an option: one of these for each way to type it. */
function valuesOf(item: string): string[] {
  return item.split(' , ').map((one) => / ((?:Ar|Cm) .*)$/.exec(one)?.[1] ?? '');
}

const isCommand = (title: string): title is Command => (COMMANDS as readonly string[]).includes(title);

for (const { name, file, findings, examples } of PAGES) {
  const page = fileURLToPath(new URL(`../../man/${file}`, import.meta.url));
  const lines = readFileSync(page, 'utf8').split('\n');
  const sections = split(lines, '.Sh');
  const commands = split(sections.get('DESCRIPTION')!, '.Ss');

  const manual = suite(`manual, ${name}`);

  manual('names every command and no other', () => {
    const synopsis = sections.get('SYNOPSIS')!.join('\n');
    const typed = Array.from(synopsis.matchAll(/^\.Nm.*\n\.(?:Op )?Cm (.*)$/gm), ([, words]) =>
      words!.split(' | '),
    ).flat();
    assert.equal(typed.sort(), [...COMMANDS, ...Object.keys(COMMAND_ALIASES)].sort());
    assert.equal([...commands.keys()].filter(isCommand), [...COMMANDS]);
  });

  manual('describes every option where it belongs, and no other', () => {
    for (const [title, text] of commands) {
      const described = items(text, 'Fl').map(spellingsOf);
      if (isCommand(title)) {
        const own = OPTIONS.filter((spec) => spec.of.includes(title)).map(spellings);
        for (const option of described) assert.ok(own.includes(option), `${title}: ${option}`);
      }
      assert.is(new Set(described).size, described.length, title);
    }
    const common = [...commands].filter(([title]) => !isCommand(title)).flatMap(([, text]) => text);
    for (const spec of OPTIONS) {
      for (const command of spec.of) {
        const places = [...commands.get(command)!, ...common];
        // `run` takes the options of the command that `--as` names, and those are described there.
        if (command === 'run') places.push(...FORMATS.flatMap((format) => commands.get(format)!));
        const found = items(places, 'Fl').some((item) => spellingsOf(item) === spellings(spec));
        assert.ok(found, `${command}: ${spellings(spec)}`);
      }
    }
    const known = OPTIONS.map(spellings);
    for (const item of items(lines, 'Fl')) assert.ok(known.includes(spellingsOf(item)), item);
  });

  manual('gives a value to the options that take one, and names its choices', () => {
    for (const item of items(lines, 'Fl')) {
      const spec = OPTIONS.find((spec) => spellings(spec) === spellingsOf(item))!;
      const expected = spec.choices ? `Cm ${spec.choices.join(' | ')}` : spec.value ? 'Ar ' : '';
      for (const value of valuesOf(item)) {
        assert.ok(spec.choices || !spec.value ? value === expected : value.startsWith(expected), item);
      }
    }
    const groups = Array.from(lines.join('\n').matchAll(/^\.Cm (@\S+)/gm), ([, group]) => group);
    assert.equal(groups, Object.keys(GROUPS));
    assert.ok(sections.get('SYNOPSIS')!.includes(`.Op Cm ${SHELLS.join(' | ')}`));
  });

  manual('explains every code of a finding and no other', () => {
    const explained = items(sections.get(findings)!, 'Cm').map((item) => item.slice('Cm '.length));
    assert.equal(explained.sort(), [...CODES].sort());
  });

  const checked = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning', page], { encoding: 'utf8' });
  const lint = checked.error ? manual.skip : manual;
  if (checked.error) console.log('skipped: mandoc is not installed');
  lint('is mdoc without a fault', () => {
    assert.is(checked.stdout + checked.stderr, '');
    assert.is(checked.status, 0);
  });

  for (const example of examplesOf(sections.get(examples)!)) {
    manual(`runs: ${example}`, () => runs(example));
  }

  manual.run();
}

const french = suite('manual, French typography');

french('no plain space stands before ; : ! ? or inside « »', () => {
  const page = readFileSync(new URL('../../man/fr/palabre-fmt.1', import.meta.url), 'utf8');
  const prose = page.replaceAll(/^\.Bd -literal.*?^\.Ed$/gms, '').split('\n');
  // A comment, and a line for the preprocessor of tables, begin with an apostrophe or a dot.
  for (const line of prose.filter((line) => !/^['.]\\"/.test(line))) {
    assert.not.match(line, / [;:!?»]|« |'/, line);
  }
});

french.run();

/** The command lines of a section; one that ends with `|` or `\` goes on in the next. */
function examplesOf(section: readonly string[]): string[] {
  const displays = section.join('\n').matchAll(/^\.Bd -literal[^\n]*\n(.*?)^\.Ed$/gms);
  const typed = Array.from(displays, ([, text]) => text!.trimEnd()).join('\n');
  return typed
    .replaceAll('\\-', '-')
    .replaceAll('\\(aq', `'`)
    .replaceAll('\\e', '\\')
    .split(/(?<![|\\])\n/);
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true }).map(String);
}

/** Runs an example in a folder with a Debate, a Chat and a failure, beside programs that stand in for others. */
function runs(example: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'palabre-fmt-manual-'));
  try {
    mkdirSync(join(folder, '.config/fish/completions'), { recursive: true });
    mkdirSync(join(folder, 'bin'));
    const program = (file: string, script: string) => {
      writeFileSync(join(folder, 'bin', file), `#!/bin/sh\n${script}\n`);
      chmodSync(join(folder, 'bin', file), 0o755);
    };
    program('palabre-fmt', `exec '${process.execPath}' '${PROGRAM}' "$@"`);
    program(
      'palabre',
      `case $1 in
  run) cat '${path('debate-summary')}' ;;
  ask) cat '${path('ask')}' ;;
  chat) cat >/dev/null; cat '${path('chat-export')}' ;;
esac`,
    );
    program('less', 'exec cat');
    copyFileSync(path('debate-summary'), join(folder, 'session.ndjson'));
    copyFileSync(path('debate-usage-limit'), join(folder, 'failed.ndjson'));
    copyFileSync(path('chat-export'), join(folder, 'chat.ndjson'));
    writeFileSync(join(folder, 'commands.ndjson'), '{"v":1,"type":"chat-send","content":"Which parser?"}\n');
    writeFileSync(join(folder, 'question.md'), '# Which parser?\n\n/end is only text here.\n');
    const before = new Set(filesIn(folder));

    // What `source` did shows only afterwards.
    const line = example.startsWith('source ') ? `${example}; complete -p palabre-fmt` : example;
    const { status, stdout, stderr } = spawnSync('bash', ['-e', '-o', 'pipefail', '-c', line], {
      cwd: folder,
      env: {
        HOME: folder,
        PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
      },
      encoding: 'utf8',
      timeout: PATIENCE,
    });
    assert.is(stderr, '');
    assert.is(status, 0);

    const written = filesIn(folder).filter((file) => !before.has(file));
    const sizes = written.map((file) => statSync(join(folder, file)).size);
    assert.ok(stdout.length > 0 || sizes.some((size) => size > 0), 'something came of it');
    // A file that the example names is there. (Findings are none here, so that their file is empty.)
    for (const [, file] of example.matchAll(/(?: >|2>|-o|--tee) (?:~\/)?([\w./-]+)/g)) {
      assert.ok(written.includes(file!), `${file} was written`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
