// The retry rule of a step and of its list: which errors are tried again, how often, when, and how the tries are counted.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import {
  bestEffort,
  NonRetryableError,
  RetryableError,
  type RetryOption,
  type Step,
  sleep,
  step,
  waitForSignal,
  workflow,
} from "../../index.ts"
import { type Mills, openMills } from "../../test-support/mills.ts"
import type { AnyWorkflow } from "../authoring/workflow.ts"
import type { Mill } from "./mill.ts"

let mills: Mills
let mill: Mill
let tries: string[]
beforeAll(async () => {
  mills = await openMills()
  mill = mills.mill
})
afterAll(() => mills.close())
beforeEach(() => {
  tries = []
})

const now: RetryOption = { base: 0 }

/** Notes each try of it by number, and fails so often. */
const failing = (name: string, times: number, error: () => Error = () => new Error(`${name} is broken`)) => {
  let left = times
  return ({ attempt }: Step) => {
    tries.push(`${name} ${attempt}`)
    left -= 1
    if (left >= 0) throw error()
    return { [name]: attempt }
  }
}

async function passDelays(): Promise<void> {
  await mills.tables.script("update millrace.jobs set status = 'ready', visible_at = null where status = 'held'")
}

async function runOf(flow: AnyWorkflow) {
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  return mill.runs.get(id)
}

/** What the run was put off by, each time. */
const delaysOf = async (id: string): Promise<unknown[]> => {
  const rows = await mills.tables.script(
    `select (detail->>'delayMs')::int as ms from millrace.trail where instance_id = '${id}' and kind = 'JOB_RETRIED' order by seq`,
  )
  return rows.map(({ ms }) => ms)
}

describe("which errors are tried again", () => {
  test.each<[string, RetryOption | undefined, () => Error, string]>([
    ["A-30: nothing is said: a plain error is not", undefined, () => new Error("x"), "FAILED"],
    ["A-27: nothing is said: a marked one is", undefined, () => new RetryableError("x", { baseDelay: 0 }), "COMPLETED"],
    ["marked: a plain error is not", "marked", () => new Error("x"), "FAILED"],
    ["all, with delays: a plain error is", now, () => new Error("x"), "COMPLETED"],
    ["all, with delays: one that forbids it is not", now, () => new NonRetryableError("x"), "FAILED"],
    ["numbers for marked ones: a plain error is not", { errors: "marked", base: 0 }, () => new Error("x"), "FAILED"],
  ])("%s", async (name, retry, error, status) => {
    for (const recover of ["restart", "resume"] as const) {
      const more = retry === undefined ? {} : { retry }
      const flow = workflow(`which-${recover}-${name.replaceAll(/\W+/g, "-")}`, {
        recover,
        ...more,
        steps: [step("work", failing("work", 1, error))],
      })
      expect(await runOf(flow)).toMatchObject({ status })
    }
  })

  test("the word all: after 30 s, doubled each time, within half of it", async () => {
    const flow = workflow("by-word", { retry: "all", steps: [step("work", failing("work", 2))] })
    const { id } = await runOf(flow)
    await passDelays()
    await mill.drain([flow])
    const [first, second] = (await delaysOf(id)) as number[]
    expect(first).toBeGreaterThanOrEqual(15_000)
    expect(first).toBeLessThanOrEqual(30_000)
    expect(second).toBeGreaterThanOrEqual(30_000)
    expect(second).toBeLessThanOrEqual(60_000)
  })

  test("a step's own rule goes before that of its list", async () => {
    const flow = workflow("own-rule", {
      retry: { base: 0 },
      steps: [step("strict", failing("strict", 1), { retry: "marked" })],
    })
    expect(await runOf(flow)).toMatchObject({ status: "FAILED", failureReason: "strict: strict is broken" })
    expect(tries).toEqual(["strict 1"])
  })

  test("an error of the SDK's class that forbids another try is obeyed too", async () => {
    const foreign = () => Object.assign(new Error("x"), { name: "NonRetryableError" })
    const flow = workflow("foreign", { retry: { base: 0 }, steps: [step("work", failing("work", 1, foreign))] })
    expect(await runOf(flow)).toMatchObject({ status: "FAILED" })
  })
})

describe("how often", () => {
  test("a step's own retries are its own: those of the run are not spent, and the next step has all of its own", async () => {
    const retry = { retries: 2, base: 0 }
    const flow = workflow("own-retries", {
      recover: "resume",
      retry: { retries: 0 },
      steps: [step("a", failing("a", 2), { retry }), step("b", failing("b", 2), { retry })],
    })
    expect(await runOf(flow)).toMatchObject({ status: "COMPLETED", variables: { a: 3, b: 3 } })
    expect(tries).toEqual(["a 1", "a 2", "a 3", "b 1", "b 2", "b 3"])
  })

  test("A-38: when they are used up the run is FAILED, as one that was tried in vain", async () => {
    const flow = workflow("used-up", { steps: [step("a", failing("a", 9), { retry: { retries: 2, base: 0 } })] })
    const { id } = await runOf(flow)
    expect(tries).toEqual(["a 1", "a 2", "a 3"])
    const [dead] = await mills.tables.script(
      `select reason, retry_count from millrace.dead_letters where instance_id = '${id}'`,
    )
    expect(dead).toEqual({ reason: "exhausted", retry_count: 2 })
  })

  test("A-39: a manual retry begins at 1, with all retries", async () => {
    const flow = workflow("by-hand", {
      recover: "resume",
      steps: [step("a", failing("a", 3), { retry: { retries: 1, base: 0 } })],
    })
    const { id } = await runOf(flow)
    expect(await mill.runs.get(id)).toMatchObject({ status: "FAILED" })
    await mill.runs.handle(id).retry()
    await mill.drain([flow])
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
    expect(tries).toEqual(["a 1", "a 2", "a 1", "a 2"])
  })

  test("A-25: a best-effort step with a rule of its own is tried so often, then forgiven; without one it is forgiven at once", async () => {
    const flow = workflow("in-the-end", {
      steps: [
        bestEffort(step("card", failing("card", 9), { retry: { retries: 2, base: 0 } })),
        bestEffort(
          step(
            "mail",
            failing("mail", 9, () => new RetryableError("later", { baseDelay: 0 })),
          ),
        ),
      ],
    })
    const { id, status } = await runOf(flow)
    expect(status).toBe("COMPLETED")
    expect(tries).toEqual(["card 1", "card 2", "card 3", "mail 1"])
    expect((await mill.runs.failures({ workflow: flow, step: "card" })).items).toMatchObject([
      { instanceId: id, error: "card is broken" },
    ])
  })
})

describe("when", () => {
  test("by the step's own numbers; Retry-After of the called system is believed, and a RetryableError that says it", async () => {
    const errors = [
      new Error("plain"),
      Object.assign(new Error("slow down"), { status: 429, retryAfter: 7 }),
      new RetryableError("says nothing"),
      new RetryableError("says it", { baseDelay: 11_000, jitterFactor: 0 }),
    ]
    const retry = { retries: 9, base: "1s", factor: 3, cap: "5s", jitter: "none" } as const
    const flow = workflow("when", {
      steps: [
        step(
          "work",
          failing("work", 4, () => errors.shift() as Error),
          { retry },
        ),
      ],
    })
    const { id } = await runOf(flow)
    for (let look = 0; look < 4; look++) {
      await passDelays()
      await mill.drain([flow])
    }
    // 11 s for the first retry, and this is the fourth.
    expect(await delaysOf(id)).toEqual([1_000, 7_000, 5_000, 88_000])
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
  })
})

describe("attempt", () => {
  test("counts the tries of the step itself: waits do not count, nor do those of other steps", async () => {
    const flow = workflow("counted", {
      recover: "resume",
      retry: { base: 0 },
      steps: [
        step("a", failing("a", 1)),
        waitForSignal("go"),
        sleep("PT1H"),
        step("b", failing("b", 2)),
        step("c", failing("c", 0)),
      ],
    })
    const { id } = await runOf(flow)
    await mill.runs.handle(id).signal("go", {})
    await mill.drain([flow])
    await mills.advanceClock(3_700_000)
    await passDelays()
    await mill.drain([flow])
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
    expect(tries).toEqual(["a 1", "a 2", "b 1", "b 2", "b 3", "c 1"])
  })

  test("A-32: in a restart list every step up to the one that failed is tried again with it", async () => {
    const flow = workflow("restarted", {
      retry: { base: 0 },
      steps: [step("a", failing("a", 0)), step("b", failing("b", 2)), step("c", failing("c", 0))],
    })
    await runOf(flow)
    expect(tries).toEqual(["a 1", "b 1", "a 2", "b 2", "a 3", "b 3", "c 1"])
  })

  test("a worker that died at a step has tried it, which is no failure of the step", async () => {
    const steps = [
      step("a", failing("a", 0)),
      step("b", failing("b", 1), { retry: { retries: 1, base: 0 } }),
      step("c", failing("c", 0)),
    ]
    const flow = workflow("died", { recover: "resume", steps })
    const { id } = await mill.start(flow, {})
    const workers = mills.dying((place, name) => place === "recorded" && name === "a")
    await workers.drain([flow], {})
    await workers.stop()
    await mills.endLeases()
    await mill.drain([flow])
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
    expect(tries).toEqual(["a 1", "b 2", "b 3", "c 1"])
  })

  test("where each attempt ended is kept with it, and told in the audit trail", async () => {
    const flow = workflow("kept", {
      retry: { base: 0 },
      steps: [step("a", failing("a", 0)), step("b", failing("b", 1))],
    })
    const { id } = await runOf(flow)
    expect(
      await mills.tables.script(`select outcome, step from millrace.attempts where instance_id = '${id}'`),
    ).toEqual([{ outcome: "failed", step: "b" }])
    const [retried] = await mills.tables.script(
      `select detail->>'at' as at from millrace.trail where instance_id = '${id}' and kind = 'JOB_RETRIED'`,
    )
    expect(retried).toEqual({ at: "b" })
  })
})
