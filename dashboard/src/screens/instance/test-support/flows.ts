// Workflows for tests of the page, as a module that `millrace work` is given: lists and functions are run by code, not by REST.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { type EngineProcess, runCli } from "../../../test-support/engine-process.ts"

const LIBRARY = new URL("../../../../../engine/dist/index.js", import.meta.url).href

const FLOWS = `import { RetryableError, sleep, userTask, waitForSignal, workflow } from ${JSON.stringify(LIBRARY)}
const busy = () => {
  throw new RetryableError("the bank is busy", { baseDelay: "1h" })
}
const resume = (name, ...steps) => workflow(name, { recover: "resume", retry: { retries: 4 }, steps })
const first = "charge"
export const napList = resume("nap-list", sleep("PT10M", { name: "nap" }))
export const napFunction = workflow("nap-function", async (run) => run.sleep("nap", "PT10M"))
export const paidList = resume("paid-list", waitForSignal("paid", { within: "PT1H" }))
export const paidFunction = workflow("paid-function", async (run) => run.signal("paid"))
export const askList = resume("ask-list", userTask({ name: "ask", group: "credit" }))
export const failedList = workflow("failed-list", { retry: { retries: 4 }, steps: [function pay() { busy() }] })
export const failedResume = resume("failed-resume", function pay() { busy() })
export const failedFunction = workflow("failed-function", { retry: { retries: 4 } }, async (run) => run.step("pay", busy))
const child = workflow("child", async (run) => run.sleep("long", "P1D"))
export const parent = workflow("parent", async (run) => run.child(child, {}))
export const renamed = workflow("renamed", async (run) => {
  await run.step(first, () => {})
  await run.signal("go")
})
`

/** Runs what is ready of them, and comes back. `renamed`: with code in which a step has another name. */
export async function workFlows(engine: EngineProcess, renamed = false): Promise<void> {
  const module = join(engine.dataDir, renamed ? "flows-renamed.mjs" : "flows.mjs")
  writeFileSync(module, renamed ? FLOWS.replace(`"charge"`, `"charge-card"`) : FLOWS)
  await runCli(engine, ["work", module, "--once"])
}
