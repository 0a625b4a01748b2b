// The test kit's engine: real, private, idle when it says so, and on a clock that the test moves.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { Database } from "../db/database.ts"
import { RetryableError, type Step, sleep, waitForSignal, workflow } from "../index.ts"
import { EngineError } from "../support/errors.ts"
import { createTestDatabase } from "../test-support/test-engine.ts"
import { type TestEngine, testEngine } from "./index.ts"
import { openTestEngine } from "./test-engine.ts"

let database: string
let drop: () => Promise<void>
let t: TestEngine

beforeAll(async () => {
  const created = await createTestDatabase({ empty: true })
  ;({ dsn: database, drop } = created)
  t = await testEngine({ database })
})
afterAll(async () => {
  await t.close()
  await drop()
})

const looked = ({ attempt }: Step) => ({ attempt })

describe("run", () => {
  test("A-23: a run is worked to its end, and what it returns is typed", async () => {
    const flow = workflow("plain", {
      steps: [
        function double({ input }: Step<{ n: number }>) {
          return { twice: input.n * 2 }
        },
      ],
    })
    const run = await t.run(flow, { n: 21 })
    const twice: number = run.variables.twice
    expect([run.status, twice]).toEqual(["COMPLETED", 42])
  })

  test("a run that waits for a signal is given back as it stands, and settles when the signal has come", async () => {
    const flow = workflow("paying", { recover: "resume", steps: [waitForSignal("paid")] })
    const { id, status } = await t.run(flow, {})
    expect(status).toBe("WAITING")
    await t.mill.runs.handle(id).signal("paid", { amount: 1 })
    expect(await t.settle(id)).toMatchObject({ status: "COMPLETED", variables: { paid: { amount: 1 } } })
  })

  test("a run and the runs that it starts are worked together", async () => {
    const child = workflow("child", async (run, { n }: { n: number }) => run.step("square", () => n * n))
    const parent = workflow("parent", async (run, { n }: { n: number }) => (await run.child(child, { n })) + 1)
    expect(await t.run(parent, { n: 3 }, { children: [child] })).toMatchObject({ variables: { result: 10 } })
  })

  test("a worker that runs beside the test is waited for", async () => {
    const flow = workflow("beside", { recover: "resume", steps: [sleep("PT1H"), looked] })
    const worker = await t.work([flow])
    const { id, status } = await t.run(flow, {})
    expect(status).not.toBe("COMPLETED")
    await t.advance("PT1H")
    expect(await t.mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
    await worker.stop()
  })
})

test("a run whose attempt is lost is given back as it stands; its lease is one more thing that falls due", async () => {
  const flow = workflow("lost", {
    steps: [
      function vanish({ attempt }: Step) {
        if (attempt === 1) throw new EngineError("lease-lost", "as if")
        return { attempt }
      },
    ],
  })
  const { id, status } = await t.run(flow, {})
  expect(status).toBe("ACTIVE")
  await t.advance("PT1M")
  expect(await t.mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: { attempt: 2 } })
})

describe("advance", () => {
  test("a sleep of 24 hours passes when it is told to, and not a moment too early", async () => {
    const flow = workflow("napping", { recover: "resume", steps: [sleep("PT24H"), looked] })
    const { id } = await t.run(flow, {})
    await t.advance("PT23H59M")
    expect((await t.mill.runs.get(id)).status).toBe("ACTIVE")
    await t.advance(60_000)
    expect((await t.mill.runs.get(id)).status).toBe("COMPLETED")
  })

  test("A-27: retries come one after the other, each at its time and without jitter", async () => {
    const at: number[] = []
    const flow = workflow("retrying", {
      steps: [
        async function stubborn() {
          at.push(await now())
          if (at.length < 4) throw new RetryableError("not yet", { baseDelay: "PT30S" })
        },
      ],
    })
    const { id } = await t.run(flow, {})
    await t.advance("PT1M")
    expect(at).toHaveLength(2)
    await t.advance("PT1H")
    expect(await t.mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
    // A gap is a little longer than the delay: the test's clock goes on while the run is fetched.
    const gaps = at.slice(1).map((time, n) => Math.floor((time - (at[n] ?? 0)) / 30_000) * 30)
    expect(gaps).toEqual([30, 60, 120])
  })

  test("waits in a row pass within one move, and a wait that is not answered in time may go on without", async () => {
    const flow = workflow("row", {
      recover: "resume",
      steps: [
        sleep("PT1H", { name: "one" }),
        waitForSignal("paid", { within: "PT1H", onTimeout: "continue" }),
        sleep("PT1H", { name: "two" }),
      ],
    })
    const { id } = await t.run(flow, {})
    await t.advance("PT3H1S")
    expect(await t.mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: {} })
  })

  test("a step that runs while the clock is moved keeps its lease", async () => {
    const own = await openTestEngine({ database })
    onTestFinished(() => own.close())
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const flow = workflow("leased", {
      steps: [
        looked,
        function held() {
          return gate
        },
      ],
    })
    const { id } = await own.mill.start(flow, {})
    await own.work([flow])
    await expect.poll(() => own.time.isBusy(id, [])).toBe(true)
    await own.time.moveTo((await own.time.now()) + 3_600_000)
    open()
    expect(await own.settle(id)).toMatchObject({ status: "COMPLETED", variables: { attempt: 1 } })
  })

  test.each(["24 hours", -1, Number.NaN])("the clock is not moved by %s", async (duration) => {
    await expect(t.advance(duration)).rejects.toThrow("the clock cannot be moved by")
  })

  const now = async () => Date.parse((await t.run(clockwork, {})).startedAt)
  const clockwork = workflow("clockwork", { steps: [function tick() {}] })
})

describe("a private schema", () => {
  test("two engines on one database see nothing of each other", async () => {
    const other = await testEngine({ database })
    onTestFinished(() => other.close())
    const flow = workflow("apart", { recover: "resume", steps: [sleep("PT1H")] })
    const [mine, theirs] = [await t.run(flow, {}), await other.run(flow, {})]
    await t.advance("PT1H")
    expect(await t.mill.runs.get(mine.id)).toMatchObject({ status: "COMPLETED" })
    expect(await other.settle(theirs.id)).toMatchObject({ status: "ACTIVE" })
    await expect(other.mill.runs.get(mine.id)).rejects.toThrow("there is no instance")
  })

  test("nothing is left in the database after close", async () => {
    const tables = new Database({ dsn: database, schema: "millrace", maxConnections: 1 })
    onTestFinished(() => tables.close())
    const schemas = () => tables.script("select nspname from pg_namespace order by 1")
    const before = await schemas()
    const other = await testEngine({ database, schema: "given_by_name" })
    await other.run(workflow("brief", { steps: [looked] }), {})
    expect(await schemas()).toHaveLength(before.length + 2)
    await other.close()
    expect(await schemas()).toEqual(before)
    const backends = "select from pg_stat_activity where query like '%given_by_name%' and pid <> pg_backend_pid()"
    await expect.poll(() => tables.script(backends)).toEqual([])
  })

  test("a schema that is there already is refused, and left as it is", async () => {
    await expect(testEngine({ database, schema: t.schema })).rejects.toThrow("is there already")
    await expect(testEngine({ database, schema: t.schema })).rejects.toMatchObject({ code: "conflict" })
    await expect(testEngine({ database, schema: "Odd Name" })).rejects.toThrow("cannot name a schema")
    await expect(testEngine({ database: "mysql://h/db" })).rejects.toThrow("testEngine(): database must be a URL")
    expect(await t.run(workflow("alive", { steps: [looked] }), {})).toMatchObject({ status: "COMPLETED" })
  })
})
