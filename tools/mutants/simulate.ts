// Whether the simulation finds a mutant by itself, and with which seed.
import { rmSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { runTypeScript } from "../../engine/src/test-support/typescript-process.ts"
import { root } from "../files.ts"
import { copyCheckout } from "./copy-checkout.ts"
import { type Mutant, plant } from "./mutant.ts"

/** Those of docs/guides/proof.md. */
export const SIMULATED: readonly string[] = [
  "lost-commit-is-success",
  "report-without-nonce",
  "completion-without-nonce",
  "failed-attempt-keeps-token",
  "retry-keeps-token",
  "claim-keeps-epoch",
  "fair-claim-keeps-epoch",
  "instance-without-lock",
  "lone-instance-without-lock",
  "sweep-believes-its-list",
  "sweep-without-lock",
  "second-answer-for-a-key",
  "one-lost-lease-less",
  "relay-passes-open-transactions",
  "limit-plus-one",
  "stale-in-the-winners-batch",
]

/** 0 where every one is found. */
export async function simulate(
  mutants: readonly Mutant[],
  seeds: number,
  tell: (line: string) => void,
): Promise<number> {
  const copy = copyCheckout(root)
  let survived = 0
  try {
    for (const mutant of mutants) {
      const found = await firstFailure(copy, mutant, seeds)
      if (!found) survived += 1
      tell(`${mutant.id}: ${found ?? `not found in ${seeds} seeds`}`)
    }
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
  return survived === 0 ? 0 : 1
}

/** The seed, and what was wrong. */
async function firstFailure(copy: string, mutant: Mutant, seeds: number): Promise<string | undefined> {
  const putBack = plant(copy, mutant)
  const main = pathToFileURL(join(copy, "engine/src/simulation/main.ts"))
  try {
    const { code, output } = await runTypeScript(main, ["--first", "1", "--seeds", String(seeds), "--failures", "1"])
      .ended
    if (code === 0) return undefined
    const failed = /^(seed \d+) FAILED.*\n(.*)/m.exec(output)
    return failed ? `${failed[1]}: ${failed[2]?.trim()}` : `no seed could be run: ${output.slice(-300)}`
  } finally {
    putBack()
  }
}
