import { expect, test } from "vitest"
import { runTypeScript } from "../test-support/typescript-process.ts"

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

async function traceOf(...args: string[]): Promise<{ code: number | null; trace: string | undefined }> {
  const { code, output } = await runTypeScript(MAIN, args).ended
  return { code, trace: new RegExp(`seed ${SEED}: trace (\\w+),`).exec(output)?.[1] }
}
