// The completion for bash.
import type { CommandNode, OptionWord } from "./command-tree.ts"
import { shellWords } from "./shell-words.ts"

export function bashCompletion(nodes: readonly CommandNode[]): string {
  const paths = nodes.filter(({ path }) => path !== "").map(({ path }) => `"${path}"`)
  return `# Completion of millrace for bash. To use it now: source <(millrace completion bash)
# To keep it: millrace completion bash > ~/.local/share/bash-completion/completions/millrace
_millrace() {
  local cur prev path next i
  cur="\${COMP_WORDS[COMP_CWORD]}"
  prev="\${COMP_WORDS[COMP_CWORD-1]}"
  path=""
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${path:+$path }\${COMP_WORDS[i]}"
    case "$next" in
      ${paths.join(" | \\\n      ")}) path="$next" ;;
    esac
  done
  COMPREPLY=()
  case "$path $prev" in
${nodes.flatMap(valuesOf).join("\n")}
  esac
  case "$path" in
${nodes.map(wordsOf).join("\n")}
  esac
}
# Where nothing of this fits, files are offered: modules, definitions, @file.
complete -o default -F _millrace millrace
`
}

/** Without mapfile, which bash 3 of macOS does not have: no word has a blank in it. */
const offer = (words: readonly string[]): string => `COMPREPLY=($(compgen -W "${shellWords(words)}" -- "$cur"))`

/** After an option that takes a value: its choices, or files. */
function valuesOf({ path, options }: CommandNode): readonly string[] {
  return options
    .filter(({ takesValue }) => takesValue)
    .map((option) => {
      const patterns = namesOf(option).map((name) => `"${path} ${name}"`)
      return `    ${patterns.join(" | ")}) ${option.choices.length > 0 ? `${offer(option.choices)}; ` : ""}return ;;`
    })
}

function wordsOf({ path, commands, options, choices }: CommandNode): string {
  const words = [...commands.map(({ name }) => name), ...choices]
  const flags = options.flatMap(namesOf)
  return `    "${path}") if [[ "$cur" == -* ]]; then ${offer(flags)}; else ${words.length > 0 ? offer(words) : ":"}; fi ;;`
}

const namesOf = ({ name, short }: OptionWord): readonly string[] => (short === undefined ? [name] : [name, short])
