// A result that is nested too deeply fails its own job for good, on both wires alike; its neighbours are reported.
import { EngineClient, type Job, Runner, type RunnerOptions } from "@millrace/sdk"
import { afterAll, beforeAll, expect, test } from "vitest"
import { useOneStep } from "../test-support/one-step.ts"
import { openRealEngine, type RealEngine } from "../test-support/real-engine.ts"
import { silent } from "../test-support/runners.ts"
import { auditCount, ended } from "../watch.ts"

let engine: RealEngine

beforeAll(async () => {
  engine = await openRealEngine()
})
afterAll(() => engine.close())

function nested(levels: number): object {
  let value: object = {}
  for (let level = 1; level < levels; level++) value = { in: value }
  return value
}

async function withRunner(url: string, options: Omit<RunnerOptions, "client" | "workerId">, work: () => Promise<void>) {
  const client = new EngineClient({ url })
  const runner = new Runner({ client, workerId: "deep", logger: silent, ...options }).start()
  try {
    await work()
  } finally {
    await runner.stop({ timeoutMs: 0 })
    client.close()
  }
}

const WIRES = [
  ["REST", "url", "exchange"],
  ["REST", "url", "poll"],
  ["gRPC", "grpcUrl", "exchange"],
  ["gRPC", "grpcUrl", "poll"],
  ["gRPC", "grpcUrl", "stream"],
] as const

test.each(WIRES.flatMap((wire) => [31, 40, 99, 100, 240, 5_000, 100_000].map((levels) => [...wire, levels] as const)))(
  "C-109: over %s (%s, %s) a result of %i levels fails for good, and its neighbours complete",
  async (_, door, mode, levels) => {
    const jobType = `deep-${door}-${mode}-${levels}`
    const start = await useOneStep(engine, jobType, { retryCount: 5 })
    const handler = (job: Job) => (job.variables.deep ? { result: nested(levels) } : { fine: true })
    // All are there before the first poll, so that they are reported together.
    const [before, deep, after] = [await start(), await start({ deep: true }), await start()]
    await withRunner(engine[door], { handlers: { [jobType]: handler }, mode }, async () => {
      for (const { id } of [before, after])
        expect(await ended(engine.client, id)).toMatchObject({ status: "COMPLETED", variables: { fine: true } })
      const failed = await ended(engine.client, deep.id)
      expect(failed).toMatchObject({ status: "FAILED", variables: { deep: true } })
      expect(failed.failureReason).toMatch(/nest(ed too|ing) deep/)
      expect(await auditCount(engine.client, deep.id, "JOB_RETRIED")).toBe(0)
    })
  },
)
