/** Outputs as values; what they do in the program is tested in `test/cli/faults.test.ts`. */
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
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

output.run();
