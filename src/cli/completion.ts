/**
 * Completion scripts for shells, made from the table of options: a script knows every word itself, so that a
 * TAB starts no program.
 *
 * The three scripts read the words before the cursor as the program will read them, into `command` (empty
 * where none is named) and `operands` (each with a space after it), and so know the place that they stand in:
 * the value of an option, an option, or the next operand. A `--` counts as an operand where it changes what may
 * follow: without a command (no later word is one), and where another command begins.
 */
import { EVENT_TYPES } from '../event.ts';
import { type Labels, type Language, labelsFor } from '../labels/labels.ts';
import { EVENT_SCHEMA, wordsOf } from '../schema/definitions.ts';
import { schemaNames } from '../schema/print.ts';
import { GROUPS } from '../steps/filter.ts';
import { COMMAND_ALIASES, COMMANDS, type Command, OPTIONS, type OptionSpec } from './options.ts';

const SCRIPTS: Readonly<Record<string, (labels: Labels) => string>> = { bash, zsh, fish };

/** The shells that there is a script for. */
export const SHELLS: readonly string[] = Object.keys(SCRIPTS);

/**
 * The completion script for `shell`, with descriptions in `language` where the shell shows any (bash does
 * not). `undefined` for a shell that is not one of {@link SHELLS}.
 *
 * @param language English by default
 * @example
 * completionFor('bash')?.startsWith('# bash completion'); // true
 */
export function completionFor(shell: string, language: Language = 'en'): string | undefined {
  return Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell]?.(labelsFor(language)) : undefined;
}

/** The words that are known for a kind of value. Others may be right too. */
const VALUES: Partial<Record<NonNullable<OptionSpec['value']>, readonly string[]>> = {
  TYPE: [...EVENT_TYPES, ...Object.keys(GROUPS)],
  ROLE: knownWords('role'),
  KIND: knownWords('errorKind'),
  PHASE: knownWords('phase'),
  FIELD: [...new Set(EVENT_TYPES.flatMap((name) => Object.keys(EVENT_SCHEMA.$defs[name]?.properties ?? {})))],
};

/** What the commands take that take no files. A name of several words is several operands. */
const OPERANDS: Partial<Record<Command, readonly string[]>> = {
  encode: [],
  run: [],
  schema: schemaNames(),
  completion: SHELLS,
  help: COMMANDS,
};

/** The command that takes another one after `--`. */
const RUNNER: Command = 'run';

function knownWords(definition: string): string[] {
  return wordsOf(EVENT_SCHEMA.$defs[definition]!)!.map(String);
}

function wordsFor(spec: OptionSpec): readonly string[] {
  return spec.choices ?? (spec.value && VALUES[spec.value]) ?? [];
}

/** Each way to type an option: `-t`, `--type`. */
function spellings({ short, name, alias }: OptionSpec): string[] {
  return [...(short ? [`-${short}`] : []), `--${name}`, ...(alias ? [`--${alias}`] : [])];
}

/** The names of each command, its own first. */
function commandNames(command: Command): string[] {
  return [command, ...Object.keys(COMMAND_ALIASES).filter((alias) => COMMAND_ALIASES[alias] === command)];
}

/** What may stand in the place of the first operand beside a file. */
const FIRST_WORDS = COMMANDS.flatMap(commandNames);

/** The places of operands that are no files, as the scripts write them (`schema command `), and their words. */
function operandPlaces(): Map<string, readonly string[]> {
  const places = new Map<string, Set<string>>();
  for (const [command, names] of Object.entries(OPERANDS)) {
    for (const name of names) {
      let place = `${command} `;
      for (const word of name.split(' ')) {
        places.set(place, (places.get(place) ?? new Set()).add(word));
        place += `${word} `;
      }
    }
  }
  return new Map([...places].map(([place, words]) => [place, [...words]]));
}

/** What the variable `command` of the scripts may be for each command: no command is `pretty`. */
function valuesOfCommand(command: Command): string[] {
  return command === 'pretty' ? ['', command] : [command];
}

function optionsOf(command: Command): OptionSpec[] {
  return OPTIONS.filter((spec) => spec.of.includes(command));
}

const VALUED = OPTIONS.filter((spec) => spec.value);
const LONG_VALUED = VALUED.flatMap(({ name, alias }) => (alias ? [name, alias] : [name])).join('|');
const SHORT_VALUED = VALUED.map(({ short }) => short ?? '').join('');
const SHORT_SWITCHES = OPTIONS.map(({ value, short = '' }) => (value ? '' : short)).join('');

/** One string for a shell. */
function quote(text: string): string {
  return `'${text.replaceAll(`'`, `'\\''`)}'`;
}

function quoteAll(words: readonly string[]): string {
  return words.map(quote).join(' ');
}

function lines<Value>(values: Iterable<Value>, line: (value: Value) => string): string {
  return Array.from(values, line).join('\n');
}

function bash(): string {
  const places = operandPlaces();
  return `# bash completion of palabre-fmt. In ~/.bashrc: source <(palabre-fmt completion bash)
_palabre_fmt() {
  # bash cuts words at = : @ and others; the program does not, so what touches is put together again.
  local line=\${COMP_LINE:0:COMP_POINT} words=() word i
  for ((i = 0; i <= COMP_CWORD; i++)); do
    if [[ $i == 0 || $line == [[:space:]]* ]]; then
      words+=('')
      line=\${line#"\${line%%[![:space:]]*}"}
    fi
    word=\${COMP_WORDS[i]}
    [[ $i != "$COMP_CWORD" ]] || word=$line
    words[\${#words[@]} - 1]+=$word
    line=\${line#"$word"}
  done

  local command= operands= option= ended=
  local long='^(--(${LONG_VALUED}))$' short='^-[${SHORT_SWITCHES}]*([${SHORT_VALUED}])$'
  for word in "\${words[@]:1:\${#words[@]} - 2}"; do
    if [[ $option ]]; then
      option=
    elif [[ ! $ended && $word == -- ]]; then
      ended=yes
      [[ $command && $command != ${RUNNER} ]] || operands+='-- '
    elif [[ ! $ended && $word == -?* ]]; then
      if [[ $word =~ $long ]]; then
        option=$word
      elif [[ $word =~ $short ]]; then
        option=-\${BASH_REMATCH[1]}
      fi
    elif [[ $command$operands ]]; then
      operands+="$word "
    else
      case $word in
${lines(COMMANDS, (command) => `        ${commandNames(command).join(' | ')}) command=${command} ;;`)}
        *) operands="$word " ;;
      esac
    fi
  done

  # bash replaces $2, which may be the end of a word only; lead is what stands before it.
  local current=\${words[\${#words[@]} - 1]} lead before=
  lead=\${current%"$2"}
  lead=\${lead//[\\"\\']/}
  current=$lead$2
  long='^(--(${LONG_VALUED}))=' short='^(-[${SHORT_SWITCHES}]*([${SHORT_VALUED}])).'
  if [[ ! $option && ! $ended ]]; then
    if [[ $current =~ $long ]]; then
      option=\${BASH_REMATCH[1]} before=\${BASH_REMATCH[0]}
    elif [[ $current =~ $short ]]; then
      option=-\${BASH_REMATCH[2]} before=\${BASH_REMATCH[1]}
    fi
    current=\${current#"$before"}
  fi

  local place="operand $command $operands" choices=() list= files=
  if [[ $option ]]; then
    place=$option
  elif [[ ! $ended && $current == -* ]]; then
    place="option $command"
  fi
  case $place in
${lines(VALUED, (spec) => `    ${spellings(spec).join(' | ')}) ${bashValue(spec)} ;;`)}
${lines(COMMANDS, (command) => {
  const places = valuesOfCommand(command).map((value) => quote(`option ${value}`));
  return `    ${places.join(' | ')}) choices=(${optionsOf(command).flatMap(spellings).join(' ')}) ;;`;
})}
${lines(places, ([place, words]) => `    ${quote(`operand ${place}`)}) choices=(${quoteAll(words)}) ;;`)}
    'operand ${RUNNER} -- ') while IFS= read -r word; do choices+=("$word"); done < <(compgen -c -- "$current") ;;
    'operand ${RUNNER} -- '*) files=yes ;;
    ${Object.keys(OPERANDS)
      .map((command) => `'operand ${command} '*`)
      .join(' | ')}) ;;
    'operand  ') files=yes choices=(${quoteAll(FIRST_WORDS)}) ;;
    *) files=yes ;;
  esac

  if [[ $list && $current == *,* ]]; then
    before+=\${current%,*},
    current=\${current##*,}
  fi
  COMPREPLY=()
  for word in "\${choices[@]}"; do
    [[ $word == "$current"* ]] || continue
    word=$before$word
    COMPREPLY+=("\${word#"$lead"}")
  done
  if [[ $files ]]; then
    # With nothing in COMPREPLY bash completes files itself, and knows best how.
    compopt -o default
    if [[ \${choices[*]} ]]; then
      compopt -o filenames
      while IFS= read -r word; do COMPREPLY+=("\${word#"$lead"}"); done < <(compgen -f -- "$current")
    fi
  fi
}
complete -F _palabre_fmt palabre-fmt
`;
}

function bashValue(spec: OptionSpec): string {
  const words = wordsFor(spec);
  if (spec.value === 'FILE') return 'files=yes';
  if (words.length === 0) return '';
  return `${spec.many ? 'list=yes ' : ''}choices=(${quoteAll(words)})`;
}

function zsh({ help }: Labels): string {
  const describe = (spec: OptionSpec) => help.option[spec.name].replaceAll(/[[\]:\\]/g, '\\$&');
  return `#compdef palabre-fmt
# zsh completion of palabre-fmt. In a folder of $fpath: palabre-fmt completion zsh > _palabre-fmt
# or in ~/.zshrc, after compinit: source <(palabre-fmt completion zsh)
_palabre-fmt() {
  local command= operands= option= ended= word state
  local -a line choices
  local -A opt_args
  integer i at=0
  for ((i = 2; i < CURRENT; i++)); do
    word=\${(Q)words[i]}
    if [[ -n $option ]]; then
      option=
    elif [[ -z $ended && $word == -- ]]; then
      ended=$i
      [[ -n $command && $command != ${RUNNER} ]] || operands+='-- '
    elif [[ -z $ended && $word == -?* ]]; then
      [[ $word =~ '^(--(${LONG_VALUED})|-[${SHORT_SWITCHES}]*[${SHORT_VALUED}])$' ]] && option=yes
    elif [[ -n $command$operands ]]; then
      operands+="$word "
    else
      at=i
      case $word in
${lines(COMMANDS, (command) => `        ${commandNames(command).join(' | ')}) command=${command} ;;`)}
        *) operands="$word " ;;
      esac
    fi
  done
  if [[ $command == ${RUNNER} && -n $ended ]]; then
    words=("\${(@)words[ended + 1, -1]}")
    ((CURRENT -= ended))
    _normal
    return
  fi
  # The options may stand before the command too, so it must not count as an operand.
  if [[ -n $command ]]; then
    words[at]=()
    ((CURRENT--))
  fi

  case $command in
${lines(COMMANDS, (command) => {
  const values = valuesOfCommand(command).map((value) => value || `''`);
  return `    ${values.join(' | ')})
      choices=(
${lines(optionsOf(command), (spec) => `        ${zshOption(spec, describe(spec), help.value)}`)}
      )
      ;;`;
})}
  esac
  _arguments -s -S : $choices '*: :->operand' && return
  [[ $state == operand ]] || return 1

  case "$command $operands" in
${lines(operandPlaces(), ([place, words]) => `    ${quote(place)}) compadd - ${quoteAll(words)} ;;`)}
    ${Object.keys(OPERANDS)
      .map((command) => `'${command} '*`)
      .join(' | ')}) return 1 ;;
    ' ')
      choices=(
${lines(COMMANDS, (command) => lines(commandNames(command), (name) => `        ${quote(`${name}:${help.command[command]}`)}`))}
      )
      _describe -t commands command choices
      _files
      ;;
    *) _files ;;
  esac
}
if [[ $funcstack[1] == _palabre-fmt ]]; then
  _palabre-fmt "$@"
else
  compdef _palabre-fmt palabre-fmt
fi
`;
}

function zshOption(spec: OptionSpec, description: string, values: Labels['help']['value']): string {
  const typed = spellings(spec);
  const names = typed.map((name) => (spec.value ? (name.startsWith('--') ? `${name}=` : `${name}+`) : name));
  // What may be given once is not offered again, by any of its names.
  const prefix = spec.many ? `'*'` : quote(`(${typed.join(' ')})`);
  const value = spec.value ? `:${values[spec.value]}:${zshValue(spec)}` : '';
  const braces = names.length > 1 ? `{${names.join(',')}}` : names[0];
  return `${prefix}${braces}${quote(`[${description}]${value}`)}`;
}

function zshValue(spec: OptionSpec): string {
  const words = wordsFor(spec);
  if (spec.value === 'FILE') return '_files';
  if (words.length === 0) return ' ';
  return spec.many ? `_sequence compadd - ${words.join(' ')}` : `(${words.join(' ')})`;
}

function fish({ help }: Labels): string {
  const complete = (...parts: string[]) => `complete -c palabre-fmt ${parts.join(' ')}`;
  const at = (place: string) => `-n "__palabre_fmt_at '${place}'"`;
  return `# fish completion of palabre-fmt, once:
# palabre-fmt completion fish > ~/.config/fish/completions/palabre-fmt.fish

# The command that is typed (empty for none), a space, and the operands, each with a space after it.
function __palabre_fmt_place
    set -l command
    set -l operands
    set -l option
    set -l ended
    for word in (commandline -opc)[2..-1]
        if set -q option[1]
            set option
        else if not set -q ended[1]; and test "x$word" = x--
            set ended yes
            contains -- "$command" '' ${RUNNER}; and set operands "$operands-- "
        else if not set -q ended[1]; and string match -qr -- '^-.' $word
            set option (string match -r -- '^(?:--(?:${LONG_VALUED})|-[${SHORT_SWITCHES}]*[${SHORT_VALUED}])$' $word)
        else if test -n "$command$operands"
            set operands "$operands$word "
        else
            switch $word
${lines(COMMANDS, (command) => `                case ${commandNames(command).join(' ')}\n                    set command ${command}`)}
                case '*'
                    set operands "$word "
            end
        end
    end
    echo "$command $operands"
end

function __palabre_fmt_at
    test (__palabre_fmt_place) = "$argv"
end

function __palabre_fmt_in
    contains -- (string split -m 1 ' ' -- (__palabre_fmt_place))[1] $argv
end

# The words, each after what the value has before its last comma.
function __palabre_fmt_list
    set -l value (commandline -ct | string replace -r -- '^(?:--[a-z-]+=|-[${SHORT_SWITCHES}]*[${SHORT_VALUED}])' '')
    set -l before (string match -r -- '.*,' "$value"; or echo '')
    printf '%s\\n' $before$argv
end

# What the command after -- takes.
function __palabre_fmt_delegate
    set -l words (commandline -opc)
    set -l typed (string escape -- $words[(math (contains -i -- -- $words) + 1)..-1])
    complete -C (string join ' ' -- $typed (commandline -ct))
end

complete -c palabre-fmt -f
${lines(COMMANDS, (command) => complete(at(' '), `-a '${commandNames(command).join(' ')}'`, '-d', fishQuote(help.command[command])))}
${lines(operandPlaces(), ([place, words]) => complete(at(place), `-a '${words.join(' ')}'`))}
${complete(`-n "string match -q '${RUNNER} -- *' (__palabre_fmt_place)"`, "-a '(__palabre_fmt_delegate)'")}
${complete(`-n 'not __palabre_fmt_in ${Object.keys(OPERANDS).join(' ')}'`, '-F')}
${lines(OPTIONS, (spec) => {
  const commands = spec.of.flatMap(valuesOfCommand).map((value) => value || `''`);
  const names = spellings(spec).map((name) => name.replace(/^--/, '-l ').replace(/^-(?=\w$)/, '-s '));
  return complete(
    `-n "__palabre_fmt_in ${commands.join(' ')}"`,
    ...names,
    ...fishValue(spec),
    '-d',
    fishQuote(help.option[spec.name]),
  );
})}
`;
}

function fishValue(spec: OptionSpec): string[] {
  const words = wordsFor(spec).join(' ');
  if (!spec.value) return [];
  if (spec.value === 'FILE') return ['-r', '-F'];
  return ['-x', ...(words ? [`-a '${spec.many ? `(__palabre_fmt_list ${words})` : words}'`] : [])];
}

function fishQuote(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}
