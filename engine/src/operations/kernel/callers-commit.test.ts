// Work that a caller's own commit brings is announced by that commit: waiting workers need not wait for the next pulse.
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import { waitForSignal, workflow } from "../../index.ts"
import type { Mill } from "../../library/running/mill.ts"
import { callers } from "../../test-support/callers.ts"
import { type Mills, openMills } from "../../test-support/mills.ts"
import { relaysOf } from "../events/relays.ts"
import { wakeupsOf } from "../jobs/claim/wakeups.ts"
import type { CallersTx } from "./callers.ts"

let mills: Mills
let mill: Mill
beforeAll(async () => {
  mills = await openMills()
  mill = mills.mill
})
afterAll(() => mills.close())
afterEach(() => vi.restoreAllMocks())

const list = workflow("listed", { steps: [function nothing() {}] })
const waits = workflow("waits", { recover: "resume", steps: [waitForSignal("go")] })

/** The pulse wakes by other methods: what is noted here came from a commit of this process or a caller of it. */
function wokenTypes(): string[] {
  const types: string[] = []
  vi.spyOn(wakeupsOf(mills.kernel), "wake").mockImplementation((queues) => {
    types.push(...queues.map(({ jobType }) => jobType))
  })
  return types
}

type Act = (tx: CallersTx) => Promise<unknown>
const acts: Readonly<Record<string, { readonly act: Act; readonly type: string }>> = {
  "a start": { act: (tx) => mill.start(list, {}, { tx }), type: "listed" },
  "a start with a key": { act: (tx) => mill.start(list, {}, { tx, key: `k-${Math.random()}` }), type: "listed" },
  "an intake": { act: (tx) => mill.intake(list, {}, { tx, key: `i-${Math.random()}` }), type: "listed" },
  "a job": { act: (tx) => mill.enqueue("email", {}, { tx }), type: "email" },
}

describe.each(Object.entries(callers))("in a transaction of %s", (_, open) => {
  test.each(Object.entries(acts))(
    "S1: %s wakes the workers with the commit, and never with a rollback",
    async (_, { act, type }) => {
      const caller = open(mills.dsn)
      const woken = wokenTypes()
      const rolledBack = caller.transaction(async (tx) => {
        await act(tx)
        throw new Error("no")
      })
      await expect(rolledBack).rejects.toThrow("no")
      await expect.poll(() => mills.kernel.db.commits.size).toBe(0)
      expect(woken).toEqual([])
      await caller.transaction(async (tx) => {
        await act(tx)
        expect(woken).toEqual([])
      })
      await expect.poll(() => woken).toEqual([type])
      await caller.close()
    },
  )
})

test.each(Object.entries(callers))(
  "S1: in a transaction of %s an event wakes its relay with the commit, and never with a rollback",
  async (_, open) => {
    const caller = open(mills.dsn)
    const wake = vi.spyOn(relaysOf(mills.kernel), "wake").mockImplementation(() => {})
    const publish = (tx: CallersTx) => mill.publish("order.paid", { n: 1 }, { tx })
    const rolledBack = caller.transaction(async (tx) => {
      await publish(tx)
      throw new Error("no")
    })
    await expect(rolledBack).rejects.toThrow("no")
    await expect.poll(() => mills.kernel.db.commits.size).toBe(0)
    expect(wake).not.toHaveBeenCalled()
    await caller.transaction(async (tx) => {
      await publish(tx)
      expect(wake).not.toHaveBeenCalled()
    })
    await expect.poll(() => wake.mock.calls.length).toBe(1)
    await caller.close()
  },
)

test("a signal in a caller's transaction makes its run go on with the commit", async () => {
  const run = await mill.start(waits, {})
  await mill.drain([waits])
  const woken = wokenTypes()
  const caller = callers["postgres.js"]!(mills.dsn)
  await caller.transaction((tx) => run.signal("go", {}, { tx }))
  await expect.poll(() => woken).toEqual(["waits"])
  await caller.close()
  await mill.drain([waits])
  expect(await run.status()).toBe("COMPLETED")
})

test("one that waits in this process for the end of a run is told of a caller's cancellation", async () => {
  const run = await mill.start(waits, {})
  const caller = callers.pg!(mills.dsn)
  const ended = run.ended()
  await caller.transaction((tx) => run.cancel({ tx, reason: "superseded" }))
  expect(await ended).toMatchObject({ status: "CANCELLED", failureReason: "superseded" })
  await caller.close()
})
