/** Nothing that anybody said is lost, whatever the fixture and the format. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BROKEN, events, FIXTURES, path } from '../fixtures.ts';
import { run } from '../process.ts';

const content = suite('content');

/** Letters and digits alone: what gutters, escapes and wrapping leave as it was. */
const essence = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '');

for (const [command, ...args] of [
  ['pretty'],
  ['pretty', '--width=40'],
  ['pretty', '--ascii', '--plain', '--color=always'],
  ['markdown'],
]) {
  content(`every content is in the output of ${command} ${args.join(' ')}`, async () => {
    let found = 0;
    for (const name of FIXTURES) {
      const { stdout } = await run([command!, ...args, path(name)]);
      // Without our own colours, and with the one entity that the transcript writes.
      const output = essence(stdout.replace(/\x1b\[[\d;]*m/g, '').replaceAll('&lt;', '<'));
      for (const event of events(name)) {
        if (typeof event['content'] !== 'string') continue;
        found++;
        assert.ok(output.includes(essence(event['content'])), `${name}: ${event['content']}`);
      }
    }
    assert.ok(found > 50);
  });
}

content('every topic, name, error message and export path is there too', async () => {
  for (const command of ['pretty', 'markdown']) {
    for (const name of FIXTURES.filter((name) => name !== BROKEN)) {
      const output = essence((await run([command, path(name)])).stdout);
      let folder = '';
      for (const event of events(name)) {
        const { topic, message, outputPath, agents = [], session } = event;
        const { cwd = '' } = (session ?? {}) as { cwd?: string };
        folder = cwd || folder;
        const texts = [
          topic,
          event['type'] === 'error' && message,
          // As it is typed in the folder of the session.
          typeof outputPath === 'string' && outputPath.replace(folder, ''),
          ...(agents as { name: string }[]).map(({ name }) => name),
        ];
        for (const text of texts) {
          if (typeof text === 'string')
            assert.ok(output.includes(essence(text)), `${command} ${name}: ${text}`);
        }
      }
    }
  }
});

content.run();
