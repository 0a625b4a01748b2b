// The completion for zsh.
import type { CommandNode, OptionWord } from "./command-tree.ts"
import { quoted, shellWords } from "./shell-words.ts"

export function zshCompletion(nodes: readonly CommandNode[]): string {
  const paths = nodes.filter(({ path }) => path !== "").map(({ path }) => quoted(path))
  return `#compdef millrace
# Completion of millrace for zsh. To use it now: source <(millrace completion zsh)
# To keep it: millrace completion zsh > a folder of $fpath, as _millrace
_millrace() {
  local at='' next word
  local -a words_here flags
  for word in "\${words[@]:1:$((CURRENT - 2))}"; do
    next="\${at:+$at }$word"
    case "$next" in
      ${paths.join("|")}) at="$next" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${nodes.flatMap(valuesOf).join("\n")}
  esac
  case "$at" in
${nodes.map(wordsOf).join("\n")}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then
    _describe -o 'option' flags
  elif (( \${#words_here} )); then
    _describe 'command' words_here
  else
    _files
  fi
}
compdef _millrace millrace
`
}

function valuesOf({ path, options }: CommandNode): readonly string[] {
  return options
    .filter(({ takesValue }) => takesValue)
    .map((option) => {
      const patterns = namesOf(option).map((name) => quoted(`${path} ${name}`))
      const offer = option.choices.length > 0 ? `compadd -- ${shellWords(option.choices)}` : "_files"
      return `    ${patterns.join("|")}) ${offer}; return ;;`
    })
}

function wordsOf({ path, commands, options, choices }: CommandNode): string {
  const words = [...commands.map(described), ...choices.map(quoted)]
  const flags = options.flatMap((option) =>
    namesOf(option).map((name) => described({ name, description: option.description })),
  )
  return `    ${quoted(path)}) words_here=(${words.join(" ")}); flags=(${flags.join(" ")}) ;;`
}

/** A colon parts the name from what is said of it. */
const described = ({ name, description }: { readonly name: string; readonly description: string }): string =>
  quoted(`${name.replaceAll(":", "\\:")}:${description}`).replaceAll("\\\\:", "\\:")

const namesOf = ({ name, short }: OptionWord): readonly string[] => (short === undefined ? [name] : [name, short])
