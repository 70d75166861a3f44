/** Prints the order of a session, as it stands in CONTRIBUTING.md: `npm run diagram`. */
import { scriptOptions } from '../options.ts';
import { diagram } from './drawing.ts';

scriptOptions('npm run diagram', {});
process.stdout.write(diagram());
