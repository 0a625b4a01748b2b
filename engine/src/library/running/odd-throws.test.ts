// Whatever the caller's code throws, the run or the job has failed and says so; nothing is left to the end of a lease.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { bestEffort, job, type Run, step, workflow } from "../../index.ts"
import { type Mills, openMills } from "../../test-support/mills.ts"
import { RetryableError } from "../authoring/retryable-error.ts"
import type { AnyWorkflow } from "../authoring/workflow.ts"

let mills: Mills
beforeAll(async () => {
  mills = await openMills()
})
afterAll(() => mills.close())

function explode(): never {
  throw new Error("not to be read")
}
const withGetter = (error: Error, name: string) => Object.defineProperty(error, name, { get: explode })
function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

const UNREADABLE = "what was thrown cannot be read"
const THROWN: Readonly<Record<string, readonly [() => unknown, string]>> = {
  bare: [() => Object.create(null), "[Object: null prototype] {}"],
  message: [() => withGetter(new Error("x"), "message"), UNREADABLE],
  stack: [() => withGetter(new Error("broken"), "stack"), "broken"],
  status: [() => withGetter(new Error("busy"), "status"), "busy"],
  cause: [() => withGetter(new Error("wrapped"), "cause"), "wrapped"],
  text: [() => Object.assign(new Error(), { message: Object.create(null) }), UNREADABLE],
  inspect: [() => ({ [Symbol.for("nodejs.util.inspect.custom")]: explode }), UNREADABLE],
  refusing: [() => new Proxy({}, { getPrototypeOf: explode, get: explode, ownKeys: explode }), "{}"],
  revoked: [revoked, "<Revoked Proxy>"],
}
const CASES = Object.entries(THROWN).map(([name, [thrown, words]]) => ({ name, thrown, words }))

const fails = (thrown: () => unknown) => () => {
  throw thrown()
}

const FORMS: Readonly<Record<string, (name: string, thrown: () => unknown) => AnyWorkflow>> = {
  restart: (name, thrown) => workflow(name, { steps: [step("odd", fails(thrown))] }),
  resume: (name, thrown) => workflow(name, { steps: [step("odd", fails(thrown))], recover: "resume" }),
  transaction: (name, thrown) => workflow(name, { steps: [step("odd", fails(thrown))], claim: "transaction" }),
  function: (name, thrown) => workflow(name, (run: Run) => run.step("odd", fails(thrown))),
}

describe.each(Object.entries(FORMS))("%s", (form, flowOf) => {
  test.each(CASES)("a step that throws $name fails its run", async ({ name, thrown, words }) => {
    const flow = flowOf(`odd-${form}-${name}`, thrown)
    const { id } = await mills.mill.start(flow as never, {} as never)
    await mills.mill.drain([flow])
    expect(await mills.row(id)).toMatchObject({ status: "FAILED", last_error: `odd: ${words}` })
  })
})

test.each(CASES)("a best-effort step that throws $name is forgiven", async ({ name, thrown }) => {
  const flow = workflow(`odd-forgiven-${name}`, { steps: [bestEffort(step("odd", fails(thrown)))] })
  const { id } = await mills.mill.start(flow, {})
  await mills.mill.drain([flow])
  expect(await mills.row(id)).toMatchObject({ status: "COMPLETE" })
})

test.each(CASES)("a job that throws $name has failed", async ({ name, thrown, words }) => {
  const odd = job(`odd-job-${name}`, fails(thrown), { retries: 0 })
  const { id } = await mills.mill.enqueue(odd, {})
  await mills.mill.drain([odd])
  const [row] = await mills.tables.script(`select status, error from millrace_views.jobs where id = '${id}'`)
  expect(row).toEqual({ status: "FAILED", error: words })
})

test("a RetryableError whose stack throws is tried again as it says", async () => {
  const thrown = () => withGetter(new RetryableError("later"), "stack")
  const flow = workflow("odd-retryable", { steps: [step("odd", fails(thrown))] })
  const { id } = await mills.mill.start(flow, {})
  await mills.mill.drain([flow])
  expect(await mills.row(id)).toMatchObject({ status: "PENDING", last_error: "odd: later" })
})
