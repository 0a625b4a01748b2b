import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import type { Core } from "../../core.ts"
import { createLogger } from "../../support/log.ts"
import { drive } from "../../test-support/drive.ts"
import { standStill } from "../../test-support/stand-still.ts"
import { openTestCore } from "../../test-support/test-core.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { enqueueJob } from "../jobs/enqueue/enqueue-job.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { getWeights, resetWeights, setWeights } from "./change-weights.ts"
import { LiveSettings, liveSettingsOf } from "./live-settings.ts"
import { queuesOf } from "./queue-registry.ts"

const operator = { actor: "anna" }
let engine: TestEngine

beforeAll(async () => {
  engine = await createTestEngine()
})
afterAll(() => engine.close())
afterEach(() => resetWeights(engine.kernel, operator))

async function fill(kernel: Kernel, jobType: string): Promise<void> {
  for (const priority of ["normal", "critical", "high"] as const)
    for (let n = 0; n < 10; n++)
      await enqueueJob(kernel, { jobType, payload: {}, priority, whenFull: "absorb", actor: "local" })
}

const prioritiesOf = async (kernel: Kernel, jobType: string, count: number) =>
  (await drive(kernel).claim([jobType], count)).map(({ priority }) => priority)

describe("weights at run time", () => {
  test("D-14: a priority with 0 is served when the others have nothing", async () => {
    await fill(engine.kernel, "d14")
    await setWeights(engine.kernel, operator, { critical: 100, high: 0, normal: 0 })
    const priorities = await prioritiesOf(engine.kernel, "d14", 30)
    expect(priorities.slice(0, 10)).toEqual(Array(10).fill("critical"))
    expect(priorities).toHaveLength(30)
  })

  test("with the version that was seen they replace no others, and the refusal says what they are now, and by whom", async () => {
    const { version: first } = await getWeights(engine.kernel)
    const set = (critical: number, actor: string, version?: string) =>
      setWeights(engine.kernel, { actor }, { critical, high: 0, normal: 100 - critical, version })
    const { outcome } = await set(70, "bo", first)
    await expect(set(80, "anna", first)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("changed meanwhile by bo: critical 70, high 0, normal 30"),
      details: [
        { path: "$.critical", message: "is 70 now" },
        { path: "$.high", message: "is 0 now" },
        { path: "$.normal", message: "is 30 now" },
      ],
    })
    const races = await Promise.allSettled([81, 82, 83].map((critical) => set(critical, "anna", outcome.version)))
    expect(races.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
    await expect(set(90, "anna", "nonsense")).rejects.toMatchObject({ code: "unprocessable" })
    await resetWeights(engine.kernel, operator)
    await expect(set(90, "anna", outcome.version)).rejects.toMatchObject({ code: "conflict" })
    expect((await set(90, "anna", "config")).outcome).toMatchObject({ critical: 90, source: "database" })
    // As before where none is sent.
    expect((await set(91, "anna")).outcome.critical).toBe(91)
  })

  test("D-50: weights are judged when they are read; bad ones are logged and the configured ones used", async () => {
    const lines: Record<string, unknown>[] = []
    const log = createLogger({ level: "info", destination: { write: (line) => void lines.push(JSON.parse(line)) } })
    const configured = { critical: 50, high: 30, normal: 20 }
    const live = new LiveSettings(engine.db, log, configured)
    await setWeights(engine.kernel, operator, { critical: 100, high: 0, normal: 0 })
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
  let goOn: () => Promise<void>
  beforeAll(async () => {
    other = await openTestCore(engine.dsn)
    goOn = await standStill(engine.kernel)
  })
  afterAll(async () => {
    await goOn()
    await other.stop()
  })

  test("D-15: what one process is told, the next claim of every other one obeys", async () => {
    await fill(engine.kernel, "d15")
    await setWeights(engine.kernel, operator, { critical: 0, high: 0, normal: 100 })
    expect(liveSettingsOf(other.kernel).weights).toEqual({ critical: 0, high: 0, normal: 100 })
    await queuesOf(other.kernel).refresh()
    expect(await prioritiesOf(other.kernel, "d15", 6)).toEqual(Array(6).fill("normal"))
    await setWeights(other.kernel, operator, { critical: 100, high: 0, normal: 0 })
    expect(await prioritiesOf(engine.kernel, "d15", 6)).toEqual(Array(6).fill("critical"))
    await resetWeights(other.kernel, operator)
    expect(liveSettingsOf(engine.kernel).weightsSource).toBe("config")
  })

  test("D-04: two changes at once are both noted, and the last one stands everywhere", async () => {
    const choices = [10, 20, 30, 40].map((critical) => ({ critical, high: 0, normal: 100 - critical }))
    await Promise.all(choices.map((weights, n) => setWeights(n % 2 ? other.kernel : engine.kernel, operator, weights)))
    const [last] = await engine.db.script(
      "select detail from millrace.changes where kind = 'weights' order by id desc limit 1",
    )
    expect(liveSettingsOf(engine.kernel).weights).toEqual(JSON.parse(last?.detail as string))
    expect(liveSettingsOf(other.kernel).weights).toEqual(liveSettingsOf(engine.kernel).weights)
  })
})
