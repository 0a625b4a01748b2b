// A run on its way to wait meets what it waits for, one statement at a time, in every order that matters.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Step, userTask, waitForSignal, workflow } from "../../index.ts"
import { releaseJobs } from "../../operations/flow/release-jobs.ts"
import { cancelInstance, completeUserTask, signalWait } from "../../operations/instances/change-instance.ts"
import { getInstance } from "../../operations/instances/read-instances.ts"
import { startInstance } from "../../operations/instances/start/start-instance.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { wakeRuns } from "../../operations/runs/wake-runs.ts"
import { interleave, preempting } from "../../test-support/interleave.ts"
import { type Lane, openLane } from "../../test-support/interleave-lane.ts"
import { noTerm } from "../../test-support/loops.ts"
import { RetryableError } from "../authoring/retryable-error.ts"
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

/** Statements a worker needs for one look at a run, and some. */
const PLACES = 8
const rival = () => (lane.racers[1] as Lane["racers"][number]).kernel

interface Race {
  readonly flow: AnyWorkflow
  /** What meets the worker. */
  readonly act: (kernel: Kernel, id: string) => Promise<unknown>
  /** Before the race. */
  readonly prepare?: (id: string) => Promise<void>
  /** What must be true after it. */
  readonly judge: (id: string, told: unknown) => Promise<void>
}

/** The worker is stopped after each of its statements in turn, and the rival goes first; then the other way round. */
async function race({ flow, act, prepare, judge }: Race): Promise<void> {
  await Promise.all([racing.versionOf(flow), after.versionOf(flow)])
  const gatesOf = (index: number) => (lane.racers[index] as Lane["racers"][number]).gates
  for (const [first, others] of [
    [0, [1]],
    [1, [0]],
  ] as const)
    for (let place = 0; place <= PLACES; place++) {
      const { instance } = await startInstance(lane.kernel, { definitionId: flow.name, variables: {}, actor: "test" })
      await prepare?.(instance.id)
      await lane.warm(flow.name)
      const sides = [
        { gates: gatesOf(0), run: (): Promise<unknown> => racing.drain([flow], {}) },
        { gates: gatesOf(1), run: () => act(rival(), instance.id) },
      ]
      const { endings } = await interleave(sides, preempting(first, place, others), lane.findBlocked)
      await after.drain([flow], {})
      await judge(instance.id, endings[1])
    }
}

const variablesOf = async (id: string) => (await getInstance(lane.kernel, id)).variables
const statusOf = async (id: string) => (await getInstance(lane.kernel, id)).status

describe("a run on its way to a wait", () => {
  test("meets the signal: it is never missed, whoever is first", async () => {
    await race({
      flow: workflow("meets-signal", { recover: "resume", steps: [waitForSignal("go")] }),
      act: (kernel, instanceId) => signalWait(kernel, { instanceId, stepId: "go", variables: { n: 1 }, actor: "test" }),
      async judge(id) {
        expect(await variablesOf(id)).toEqual({ go: { n: 1 } })
        expect(await statusOf(id)).toBe("COMPLETED")
      },
    })
  })

  test("meets its cancellation: it is over, with its task and its job", async () => {
    await race({
      flow: workflow("meets-cancel", { recover: "resume", steps: [userTask({ name: "review" })] }),
      act: (kernel, instanceId) => cancelInstance(kernel, { instanceId, reason: undefined, actor: "test" }),
      async judge(id) {
        expect(await statusOf(id)).toBe("CANCELLED")
        const [left] = await lane.db.script(`select
          (select count(*) from millrace.jobs where instance_id = '${id}') as jobs,
          (select count(*) from millrace.user_tasks where instance_id = '${id}' and status = 'OPEN') as tasks`)
        expect(left).toEqual({ jobs: 0, tasks: 0 })
      },
    })
  })
})

describe("a run whose time is over at the moment", () => {
  /** Parked, and its time has passed. */
  const pastItsTime = (flow: AnyWorkflow) => async () => {
    await after.drain([flow], {})
    await lane.advanceClock(3_700_000)
    while ((await releaseJobs(lane.kernel, noTerm)) > 0);
  }

  test("its signal comes has one outcome: the signal, which is then taken, or none, and then it is not", async () => {
    const wait = waitForSignal("go", { within: "PT1H", onTimeout: "continue" })
    const flow = workflow("meets-time", { recover: "resume", steps: [wait] })
    const outcomes = new Set<boolean>()
    await race({
      flow,
      prepare: pastItsTime(flow),
      act: (kernel, instanceId) => signalWait(kernel, { instanceId, stepId: "go", variables: { n: 1 }, actor: "test" }),
      async judge(id, told) {
        expect(await statusOf(id)).toBe("COMPLETED")
        const [signal] = await lane.db.script(`select taken_by from millrace.signals where instance_id = '${id}'`)
        const isTaken = signal?.taken_by === "go"
        expect(await variablesOf(id)).toEqual(isTaken ? { go: { n: 1 } } : {})
        // Refused only where the run was over already.
        expect("error" in (told as object)).toBe(signal === undefined)
        outcomes.add(isTaken)
      },
    })
    expect(outcomes.size).toBe(2)
  })

  test("its task is done has one outcome, and no task stays open", async () => {
    const task = userTask({ name: "review", within: "PT1H", onTimeout: "continue" })
    const flow = workflow("meets-person", { recover: "resume", steps: [task] })
    await race({
      flow,
      prepare: pastItsTime(flow),
      act: (kernel, instanceId) =>
        completeUserTask(kernel, {
          instanceId,
          stepId: "review",
          variables: { ok: true },
          completedBy: "ann",
          actor: "ann",
        }),
      async judge(id) {
        expect(await statusOf(id)).toBe("COMPLETED")
        const [task] = await lane.db.script(`select status from millrace.user_tasks where instance_id = '${id}'`)
        expect(task?.status).not.toBe("OPEN")
        expect([{}, { review: { ok: true } }]).toContainEqual(await variablesOf(id))
      },
    })
  })
})

test("A-35: a run on its way to a delay meets its event: woken, or it sits the delay out; it is never lost", async () => {
  const flow = workflow("meets-event", {
    steps: [
      function ask({ attempt }: Step) {
        if (attempt === 1) throw new RetryableError("not yet", { baseDelay: "PT1H", wakeOn: "event" })
      },
    ],
  })
  await race({
    flow,
    act: (kernel) => wakeRuns(kernel, "event"),
    async judge(id, told) {
      const woken = (told as { value: number }).value
      expect(await statusOf(id)).toBe(woken === 1 ? "COMPLETED" : "ACTIVE")
      if (woken === 0) await cancelInstance(lane.kernel, { instanceId: id, reason: undefined, actor: "test" })
    },
  })
})
