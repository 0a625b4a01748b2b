// The completion for fish.
import type { CommandNode, OptionWord } from "./command-tree.ts"
import { quoted, shellWords } from "./shell-words.ts"

export function fishCompletion(nodes: readonly CommandNode[]): string {
  const paths = nodes.filter(({ path }) => path !== "").map(({ path }) => quoted(path))
  return `# Completion of millrace for fish. To use it now: millrace completion fish | source
# To keep it: millrace completion fish > ~/.config/fish/completions/millrace.fish
function __millrace_at
    set -l at ''
    for word in (commandline -opc)[2..-1]
        set -l next (string trim -- "$at $word")
        if contains -- "$next" ${paths.join(" ")}
            set at "$next"
        end
    end
    test "$at" = "$argv[1]"
end
${nodes.flatMap(linesOf).join("\n")}
`
}

function linesOf({ path, commands, options, choices }: CommandNode): readonly string[] {
  const start = `complete -c millrace -n ${quoted(`__millrace_at "${path}"`)}`
  const words = commands.map(({ name, description }) => `${start} -f -a ${name} -d ${quoted(description)}`)
  const chosen = choices.length === 0 ? [] : [`${start} -f -a ${quoted(shellWords(choices))}`]
  return [...words, ...chosen, ...options.map((option) => `${start} ${optionOf(option)}`)]
}

function optionOf({ name, short, description, takesValue, choices }: OptionWord): string {
  const names = `-l ${name.replace(/^--/, "")}${short === undefined ? "" : ` -s ${short.replace(/^-/, "")}`}`
  const value = choices.length > 0 ? ` -x -a ${quoted(shellWords(choices))}` : takesValue ? " -r" : ""
  return `${names}${value} -d ${quoted(description)}`
}
