import { expect, test } from "vitest"
import { runTypeScript } from "../test-support/typescript-process.ts"
import { readOptions } from "./options.ts"
import type { SeedResult } from "./run-seed.ts"
import { Seeds } from "./run-seeds.ts"

const MAIN = new URL("main.ts", import.meta.url)

/** With lost connections, engines that are stopped, and two of them at a time. */
const SEED = 107

test("RG3: the same seed is the same run, statement by statement, alone and after others, in another process and on another server", async () => {
  const [alone, after] = await Promise.all([
    traceOf("--seed", String(SEED)),
    traceOf("--first", String(SEED - 1), "--seeds", "2", "--processes", "1"),
  ])
  expect(alone).toEqual({ code: 0, trace: expect.any(String) })
  expect(after).toEqual(alone)
})

test("a run that is stopped goes on with the first seed that has not ended", () => {
  const options = readOptions(["--first", "7", "--seeds", "10"], 2)
  if (!options) throw new Error("no help was asked for")
  const seeds = new Seeds(options)
  expect([seeds.deal(), seeds.deal(), seeds.deal()]).toEqual([7, 8, 9])
  seeds.note(endOf(7))
  seeds.note(endOf(9))
  seeds.stop()
  expect([seeds.deal(), seeds.firstLeft, seeds.left]).toEqual([undefined, 8, 9])
  seeds.note(endOf(8))
  expect([seeds.firstLeft, seeds.left]).toEqual([10, 7])
})

const endOf = (seed: number) => ({ seed, violations: [] as string[] }) as unknown as SeedResult

async function traceOf(...args: string[]): Promise<{ code: number | null; trace: string | undefined }> {
  const { code, output } = await runTypeScript(MAIN, args).ended
  return { code, trace: new RegExp(`seed ${SEED}: trace (\\w+),`).exec(output)?.[1] }
}
