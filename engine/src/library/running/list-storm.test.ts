// Connections break at random, dozens of times a second, under workers of three processes: every run ends well all the same, and what
// was written through a step's transaction is there once.
import { afterAll, beforeAll, expect, test } from "vitest"
import {
  bestEffort,
  type Mill,
  RetryableError,
  sleep,
  step,
  type TxStep,
  waitForSignal,
  workflow,
} from "../../index.ts"
import { type Mills, openMills } from "../../test-support/mills.ts"

let mills: Mills
beforeAll(async () => {
  // A run whose transaction broke has lost its worker, as far as anybody knows.
  mills = await openMills({ WE_MAX_LOST_LEASES: "50" })
  await mills.tables.script("create table public.written (key text)")
})
afterAll(() => mills.close())

const RUNS = 25
const sometimes = (probability: number) => {
  if (Math.random() < probability) throw new RetryableError("another time", { baseDelay: 10 })
}
async function write({ tx, key }: Pick<TxStep, "tx" | "key">): Promise<void> {
  await tx.query("insert into public.written values ($1)", [key])
}

const double = workflow("double", async (run, input: { n: number }) => run.step("double", () => input.n * 2))
const branching = workflow("branching", async (run, input: { n: number }) => {
  await run.step("first", write)
  const { doubled } = await run.all({
    told: () => run.signal("go"),
    doubled: () => run.child(double, { n: input.n }),
    rested: async () => {
      await run.sleep("nap", "PT0.05S")
      await run.step("rested", () => sometimes(0.2))
    },
  })
  try {
    await run.step("risky", () => {
      if (input.n % 2 === 1) throw new Error("no")
    })
  } catch {
    await run.step("compensation", write)
  }
  return doubled
})
const listed = workflow("listed", {
  recover: "resume",
  steps: [
    step("one", write),
    bestEffort(function perhaps() {
      if (Math.random() < 0.3) throw new Error("no")
    }),
    waitForSignal("go"),
    sleep("PT0.05S"),
    async function two(step: TxStep) {
      await write(step)
      sometimes(0.2)
    },
  ],
})
const locked = workflow("locked", {
  claim: "transaction",
  steps: [
    async function only(step: TxStep) {
      await write(step)
      sometimes(0.3)
    },
  ],
})

/** What a caller does about an outage: the same again. */
async function insist<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

/** Until so many are broken: on a slow machine that takes longer, and is as bad. */
async function breakConnections(count: number): Promise<void> {
  const kill = `select pg_terminate_backend(pid) from (
    select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and application_name = 'millrace'
    order by random() limit 2) as unlucky`
  for (let broken = 0; broken < count; ) {
    broken += (await mills.tables.script(kill).catch(() => [])).length
    await new Promise((resolve) => setTimeout(resolve, 60))
  }
}

test("F42, L1, A-13, A-24, A-28, A-31: a storm", async () => {
  const rejections: unknown[] = []
  const note = (reason: unknown) => void rejections.push(reason)
  process.on("unhandledRejection", note)
  const all: Mill[] = [mills.mill, (await mills.another()).mill, (await mills.another()).mill]
  const options = { concurrency: 4, leaseMs: 1_500 }
  const workers = await Promise.all(all.map((mill) => mill.work([branching, double, listed, locked], options)))
  const storm = breakConnections(80)
  for (let n = 0; n < RUNS; n++)
    for (const flow of [branching, listed, locked]) {
      const { id } = await insist(() => mills.mill.start(flow, { n }, { key: String(n) }))
      if (flow !== locked) await insist(() => mills.mill.runs.handle(id).signal("go", { n }))
    }
  const counted = () =>
    insist(() => mills.tables.script("select status, count(*) as n from millrace_views.workflow group by 1"))
  await storm
  // Runs that met it often wait longer each time.
  await expect.poll(counted).toEqual([{ status: "COMPLETE", n: RUNS * 4 }])
  const [written] = await insist(() =>
    mills.tables.script("select count(*) as n, count(distinct key) as keys from public.written"),
  )
  const each = RUNS * 4 + Math.floor(RUNS / 2)
  expect(written).toEqual({ n: each, keys: each })
  await Promise.all(workers.map((worker) => worker.stop()))
  process.off("unhandledRejection", note)
  expect(rejections).toEqual([])
})
