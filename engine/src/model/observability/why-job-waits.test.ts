// Why a job waits, from the facts of its row.
import { describe, expect, test } from "vitest"
import { type JobFacts, whyJobWaits } from "./why-job-waits.ts"
import type { RunWait } from "./why-run-waits.ts"

const NOW = Date.parse("2025-03-01T10:00:00.000Z")
const at = (seconds: number): string => new Date(NOW + seconds * 1_000).toISOString()

const job = (more: Partial<JobFacts> = {}): JobFacts => ({
  stepId: "pay",
  jobType: "payout",
  status: "held",
  createdAt: NOW - 60_000,
  epoch: 2,
  workerId: null,
  leaseUntil: null,
  visibleAt: NOW + 30_000,
  heldReason: null,
  lastEnd: { outcome: "parked", error: "waits at nap", endedAt: NOW - 10_000 },
  retriesLeft: 3,
  retries: 4,
  waitsFor: [],
  waits: [],
  limit: undefined,
  ahead: 0,
  queue: { priority: "normal", share: 10, fairKey: null, polledAt: null },
  pause: undefined,
  pace: undefined,
  ...more,
})
const why = (more: Partial<JobFacts>) => whyJobWaits(job(more), NOW)
const kinds = (more: Partial<JobFacts>) => why(more).map(({ kind }) => kind)
const wait = (name: string, until: number | null, signal?: string | null): RunWait => ({
  name,
  since: NOW - 5_000,
  until,
  signal,
})

const failed = { lastEnd: { outcome: "failed", error: "busy", endedAt: NOW - 10_000 }, heldReason: "busy" }

describe("outside of the queue", () => {
  test("a failure: which attempt of how many, why, and until when; without an end of retries, the attempt alone", () => {
    const detail = { jobType: "payout", attempt: 2, reason: "busy", dueAt: at(30) }
    expect(why(failed)).toEqual([
      { kind: "retry", stepId: "pay", since: at(-10), detail: { ...detail, failures: 1, maxAttempts: 5 } },
    ])
    expect(why({ ...failed, retries: undefined })).toMatchObject([{ kind: "retry", detail }])
    expect(why({ ...failed, retries: undefined })[0]?.detail).not.toHaveProperty("maxAttempts")
  })

  test("a run that parked itself sleeps, and has not failed", () => {
    expect(why({ waits: [wait("nap", NOW + 30_000, null)] })).toEqual([
      { kind: "sleep", stepId: "pay", since: at(-5), detail: { step: "nap", dueAt: at(30) } },
    ])
  })

  test("a run that was given back for no fault of its own says why", () => {
    const [reason] = why({ heldReason: "the database did not answer" })
    expect(reason).toMatchObject({ kind: "returned", detail: { reason: "the database did not answer", dueAt: at(30) } })
  })

  test("an end that is not known any more is told by the reason: a failure has one, a wait has none", () => {
    expect(kinds({ lastEnd: undefined })).toEqual(["sleep"])
    expect(why({ lastEnd: undefined, heldReason: "busy" })).toMatchObject([{ kind: "retry", since: at(-60) }])
    expect(kinds({ lastEnd: undefined, waitsFor: ["go"], visibleAt: null })).toEqual(["signal"])
  })

  test("one that was never tried is scheduled; one with a limit waits for that, unless its time comes first", () => {
    const limit = { key: "ada", max: 1, underWay: 1, running: 1 }
    const never = { epoch: 0, lastEnd: undefined }
    expect(why({ ...never, heldReason: "delay" })).toMatchObject([{ kind: "scheduled", detail: { dueAt: at(30) } }])
    expect(kinds({ ...never, limit })).toEqual(["scheduled"])
    expect(why({ ...never, limit, visibleAt: null, ahead: 2 })).toMatchObject([
      { kind: "limit", detail: { limitKey: "ada", max: 1, underWay: 1, running: 1, position: 3 } },
    ])
    expect(kinds({ ...never, visibleAt: null })).toEqual(["scheduled"])
    expect(kinds({ limit, visibleAt: null, waitsFor: ["go"] })).toEqual(["signal"])
  })

  test("a pause is told beside what else it waits for", () => {
    const pause = { kind: "jobType", name: "payout", reason: null, by: "ada", at: NOW } as const
    expect(kinds({ ...failed, pause })).toEqual(["retry", "paused"])
  })
})

describe("what a run waits for", () => {
  test("each wait is told, a child apart from a signal", () => {
    const waits = [
      wait("nap", NOW + 30_000, null),
      wait("paid", NOW + 60_000, "paid"),
      wait("ship", null, "end of ship"),
    ]
    expect(why({ waits, waitsFor: ["paid", "end of ship"] })).toMatchObject([
      { kind: "sleep", detail: { step: "nap", dueAt: at(30) } },
      { kind: "signal", detail: { step: "paid", signals: ["paid"], dueAt: at(60) } },
      { kind: "child", detail: { step: "ship", child: "ship" } },
    ])
  })

  test("a wait tells why what came last for it was refused", () => {
    const waits = [{ ...wait("paid", null, "paid"), refused: "refused, because it is too small" }]
    expect(why({ waits, waitsFor: ["paid"] })).toMatchObject([
      { kind: "signal", detail: { signals: ["paid"], refused: "refused, because it is too small" } },
    ])
  })

  test("the version before does not say which wait a signal is for: told by its name, then by what can only be one", () => {
    const old = (name: string, until: number | null) => wait(name, until)
    const waits = [old("nap", NOW), old("money", NOW), old("go", null), old("key", null), old("ship", null)]
    const told = why({ waits, waitsFor: ["go", "x", "end of ship", "y"] })
    expect(told.map(({ kind, detail }) => [kind, "signals" in detail ? detail.signals[0] : ""])).toEqual([
      ["signal", "y"],
      ["sleep", ""],
      ["signal", "go"],
      ["signal", "x"],
      ["child", ""],
    ])
  })

  test("without a record of its waits the run is told as a whole", () => {
    expect(why({ waitsFor: ["a", "b"] })).toMatchObject([
      { kind: "signal", detail: { signals: ["a", "b"], dueAt: at(30) } },
    ])
    expect(why({ waitsFor: ["end of ship"], visibleAt: null })).toMatchObject([
      { kind: "child", detail: { child: "ship" } },
    ])
    expect(why({})[0]?.detail).toEqual({ dueAt: at(30) })
    expect(why({ visibleAt: null })[0]?.detail).toEqual({ dueAt: "1970-01-01T00:00:00.000Z" })
  })
})

describe("in the queue and with a worker", () => {
  test("its place, its share, its key, and when a worker last asked", () => {
    const queue = { priority: "normal", share: 10, fairKey: "small", polledAt: NOW } as const
    expect(why({ status: "ready", ahead: 2, queue })).toEqual([
      {
        kind: "job-queued",
        stepId: "pay",
        since: at(-60),
        detail: {
          jobType: "payout",
          priority: "normal",
          share: 10,
          position: 3,
          fairKey: "small",
          lastPolledAt: at(0),
        },
      },
    ])
    expect(why({ status: "ready", stepId: undefined, epoch: 0, lastEnd: undefined })).toEqual([
      { kind: "job-queued", since: at(-60), detail: { jobType: "payout", priority: "normal", share: 10, position: 1 } },
    ])
  })

  test("a worker that was never noted has asked all the same where there was an attempt", () => {
    expect(why({ status: "ready" })[0]?.detail).toMatchObject({ lastPolledAt: at(-10) })
    expect(why({ status: "ready", lastEnd: undefined })[0]?.detail).toMatchObject({ lastPolledAt: at(-60) })
  })

  test("the workflow whose run it is", () => {
    expect(why({ status: "ready", workflow: "checkout" })[0]?.detail).toMatchObject({ workflow: "checkout" })
  })

  test("a pause decides before the queue and its pace", () => {
    const pause = { kind: "queue", name: "normal", reason: "maintenance", by: "ada", at: NOW - 90_000 } as const
    expect(why({ status: "ready", pause, pace: { downstream: "bank", position: 1 } })).toEqual([
      {
        kind: "paused",
        stepId: "pay",
        since: at(-60),
        detail: { paused: "queue", name: "normal", pausedBy: "ada", pausedAt: at(-90), reason: "maintenance" },
      },
    ])
  })

  test("at its pace, from the moment that its downstream takes anything", () => {
    const expected = (more: object) => {
      const [reason] = why({ status: "ready", pace: { downstream: "bank", position: 4, ...more } })
      return reason?.kind === "pace" ? reason.detail.expectedAt : reason
    }
    expect(expected({ perSecond: 0.5 })).toBe(at(8))
    expect(expected({ perSecond: 0.5, closedUntil: at(60) })).toBe(at(68))
    expect([expected({ perSecond: 0 }), expected({ concurrency: 1 })]).toEqual([undefined, undefined])
  })

  test("who has it, and until when", () => {
    const lease = { status: "leased", workerId: "w-1", leaseUntil: NOW + 30_000 } as const
    expect(why(lease)).toMatchObject([
      { kind: "job-leased", detail: { workerId: "w-1", attempt: 2, leasedUntil: at(30) } },
    ])
    expect(why({ status: "leased" })).toMatchObject([{ detail: { workerId: "" } }])
  })

  test("C-124: where it is in Kafka: on its way, in its topic, or read and not reported", () => {
    const none = { isWaiting: true, partition: null, offset: null, publishedAt: null }
    const inKafka = (dispatch: object, more = {}) =>
      why({ status: "leased", dispatch: { ...none, ...dispatch }, ...more })
    expect(inKafka({})).toMatchObject([{ kind: "job-dispatched", detail: { attempt: 2 } }])
    const placed = { partition: 0, offset: 7, publishedAt: NOW - 5_000 }
    expect(inKafka(placed)).toMatchObject([
      { kind: "job-dispatched", since: at(-5), detail: { partition: 0, offset: 7, publishedAt: at(-5) } },
    ])
    for (const missing of ["partition", "offset", "publishedAt"])
      expect(inKafka({ ...placed, [missing]: null })[0]?.detail).not.toHaveProperty("publishedAt")
    const read = { isWaiting: false }
    expect(inKafka(read, { leaseUntil: NOW + 30_000 })).toMatchObject([{ detail: { leasedUntil: at(30) } }])
    expect(inKafka(read, { leaseUntil: null })).toMatchObject([{ kind: "job-dispatched" }])
  })
})
