// Trace contexts in this process while nobody traces: handlers are told them, and child runs go on with them.
import { AsyncLocalStorage } from "node:async_hooks"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { startInstance } from "../../operations/instances/start/start-instance.ts"
import { enqueueJob } from "../../operations/jobs/enqueue/enqueue-job.ts"
import { type Mills, openMills } from "../../test-support/mills.ts"
import { handledAll } from "../authoring/handler.ts"
import { job } from "../authoring/job.ts"
import { workflow } from "../authoring/workflow.ts"
import { Worker } from "./worker.ts"

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
const context = `${traceparent} rojo=1`

let mills: Mills

beforeAll(async () => {
  mills = await openMills()
})
afterAll(() => mills.close())

test("a handler is told the context of its job, and nothing where there is none", async () => {
  const seen: unknown[] = []
  const { kernel } = mills
  const request = { jobType: "told", payload: {}, whenFull: "refuse", actor: "local" } as const
  await enqueueJob(kernel, { ...request, trace: context })
  await enqueueJob(kernel, request)
  const attempts = handledAll({ told: (given) => void seen.push([given.traceparent, given.tracestate]) })
  await new Worker(kernel, { workerId: "w", attempts }).runOut()
  expect(seen).toEqual([
    [traceparent, "rojo=1"],
    [undefined, undefined],
  ])
})

test("a child run goes on with the context of the run that asked for it", async () => {
  const child = workflow("child", async () => "done")
  const parent = workflow("parent", async (run) => run.child(child, {}))
  await mills.mill.start(parent, {})
  await mills.mill.drain([parent, child])
  const request = { definitionId: "parent", variables: {}, actor: "local", trace: context }
  const { instance } = await startInstance(mills.kernel, request)
  await mills.mill.drain([parent, child])
  const rows = await mills.tables.script(
    `select trace_context from (
       select parent_id, trace_context from millrace.instances union all
       select parent_id, trace_context from millrace.finished_instances) i where parent_id = '${instance.id}'`,
  )
  expect(rows).toEqual([{ trace_context: context }])
})

test("no context is kept for handlers, and no row has one: work that nobody traces costs nothing more", async () => {
  const run = vi.spyOn(AsyncLocalStorage.prototype, "run")
  const { mill, tables } = mills
  const plain = job("plain", async () => {
    await mill.enqueue("other", {})
  })
  await mill.enqueue(plain, {})
  await mill.drain([plain])
  expect(run).not.toHaveBeenCalled()
  run.mockRestore()
  expect(await tables.script("select distinct trace_context from millrace.jobs where step_id = 'other'")).toEqual([
    { trace_context: null },
  ])
})
