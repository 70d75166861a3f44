/** Outputs as values; what they do in the program is tested in `test/cli/faults.test.ts`. */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fileOutput } from '../../src/world/output.ts';

const output = suite('output');

output('a file is closed once: its number may be that of another file by then', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'palabre-fmt-'));
  const first = await fileOutput(join(folder, 'first'));
  await first.finish();
  const second = openSync(join(folder, 'second'), 'w');
  first.abandon();
  assert.is(writeSync(second, 'text'), 4);
  closeSync(second);
  rmSync(folder, { recursive: true });
});

output('text of any length is written whole, and the next text does not change it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'palabre-fmt-'));
  const path = join(folder, 'file');
  const file = await fileOutput(path);
  // The second holds more bytes, but fewer code units, than the memory that text is encoded into.
  const texts = ['short\n', `${'→'.repeat(400_000)}\n`, '', '😀\n', `${'a'.repeat(1_100_000)}\n`, 'é\n'];
  for (const text of texts) await file.write(text);
  await file.finish();
  assert.ok(readFileSync(path, 'utf8') === texts.join(''));
  rmSync(folder, { recursive: true });
});

output.run();
