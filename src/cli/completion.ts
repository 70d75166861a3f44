/**
 * Completion for shells. The program itself finds the candidates: at every TAB the script of a shell calls the hidden
 * command `__complete LANGUAGE WORD…`, whose last word is the one being typed, up to the cursor.
 */
import type { Labels, Language } from '../labels/labels.ts';
import { schemaNames } from '../schema/print.ts';
import {
  COMMAND_ALIASES,
  COMMANDS,
  type Command,
  commandNamed,
  meaningOf,
  OPTIONS,
  type OptionSpec,
  optionTyped,
  readWords,
  spellings,
} from './options.ts';
import { wordsFor } from './values.ts';

const SCRIPTS: Readonly<Record<string, (language: Language) => string>> = { bash, zsh, fish };

/** The shells with a completion script. */
export const SHELLS: readonly string[] = Object.keys(SCRIPTS);

/** The candidates for a word. */
export interface Completion {
  /**
   * `files`: file names are candidates too; `command`: complete a command of the system and its arguments, as if the
   * words before it were not there.
   */
  also?: 'files' | 'command';
  /** The part of the typed word that stays, such as `--type=message,`; the candidates follow it. */
  before: string;
  words: readonly { word: string; meaning?: string }[];
  /** With `command`: how many words come before it. */
  skip?: number;
}

/**
 * The candidates for the last of `args`: those that begin as it does.
 *
 * @param labels the words of the meanings
 * @example
 * complete(['filter', '--phase', ''], labelsFor('en')).words.map(({ word }) => word); // ['debate', 'ask', 'summary', 'chat']
 */
export function complete(args: readonly string[], labels: Labels): Completion {
  const place = placeOf(args, labels);
  const typed = (args.at(-1) ?? '').slice(place.before.length);
  return { ...place, words: place.words.filter(({ word }) => word.startsWith(typed)) };
}

/** All candidates, no matter what was typed of the word. */
function placeOf(args: readonly string[], labels: Labels): Completion {
  const current = args.at(-1) ?? '';
  const earlier = args.slice(0, -1);
  const { command, typed, operands, ended } = readWords(earlier);

  if (command === 'run' && (ended || operands.length > 0))
    return { also: 'command', before: '', words: [], skip: earlier.length - operands.length };
  const waiting = ended ? undefined : typed.at(-1);
  const spec = waiting && optionTyped(waiting.rawName);
  if (spec?.value && waiting?.value === undefined) return completeValue(spec, current, '');
  if (!ended && current.startsWith('-')) {
    const inline = readWords([current]).typed.at(-1);
    const spec = inline?.inlineValue ? optionTyped(inline.rawName) : undefined;
    if (spec?.value) {
      const value = inline?.value ?? '';
      return completeValue(spec, value, current.slice(0, current.length - value.length));
    }
    const shown = command ?? 'pretty';
    const mine = OPTIONS.filter(({ of }) => of.includes(shown));
    return {
      before: '',
      words: mine.flatMap((spec) =>
        spellings(spec).map((word) => ({ word, meaning: meaningOf(spec.name, shown, labels) })),
      ),
    };
  }
  if (command === 'run') return { also: 'command', before: '', words: [], skip: earlier.length };
  if (command) return completeOperand(command, operands);
  if (ended || operands.length > 0) return { also: 'files', before: '', words: [] };
  const names = [...COMMANDS, ...Object.keys(COMMAND_ALIASES)];
  const words = names.map((word) => ({ word, meaning: labels.help.command[commandNamed(word)!] }));
  return { also: 'files', before: '', words };
}

function completeValue(spec: OptionSpec, value: string, before: string): Completion {
  if (spec.value === 'FILE') return { also: 'files', before, words: [] };
  const kept = spec.many ? value.slice(0, value.lastIndexOf(',') + 1) : '';
  return { before: before + kept, words: wordsFor(spec).map((word) => ({ word })) };
}

/** The operands of commands that take no files. A name of several words is several operands. */
const OPERANDS: Partial<Record<Command, readonly string[]>> = {
  encode: [],
  schema: schemaNames(),
  completion: SHELLS,
  help: COMMANDS,
};

function completeOperand(command: Command, operands: readonly string[]): Completion {
  const names = OPERANDS[command];
  if (!names) return { also: 'files', before: '', words: [] };
  const fits = names
    .map((name) => name.split(' '))
    .filter((words) => words.length > operands.length && operands.every((word, at) => word === words[at]));
  const words = new Set(fits.map((words) => words[operands.length]!));
  return { before: '', words: [...words].map((word) => ({ word })) };
}

/**
 * The output of `__complete`: a line with `files`, `command N` or nothing, a line with the part of the word that stays,
 * then one candidate per line, with a tab before its meaning.
 */
export function completionText({ also, skip, before, words }: Completion): string {
  const first = skip === undefined ? (also ?? '') : `${also} ${skip}`;
  const lines = words.map(({ word, meaning }) => (meaning ? `${word}\t${meaning}` : word));
  return [first, before, ...lines, ''].join('\n');
}

/**
 * The completion script for `shell`; `undefined` for a shell that is not one of {@link SHELLS}. Meanings are in
 * `language`; bash shows none.
 *
 * @param language English by default
 * @example
 * completionFor('bash')?.startsWith('# bash completion'); // true
 */
export function completionFor(shell: string, language: Language = 'en'): string | undefined {
  return Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell]?.(language) : undefined;
}

function bash(language: Language): string {
  return `# bash completion of palabre-fmt. In ~/.bashrc: source <(palabre-fmt completion bash)
_palabre_fmt() {
  # bash splits words at = : @ and others; the program does not, so the pieces are joined again.
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

  # bash replaces $2, which may be the end of a word only; lead is what stands before it.
  local current=\${words[\${#words[@]} - 1]} lead answer
  lead=\${current%"$2"}
  lead=\${lead//[\\"\\']/}
  words[\${#words[@]} - 1]=$lead$2
  words=("\${words[@]//[\\"\\']/}")
  mapfile -t answer < <(command palabre-fmt __complete ${language} "\${words[@]:1}" 2>/dev/null)

  COMPREPLY=()
  for word in "\${answer[@]:2}"; do
    word=\${answer[1]}\${word%%$'\\t'*}
    COMPREPLY+=("\${word#"$lead"}")
  done
  case \${answer[0]} in
    "command $((\${#words[@]} - 2))")
      while IFS= read -r word; do COMPREPLY+=("\${word#"$lead"}"); done < <(compgen -c -- "$lead$2")
      ;;
    files | command*)
      # With nothing in COMPREPLY bash completes files itself: it knows quotes and ~, but not a word with = : @.
      compopt -o default
      if [[ ! \${answer[1]} ]]; then
        compopt -o filenames
        while IFS= read -r word; do COMPREPLY+=("\${word#"$lead"}"); done < <(compgen -f -- "$lead$2")
      fi
      ;;
  esac
}
complete -F _palabre_fmt palabre-fmt
`;
}

function zsh(language: Language): string {
  return `#compdef palabre-fmt
# zsh completion of palabre-fmt. In a folder of $fpath: palabre-fmt completion zsh > _palabre-fmt
# or in ~/.zshrc, after compinit: source <(palabre-fmt completion zsh)
_palabre-fmt() {
  local -a answer choices
  local line word typed=\${(Q)PREFIX}
  answer=("\${(@f)$(command palabre-fmt __complete ${language} "\${(@Q)words[2,CURRENT-1]}" "$typed" 2>/dev/null)}")
  if [[ $answer[1] == command* ]]; then
    local -i skip=\${answer[1]#command }
    words=("\${(@)words[skip + 2, -1]}")
    ((CURRENT -= skip + 1))
    _normal
    return
  fi
  compset -P "\${(b)answer[2]}"
  # A colon of the word itself needs a backslash; what follows the first plain one is the meaning, where there is one.
  for line in "\${(@)answer[3,-1]}"; do
    word=\${line%%$'\\t'*}
    choices+=("\${word//:/\\\\:}\${\${line#$word}/$'\\t'/:}")
  done
  (($#choices)) && _describe -t words palabre-fmt choices
  [[ $answer[1] != files ]] || _files
}
if [[ $funcstack[1] == _palabre-fmt ]]; then
  _palabre-fmt "$@"
else
  compdef _palabre-fmt palabre-fmt
fi
`;
}

function fish(language: Language): string {
  return `# fish completion of palabre-fmt, once:
# palabre-fmt completion fish > ~/.config/fish/completions/palabre-fmt.fish
function __palabre_fmt_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l answer (command palabre-fmt __complete ${language} $words[2..-1] "$current" 2>/dev/null)
    set -l before "$answer[2]"
    if set -q answer[3]
        printf '%s\\n' $before$answer[3..-1]
    end
    switch "$answer[1]"
        case files
            set -l path (string sub -s (math (string length -- "$before") + 1) -- "$current")
            printf '%s\\n' $before(complete -C "'' $path")
        case 'command *'
            set -l start (math 2 + (string split ' ' -- $answer[1])[2])
            set -l typed (string escape -- $words[$start..-1])
            complete -C (string join ' ' -- $typed "$current")
    end
end
complete -c palabre-fmt -f -a '(__palabre_fmt_complete)'
`;
}
