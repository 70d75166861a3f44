#!/usr/bin/env node
const { main } = require('../dist/palabre-fmt.cjs');

// Keeps the young generation of the heap small: nearly all that is read is garbage by the time it is collected, but V8
// makes room for it step by step, the longer the input. For 150 MB `pretty` takes 83 MB in place of 116, `filter` 58 in
// place of 75. A V8 that does not know the flag says so on stderr; 13 is the last one that was tried.
if (Number.parseInt(process.versions.v8, 10) <= 13)
  process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1');

// Not `process.exit`: what was written may still be on its way into a pipe.
main(process.argv.slice(2)).then((status) => {
  process.exitCode = status;
});
