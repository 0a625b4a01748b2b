import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { loadConfig } from "../../config.ts"
import { type Core, openCore } from "../../core.ts"
import { createLogger } from "../../support/log.ts"
import { drive } from "../../test-support/drive.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { enqueueJob } from "../jobs/enqueue/enqueue-job.ts"
import type { Context } from "../kernel/context.ts"
import { resetWeights, setWeights } from "./change-weights.ts"
import { LiveSettings } from "./live-settings.ts"

const operator = { actor: "anna" }
let engine: TestEngine

beforeAll(async () => {
  engine = await createTestEngine()
})
afterAll(() => engine.close())
afterEach(() => resetWeights(engine.ctx, operator))

async function fill(ctx: Context, jobType: string): Promise<void> {
  for (const priority of ["normal", "critical", "high"] as const)
    for (let n = 0; n < 10; n++)
      await enqueueJob(ctx, { jobType, payload: {}, priority, whenFull: "absorb", actor: "local" })
}

const lanesOf = async (ctx: Context, jobType: string, count: number) =>
  (await drive(ctx).claim([jobType], count)).map(({ priority }) => priority)

describe("weights at run time", () => {
  test("D-14: a lane with 0 is served when the others have nothing", async () => {
    await fill(engine.ctx, "d14")
    await setWeights(engine.ctx, operator, { critical: 100, high: 0, normal: 0 })
    const lanes = await lanesOf(engine.ctx, "d14", 30)
    expect(lanes.slice(0, 10)).toEqual(Array(10).fill("critical"))
    expect(lanes).toHaveLength(30)
  })

  test("D-50: weights are judged when they are read; bad ones are logged and the configured ones used", async () => {
    const lines: Record<string, unknown>[] = []
    const log = createLogger({ level: "info", destination: { write: (line) => void lines.push(JSON.parse(line)) } })
    const configured = { critical: 50, high: 30, normal: 20 }
    const live = new LiveSettings(engine.db, log, configured)
    await setWeights(engine.ctx, operator, { critical: 100, high: 0, normal: 0 })
    await live.refresh()
    expect([live.weights.critical, live.weightsSource, lines]).toEqual([100, "database", []])
    await engine.db.script(`update millrace.live_settings set value = '{"critical": 100, "high": 100, "normal": 0}'`)
    await live.refresh()
    expect([live.weights, live.weightsSource]).toEqual([configured, "config"])
    expect(lines).toEqual([expect.objectContaining({ level: "error", weights: expect.stringContaining("100") })])
  })
})

describe("weights in two processes", () => {
  let other: Core
  beforeAll(async () => {
    const env = { WE_POSTGRES_DSN: engine.dsn, DB_MAX_CONNS: "4" }
    other = await openCore(loadConfig({ env }), createLogger({ level: "silent" }))
  })
  afterAll(() => other.stop())

  test("D-15: what one process is told, the next claim of every other one obeys", async () => {
    await fill(engine.ctx, "d15")
    await setWeights(engine.ctx, operator, { critical: 0, high: 0, normal: 100 })
    expect(other.ctx.live.weights).toEqual({ critical: 0, high: 0, normal: 100 })
    await other.ctx.queues.refresh()
    expect(await lanesOf(other.ctx, "d15", 6)).toEqual(Array(6).fill("normal"))
    await setWeights(other.ctx, operator, { critical: 100, high: 0, normal: 0 })
    expect(await lanesOf(engine.ctx, "d15", 6)).toEqual(Array(6).fill("critical"))
    await resetWeights(other.ctx, operator)
    expect(engine.ctx.live.weightsSource).toBe("config")
  })

  test("D-04: two changes at once are both noted, and the last one stands everywhere", async () => {
    const choices = [10, 20, 30, 40].map((critical) => ({ critical, high: 0, normal: 100 - critical }))
    await Promise.all(choices.map((weights, n) => setWeights(n % 2 ? other.ctx : engine.ctx, operator, weights)))
    const [last] = await engine.db.script(
      "select detail from millrace.changes where kind = 'weights' order by id desc limit 1",
    )
    expect(engine.ctx.live.weights).toEqual(JSON.parse(last?.detail as string))
    expect(other.ctx.live.weights).toEqual(engine.ctx.live.weights)
  })
})
