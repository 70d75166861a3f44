#!/usr/bin/env node
import { main } from '../dist/palabre-fmt.js';

// Not `process.exit`: what was written may still be on its way into a pipe.
process.exitCode = await main(process.argv.slice(2));
