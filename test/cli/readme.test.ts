/**
 * The READMEs and the cookbooks are true: every command in them runs, in a folder that holds the files they name, and
 * what they show is what comes out: in `console` blocks, the lines after a command.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { path, read } from '../fixtures.ts';
import { PATIENCE, PROGRAM } from '../process.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Block {
  language: string;
  text: string;
  line: number;
}

interface Command {
  typed: string;
  line: number;
  /** What must come out; any where missing. */
  output?: string;
}

function blocksOf(page: string): Block[] {
  return Array.from(page.matchAll(/^```(\w+)\n(.*?)^```$/gms), ({ 1: language, 2: text, index }) => ({
    language: language!,
    text: text!,
    line: page.slice(0, index).split('\n').length + 1,
  }));
}

/** A line break inside a command follows `|` or a backslash. */
const LINE_END = /(?<![|\\])\n/;

/** A comment on a line of its own belongs to no command. */
function commandsOf({ language, text, line }: Block): Command[] {
  if (language === 'console') {
    return text
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [typed = '', ...output] = part.split(LINE_END);
        return { typed, line, output: output.join('\n') };
      });
  }
  if (language !== 'sh') return [];
  return text
    .split(LINE_END)
    .filter((typed) => typed !== '' && !typed.startsWith('#'))
    .map((typed) => ({ typed, line }));
}

/** A session with a message that lacks its turn, and a line of another program. */
function damaged(): string {
  const lines = read('sample').split('\n');
  const at = lines.findIndex((line) => line.includes('"type":"message","turn":2'));
  lines.splice(at, 1, lines[at]!.replace('"turn":2,', ''), 'npm warn deprecated glob@7');
  return lines.join('\n');
}

/** The archive: for each session, how many days ago its file was written. */
const SESSIONS = {
  'ask-error': 30,
  'chat-send-error': 20,
  'debate-summary': 4,
  'debate-early-stop': 3,
  'debate-crash': 3,
  'debate-usage-limit': 2,
  sample: 1,
};

/** A folder with the files that a page names, and with stand-ins for the programs that it calls. */
function prepare(): string {
  const folder = mkdtempSync(join(tmpdir(), 'palabre-fmt-readme-'));
  const program = (name: string, script: string) => {
    mkdirSync(join(folder, 'bin'), { recursive: true });
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, 'bin', name), 0o755);
  };
  program('palabre-fmt', `exec '${process.execPath}' '${PROGRAM}' "$@"`);
  // A Chat answers when it was sent something, and a run needs no stdin.
  program(
    'palabre',
    `case "$1 $*" in
  chat*--renderer\\ ndjson) cat > heard.ndjson; cat '${path('chat-export')}' ;;
  run*--renderer\\ ndjson) cat '${path('sample')}' ;;
  *) exit 64 ;;
esac`,
  );
  program('gh', '[ "$*" = "pr comment 12 --body-file -" ] && cat');
  // The names that a clone has.
  mkdirSync(join(folder, 'test'));
  symlinkSync(join(ROOT, 'test/fixtures'), join(folder, 'test/fixtures'));
  copyFileSync(path('sample'), join(folder, 'session.ndjson'));
  mkdirSync(join(folder, 'sessions'));
  for (const [name, days] of Object.entries(SESSIONS)) {
    const file = join(folder, 'sessions', `${name}.ndjson`);
    const written = Date.now() / 1000 - days * 86_400;
    copyFileSync(path(name), file);
    utimesSync(file, written, written);
  }
  writeFileSync(join(folder, 'damaged.ndjson'), damaged());
  writeFileSync(join(folder, 'question.md'), '# Which parser?\n\n/end is only text here.\n');
  return folder;
}

/** Where these are missing, what needs them is skipped. */
const OTHERS = ['jq', 'tmux', 'fzf'];

function needs(typed: string): string | undefined {
  const needed = OTHERS.filter((name) => new RegExp(`\\b${name}\\b`).test(typed));
  // fzf is looked at through tmux.
  if (needed.includes('fzf')) needed.push('tmux');
  return needed.find((name) => spawnSync(name, ['-V']).error);
}

function files(folder: string): string[] {
  return readdirSync(folder, { recursive: true }).map(String);
}

function bash(line: string, folder: string, locale: string) {
  return spawnSync('bash', ['-o', 'pipefail', '-c', line], {
    cwd: folder,
    env: {
      HOME: folder,
      LANG: locale,
      PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
      TMUX_TMPDIR: folder,
    },
    encoding: 'utf8',
    timeout: PATIENCE,
  });
}

/** Runs it, and says that something came of it. */
function runs({ typed, output }: Command, locale: string): void {
  const folder = prepare();
  try {
    // What makes the file must not find it.
    if (typed.endsWith('> damaged.ndjson')) rmSync(join(folder, 'damaged.ndjson'));
    const before = new Set(files(folder));
    // What it says stands where it would on a terminal.
    const { status, stdout, stderr } = bash(
      output === undefined ? typed : `{ ${typed}\n} 2>&1`,
      folder,
      locale,
    );
    if (output === undefined) {
      assert.is(stderr, '');
      // The one report whose status is that of a pipe into jq.
      assert.is(status, typed.includes('validate --report json damaged') ? 1 : 0, stdout);
      const written = files(folder).filter((file) => !before.has(file));
      const something = written.some((file) => statSync(join(folder, file)).size > 0);
      assert.ok(stdout.length > 0 || something, 'something came of it');
    } else {
      assert.is(stdout, output);
    }
    for (const [, file] of typed.matchAll(/(?: > | -o |--tee |tee )([\w.-]+)/g)) {
      assert.ok(existsSync(join(folder, file!)), `${file} was written`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Waits until a command shows the end of the sample in a pane of tmux: one that it opens, or the one it runs in. */
function shows({ typed }: Command, locale: string): void {
  const folder = prepare();
  writeFileSync(join(folder, 'typed.sh'), typed);
  const start = typed.startsWith('tmux ') ? `&& ${typed}` : '"bash typed.sh"';
  const wait = 'until tmux capture-pane -p | grep -q Export; do sleep 0.1; done';
  const script = `tmux new-session -d -x 160 -y 60 ${start}\n${wait}; tmux capture-pane -p; tmux kill-server`;
  const { stdout, stderr } = bash(script, folder, locale);
  assert.match(stdout, /Should the backup run/, stderr);
  assert.match(stdout, /Export[\s│]+\.palabre\//, stderr);
  rmSync(folder, { recursive: true, force: true });
}

/** What other tests do: CI begins with these, and the package is packed, installed and its manual read. */
const ELSEWHERE = /^(?:npm (?:ci|install)|man) /;

const ENGLISH = ['README.md', 'man/cookbook.md'];
const FRENCH = ['README.fr.md', 'man/fr/cookbook.md'];

for (const file of [...ENGLISH, ...FRENCH]) {
  const locale = FRENCH.includes(file) ? 'fr_FR.UTF-8' : 'C.UTF-8';
  const page = readFileSync(join(ROOT, file), 'utf8');
  const test = suite(file);

  for (const command of blocksOf(page).flatMap(commandsOf)) {
    const name = `line ${command.line}: ${command.typed}`;
    if (ELSEWHERE.test(command.typed)) continue;
    const missing = needs(command.typed);
    if (missing) console.log(`skipped, since ${missing} is not installed: ${command.typed}`);
    (missing ? test.skip : test)(name, () =>
      /^tmux |\bfzf\b/.test(command.typed) ? shows(command, locale) : runs(command, locale),
    );
  }

  if (file.startsWith('README')) {
    test('the scripts of npm that it names exist', () => {
      const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
      const named = Array.from(page.matchAll(/npm (?:run )?(demo|test|bench)\b/g), ([, name]) => name!);
      assert.ok(named.length >= 2);
      for (const name of named) assert.ok(Object.hasOwn(scripts, name), name);
    });
  }

  test('the files and places that it links to exist', () => {
    const heading = (text: string) =>
      text
        .toLowerCase()
        .replace(/[^\p{L}\p{N} -]/gu, '')
        .replaceAll(' ', '-');
    const places = Array.from(page.matchAll(/^#+ (.*)$/gm), ([, text]) => `#${heading(text!)}`);
    const links = Array.from(
      page.matchAll(/\]\(([^)]+)\)|(?:src|srcset)="([^"]+)"/g),
      ([, a, b]) => (a ?? b)!,
    );
    assert.ok(links.length > 1);
    // Those in examples belong to others.
    for (const link of links.filter((link) => !/^https:|javascript:/.test(link))) {
      assert.ok(
        link.startsWith('#') ? places.includes(link) : existsSync(join(ROOT, dirname(file), link)),
        link,
      );
    }
  });

  test.run();
}

const both = suite('pages in both languages');

for (const [at, english] of ENGLISH.entries()) {
  const french = FRENCH[at]!;
  const [first, second] = [english, french].map((file) => readFileSync(join(ROOT, file), 'utf8'));

  both(`${french} has the commands of ${english}, in the same order`, () => {
    const typed = [first!, second!].map((page) =>
      blocksOf(page)
        .flatMap(commandsOf)
        // A title and a comment are in words.
        .map((command) => command.typed.replace(/ +#.*$/gm, '').replace(/--title "[^"]*"/, '--title')),
    );
    assert.equal(typed[1], typed[0]);
  });

  both(`${french} has the typography of French`, () => {
    const prose = second!
      .replace(/^```.*?^```$/gms, '')
      .replace(/`[^`]*`|<!--.*?-->|<[^>]*>|https?:\S+/g, 'x');
    for (const line of prose.split('\n')) assert.not.match(line, / [;:!?»](?!-)|« |\p{L}'\p{L}/u, line);
  });
}

both.run();
