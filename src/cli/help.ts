/**
 * The text of `--help`. yargs formats it, from the table of options and the texts of a language. It is loaded for help
 * only: parsing arguments does not need it, and it would slow down every start.
 */
import yargs from 'yargs';
import type { Labels } from '../labels/labels.ts';
import { COMMANDS, type Command, meaningOf, OPTIONS, type OptionSpec } from './options.ts';

/** The widest help, in cells. */
const WIDEST = 100;
/** The longest list of words beside the name of an option, in cells. */
const LONGEST_CHOICES = 30;

/** The usage line of a command. */
export function usageFor(command: Command, { help }: Labels): string {
  return `${help.usage} palabre-fmt ${help.synopsis[command]}`;
}

/**
 * The help of a command, or of the whole program.
 *
 * @param columns cells of a line; 80 where it is not known
 * @param option the one option of `command` that is asked about; else all
 */
export async function helpFor(
  command: Command | undefined,
  labels: Labels,
  columns = 80,
  option?: OptionSpec,
): Promise<string> {
  const { help } = labels;
  const page = yargs([])
    .scriptName('palabre-fmt')
    .exitProcess(false)
    .help(false)
    .version(false)
    .wrap(Math.min(columns, WIDEST))
    // `locale` keeps yargs from choosing a language by the environment; the texts are ours.
    .locale('en')
    .updateStrings({ 'Options:': help.options, 'Commands:': help.commands });

  if (command === undefined) {
    page.usage(`${help.usage} palabre-fmt ${help.synopsis.program}\n\n${help.about}`);
    for (const name of COMMANDS)
      page.command(help.synopsis[name].replace(/^\[(\w+)\]/, '$1'), help.command[name]);
  } else {
    page.usage(`${usageFor(command, labels)}\n\n${help.command[command]}`);
  }
  const shown = command ?? 'pretty';
  for (const spec of option ? [option] : OPTIONS)
    if (spec.of.includes(shown)) addOption(page, spec, shown, labels);
  // As text, not as yargs' examples, which are printed in two columns and wrap the command.
  const examples = Object.entries(help.example[command ?? 'program'])
    .map(([typed, meaning]) => `  # ${meaning}\n  ${typed}`)
    .join('\n');
  if (!option) page.epilogue(`${help.examples}\n${examples}\n\n${help.epilogue[command ?? 'program']}`);
  // yargs takes the short option -0 for a number and prints it as `--0`.
  const text = (await page.getHelp()).replace(/( {4})?--null, --0/, (name) =>
    '-0, --null'.padEnd(name.length),
  );
  return `${text}\n`;
}

function addOption(page: ReturnType<typeof yargs>, spec: OptionSpec, command: Command, labels: Labels): void {
  // The value is part of the name, since yargs would print a type instead: `-w, --width=N`.
  const choices = spec.choices?.join('|') ?? '';
  // yargs breaks a long list inside a word; the description has the words as well.
  const isShort = choices !== '' && choices.length <= LONGEST_CHOICES;
  const typed = spec.value ? `${spec.name}=${isShort ? choices : labels.help.value[spec.value]}` : spec.name;
  const aliases = [spec.short, spec.alias].filter((name) => name !== undefined);
  page.option(typed, { alias: aliases, description: meaningOf(spec.name, command, labels) });
}
