// The completions, in the shells that they are for: what each offers after some words of a command line.
import { spawnSync } from "node:child_process"
import { expect, test } from "vitest"
import { runCommand } from "../../test-support/run-command.ts"

const script = async (shell: string): Promise<string> => (await runCommand(["completion", shell])).out
/** With MILLRACE_FULL_TESTS a shell that is not installed is a failure. */
const isMissing = (shell: string): boolean =>
  !process.env.MILLRACE_FULL_TESTS && spawnSync(shell, ["-c", "exit 0"]).status !== 0

/** The last word is the one that is being typed. */
const LINES: readonly (readonly [line: string, offered: readonly string[], missing: readonly string[]])[] = [
  ["millrace inst", ["instances"], ["queues"]],
  ["millrace instances w", ["watch"], ["signal"]],
  ["millrace instances start --pri", ["--priority"], ["--json"]],
  ["millrace instances start x --priority ", ["critical", "high", "normal"], ["--json"]],
  ["millrace instances --status f", ["failed"], ["active"]],
  ["millrace dlq re", ["replay"], ["discard"]],
  ["millrace queues pause c", ["critical"], ["normal"]],
  ["millrace completion ", ["bash", "zsh", "fish"], []],
  ["millrace keys cre", ["create"], ["revoke"]],
]

const wordsOf = (line: string): readonly string[] => line.split(" ")
const expectOffers = (out: string, offered: readonly string[], missing: readonly string[]): void => {
  const words = out.split("\n").map((one) => one.split("\t")[0])
  expect(words).toEqual(expect.arrayContaining([...offered]))
  for (const word of missing) expect(words).not.toContain(word)
}

function run(shell: string, program: string): string {
  const { status, stdout, stderr } = spawnSync(shell, ["-c", program], { encoding: "utf8" })
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
  return stdout
}

test.skipIf(isMissing("bash")).each(LINES)("bash: %j offers %j", async (line, offered, missing) => {
  const words = wordsOf(line).map((word) => `'${word}'`)
  const call = `COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; _millrace; printf '%s\\n' "\${COMPREPLY[@]}"`
  expectOffers(run("bash", `${await script("bash")}\n${call}`), offered, missing)
})

test.skipIf(isMissing("bash"))(
  "bash: where a file or a text is meant nothing is offered, so that bash offers files",
  async () => {
    const words = ["'millrace' 'work' './fl'", "'millrace' 'instances' 'start' 'x' '--variables' '@'"]
    for (const line of words) {
      const call = `COMP_WORDS=(${line}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _millrace; echo "\${#COMPREPLY[@]}"`
      expect(run("bash", `${await script("bash")}\n${call}`)).toBe("0\n")
    }
  },
)

test.skipIf(isMissing("fish")).each(LINES)("fish: %j offers %j", async (line, offered, missing) => {
  expectOffers(run("fish", `${await script("fish")}\ncomplete -C "${line}"`), offered, missing)
})

/** The functions of zsh's own completion are told apart by what they are given. */
const ZSH_STUBS = `compdef() { : }
compadd() { shift; print -l -- "$@" | grep -- "^\${words[CURRENT]}" }
_files() { : }
_describe() { [[ $1 == -o ]] && shift; print -l -- "\${(@P)2%%:*}" | grep -- "^\${words[CURRENT]}" }
`

test.skipIf(isMissing("zsh")).each(LINES)("zsh: %j offers %j", async (line, offered, missing) => {
  const words = wordsOf(line).map((word) => `'${word}'`)
  const call = `words=(${words.join(" ")}); CURRENT=${words.length}; _millrace`
  expectOffers(run("zsh", `${ZSH_STUBS}${await script("zsh")}\n${call}`), offered, missing)
})

test("every command of the program is in every script, and another shell is refused with the names", async () => {
  const commands = ["instances watch", "definitions check", "tasks claim", "dead-letters replay", "events publish"]
  for (const shell of ["bash", "zsh", "fish"]) for (const one of commands) expect(await script(shell)).toContain(one)
  expect(await runCommand(["completion", "powershell"])).toMatchObject({
    code: 2,
    err: "there is no completion for powershell: there is one for bash, zsh and fish",
  })
})
