// The command line of the attack on the guard.
import { parseArgs } from "node:util"
import { attacks } from "./attacks.ts"

export interface AttackOptions {
  readonly short: boolean
  /** Names of attacks; all of them where it is empty. */
  readonly only: readonly string[]
}

export const HELP = `npm run attack -- [options]

Starts an engine and a lone gateway, each in a process of its own with the guard and its default limits, on a private PostgreSQL, and
tries to get around the guard in ${attacks.length} ways. Needs Linux, and nothing but loopback.

  --short          smaller floods, and no waiting for windows to pass: about a minute instead of five
  --only <name>    one attack; several times, or with commas:
${attacks.map(({ name, tries }) => `                   ${name}: ${tries}`).join("\n")}
  --help

Exit code 0: everything held. 1: an attack got through, or could not be run.
`

/** Undefined when only help was asked for. */
export function readOptions(args: readonly string[]): AttackOptions | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      short: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
      help: { type: "boolean", default: false },
    },
  })
  if (values.help) return undefined
  const only = values.only.flatMap((value) => value.split(","))
  const strange = only.find((name) => !attacks.some((attack) => attack.name === name))
  if (strange !== undefined)
    throw new Error(`--only ${strange} is not one of ${attacks.map(({ name }) => name).join(", ")}`)
  return { short: values.short, only }
}
