/** The options of the project's own scripts: `npm run bench -- --help`. */
import { type ParseArgsConfig, parseArgs } from 'node:util';

/**
 * Parses what was typed after the name of a script. `--help` prints the usage; what the script does not know ends it
 * with a sentence, the usage and status 2.
 *
 * @param usage a line with every option
 * @example
 * const { values } = scriptOptions('npm run fuzz -- [--seed 1]', { options: { seed: { type: 'string', default: '1' } } });
 */
export function scriptOptions<const Config extends ParseArgsConfig>(
  usage: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    console.log(`Usage: ${usage}`);
    process.exit(0);
  }
  try {
    return parseArgs({ ...config, args }) as ReturnType<typeof parseArgs<Config>>;
  } catch (error) {
    return refuse((error as Error).message, usage);
  }
}

/** A number that was typed; what is not a number of at least `least` ends the script. */
export function scriptNumber(name: string, value: string, usage: string, least = 1): number {
  const number = Number(value);
  return Number.isFinite(number) && number >= least && value.trim() !== ''
    ? number
    : refuse(`--${name} must be a number of ${least} or more, not '${value}'.`, usage);
}

/** Ends the script: what is wrong, and what could be typed. */
export function refuse(message: string, usage: string): never {
  console.error(`${message}\nUsage: ${usage}`);
  process.exit(2);
}
