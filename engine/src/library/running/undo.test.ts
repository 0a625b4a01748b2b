// Steps that take back what they did: when a run fails for good or is cancelled, a run of its own calls their undos.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { NonRetryableError, type Step, step, waitForSignal, workflow } from "../../index.ts"
import { undoIdOf, undoKeyOf } from "../../model/instances/undo.ts"
import { runRequests } from "../../operations/instances/run-requests.ts"
import { findByIntakeKey } from "../../operations/instances/start/take-intake.ts"
import { examine } from "../../operations/upkeep/doctor.ts"
import { holdLoops, noTerm } from "../../test-support/loops.ts"
import { gate, type Mills, openMills } from "../../test-support/mills.ts"
import { auditKinds, countRows } from "../../test-support/rows.ts"
import type { AnyWorkflow } from "../authoring/workflow.ts"
import type { Mill } from "./mill.ts"

let mills: Mills
let mill: Mill
let calls: string[]
let failing: string | undefined
beforeAll(async () => {
  mills = await openMills()
  mill = mills.mill
  await holdLoops(mills.kernel)
})
afterAll(() => mills.close())
beforeEach(() => {
  calls = []
  failing = undefined
})

const note = (what: string): void => {
  calls.push(what)
  if (failing === what) throw new Error(`${what} is broken`)
}

interface Order {
  readonly n: number
}

const checkout = workflow("checkout", {
  recover: "resume",
  steps: [
    step(
      "charge",
      ({ input }: Step<Order>) => {
        note("charge")
        return { charge: `ch-${input.n}` }
      },
      {
        undo: ({ result, input, stepKey, key }) =>
          note(`refund ${result.charge} ${(input as Order).n} ${stepKey !== key}`),
      },
    ),
    step("mail", () => note("mail")),
    step("reserve", () => ({ place: note("reserve") ?? "A1" }), { undo: ({ result }) => note(`free ${result.place}`) }),
    step("ship", () => note("ship"), { undo: () => note("call back") }),
  ],
})

const undoOf = (id: string) => findByIntakeKey(mills.kernel, undoIdOf("checkout"), undoKeyOf(id))
const drain = (...flows: readonly AnyWorkflow[]) => mill.drain(flows)

describe("a list", () => {
  test("S4: fails at once; what was done is undone in reverse order by a run of its own, what was not done is not", async () => {
    failing = "ship"
    const { id } = await mill.start(checkout, { n: 7 })
    await drain(checkout)
    expect(calls).toEqual(["charge", "mail", "reserve", "ship", "free A1", "refund ch-7 7 true"])
    const run = await mill.runs.get(id)
    const undo = await undoOf(id)
    expect(run).toMatchObject({ status: "FAILED", failureReason: "ship: ship is broken", undoneBy: undo.id })
    expect(undo).toMatchObject({
      definitionId: "checkout:undo",
      status: "COMPLETED",
      parentId: id,
      variables: { undone: ["reserve", "charge"], undoes: id },
    })
    expect(await auditKinds(mills.tables, id)).toEqual([
      "INSTANCE_STARTED",
      "JOB_DISPATCHED",
      "JOB_FAILED",
      "INSTANCE_FAILED",
      "UNDO_STARTED",
    ])
  })

  test("a run that completes is not undone, and one that did nothing to undo has no undo run", async () => {
    const { id } = await mill.start(checkout, { n: 1 })
    await drain(checkout)
    expect((await mill.runs.get(id)).status).toBe("COMPLETED")
    failing = "charge"
    const { id: other } = await mill.start(checkout, { n: 2 })
    await drain(checkout)
    expect(await mill.runs.get(other)).toMatchObject({ status: "FAILED" })
    expect((await mill.runs.get(other)).undoneBy).toBeUndefined()
    for (const one of [id, other]) await expect(undoOf(one)).rejects.toMatchObject({ code: "not-found" })
  })

  test("S20: from then on retry and replay are refused with a conflict that names restart", async () => {
    failing = "ship"
    const { id } = await mill.start(checkout, { n: 3 })
    await drain(checkout)
    await expect(mill.runs.handle(id).retry()).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("/restart"),
    })
    expect((await mill.runs.get(id)).status).toBe("FAILED")
  })

  test("an undo that fails is tried again, and those before it are not called twice", async () => {
    failing = "ship"
    const { id } = await mill.start(checkout, { n: 4 })
    await drain(checkout)
    calls = []
    const { id: again } = await mill.start(checkout, { n: 5 })
    failing = "refund ch-5 5 true"
    // What fails it is the undo now: the step itself is stopped by hand.
    await drainUntilShip(again)
    expect(calls).toEqual(["charge", "mail", "reserve", "free A1", "refund ch-5 5 true"])
    expect((await undoOf(again)).status).toBe("ACTIVE")
    failing = undefined
    await mills.advanceClock(3_600_000)
    await releaseAll()
    await drain(checkout)
    expect(calls.slice(5)).toEqual(["refund ch-5 5 true"])
    expect((await undoOf(again)).status).toBe("COMPLETED")
    expect((await undoOf(id)).status).toBe("COMPLETED")
  })
})

const releaseAll = async () => {
  await mills.tables.script("update millrace.jobs set status = 'ready', visible_at = null where status = 'held'")
}

/** Cancelled after `reserve`, before `ship` is begun. */
async function drainUntilShip(id: string): Promise<void> {
  const workers = mills.dying((place, what) => {
    if (place === "recorded" && what === "reserve") return true
    return false
  })
  await workers.drain([checkout], {})
  await workers.stop()
  await mill.runs.handle(id).cancel({ reason: "changed my mind" })
  await drain(checkout)
}

describe("a cancel", () => {
  test("S15: undoes what was done; the run is CANCELLED at once, and its undo run is there in the same moment", async () => {
    const { id } = await mill.start(checkout, { n: 8 })
    const workers = mills.dying((place, what) => place === "recorded" && what === "charge")
    await workers.drain([checkout], {})
    await workers.stop()
    await mill.runs.handle(id).cancel({ reason: "no money" })
    const run = await mill.runs.get(id)
    expect(run).toMatchObject({ status: "CANCELLED", failureReason: "no money" })
    expect(await mill.runs.get(run.undoneBy as string)).toMatchObject({
      status: "ACTIVE",
      variables: { reason: "no money" },
    })
    await drain(checkout)
    expect(calls).toEqual(["charge", "refund ch-8 8 true"])
    await expect(mill.runs.handle(id).cancel()).rejects.toMatchObject({ code: "conflict" })
  })

  test("a step that is under way then, and is done in spite of it, is undone too", async () => {
    const [begun, goOn] = [gate(), gate()]
    const slow = workflow("slow", {
      recover: "resume",
      steps: [
        step(
          "pay",
          async () => {
            begun.open()
            await goOn.passed
            calls.push("pay")
            return { id: "p1" }
          },
          { undo: ({ result }) => note(`unpay ${result.id}`) },
        ),
      ],
    })
    const { id } = await mill.start(slow, {})
    const worked = mill.drain([slow])
    await begun.passed
    await mill.runs.handle(id).cancel()
    expect((await mill.runs.get(id)).undoneBy).toBeUndefined()
    goOn.open()
    await worked
    await drain(slow)
    expect(calls).toEqual(["pay", "unpay p1"])
    expect((await findByIntakeKey(mills.kernel, undoIdOf("slow"), undoKeyOf(id, "pay"))).status).toBe("COMPLETED")
    // It is told among the steps of the run that was cancelled, too: the card was charged.
    expect(await mill.runs.handle(id).steps()).toContainEqual(
      expect.objectContaining({ stepId: "pay", status: "COMPLETED" }),
    )
  })

  test("an undo that says it is of no use to try again fails its run, which can be retried by hand", async () => {
    let isFixed = false
    const stubborn = workflow("stubborn", {
      recover: "resume",
      steps: [
        step("pay", () => ({ id: "p" }), {
          undo: () => {
            if (!isFixed) throw new NonRetryableError("too late to refund")
          },
        }),
        waitForSignal("never"),
      ],
    })
    const { id } = await mill.start(stubborn, {})
    await drain(stubborn)
    await mill.runs.handle(id).cancel()
    await drain(stubborn)
    const undo = (await mill.runs.get(id)).undoneBy as string
    expect(await mill.runs.get(undo)).toMatchObject({ status: "FAILED", failureReason: "pay: too late to refund" })
    isFixed = true
    await mill.runs.handle(undo).retry()
    await drain(stubborn)
    expect((await mill.runs.get(undo)).status).toBe("COMPLETED")
  })
})

describe("a function", () => {
  const trip = workflow("trip", async (run, input: { cities: string[] }) => {
    const booked: string[] = []
    for (const city of input.cities) {
      const hotel = await run.step("hotel", () => ({ room: `${city}-1` }), {
        key: city,
        undo: ({ result }) => note(`cancel ${result.room}, of ${booked.length}`),
      })
      booked.push(hotel.room)
    }
    try {
      await run.step("insurance", () => note("insurance"))
    } catch {
      await run.step("without", () => note("without"), { undo: () => note("undo without") })
    }
    const { ok } = (await run.signal("paid")) as { ok: boolean }
    if (!ok) throw new Error("not paid")
    return booked
  })

  test("its undos are found by running it against its record, and see what its variables were", async () => {
    failing = "insurance"
    const { id } = await mill.start(trip, { cities: ["Rome", "Oslo"] })
    await drain(trip)
    await mill.runs.handle(id).signal("paid", { ok: false })
    await drain(trip)
    expect((await mill.runs.get(id)).status).toBe("FAILED")
    expect(calls).toEqual(["insurance", "without", "undo without", "cancel Oslo-1, of 2", "cancel Rome-1, of 2"])
    const undo = await mill.runs.get((await mill.runs.get(id)).undoneBy as string)
    expect(undo).toMatchObject({ status: "COMPLETED", variables: { undone: ["without", "hotel/Oslo", "hotel/Rome"] } })
  })

  test("cancelled while it waits it is undone as well", async () => {
    const { id } = await mill.start(trip, { cities: ["Bern"] })
    await drain(trip)
    await mill.runs.handle(id).cancel()
    await drain(trip)
    expect(calls).toEqual(["insurance", "cancel Bern-1, of 1"])
  })

  test("an undo that the code has no more waits for a worker that has it", async () => {
    const before = workflow("moved", async (run) => {
      await run.step("a", () => 1, { undo: () => note("undo a") })
      await run.signal("never")
    })
    const { id } = await mill.start(before, {})
    await drain(before)
    await mill.runs.handle(id).cancel()
    const after = workflow("moved", async (run) => {
      await run.step("b", () => 1)
    })
    await drain(after)
    expect(calls).toEqual([])
    const undo = (await mill.runs.get(id)).undoneBy as string
    expect(JSON.stringify(await mill.runs.handle(undo).waiting())).toContain("the code has no undo of a now")
    await releaseAll()
    await drain(before)
    expect(calls).toEqual(["undo a"])
  })
})

describe("children", () => {
  const child = workflow("child", async (run) => {
    await run.step("book", () => "b", { undo: () => note("unbook") })
    await run.signal("go")
  })
  const parent = workflow("parent", async (run) => {
    await run.child(child, {})
  })

  const settle = async () => {
    for (let moved = 1; moved > 0; ) {
      const { processed } = await mill.drain([parent, child])
      moved = processed + (await runRequests(mills.kernel, noTerm))
    }
  }
  const childrenOf = (id: string) =>
    mills.tables.script(`select status from millrace.finished_instances where parent_id = '${id}'`)

  test("are cancelled with their parent, and undone; one that has ended stays as it is", async () => {
    const { id } = await mill.start(parent, {})
    await settle()
    expect(await countRows(mills.tables, "instances", `parent_id = '${id}'`)).toBe(1)
    await mill.runs.handle(id).cancel()
    await settle()
    expect(await childrenOf(id)).toEqual([{ status: "CANCELLED" }])
    expect(calls).toEqual(["unbook"])
    expect(await countRows(mills.tables, "requests")).toBe(0)
  })

  test("that ended before the request came leave no request behind", async () => {
    const { id } = await mill.start(parent, {})
    await settle()
    const [row] = await mills.tables.script(`select id from millrace.instances where parent_id = '${id}'`)
    await mill.runs.handle(id).cancel()
    await mill.runs.handle(row?.id as string).cancel()
    await settle()
    expect(await countRows(mills.tables, "requests")).toBe(0)
  })
})

test("a restart list cannot have an undo: there is nothing on record to undo", () => {
  const options = { steps: [step("a", () => ({}), { undo: () => {} })] }
  expect(() => workflow("wrong", options)).toThrow('use recover: "resume"')
})

test("S10, S16: after all that the doctor has nothing to tell", async () => {
  expect(await examine(mills.kernel)).toEqual([])
})
