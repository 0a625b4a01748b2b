// The crash sweep: safe workflows of every kind pass it, and one that is not safe is told where and how.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Database } from "../db/database.ts"
import {
  bestEffort,
  RetryableError,
  type Step,
  sleep,
  type TxStep,
  userTask,
  waitForSignal,
  workflow,
} from "../index.ts"
import { createTestDatabase } from "../test-support/test-engine.ts"
import { type CrashSweepOptions, crashSweep } from "./crash-sweep.ts"

let database: string
let tables: Database
let drop: () => Promise<void>

beforeAll(async () => {
  const created = await createTestDatabase({ empty: true })
  ;({ dsn: database, drop } = created)
  tables = new Database({ dsn: database, schema: "millrace", maxConnections: 1 })
  await tables.script("create table public.ledger (entry text)")
})
afterAll(async () => {
  await tables.close()
  await drop()
})

const pointsOf = ({ points }: Awaited<ReturnType<typeof crashSweep>>) => points.map(({ point }) => point)

async function reserve({ key }: Step) {
  return { reservation: `for ${key}` }
}
async function confirm({ context }: Step<unknown, { reservation: string }>) {
  return { confirmed: context.reservation.length > 0 }
}

describe("a workflow that is safe passes", () => {
  test("A-24, A-32: a restart list, killed around every step and before its report, runs again from the top", async () => {
    const flow = workflow("restarted", { steps: [reserve, confirm] })
    const report = await crashSweep(flow, {}, { database })
    expect(report.outcome).toMatchObject({ status: "COMPLETED", variables: { reservation: "for <run>/reserve" } })
    expect(report.points).toEqual([
      { point: "before reserve", attempts: { reserve: 1, confirm: 1 } },
      { point: "after reserve", attempts: { reserve: 2, confirm: 1 } },
      { point: "before confirm", attempts: { reserve: 2, confirm: 1 } },
      { point: "after confirm", attempts: { reserve: 2, confirm: 2 } },
      { point: "before the report of complete", attempts: { reserve: 2, confirm: 2 } },
    ])
  })

  test("a resume list goes on after the last record", async () => {
    const report = await crashSweep(
      workflow("resumed", { recover: "resume", steps: [reserve, confirm] }),
      {},
      { database },
    )
    expect(report.points).toContainEqual({ point: "after reserve", attempts: { reserve: 2, confirm: 1 } })
    expect(report.points).toContainEqual({ point: "after the record of reserve", attempts: { reserve: 1, confirm: 1 } })
    expect(pointsOf(report)).toHaveLength(7)
  })

  test("a long list that resumes dies once in each run", async () => {
    const steps = Array.from({ length: 6 }, (_, n) => ({ [`step${n}`]: () => ({ [`did${n}`]: true }) })[`step${n}`])
    const report = await crashSweep(workflow("long", { recover: "resume", steps: steps as never }), {}, { database })
    expect(report.points).toContainEqual({
      point: "after the record of step0",
      attempts: { step0: 1, step1: 1, step2: 1, step3: 1, step4: 1, step5: 1 },
    })
  })

  test("A-37, A-T3: what steps write in the transaction of their claim is there once, wherever they die", async () => {
    await expect(crashSweep(writing({ claim: "transaction" }), {}, ledgered())).resolves.toMatchObject({ outcome: 1 })
  })

  test("what a step of a resume list writes commits with its record", async () => {
    await expect(crashSweep(writing({ recover: "resume" }), {}, ledgered())).resolves.toMatchObject({ outcome: 1 })
  })

  test("A-25, A-27: retries and best-effort failures, with what was tried before the crash", async () => {
    const flow = workflow("rough", {
      recover: "resume",
      steps: [
        bestEffort(function attachCard(): { card: string } {
          throw new Error("declined")
        }),
        function flaky({ key }: Step) {
          if (!tried.has(key)) {
            tried.add(key)
            throw new RetryableError("again")
          }
          return { through: true }
        },
      ],
    })
    const tried = new Set<string>()
    const report = await crashSweep(flow, {}, { database })
    expect(report.outcome).toMatchObject({ status: "COMPLETED", variables: { through: true } })
    expect(pointsOf(report)).toEqual([
      "before attachCard",
      "after the record of attachCard",
      "before flaky",
      "before the report of fail",
      "before flaky (2)",
      "after flaky",
      "after the record of flaky",
      "before the report of complete",
    ])
  })

  test("waits: a signal, a sleep of a day, a user task, and one that nobody answers", async () => {
    const flow = workflow("patient", {
      recover: "resume",
      steps: [
        reserve,
        waitForSignal("paid"),
        sleep("PT24H"),
        userTask({ name: "approve" }),
        waitForSignal("never", { within: "P1D", onTimeout: "continue" }),
        function close({ context }: Step<unknown, { paid: unknown; approve: unknown; never?: unknown }>) {
          return { got: [context.paid, context.approve, context.never ?? null] }
        },
      ],
    })
    const answers = { signals: { paid: { amount: 1 } }, tasks: { approve: { by: "ada" } } }
    const report = await crashSweep(flow, {}, { database, ...answers })
    expect(report.outcome).toMatchObject({
      status: "COMPLETED",
      variables: { got: [{ amount: 1 }, { by: "ada" }, null] },
    })
    expect(pointsOf(report)).toEqual(
      expect.arrayContaining(["after the record of paid", "after the record of approve"]),
    )
  })

  test("the function form: branches, keys, waits and children", async () => {
    const child = workflow("pick", async (run, { n }: { n: number }) => run.step("find", () => n * 10))
    const flow = workflow("branching", async (run, { ns }: { ns: number[] }) => {
      const a = await run.step("a", () => 1)
      const { left, right } = await run.all({
        left: () => Promise.all(ns.map((n) => run.step("each", () => n + a, { key: String(n) }))),
        right: async () => {
          await run.sleep("nap", "PT1H")
          return run.child(child, { n: 2 })
        },
      })
      return { left, right, told: await run.signal("go") }
    })
    const signals = { go: { yes: true } }
    const report = await crashSweep(flow, { ns: [1, 2] }, { database, children: [child], signals })
    expect(report.outcome).toMatchObject({ variables: { result: { left: [2, 3], right: 20, told: { yes: true } } } })
    expect(pointsOf(report)).toContain("after the record of each/2")
  })
})

describe("seeds", () => {
  const flow = workflow("seeded", async (run) => {
    const { left, right } = await run.all({
      left: () => run.step("left", () => "l"),
      right: async () => `${await run.step("right", () => "r")}${await run.step("further", () => "f")}`,
    })
    return { left, right, last: await run.step("last", () => 1) }
  })

  test("a safe workflow ends the same under several deaths in one run, in whatever order its branches go", async () => {
    const { seeds, outcome } = await crashSweep(flow, {}, { database, seeds: 40 })
    expect(outcome).toMatchObject({ variables: { result: { left: "l", right: "rf", last: 1 } } })
    expect(seeds.map(({ seed }) => seed)).toEqual(Array.from({ length: 40 }, (_, at) => at + 1))
    expect(Math.max(...seeds.map(({ deaths }) => deaths.length))).toBeGreaterThan(1)
  })

  test("the same seed dies at the same points", async () => {
    const { seeds } = await crashSweep(
      workflow("listed", { recover: "resume", steps: [reserve, confirm] }),
      {},
      {
        database,
        seeds: 12,
      },
    )
    const one = seeds.find(({ deaths }) => deaths.length > 1)
    const again = await crashSweep(
      workflow("listed", { recover: "resume", steps: [reserve, confirm] }),
      {},
      {
        database,
        seed: one?.seed as number,
      },
    )
    expect(again).toMatchObject({ points: [], seeds: [one] })
  })

  test("a fault that takes two deaths to show is found by a seed, which can be run again", async () => {
    // Safe when it is tried a second time, and not when it is tried a third time.
    const tries = new Map<string, number>()
    const flow = workflow("forgetful", {
      recover: "resume",
      steps: [
        function remember({ key }: Step) {
          tries.set(key, (tries.get(key) ?? 0) + 1)
          return { remembered: (tries.get(key) as number) < 3 }
        },
      ],
    })
    const failure = await crashSweep(flow, {}, { database, seeds: 200 }).catch((error: Error) => error.message)
    expect(failure).toMatch(/workflow forgetful: seed \d+, killed after remember, then after remember \(2\)/)
    const seed = Number(/The same again: \{ seed: (\d+) \}/.exec(failure as string)?.[1])
    await expect(crashSweep(flow, {}, { database, seed })).rejects.toThrow(`seed ${seed}, killed after remember`)
  })
})

describe("a workflow that is not", () => {
  test("names the point and shows the difference: a counter outside that a second attempt doubles", async () => {
    let count = 0
    const flow = workflow("counting", {
      steps: [
        reserve,
        function charge() {
          count += 1
          return { charged: count }
        },
      ],
    })
    const prepare = () => {
      count = 0
    }
    await expect(crashSweep(flow, {}, { database, prepare })).rejects.toThrow(
      [
        "workflow counting: killed after charge, the run ended differently:",
        "  variables.charged: 1 undisturbed, 2 now",
        "Steps called: reserve 2×, charge 2×.",
      ].join("\n"),
    )
  })

  test("changes what another step has returned: the next attempt finds it as it was recorded", async () => {
    const flow = workflow("meddling", {
      recover: "resume",
      steps: [
        function list() {
          return { items: ["a"] }
        },
        function meddle({ context }: Step<unknown, { items: string[] }>) {
          context.items.push("b")
        },
      ],
    })
    await expect(crashSweep(flow, {}, { database })).rejects.toThrow(
      'killed after the record of meddle, the run ended differently:\n  variables.items.1: "b" undisturbed, missing now',
    )
  })

  test("a sweep that cannot compare says so before it kills anything", async () => {
    let count = 0
    const flow = workflow("drifting", {
      steps: [
        function next() {
          return { count: ++count }
        },
      ],
    })
    await expect(crashSweep(flow, {}, { database })).rejects.toThrow(
      /two undisturbed runs ended differently:\n {2}variables.count: 1 undisturbed, 2 now\n.*`prepare`.*`outcome`/,
    )
    await expect(crashSweep(flow, {}, { database, outcome: ({ status }) => status })).resolves.toMatchObject({
      outcome: "COMPLETED",
    })
  })

  test("a run that waits for what was not given says what to give", async () => {
    const flow = workflow("unpaid", { recover: "resume", steps: [waitForSignal("paid")] })
    await expect(crashSweep(flow, {}, { database })).rejects.toThrow(
      "the run waits for paid: give it as `signals: { paid: {…} }`",
    )
  })
})

test("stubs stand in throughout, and one that is never called is refused", async () => {
  const outside = (): number => {
    throw new Error("the outside world was called")
  }
  const flow = workflow("stubbed", async (run) => run.step("charge", outside))
  const report = await crashSweep(flow, {}, { database, stubs: { charge: () => 7 } })
  expect(report.outcome).toMatchObject({ variables: { result: 7 } })
  const stubs = { chargge: () => 7, charge: () => 7 }
  await expect(crashSweep(flow, {}, { database, stubs })).rejects.toThrow("has no step `chargge`: its steps are charge")
})

async function enter({ tx, key }: TxStep) {
  await tx.query("insert into public.ledger values ($1)", [key])
}
async function look({ tx }: TxStep) {
  await tx.query("select from public.ledger")
}
const writing = (how: { readonly claim: "transaction" } | { readonly recover: "resume" }) =>
  "claim" in how
    ? workflow("writing", { claim: "transaction", steps: [enter, look] })
    : workflow("writing", { recover: "resume", steps: [enter, look] })

const ledgered = (): CrashSweepOptions<ReturnType<typeof writing>> => ({
  database,
  prepare: () => tables.script("truncate public.ledger"),
  outcome: async () => (await tables.script("select from public.ledger")).length,
})

describe("an undisturbed run that fails", () => {
  const asked = workflow("asked", { recover: "resume", steps: [waitForSignal("approved", { within: "1h" }), reserve] })

  test("is no measure: the sweep says how it ended, and why", async () => {
    await expect(crashSweep(asked, {}, { database })).rejects.toThrow(
      "workflow asked: the undisturbed run ended FAILED: approved: was not answered within 1h\nGive it what it waits for as `signals` and `tasks`",
    )
  })

  test("is one where that is how it is to end, and then another end is none", async () => {
    const report = await crashSweep(asked, {}, { database, status: "FAILED" })
    expect(report.outcome).toMatchObject({ status: "FAILED" })
    const answered = crashSweep(asked, {}, { database, status: "FAILED", signals: { approved: {} } })
    await expect(answered).rejects.toThrow("workflow asked: the undisturbed run ended COMPLETED\n")
  })
})
