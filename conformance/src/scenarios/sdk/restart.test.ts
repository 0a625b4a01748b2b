// C-108, C-110, C-115: the engine goes away and comes back while a runner works: it recovers by itself, and nothing is lost.
import type { Job } from "@millrace/sdk"
import { afterAll, beforeAll, expect, test } from "vitest"
import { useOneStep } from "../test-support/one-step.ts"
import { openRealEngine, type RealEngine } from "../test-support/real-engine.ts"
import { silent, useRunners } from "../test-support/runners.ts"
import { Tally } from "../test-support/tally.ts"
import { auditCount, ended, eventually } from "../watch.ts"

let engine: RealEngine
const run = useRunners(() => engine.url)

beforeAll(async () => {
  engine = await openRealEngine()
})
afterAll(() => engine.close())

test("C-108: results that finish while the engine is down arrive when it is back, and new work goes on", async () => {
  const start = await useOneStep(engine, "patient")
  const begun = new Tally<{ job: Job; finish: () => void }>()
  const warnings = new Tally<string>()
  const logger = { ...silent, warn: (_: object, message: string) => warnings.add(message) }
  run(
    {
      patient: (job) => new Promise((resolve) => begun.add({ job, finish: () => resolve({ attempt: job.attempt }) })),
    },
    { logger, concurrency: 8 },
  )
  const instances = await Promise.all(Array.from({ length: 5 }, () => start()))
  const waiting = await begun.reach(5)
  await engine.stop()
  for (const { finish } of waiting) finish()
  await expect.poll(() => warnings.items).toContain("poll failed, backing off")
  await expect.poll(() => warnings.items).toContain("reports not delivered, trying again")
  await engine.start()
  for (const { id } of instances) {
    // Attempt 1: the result was kept and delivered, the handler did not run again.
    expect(await ended(engine.client, id)).toMatchObject({ status: "COMPLETED", variables: { attempt: 1 } })
    expect(await auditCount(engine.client, id, "JOB_COMPLETED")).toBe(1)
  }
  const next = await start()
  ;(await begun.reach(6))[5]?.finish()
  expect(await ended(engine.client, next.id)).toMatchObject({ status: "COMPLETED" })
})

// A poll that is not answered would be cut off with the server.
test("C-26, C-10: an engine that stops answers waiting polls at once, with nothing", async () => {
  const empty = async () => (await engine.metrics()).value("workflow_engine_job_empty_polls_total")
  const before = await empty()
  const poll = engine.client.poll({ workerId: "waiter", jobTypes: ["nothing-here"], waitSeconds: 30 })
  await eventually("the poll waits", async () => ((await empty()) > before ? true : undefined))
  const stopped = engine.stop()
  expect(await poll).toEqual([])
  await stopped
  await engine.start()
})

test("C-115: restarts under load lose nothing and count every result once", async () => {
  const start = await useOneStep(engine, "stormy")
  const ran = new Tally<string>()
  const stormy = (job: Job) => {
    ran.add(job.id)
    return { done: true }
  }
  run({ stormy }, { concurrency: 4 })
  const instances = await Promise.all(Array.from({ length: 120 }, () => start()))
  for (const some of [20, 60]) {
    await ran.reach(some)
    await engine.stop()
    await engine.start()
  }
  for (const { id } of instances) {
    expect(await ended(engine.client, id)).toMatchObject({ status: "COMPLETED", variables: { done: true } })
    expect(await auditCount(engine.client, id, "JOB_COMPLETED")).toBe(1)
  }
})
