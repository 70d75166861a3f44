/** What is measured at a glance has the width that it has when it is looked at one cluster after the other. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { cells, fit, reach } from '../../src/terminal/width.ts';

const width = suite('width');

width('a character alone is as wide as beside one that takes two cells', () => {
  for (let code = 0x20; code < 0x3000; code++) {
    const char = String.fromCharCode(code);
    const shown = `U+${code.toString(16)}`;
    assert.is(cells(char), cells(`日${char}`) - 2, shown);
    assert.is(reach(char), reach(`日${char}`) - 2, shown);
    // Two of what joins or combines are one cluster.
    if (cells(char) === 1) assert.is(cells(char + char), cells(`日${char}${char}`) - 2, shown);
  }
});

width('dashes, quotation marks and the ellipsis take one cell each', () => {
  assert.is(cells('“C’est – sûr…”'), 14);
  assert.is(fit('“C’est – sûr…”', 6), '“C’est');
});

width.run();
