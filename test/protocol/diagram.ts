/** Prints the order of a session, as it stands in CONTRIBUTING.md: `npm run diagram`. */
import { diagram } from '../../src/protocol/diagram.ts';
import { scriptOptions } from '../options.ts';

scriptOptions('npm run diagram', {});
process.stdout.write(diagram());
