import { expect, test } from "vitest"
import { runTypeScript } from "../test-support/typescript-process.ts"

const MAIN = new URL("main.ts", import.meta.url)

/** With crashes, lost connections, steps of the clock and three engines. */
const SEED = "107"

test("RG3: the same seed is the same run, statement by statement, in another process and on another server", async () => {
  const runs = await Promise.all([1, 2].map(() => runTypeScript(MAIN, ["--seed", SEED]).ended))
  const [first, second] = runs.map(({ code, output }) => ({ code, trace: /trace (\w+),/.exec(output)?.[1] }))
  expect(first).toEqual({ code: 0, trace: expect.any(String) })
  expect(second).toEqual(first)
})
