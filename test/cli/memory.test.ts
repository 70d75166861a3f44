/** Memory stays flat, however long the stream is: it is the same for one session and for a thousand. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PROGRAM } from '../process.ts';

const memory = suite('memory');

const MB = 1_000_000;
/** What the stream is made of: messages of 2 KB, as agents write them. */
const SESSION = [
  '{"v":1,"type":"start","mode":"debate","topic":"T","turns":20,"agents":[{"name":"codex","role":"critic","type":"cli"}],"summaryEnabled":false,"summaryAgent":null,"earlyStop":false,"filesCount":0,"session":{"startedAt":"2026-02-11T10:00:00Z","localDate":"2026-02-11","timeZone":"UTC","cwd":"/"}}',
  ...Array.from({ length: 20 }, (_, index) => [
    `{"v":1,"type":"turn-start","turn":${index + 1},"totalTurns":20,"agent":"codex","role":"critic"}`,
    JSON.stringify({
      v: 1,
      type: 'message',
      turn: index + 1,
      agent: 'codex',
      role: 'critic',
      content: 'The reader waits for the writer, and *nobody* pays twice.\n'.repeat(35),
    }),
  ]).flat(),
  '{"v":1,"type":"done","outputPath":null}',
  '',
].join('\n');

/** Tells on stderr, at the end, how much memory the process had at its peak, in KB. */
const TELL = 'process.on("exit",()=>process.stderr.write(String(process.resourceUsage().maxRSS)))';

/** The peak of a command, in MB, that reads `size` bytes of pieces. */
async function peak(args: readonly string[], size: number, piece: string): Promise<number> {
  const child = spawn(process.execPath, ['--import', `data:text/javascript,${TELL}`, PROGRAM, ...args], {
    env: { PATH: process.env['PATH'] },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let told = '';
  child.stderr.on('data', (chunk) => {
    told += chunk;
  });
  const bytes = Buffer.from(piece);
  for (let written = 0; written < size; written += bytes.length) {
    if (!child.stdin.write(bytes)) await once(child.stdin, 'drain');
  }
  child.stdin.end();
  await once(child, 'close');
  const kilobytes = /(\d+)$/.exec(told)?.[1];
  assert.ok(kilobytes, told);
  return Number(kilobytes) / 1024;
}

memory('markdown of 60 MB stays under 110 MB', async () => {
  const megabytes = await peak(['markdown'], 60 * MB, SESSION);
  assert.ok(megabytes > 30 && megabytes < 110, `${megabytes} MB`);
});

for (const command of ['pretty', 'pretty --compact', 'filter', 'validate']) {
  memory(`${command} of 200 MB takes no more than of 40 MB`, async () => {
    const few = await peak(command.split(' '), 40 * MB, SESSION);
    const many = await peak(command.split(' '), 200 * MB, SESSION);
    // A stream that was kept would take five times as much.
    assert.ok(many < 1.25 * few, `${many} MB after ${few} MB`);
    assert.ok(many < 110, `${many} MB`);
  });
}

memory('so does a line without an end, and text without an event', async () => {
  const line = await peak(['filter'], 200 * MB, 'x'.repeat(MB));
  assert.ok(line < 250, `${line} MB for a line that is over the limit of 64 MB`);
  const text = await peak(['filter', '-q'], 50 * MB, 'npm warn deprecated\n'.repeat(5000));
  assert.ok(text < 120, `${text} MB for text`);
});

memory.run();
