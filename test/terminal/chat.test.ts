/** A Chat on a terminal, as a person sees it: typed into the program that `run` starts, or through `encode`. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PROGRAM, until } from '../process.ts';

/** A Chat that takes text or commands, a line each. Whoever says `wait` has an answer when there is a file `go`. */
const CHAT = `
say() { printf '{"v":1,%s}\\n' "$1"; }
at='"createdAt":"2026-02-11T10:00:00.000Z"'
codex='"agent":"codex","role":"implementer"'
say '"type":"start","mode":"chat","topic":"","agents":[{"name":"codex","role":"implementer","type":"cli"}],"filesCount":0,"session":{"startedAt":"2026-02-11T10:00:00.000Z","localDate":"2026-02-11","timeZone":"UTC","cwd":"/home/user"}'
while read -r line; do
  case "$line" in
    *agents*) say '"type":"chat-agents","agents":[{"name":"codex","role":"implementer"}]'; continue ;;
    *crash*) break ;;
    '') continue ;;
  esac
  say '"type":"chat-user-message","agent":"user","role":"architect","content":"What was typed",'$at
  say '"type":"thinking-start",'$codex
  case "$line" in *wait*) until [ -e go ]; do sleep 0.05; done ;; esac
  say '"type":"thinking-end"'
  say '"type":"chat-message",'$codex',"content":"The answer.",'$at
done
say '"type":"error","phase":"chat","kind":"cancelled","message":"It is over."'
say '"type":"done","outputPath":null'
`;

const folders: string[] = [];

/** Runs a line of shell on a screen of 66 by 40. */
function onScreen(line: string) {
  const folder = mkdtempSync(join(tmpdir(), 'palabre-fmt-'));
  folders.push(folder);
  writeFileSync(join(folder, 'chat.sh'), CHAT);
  writeFileSync(
    join(folder, 'line.sh'),
    `palabre-fmt() { '${process.execPath}' '${PROGRAM}' "$@"; }; ${line}; echo ended; touch ended; sleep 600`,
  );
  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-u', '-S', join(folder, 'tmux'), '-f', '/dev/null', ...args], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, TERM: 'xterm-256color', NO_COLOR: '1' },
      encoding: 'utf8',
    });
  tmux('new-session', '-d', '-x', '66', '-y', '40', 'bash line.sh');
  const seen = () =>
    tmux('capture-pane', '-p')
      .replace(/[^\S\n]+$/gm, '')
      .trimEnd();
  return {
    seen,
    see: (pattern: RegExp) => until(`${pattern}`, () => pattern.test(seen())),
    type: (...keys: string[]) => tmux('send-keys', ...keys),
    go: () => writeFileSync(join(folder, 'go'), ''),
    hasEnded: () => existsSync(join(folder, 'ended')),
  };
}

const chat = suite('chat on a terminal');
chat.after(() => {
  for (const folder of folders) {
    spawnSync('tmux', ['-S', join(folder, 'tmux'), 'kill-server'], { stdio: 'ignore' });
    rmSync(folder, { recursive: true, force: true });
  }
});
const hasTmux = spawnSync('tmux', ['-V']).status === 0;
if (!hasTmux) console.log('skipped: tmux is not installed');
const test = hasTmux ? chat : chat.skip;

test('the place to type is marked when it is their turn, and what they typed is shown once', async () => {
  const screen = onScreen('palabre-fmt run -- bash chat.sh');
  await screen.see(
    /Folder.*\n\nOne message per line, or \/consult AGENT, \/use AGENT, \/agents,\n\/end, \/exit\n>$/,
  );
  screen.type('Hello there', 'Enter');
  await screen.see(/\n> Hello there\n\n● codex \(implementer\)\n│ The answer\.\n\n>$/);
  assert.not.match(screen.seen(), /What was typed|● user/);
  assert.is(screen.seen().split('/consult').length, 2, 'the hint comes once');
  screen.type('/agents', 'Enter');
  await screen.see(/\n> \/agents\n\n· Agents: codex \(implementer\)\n\n>$/);
  screen.type('crash', 'Enter');
  await screen.see(/\n> crash\n\n▲ Cancelled[\s\S]*\nended$/);
  assert.not.match(screen.seen(), /\n>\n[^>]*ended$/, 'no prompt after the end');
});

test('nothing is glued to a half-typed line', async () => {
  const screen = onScreen('palabre-fmt run -- bash chat.sh');
  await screen.see(/\n>$/);
  screen.type('wait', 'Enter');
  await screen.see(/codex · \d/);
  screen.type('half a line');
  await screen.see(/half a line/);
  screen.go();
  await screen.see(/half a line\n\n● codex[^\n]*\n│ The answer\.\n\n>$/);
  screen.type(' and the rest', 'Enter');
  await screen.see(/\n> {2}and the rest\n\n● codex[^\n]*\n│ The answer\.\n\n>$/);
});

test('with encode there is no prompt before somebody else’s output, and the end of the Chat ends it', async () => {
  const screen = onScreen('palabre-fmt encode | bash chat.sh | palabre-fmt');
  await screen.see(/(?=[\s\S]*\/consult AGENT)[\s\S]*Folder/);
  screen.type('Hello', 'Enter');
  await screen.see(/│ What was typed[\s\S]*│ The answer\./);
  assert.not.match(screen.seen(), /^>/m);
  screen.type('crash', 'Enter');
  await until('the end, without another line', screen.hasEnded);
  assert.match(screen.seen(), /It is over[\s\S]*ended$/);
});

chat.run();
