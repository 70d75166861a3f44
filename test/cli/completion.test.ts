/**
 * The completion scripts, in the shells they are for. Each shell is started once, as a person starts it; lines
 * are typed into it and what a TAB makes of them is read. A shell that this machine lacks is skipped.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { complete, completionFor, SHELLS } from '../../src/cli/completion.ts';
import { COMMAND_ALIASES, COMMANDS, OPTIONS } from '../../src/cli/options.ts';
import { EVENT_TYPES } from '../../src/event.ts';
import { LANGUAGES, type Language, labelsFor } from '../../src/labels/labels.ts';
import { schemaNames } from '../../src/schema/print.ts';
import { GROUPS } from '../../src/steps/filter.ts';
import { PATIENCE, PROGRAM } from '../process.ts';

/** What is typed after the program's name, the last word as it stands, and every word that a TAB offers. */
interface Case {
  typed: string[];
  /** What of the last word stays as it is: `message,` of `message,err`. */
  kept?: string;
  offers: readonly string[];
}

const ROLES = ['implementer', 'reviewer', 'architect', 'scout', 'critic', 'summarizer'];
const COMMAND_WORDS = [...COMMANDS, ...Object.keys(COMMAND_ALIASES)];
const FILES = ['a b.ndjson', 'at@x.ndjson', 'eq=x.ndjson', 'filters.txt', 'session.ndjson'];
const TYPES = [...EVENT_TYPES, ...Object.keys(GROUPS)];

const CASES: Case[] = [
  // The first word: a command or a file.
  { typed: [''], offers: [...COMMAND_WORDS, ...FILES] },
  { typed: ['fi'], offers: ['filter', 'filters.txt'] },
  { typed: ['s'], offers: ['schema', 'session.ndjson'] },
  { typed: ['m'], offers: ['markdown', 'md'] },
  { typed: ['at@'], offers: ['at@x.ndjson'] },
  { typed: ['a\\ '], offers: ['a b.ndjson'] },
  { typed: ['--', 'fi'], offers: ['filters.txt'] },
  // Later words: what the command takes.
  { typed: ['filter', 'fi'], offers: ['filters.txt'] },
  { typed: ['md', ''], offers: FILES },
  { typed: ['session.ndjson', 'fi'], offers: ['filters.txt'] },
  { typed: ['completion', 'bash', ''], offers: [] },
  { typed: ['schema', ''], offers: schemaNames().filter((name) => !name.includes(' ')) },
  {
    typed: ['schema', 'command', ''],
    offers: ['chat-send', 'chat-consult', 'chat-use', 'chat-agents', 'chat-end'],
  },
  { typed: ['schema', '--lang', 'fr', 'command', 'chat-s'], offers: ['chat-send'] },
  { typed: ['encode', 'fi'], offers: [] },
  { typed: ['run', 'palabre-fm'], offers: ['palabre-fmt'] },
  { typed: ['run', '--compact', 'cat', 'fi'], offers: ['filters.txt'] },
  { typed: ['run', 'cat', '--', 'fi'], offers: ['filters.txt'] },
  { typed: ['run', '--as', 'markdown', '--', 'palabre-fm'], offers: ['palabre-fmt'] },
  { typed: ['run', '--', 'cat', 'fi'], offers: ['filters.txt'] },
  { typed: ['run', '--', 'cat', 'two words', ''], offers: FILES },
  // Options.
  { typed: ['--'], offers: longOptions('pretty') },
  { typed: ['md', '--no'], offers: ['--no-color', '--no-header', '--not-type', '--notices'] },
  { typed: ['validate', '--ro'], offers: [] },
  { typed: ['filter', '--', '--ro'], offers: [] },
  // Values that are words, in every way to type them.
  { typed: ['filter', '-t', ''], offers: TYPES },
  { typed: ['filter', '-t', '@c'], offers: ['@content', '@chat'] },
  { typed: ['filter', '-t', 'message,err'], kept: 'message,', offers: ['error'] },
  { typed: ['filter', '-t', 'message,@s'], kept: 'message,', offers: ['@summary', '@session'] },
  { typed: ['filter', '-t', '@content,@s'], kept: '@content,', offers: ['@summary', '@session'] },
  { typed: ['filter', '-t', 'start,done,@l'], kept: 'start,done,', offers: ['@log'] },
  { typed: ['filter', '-tmess'], kept: '-t', offers: ['message'] },
  { typed: ['filter', '-ct', 'mess'], offers: ['message'] },
  { typed: ['filter', '-ctmessage,@c'], kept: '-ctmessage,', offers: ['@content', '@chat'] },
  { typed: ['filter', '--type=mess'], kept: '--type=', offers: ['message'] },
  { typed: ['filter', '--type=@c'], kept: '--type=', offers: ['@content', '@chat'] },
  { typed: ['filter', '--type=message,@c'], kept: '--type=message,', offers: ['@content', '@chat'] },
  { typed: ['filter', '-g', 'two words', '--role', ''], offers: ROLES },
  { typed: ['--color='], kept: '--color=', offers: ['auto', 'always', 'never'] },
  // Values that are files, and values that nothing is known of.
  { typed: ['md', '-o', 's'], offers: ['session.ndjson'] },
  { typed: ['md', '-o', 'x', 'fi'], offers: ['filters.txt'] },
  { typed: ['--tee=s'], kept: '--tee=', offers: ['session.ndjson'] },
  { typed: ['filter', '-g', 's'], offers: [] },
  { typed: ['filter', '-m', 's'], offers: [] },
];

/** Other lines, whose answers differ by what the program knows: no shell has to be asked for them. */
const KNOWN: Case[] = [
  { typed: ['--color', 'never', 'help', 'v'], offers: ['validate'] },
  { typed: ['help', ''], offers: COMMANDS },
  { typed: ['completion', ''], offers: SHELLS },
  ...COMMANDS.map((command) => ({ typed: [command, '--'], offers: longOptions(command) })),
  { typed: ['--color', 'never', 'filter', '--ro'], offers: ['--role'] },
  { typed: ['filter', '-t', 'mess'], offers: ['message'] },
  { typed: ['filter', '--not-type', '@th'], offers: ['@thinking'] },
  { typed: ['filter', '-T', '@log', '-t', '@co'], offers: ['@content'] },
  { typed: ['filter', '--kind', 'usage'], offers: ['usage-limit'] },
  { typed: ['filter', '--phase', 'su'], offers: ['summary'] },
  { typed: ['filter', '-x', 'out'], offers: ['outputPath', 'outputDir'] },
  { typed: ['--language', 'f'], offers: ['fr'] },
  { typed: ['validate', '--report', ''], offers: ['text', 'json'] },
  { typed: ['run', '--as', 'f'], offers: ['filter'] },
  { typed: ['run', '--as=filter', '-t', '@c'], offers: ['@content', '@chat'] },
];

function longOptions(command: (typeof COMMANDS)[number]): string[] {
  const mine = OPTIONS.filter((spec) => spec.of.includes(command));
  return mine.flatMap(({ name, alias }) => [`--${name}`, ...(alias ? [`--${alias}`] : [])]);
}

/** A folder with the scripts where the shells look for them, and another with files to complete. */
const home = mkdtempSync(join(tmpdir(), 'palabre-fmt-completion-'));
const folder = join(home, 'files');
mkdirSync(folder);
for (const name of FILES) writeFileSync(join(folder, name), '');

/** Prints its arguments between marks that stand nowhere in what is typed. */
const STAND_IN = `palabre-fmt() { printf 'ARGS:'; printf '<%s>' "$@"; echo ':END'; }\n`;

function install(path: string, text: string): void {
  const file = join(home, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
}

/** Starts a shell without a terminal of its own, types, and gives what it wrote. */
function typeInto(command: string, args: string[], input: string): Promise<string> {
  const path = `${join(home, 'bin')}:${process.env['PATH']}`;
  const child = spawn(command, args, {
    cwd: folder,
    env: { PATH: path, HOME: home, ZDOTDIR: home, TERM: 'dumb', LC_ALL: 'C.UTF-8' },
    // A session of its own, so that the shell cannot take the terminal that the tests run in.
    detached: true,
    timeout: PATIENCE,
    killSignal: 'SIGKILL',
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return new Promise((resolve) => child.on('close', () => resolve(output)));
}

function quote(word: string): string {
  return /^[\w@.-]+$/.test(word) ? word : `'${word}'`;
}

function lineOf({ typed }: Case): string {
  return ['palabre-fmt', ...typed.slice(0, -1).map(quote), typed.at(-1)].join(' ');
}

/** The words that were put in the place of the last one, from what the stand-in was called with. */
function insertedWords(output: string): string[][] {
  return Array.from(output.matchAll(/ARGS:(.*):END/g), ([, args]) =>
    Array.from(args!.matchAll(/<(.*?)>/g), ([, word]) => word!),
  ).map((words, index) => words.slice(CASES[index]!.typed.length - 1));
}

/** How each shell is asked for all completions of each case. */
const ASK: Record<string, () => Promise<string[][]>> = {
  async bash() {
    install('bash', `PS1=\n${STAND_IN}source <(cat ~/script.bash)\n`);
    install('script.bash', completionFor('bash')!);
    // Alt+* puts every completion into the line. bash reads keys from a pipe as from a terminal.
    const keys = CASES.map((one) => `${lineOf(one)}\u001b*\n`).join('');
    return insertedWords(await typeInto('bash', ['--noprofile', '--rcfile', join(home, 'bash'), '-i'], keys));
  },

  async zsh() {
    install('functions/_palabre-fmt', completionFor('zsh')!);
    install(
      '.zshrc',
      `PS1= PS2=
unset zle_bracketed_paste
fpath=(~/functions $fpath)
autoload -Uz compinit
compinit -u -D
${STAND_IN}
zle -C insert-all complete-word _generic
zstyle ':completion:insert-all:*' insert true
zstyle ':completion:insert-all::::' completer _all_matches _complete
bindkey '\\t' insert-all
LISTMAX=0
echo :END
`,
    );
    // zsh completes on a terminal alone, and has a module that makes one.
    install(
      'driver.zsh',
      `zmodload zsh/zpty
zpty -b inner 'zsh -d -i'
zpty -r inner output '*:END'
while IFS= read -r line; do
  zpty -w -n inner "$line"$'\\t\\n'
  zpty -r inner output '*:END'
  print -r -- "\${output//$'\\r'}"
done
zpty -d inner
`,
    );
    const typed = CASES.map((one) => `${lineOf(one)}\n`).join('');
    return insertedWords(await typeInto('zsh', ['-f', join(home, 'driver.zsh')], typed));
  },

  async fish() {
    installForFish();
    const script = 'while read -l line; echo ":LINE"; complete -C "$line"; end';
    const output = await typeInto('fish', ['-c', script], CASES.map((one) => `${lineOf(one)}\n`).join(''));
    return output
      .split(':LINE\n')
      .slice(1)
      .map((offers) =>
        offers
          .split('\n')
          .slice(0, -1)
          .map((offer) => offer.split('\t')[0]!),
      );
  },
};

/** The scripts ask the program that they find. */
install('bin/palabre-fmt', `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`);
chmodSync(join(home, 'bin/palabre-fmt'), 0o755);

function installForFish(language?: Language): void {
  install('.config/fish/completions/palabre-fmt.fish', completionFor('fish', language)!);
}

function isInstalled(shell: string): boolean {
  return spawnSync(shell, ['-c', ''], { stdio: 'ignore' }).status === 0;
}

/** A word as a shell put it in. The first keeps what was typed before it; bash leaves that out of the others. */
function check(shell: string, { typed, kept = '', offers }: Case, inserted: readonly string[]): void {
  const what = `${shell}: ${typed.join(' ')}`;
  // Where there is nothing to put in, the word stays as it is.
  const words = shell !== 'fish' && offers.length === 0 && inserted[0] === typed.at(-1) ? [] : inserted;
  if (offers.length > 0) assert.ok(words[0]?.startsWith(kept), `${what}: ${words[0]} begins with ${kept}`);
  const bare = words.map((word) => (word.startsWith(kept) ? word.slice(kept.length) : word));
  assert.is(bare.sort().join(' | '), [...offers].sort().join(' | '), what);
}

for (const shell of SHELLS) {
  const completion = suite(`completion ${shell}`);
  const test = isInstalled(shell) ? completion : completion.skip;
  if (test === completion.skip) console.log(`skipped: ${shell} is not installed`);

  test('offers what fits, in every place', async () => {
    const answers = await ASK[shell]!();
    assert.is(answers.length, CASES.length, `${shell} answered every line`);
    for (const [index, one] of CASES.entries()) check(shell, one, answers[index]!);
  });

  test('is a script without a fault, in every language', () => {
    for (const language of LANGUAGES) {
      install('checked', completionFor(shell, language)!);
      const { status, stderr } = spawnSync(shell, ['-n', join(home, 'checked')]);
      assert.is(String(stderr), '');
      assert.is(status, 0);
    }
  });

  completion.run();
}

const described = suite('completion descriptions');

described('what is known of a command and of a value', () => {
  for (const { typed, offers } of KNOWN) {
    const { before, also, words } = complete(typed, labelsFor('en'));
    assert.is(before, '', typed.join(' '));
    assert.is(also, undefined, typed.join(' '));
    assert.equal(words.map(({ word }) => word).sort(), [...offers].sort(), typed.join(' '));
  }
});

described('options and commands are described in the language asked for', () => {
  const meaningOf = (typed: string, language: Language) =>
    complete([typed], labelsFor(language)).words.find(({ word }) => word.startsWith(typed))?.meaning;
  assert.is(meaningOf('--compact', 'en'), 'one line per event, for logs');
  assert.is(meaningOf('--compact', 'fr'), 'une ligne par événement, pour les journaux');
  assert.is(meaningOf('pretty', 'fr'), 'Du texte à lire. La commande par défaut.');
  assert.is(meaningOf('md', 'en'), meaningOf('markdown', 'en'));
});

described('a shell that is not known has no script', () => {
  assert.is(completionFor('tcsh'), undefined);
  assert.is(completionFor('constructor'), undefined);
});

if (isInstalled('fish')) {
  described('fish shows the description beside the word', async () => {
    installForFish();
    const script = `complete -C 'palabre-fmt md --noti'`;
    assert.is(await typeInto('fish', ['-c', script], ''), '--notices\tinclude notices and warnings\n');
    installForFish('fr');
    assert.is(
      await typeInto('fish', ['-c', script], ''),
      '--notices\tinclure informations et avertissements\n',
    );
  });
}

if (isInstalled('zsh')) {
  described('the zsh script registers itself where it is sourced', async () => {
    install('script.zsh', completionFor('zsh')!);
    const script = `autoload -Uz compinit; compinit -u -D; source ~/script.zsh; print $_comps[palabre-fmt]`;
    assert.is(await typeInto('zsh', ['-f', '-c', script], ''), '_palabre-fmt\n');
  });

  described('zsh shows the meaning of a word where there is one', async () => {
    install('script.zsh', completionFor('zsh')!);
    const script = `compdef() { }; compset() { }; _files() { }; _describe() { print -rl -- "\${(@P)4}" }
source ~/script.zsh
for words in 'filter --agen' 'filter --type=@de'; do
  words=(palabre-fmt \${=words}) CURRENT=3 PREFIX=$words[3]
  _palabre-fmt
done`;
    assert.is(
      await typeInto('zsh', ['-f', '-c', script], ''),
      '--agent:only events of this agent\n@debate\n',
    );
  });
}

described.after(() => rmSync(home, { recursive: true, force: true }));
described.run();
