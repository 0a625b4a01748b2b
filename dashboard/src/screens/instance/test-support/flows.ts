// Workflows for tests of the page, as a module that `millrace work` is given: lists and functions are run by code, not by REST.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { type EngineProcess, runCli } from "../../../test-support/engine-process.ts"

const LIBRARY = new URL("../../../../../engine/dist/index.js", import.meta.url).href

const FLOWS = `import { RetryableError, sleep, step, userTask, waitForSignal, workflow } from ${JSON.stringify(LIBRARY)}
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
const charge = step("charge", ({ input }) => {
  if (input.card === "expired") throw new Error("the card has expired")
})
const reserve = (undo) => step("reserve", () => {}, undo)
export const brokenList = workflow("broken-list", { recover: "resume", steps: [reserve({}), charge] })
export const undoneList = workflow("undone-list", { recover: "resume", steps: [reserve({ undo: () => {} }), charge] })
export const renamed = workflow("renamed", async (run) => {
  await run.step(first, () => {})
  await run.signal("go")
})
`

/** Runs what is ready of them, and comes back. `renamed`: with code in which a step has another name. */
export async function workFlows(engine: EngineProcess, renamed = false): Promise<void> {
  await workModule(
    engine,
    renamed ? "flows-renamed" : "flows",
    renamed ? FLOWS.replace(`"charge"`, `"charge-card"`) : FLOWS,
  )
}

/** Lists and functions that end in every way that the page of a run has to tell. */
const CODE = `import { bestEffort, sleep, step, workflow } from ${JSON.stringify(LIBRARY)}
const fine = (name, more = {}) => step(name, () => new Promise((done) => setTimeout(() => done({ [name]: true, ...more }), 30)))
function validate() {
  throw new Error("the amount is negative")
}
let left = 2
const pay = () => {
  left -= 1
  if (left >= 0) throw new Error("the bank is away")
  return { receipt: "r-1" }
}
const greet = () => {
  throw new Error("the mailbox is full")
}
const retry = { retries: 3, base: 0 }
export const broken = workflow("checkout", { steps: [fine("fetch-order"), validate, fine("charge"), fine("ship")] })
export const paid = workflow("payment", { recover: "resume", steps: [fine("reserve"), step("pay", pay, { retry }), bestEffort(step("greet", greet)), fine("ship")] })
export const asleep = workflow("cooling-off", { recover: "resume", steps: [fine("place-order", { order: 7 }), sleep("PT10M", { name: "cool-down" }), fine("ship")] })
const shipping = workflow("shipping", async (run) => run.step("pack", () => "packed"))
export const unfolded = workflow("fulfilment", async (run) => {
  await run.step("accept", () => ({ accepted: true }))
  await run.all({
    mail: () => run.step("send mail", () => new Promise((done) => setTimeout(() => done("sent"), 40))),
    stock: async () => {
      await run.step("reserve", () => "reserved", { key: "sku-1" })
      await run.step("reserve", () => "reserved", { key: "sku-2" })
    },
  })
  await run.child(shipping, {})
})
export const child = shipping
`

/** Works on the runs of code until nothing is ready. */
export const workCode = (engine: EngineProcess): Promise<void> => workModule(engine, "code", CODE)

async function workModule(engine: EngineProcess, name: string, source: string): Promise<void> {
  const module = join(engine.dataDir, `${name}.mjs`)
  writeFileSync(module, source)
  await runCli(engine, ["work", module, "--once"])
}
