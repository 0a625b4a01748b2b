// Why something is not moving, in words: a sentence for each kind of reason, with all that its facts can say.
import { expect, test } from "vitest"
import { relativeText } from "../kernel/relative-time.ts"
import type { WaitingKind, WaitingOf } from "./waiting.ts"
import { isKnownKind, STANDING, waitingMessage, waitingWords } from "./waiting-words.ts"

const NOW = Date.parse("2025-03-01T10:00:00.000Z")
const reader = { now: NOW, at: (time: string) => time.slice(11, 16) }
const later = "2025-03-01T10:09:00.000Z"

const say = <Kind extends WaitingKind>(kind: Kind, detail: WaitingOf<Kind>["detail"]) =>
  waitingMessage({ kind, since: later, detail } as WaitingOf<Kind>, reader)

const attempt = { jobType: "payout", attempt: 7 }
const queued = { jobType: "payout", priority: "normal", share: 10, position: 1 } as const
const places = {
  jobType: "payout",
  limitKey: "ada",
  max: 2,
  underWay: 2,
  running: 1,
  priority: "normal",
  position: 1,
} as const
const limit = { ...places, lastPolledAt: "2025-03-01T10:00:00.000Z" } as const
const pause = { paused: "jobType", name: "payout", pausedBy: "ada", pausedAt: later } as const
const setAside = { what: "timer", failures: 7, reason: "too large" } as const

test.each([
  [say("sleep", { dueAt: later }), "Sleeps until 10:09 (in 9 min)."],
  [say("sleep", { dueAt: "2025-03-01T09:09:00.000Z" }), "Sleeps until 09:09 (now)."],
  [say("signal", { signals: ["paid"] }), "Waits for the signal paid."],
  [
    say("signal", { signals: ["a", "b"], dueAt: later }),
    "Waits for the signal a or b, at most until 10:09 (in 9 min).",
  ],
  [
    say("signal", { signals: ["paid"], refused: "refused, because it does not fit its schema: $.by: is required" }),
    "Waits for the signal paid. What came last was refused, because it does not fit its schema: $.by: is required.",
  ],
  [say("child", { child: "ship" }), "Waits for its child ship to end."],
  [say("child", { child: "ship", childId: "c-1" }), "Waits for its child ship (c-1) to end."],
  [say("user-task", { task: "Approve" }), "Waits for a person to complete the task Approve."],
  [
    say("user-task", { task: "Approve", assigneeGroup: "credit", dueAt: later }),
    "Waits for a person of credit to complete the task Approve. It is due at 10:09 (in 9 min).",
  ],
  [
    say("user-task", { task: "Approve", assignee: "ada", assigneeGroup: "credit" }),
    "Waits for ada to complete the task Approve.",
  ],
  [
    say("retry", { ...attempt, failures: 2, maxAttempts: 5, reason: "the bank is busy.", dueAt: later }),
    "Failed at attempt 2 of 5: the bank is busy; next attempt at 10:09 (in 9 min).",
  ],
  [
    say("retry", { ...attempt, reason: "busy", dueAt: later }),
    "Failed at attempt 7: busy; next attempt at 10:09 (in 9 min).",
  ],
  [
    say("returned", { ...attempt, reason: "the database did not answer", dueAt: later }),
    "Given back by its worker: the database did not answer; next attempt at 10:09 (in 9 min).",
  ],
  [say("scheduled", { jobType: "payout", dueAt: later }), "Scheduled for 10:09 (in 9 min)."],
  [
    say("job-leased", { ...attempt, workerId: "w-1", leasedUntil: later }),
    "Worker w-1 is at work on it. Attempt 7; the lease ends at 10:09 (in 9 min) unless the worker renews it.",
  ],
  [
    say("job-dispatched", { ...attempt, topic: "t", leasedUntil: later }),
    "Read from the topic t, and not reported since. Attempt 7; without a report it is dispatched again at 10:09 (in 9 min).",
  ],
  [say("job-dispatched", { ...attempt, topic: "t" }), "On its way to the topic t: Kafka has not got it yet."],
  [
    say("job-dispatched", { ...attempt, topic: "t", partition: 2, offset: 40, publishedAt: later }),
    "Published to t, partition 2, offset 40, at 10:09; not reported since. Attempt 7; the consumers of the topic have not passed it.",
  ],
  [
    say("job-queued", { ...queued, lastPolledAt: "2025-03-01T09:59:58.000Z", position: 3 }),
    "Waits in the queue for a worker to take its job of type payout. 2 jobs are before it. Priority normal gets 10 of 100 claims.",
  ],
  [
    say("job-queued", { ...queued, lastPolledAt: "2025-03-01T09:45:00.000Z", position: 1_001 }),
    "Waits in the queue for a worker to take its job of type payout. No worker has asked for payout since 09:45: is one running? 1000 jobs or more are before it.",
  ],
  [
    say("job-queued", { ...queued, fairKey: "small", position: 2 }),
    "Waits in the queue for a worker to take its job of type payout. No worker has ever asked for payout: start one that does. 1 job of its key small is before it. Keys take turns.",
  ],
  [
    say("job-queued", { ...queued, workflow: "checkout", lastPolledAt: "2025-03-01T09:59:58.000Z", position: 1 }),
    "Waits in the queue for a worker of the workflow checkout. It is the next one. Priority normal gets 10 of 100 claims.",
  ],
  [say("paused", pause), "Held back: job type payout was paused by ada at 10:09."],
  [
    say("paused", { ...pause, reason: "bank holiday" }),
    "Held back: job type payout was paused by ada at 10:09. Reason: bank holiday.",
  ],
  [say("pace", { downstream: "bank", position: 1 }), "Waits for its turn at downstream bank. It is the next one."],
  [
    say("pace", {
      downstream: "bank",
      position: 2,
      perSecond: 5,
      concurrency: 3,
      inFlight: 3,
      closedUntil: later,
      expectedAt: later,
    }),
    "Waits for its turn at downstream bank. 1 job is before it. 5 a second are let through. 3 of 3 are in flight. It asked to be left alone until 10:09 (in 9 min). It is expected to start at 10:09 (in 9 min).",
  ],
  [
    say("limit", limit),
    "Waits for one of the 2 places of the limit key ada: 1 with a worker, 1 ready for one. It is the next one of priority normal.",
  ],
  [
    say("limit", { ...places, max: 1, underWay: 1, running: 0 }),
    "Waits for the one place of the limit key ada: 0 with a worker, 1 ready for one. No worker has ever asked for payout: start one that does. It is the next one of priority normal.",
  ],
  [
    say("timer", { timer: "deadline", dueAt: later }),
    "The instance fails at 10:09 (in 9 min) if it has not ended by then: its deadline.",
  ],
  [
    say("timer", { timer: "total", dueAt: later }),
    "Fails at 10:09 (in 9 min) if it has not ended by then: its timeout.",
  ],
  [
    say("timer", { timer: "duration", dueAt: later }),
    "Goes on at 10:09 (in 9 min), unless a signal ends the wait before.",
  ],
  [say("timer", { timer: "queue", dueAt: later }), "Fails at 10:09 (in 9 min) if no worker has taken its job by then."],
  [
    say("timer", { timer: "boundary:0", dueAt: later, targetStepId: "pay", interrupting: true }),
    "If it is still open at 10:09 (in 9 min), the step pay takes its place.",
  ],
  [
    say("timer", { timer: "boundary:1", dueAt: later }),
    "If it is still open at 10:09 (in 9 min), another step starts beside it.",
  ],
  [say("set-aside", setAside), "Set aside after 7 failures of its timer: too large."],
  [say("set-aside", { ...setAside, failures: 1 }), "Set aside after 1 failure of its timer: too large."],
  [
    say("set-aside", { ...setAside, dueAt: later }),
    "Set aside after 7 failures of its timer: too large; tried again at 10:09 (in 9 min).",
  ],
])("%s", (said, words) => {
  expect(said).toBe(words)
})

test("what does not solve itself is marked: no worker, a pause, what was set aside", () => {
  const isStuck = (waiting: Parameters<typeof waitingWords>[0]) => waitingWords(waiting, reader).isStuck === true
  expect(isStuck({ kind: "job-queued", since: later, detail: queued })).toBe(true)
  expect(isStuck({ kind: "job-queued", since: later, detail: { ...queued, lastPolledAt: later } })).toBe(false)
  expect(isStuck({ kind: "paused", since: later, detail: pause })).toBe(true)
  expect(isStuck({ kind: "set-aside", since: later, detail: setAside })).toBe(true)
  expect(isStuck({ kind: "sleep", since: later, detail: { dueAt: later } })).toBe(false)
})

test("every kind has a word for how it stands; a kind of a newer engine is not known", () => {
  expect(Object.keys(STANDING).filter(isKnownKind)).toEqual(Object.keys(STANDING))
  expect(["backlog", "toString"].map(isKnownKind)).toEqual([false, false])
})

test("a reader who knows the names of the steps is told them", () => {
  const detail = { timer: "boundary:0", dueAt: later, targetStepId: "pay" }
  const words = waitingWords({ kind: "timer", since: later, detail }, { ...reader, nameOf: (id) => `“${id}”` })
  expect(words.headline).toBe("If it is still open at 10:09 (in 9 min), the step “pay” starts beside it.")
})

test("how far away a moment is", () => {
  const text = (ms: number) => relativeText(NOW + ms, NOW)
  expect([999, -999, 20_400, -179_000, 3_600_000, -2 * 86_400_000].map(text)).toEqual([
    "now",
    "now",
    "in 20 s",
    "2 min ago",
    "in 1 h",
    "2 d ago",
  ])
})
