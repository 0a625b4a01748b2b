// Step lists and functions: one job that a worker runs from end to end, and that gives its worker back while it waits.
import { describe, expect, test } from "vitest"
import type { JsonObject } from "../../support/json.ts"
import { type CompiledDefinition, compileDefinition } from "../definitions/compile-definition.ts"
import { document, parsed, type Raw, service } from "../definitions/fixtures.ts"
import { type Draft, finishDraft, openDraft } from "./draft.ts"
import type { Awaiting, Instance } from "./instance.ts"
import { type JobFacts, planJobCompleted, planJobFailed, planLeaseEnded } from "./plan-after-job.ts"
import { planCancel, planRetry, planSignal, planUserTaskCompleted } from "./plan-human.ts"
import { type ParkedWait, planJobParked } from "./plan-parking.ts"
import { planStart } from "./plan-start.ts"

const SIZES = { maxWriteBytes: 262_144, maxVariablesBytes: 2_097_152 }
const CONTEXT = { nowMs: 1_000_000, random: () => 0.5, maxLostLeases: 3, sizes: SIZES }
const EMPTY = { open: [], forks: [], entries: {}, executions: 0 }
const PARENT: Awaiting = { instanceId: "parent", step: "child" }

const list = (more: Raw = {}): CompiledDefinition =>
  compileDefinition(parsed(document([service("work")], { execution: "steplist", ...more })), 1)

/** A run that stands at its job; what happens next shares one draft with nothing else. */
function started(definition = list(), awaitedBy?: Awaiting) {
  let instance: Instance = {
    id: "01J00000000000000000000000",
    status: "ACTIVE",
    priority: "normal",
    businessKey: undefined,
    state: { ...EMPTY, ...(awaitedBy ? { awaitedBy } : {}) },
    variables: {},
    hasVariables: true,
    version: 0,
  }
  const happens = (event: (draft: Draft) => void) => {
    const draft = openDraft(definition, instance, CONTEXT)
    event(draft)
    const plan = finishDraft(draft)
    instance = { ...instance, status: plan.status, state: plan.state, version: plan.version }
    return plan
  }
  happens((draft) => planStart(draft, "test"))
  return happens
}

const job = (more: Partial<JobFacts> = {}): JobFacts => ({
  execution: 1,
  retriesLeft: 2,
  lostLeases: 1,
  lease: { epoch: 1, nonce: "n", workerId: "w", seenVersion: 1 },
  ...more,
})
const step = (name: string): ParkedWait["step"] => ({ name, status: "WAITING", listVersion: 1, startedAt: 0 })
const review: ParkedWait = { step: step("review"), waitsFor: "review", task: { name: "Review" } }
const kinds = ({ audit }: { audit: readonly { readonly kind: string }[] }) => audit.map(({ kind }) => kind)

describe("a run that waits", () => {
  test("for a time gives its worker back, with all its retries", () => {
    const plan = started()((draft) => planJobParked(draft, job(), { waits: [{ step: step("nap") }], delayMs: 5 }, "w"))
    expect(plan.requeuedJobs).toEqual([
      { execution: 1, retriesLeft: 20, lostLeases: 0, delayMs: 5, keepsToken: false, waitsFor: [] },
    ])
    expect(plan.status).toBe("ACTIVE")
    expect(plan.endedAttempts).toMatchObject([{ outcome: "parked", error: "waits at nap" }])
  })

  test("for a person opens the task once, and closes it when it is over", () => {
    const happens = started()
    const first = happens((draft) => planJobParked(draft, job(), { waits: [review], delayMs: null }, "w"))
    expect(first).toMatchObject({ status: "WAITING", newUserTasks: [{ stepId: "review", name: "Review" }] })
    const again = happens((draft) => planJobParked(draft, job(), { waits: [review], delayMs: null }, "w"))
    expect(again.newUserTasks).toEqual([])
    const over = { waits: [], over: ["review"], delayMs: 0, reason: "a newer build goes on" }
    const left = happens((draft) => planJobParked(draft, job(), over, "w"))
    expect(left.closedUserTasks).toMatchObject([{ execution: 2 }])
    // Left to another worker, it has got no further: its retries are not made new.
    expect(left.requeuedJobs).toMatchObject([{ retriesLeft: 2, lostLeases: 1, reason: "a newer build goes on" }])
    expect(left.audit).toMatchObject([{ kind: "JOB_PARKED", detail: { reason: "a newer build goes on" } }])
  })

  test("that is tried again says which step failed, where it was one", () => {
    const failure = { message: "no", retryable: true }
    const plan = started()((draft) => planJobFailed(draft, job(), { ...failure, step: "pay" }, "w"))
    expect(plan.endedAttempts).toMatchObject([{ outcome: "failed", step: "pay" }])
    expect(plan.audit).toMatchObject([{ kind: "JOB_RETRIED", detail: { at: "pay" } }])
    const outside = started()((draft) => planJobFailed(draft, job(), failure, "w"))
    expect(outside.audit[0]?.detail).not.toHaveProperty("at")
  })

  test("says which step it broke off in, where it did", () => {
    const broken = { waits: [], delayMs: 0, reason: "the database did not answer", step: "pay" }
    const plan = started()((draft) => planJobParked(draft, job(), broken, "w"))
    expect(plan.endedAttempts).toMatchObject([{ outcome: "parked", step: "pay" }])
  })

  test("is parked by one report, whatever else comes in the same draft", () => {
    const parking = { waits: [review], delayMs: null }
    const plan = started()((draft) => {
      planJobParked(draft, job(), parking, "w")
      planJobParked(draft, job(), parking, "w")
    })
    expect(kinds(plan)).toEqual(["JOB_PARKED"])
  })

  test("is told what it waits for, and what it does not wait for yet", () => {
    const happens = started()
    happens((draft) => planJobParked(draft, job(), { waits: [review], delayMs: null }, "w"))
    const done = happens((draft) => planUserTaskCompleted(draft, "review", { ok: true }, "ada", "test"))
    expect(done).toMatchObject({ newSignals: [{ name: "review", payload: { ok: true } }], status: "ACTIVE" })
    const early = happens((draft) => planSignal(draft, "paid", { n: 1 }, "test"))
    expect(early.newSignals).toEqual([{ name: "paid", payload: { n: 1 } }])
    // A step that the list is known to have is no wait.
    expect(() => happens((draft) => planSignal(draft, "work", {}, "test"))).toThrow("work is a SERVICE_TASK")
  })
})

describe("the end of a run", () => {
  const completed = (definition: CompiledDefinition, delta?: JsonObject) =>
    started(
      definition,
      PARENT,
    )((draft) => planJobCompleted(draft, job(), delta ? { delta } : { delta: undefined }, "w")).ending?.payload

  test("is told to the run that waits for it: what a list has built up, or a function returned", () => {
    const asFunction = list({ metadata: { form: "function" } })
    expect(completed(list(), { a: 1 })).toEqual({ status: "COMPLETED", result: { a: 1 } })
    expect(completed(list())).toEqual({ status: "COMPLETED", result: null })
    expect(completed(asFunction, { result: 7 })).toEqual({ status: "COMPLETED", result: 7 })
    expect(completed(asFunction)).toEqual({ status: "COMPLETED", result: null })
  })

  test("is told with its reason when it is a failure", () => {
    const failed = started(
      list(),
      PARENT,
    )((draft) => planJobFailed(draft, job(), { message: "no", retryable: false }, "w"))
    expect(failed.ending).toEqual({ ...PARENT, payload: { status: "FAILED", reason: "no" } })
  })

  test("closes the tasks that were not done in time", () => {
    const happens = started()
    happens((draft) => planJobParked(draft, job(), { waits: [review], delayMs: 5 }, "w"))
    const plan = happens((draft) => planJobCompleted(draft, job(), { delta: undefined }, "w"))
    expect(plan.closedUserTasks).toMatchObject([{ execution: 2 }])
    expect(plan.status).toBe("COMPLETED")
    expect(() => happens((draft) => planCancel(draft, undefined, "test"))).toThrow("the instance is COMPLETED already")
  })

  test("by a failure leaves the job to be retried, and no task: the run opens its tasks itself", () => {
    const happens = started()
    happens((draft) => planJobParked(draft, job(), { waits: [review], delayMs: 5 }, "w"))
    const failed = happens((draft) => planJobFailed(draft, job(), { message: "no", retryable: false }, "w"))
    expect(failed.state.cut).toMatchObject([{ stepId: "order", failed: true }])
    const retried = happens((draft) => planRetry(draft, { stepId: "order", variables: undefined }, "test"))
    expect(retried.newJobs).toMatchObject([{ jobType: "order" }])
    expect(retried.newUserTasks).toEqual([])
  })
})

test("a failed instance of which nothing is kept cannot be retried", () => {
  const definition = list()
  const instance = { id: "i", status: "FAILED", priority: "normal", businessKey: undefined, state: EMPTY } as const
  const draft = openDraft(definition, { ...instance, variables: {}, hasVariables: true, version: 1 }, CONTEXT)
  expect(() => planRetry(draft, { stepId: "order", variables: undefined }, "test")).toThrow("the instance is FAILED")
})

test("a lease that nobody is known to have had is recorded without a name", () => {
  const lease = { epoch: 1, nonce: "n", workerId: null, seenVersion: 1 }
  const plan = started()((draft) => planLeaseEnded(draft, job({ lease }), { kind: "lost", counts: true }))
  expect(plan.audit).toMatchObject([{ kind: "LEASE_EXPIRED", detail: { workerId: "" } }])
})
