// Why an instance waits, in words.
import { expect, test } from "vitest"
import type { Definition } from "../../api/definitions.ts"
import type { WaitingReason } from "../../api/instance.ts"
import { waitingWords } from "./waiting-words.ts"

const NOW = Date.parse("2025-03-01T10:00:00.000Z")
const definition: Definition = {
  id: "loan",
  version: 1,
  name: "Loan",
  steps: [
    {
      id: "approve",
      name: "Approve the loan",
      type: "USER_TASK",
      assigneeGroup: "credit",
      boundaryEvents: [
        { type: "TIMER", duration: "P2D", interrupting: false, targetStepId: "pay" },
        { type: "TIMER", duration: "P3D", interrupting: true, targetStepId: "pay" },
      ],
    },
    { id: "pay", name: "Pay out", type: "SERVICE_TASK", jobType: "payout" },
  ],
}
const say = (kind: WaitingReason["kind"], detail: WaitingReason["detail"], stepId = "approve") =>
  waitingWords({ kind, stepId, since: "2025-03-01T09:00:00.000Z", detail }, { definition, now: NOW })

test("C-122: a person, a signal, the end of a child", () => {
  expect(say("user-task", {})).toEqual({
    headline: "A person has to complete “Approve the loan”.",
    more: "It is in the inbox of credit.",
  })
  expect(say("signal", {}).headline).toBe("“Approve the loan” waits for a signal.")
  expect(say("signal", { signals: ["paid"] }).headline).toBe("“Approve the loan” waits for the signal paid.")
  expect(say("signal", { signals: ["end of ship"] }).headline).toBe(
    "“Approve the loan” waits for its child ship to end.",
  )
})

test("C-122: no worker ever, none for some time, and one that is there", () => {
  const detail = { jobType: "payout", position: 1, priority: "normal", share: 10 }
  const queued = (more: object) => say("job-queued", { ...detail, ...more }, "pay")
  expect(queued({})).toMatchObject({
    isStuck: true,
    more: "No worker has ever asked for payout: start one that does. It is the next one.",
  })
  expect(queued({ lastPolledAt: "2025-03-01T09:45:00.000Z" })).toMatchObject({
    isStuck: true,
    more: "No worker has asked for payout for 15 min: is one running? It is the next one.",
  })
  expect(queued({ lastPolledAt: "2025-03-01T09:59:58.000Z", position: 3 })).toEqual({
    headline: "“Pay out” waits for a worker to take its job of type payout.",
    more: "2 jobs are before it. Priority normal gets 10 of 100 claims.",
  })
})

test("timers say what they will do", () => {
  const dueAt = "2025-03-01T12:00:00.000Z"
  const timer = (timer: string) => say("timer", { timer, dueAt }).headline
  expect(timer("boundary:0")).toBe("If “Approve the loan” is still open in 2 h, “Pay out” starts beside it.")
  expect(timer("boundary:1")).toBe("If “Approve the loan” is still open in 2 h, “Pay out” takes its place.")
  expect(timer("total")).toBe("“Approve the loan” fails in 2 h if it has not ended by then: its timeout.")
  expect(timer("queue")).toBe("“Approve the loan” fails in 2 h if no worker has taken its job by then.")
  expect(timer("deadline")).toBe("The instance fails in 2 h if it has not ended by then: its deadline.")
})

test("a worker at work, a retry, a pause, a pace, a limit", () => {
  expect(say("job-leased", { workerId: "w-1", attempt: 2, leasedUntil: "2025-03-01T10:00:30.000Z" }, "pay")).toEqual({
    headline: "Worker w-1 is at work on “Pay out”.",
    more: "Attempt 2; the lease ends in 30 s unless the worker renews it.",
  })
  expect(say("retry", { attempt: 1, dueAt: "2025-03-01T10:00:20.000Z", reason: "busy" }, "pay")).toEqual({
    headline: "“Pay out” failed and is tried again in 20 s.",
    more: "Attempt 1 ended: busy",
  })
  expect(say("paused", { paused: "jobType", name: "payout", pausedBy: "ada", reason: "bank holiday" }, "pay")).toEqual({
    headline: "“Pay out” is held back: job type payout was paused by ada.",
    more: "Reason: bank holiday",
    isStuck: true,
  })
  expect(say("pace", { downstream: "bank", position: 2, perSecond: 5 }, "pay").more).toBe(
    "One job is before it. 5 a second are let through.",
  )
  expect(say("limit", { limitKey: "ada", underWay: 2, max: 2, position: 1 }, "pay").headline).toBe(
    "“Pay out” waits: 2 jobs with the limit key ada are under way, of 2 at most.",
  )
})

test("a kind that is not known yet is said in the engine's own words", () => {
  expect(say("moon" as WaitingReason["kind"], { message: "waits for the full moon" })).toEqual({
    headline: "Waits for the full moon.",
  })
})
