// A worker at a run that can be undone meets a cancel, a retry and a second worker, one statement at a time, in every order that
// matters. Whatever comes first: what was done is undone once where the run did not complete, and is left alone where it did.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Step, step, workflow } from "../../index.ts"
import { cancelInstance } from "../../operations/instances/change-instance.ts"
import { getInstance } from "../../operations/instances/read-instances.ts"
import { restartInstance } from "../../operations/instances/restart-instance.ts"
import { retryInstance } from "../../operations/instances/retry-instance.ts"
import { runRequests } from "../../operations/instances/run-requests.ts"
import { startInstance } from "../../operations/instances/start/start-instance.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { interleave, preempting } from "../../test-support/interleave.ts"
import { type Lane, openLane } from "../../test-support/interleave-lane.ts"
import { noTerm } from "../../test-support/loops.ts"
import type { AnyWorkflow } from "../authoring/workflow.ts"
import { Workers } from "./workers.ts"

let lane: Lane
let racing: Workers
let after: Workers
beforeAll(async () => {
  lane = await openLane()
  racing = new Workers((lane.racers[0] as Lane["racers"][number]).kernel, "racer")
  after = new Workers(lane.kernel, "after")
})
afterAll(() => lane.close())

/** Statements that a worker needs for such a run, and some. */
const PLACES = 10
const rival = () => (lane.racers[1] as Lane["racers"][number]).kernel

/** What was done and undone outside, by run: a step has its run's id in its key. */
const done = new Map<string, string[]>()
const note = (key: string, what: string): void => {
  const id = key.slice(0, key.indexOf("/"))
  done.set(id, [...(done.get(id) ?? []), what])
}

interface Given {
  readonly fails?: boolean
}

const booking = workflow("booking", {
  recover: "resume",
  steps: [
    step("charge", ({ key }: Step<Given>) => note(key, "charge"), { undo: ({ stepKey }) => note(stepKey, "refund") }),
    step("reserve", ({ key }: Step<Given>) => note(key, "reserve"), { undo: ({ stepKey }) => note(stepKey, "free") }),
    step("ship", ({ input }: Step<Given>) => {
      if (input.fails) throw new Error("no truck")
    }),
  ],
})

interface Race {
  readonly flow: AnyWorkflow
  readonly fails: boolean
  readonly act: (kernel: Kernel, id: string) => Promise<unknown>
  /** What must be true after the race, and what has come of the run. */
  readonly judge?: (id: string) => Promise<string>
}

/** The worker is stopped after each of its statements in turn, and the rival goes first; then the other way round. */
async function race({ flow, fails, act, judge = expectUndone }: Race): Promise<ReadonlySet<string>> {
  const seen = new Set<string>()
  await Promise.all([racing.versionOf(flow), after.versionOf(flow)])
  const gatesOf = (index: number) => (lane.racers[index] as Lane["racers"][number]).gates
  for (const [first, others] of [
    [0, [1]],
    [1, [0]],
  ] as const)
    for (let place = 0; place <= PLACES; place++) {
      const start = { definitionId: flow.name, variables: { fails }, actor: "test" }
      const { instance } = await startInstance(lane.kernel, start)
      await lane.warm(flow.name)
      const sides = [
        { gates: gatesOf(0), run: (): Promise<unknown> => racing.drain([flow], {}) },
        { gates: gatesOf(1), run: () => act(rival(), instance.id) },
      ]
      await interleave(sides, preempting(first, place, others), lane.findBlocked)
      await after.drain([flow], {})
      seen.add(await judge(instance.id))
    }
  return seen
}

/** Every effect of a run that did not complete is taken back once, the last first; of one that completed, none is. */
async function expectUndone(id: string): Promise<string> {
  const { status, undoneBy } = await getInstance(lane.kernel, id)
  const effects = done.get(id) ?? []
  const back = effects.filter((what) => what === "refund" || what === "free")
  const made = new Set(effects.filter((what) => what === "charge" || what === "reserve"))
  if (status === "COMPLETED") expect(back).toEqual([])
  else expect([...back].sort()).toEqual([...made].map((what) => (what === "charge" ? "refund" : "free")).sort())
  if (undoneBy !== undefined) expect((await getInstance(lane.kernel, undoneBy)).status).toBe("COMPLETED")
  return `${status}${made.size > 0 ? " after work" : ""}`
}

const cancel = (kernel: Kernel, instanceId: string) =>
  cancelInstance(kernel, { instanceId, reason: "stop", actor: "test" })

describe("a run whose steps can be undone", () => {
  test("S4, S15: completion ‖ cancel: one wins, and what was done is undone if the cancel did", async () => {
    const seen = await race({ flow: booking, fails: false, act: cancel })
    expect([...seen].sort()).toEqual(["CANCELLED", "CANCELLED after work", "COMPLETED after work"])
  })

  test("S4, S15: failure ‖ cancel: it ends once, and is undone once", async () => {
    const seen = await race({ flow: booking, fails: true, act: cancel })
    expect(seen).toContain("FAILED after work")
    expect(seen).toContain("CANCELLED after work")
  })

  test("S20: failure and undo ‖ retry: a run that is undone never goes on", async () => {
    const act = (kernel: Kernel, instanceId: string) => retryInstance(kernel, { instanceId, actor: "test" })
    expect([...(await race({ flow: booking, fails: true, act }))]).toEqual(["FAILED after work"])
  })

  test("S4: failure and undo ‖ restart: the run that has ended stays FAILED and is undone once", async () => {
    const act = (kernel: Kernel, instanceId: string) => restartInstance(kernel, { instanceId, actor: "test" })
    expect([...(await race({ flow: booking, fails: true, act }))]).toEqual(["FAILED after work"])
  })
})

const pack = workflow("pack", async (run) => {
  await run.signal("packed")
})
const dispatch = workflow("dispatch", async (run) => {
  await run.child(pack, {})
})

test("S15: start of a child ‖ cancel of its parent: no child goes on without a parent", async () => {
  const judge = async (id: string): Promise<string> => {
    await runRequests(lane.kernel, noTerm)
    const { status } = await getInstance(lane.kernel, id)
    const rows = (table: string) => lane.kernel.db.script(`select from millrace.${table} where parent_id = '${id}'`)
    const [live, ended] = [await rows("instances"), await rows("finished_instances")]
    expect([status, live.length]).toEqual(["CANCELLED", 0])
    return ended.length > 0 ? "with a child" : "without one"
  }
  const seen = await race({ flow: dispatch, fails: false, act: cancel, judge })
  expect([...seen].sort()).toEqual(["with a child", "without one"])
})
