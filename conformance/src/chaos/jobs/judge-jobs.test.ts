// The checker has teeth: a history in which everything holds, and one wound for each thing it must find.
import { describe, expect, test } from "vitest"
import type { Line } from "../journal.ts"
import { seeded } from "../random.ts"
import type { EndedJob, FinalState } from "./final-state.ts"
import { jobFactsOf } from "./job-facts.ts"
import { judgeJobs } from "./judge-jobs.ts"
import { drawOrder, type JobOrder } from "./order.ts"
import { unanswered } from "./submit-jobs.ts"

const orderOf = (ref: string, more: Partial<JobOrder> = {}): JobOrder => ({
  type: "chaos-mail",
  lane: "high",
  payload: { ref, amount: 7, fate: "well", retries: 1, delayMs: 0 },
  keptBy: "key",
  ...more,
})

const endedAs = (id: string, ref: string, more: Partial<EndedJob> = {}): EndedJob => ({
  ...{ id, ref, amount: 7, lane: "high", status: "COMPLETED", epoch: 1, answered: 1, replayOf: null, failures: 0 },
  ...{ marks: [1], isEarly: false },
  ...more,
})

const dead = { status: "FAILED", answered: null, failures: 2, epoch: 2, marks: [1, 2] }
const enqueue = (ref: string): Line => ({ op: "enqueue", ref, order: orderOf(ref) })
const complete = (id: string, attempt: number): Line => ({
  op: "report",
  id,
  attempt,
  verb: "complete",
  verdict: "accepted",
})

/** Done, refused, unanswered and in, unanswered and not in, cancelled, dead with its letter, dead and replayed. */
const history: readonly Line[] = [
  ...["done", "full", "maybe", "gone", "off", "dead", "twice"].map(enqueue),
  ...["done", "off", "dead", "twice"].map((ref): Line => ({ op: "accepted", ref, id: `id-${ref}` })),
  { op: "refused", ref: "full" },
  { op: "cancel", id: "id-off" },
  { op: "cancelled", id: "id-off" },
  complete("id-done", 1),
  complete("id-done", 1),
  { op: "report", id: "id-done", attempt: 1, verb: "fail", verdict: "stale" },
  { op: "replay", key: "r1", letter: "letter-twice", job: "id-twice" },
  { op: "replayed", key: "r1", job: "id-twice", id: "id-again" },
  { op: "peak", kind: "limit", name: "in-pairs", leased: 2 },
  { op: "peak", kind: "downstream", name: "chaos-bank", leased: 3 },
]

const state: FinalState = {
  ended: [
    endedAs("id-done", "done"),
    endedAs("id-maybe", "maybe"),
    endedAs("id-off", "off", { status: "CANCELLED", answered: null, epoch: 0, marks: [] }),
    endedAs("id-dead", "dead", dead),
    endedAs("id-twice", "twice", dead),
    endedAs("id-again", "twice", { replayOf: "id-twice" }),
  ],
  live: [],
  letters: ["id-dead"],
  traces: [
    { ref: "done", what: "a key" },
    { ref: "in-pairs", what: "a limit" },
  ],
  counters: [{ name: "total", counted: 0, there: 0 }],
  openBulks: 0,
}

test("a history in which everything holds has no violations, and adds up", () => {
  expect(judgeJobs(history, state)).toEqual([])
  const counts = {
    accepted: 4,
    refused: 1,
    unknown: 2,
    completed: 3,
    dead: 2,
    cancelled: 1,
    replayed: 1,
    deliveries: 7,
  }
  expect(jobFactsOf(history, state)).toEqual(counts)
})

const without = (id: string) => ({ ended: state.ended.filter((job) => job.id !== id) })
const changed = (id: string, change: Partial<EndedJob>) => ({
  ended: state.ended.map((job) => (job.id === id ? { ...job, ...change } : job)),
})
const added = (...jobs: EndedJob[]) => ({ ended: [...state.ended, ...jobs] })

interface Wound {
  readonly lines?: readonly Line[]
  readonly state?: Partial<FinalState>
  readonly found: string
}

const wounds: Readonly<Record<string, Wound>> = {
  "S20: an accepted job is lost": {
    state: without("id-done"),
    found: "done was accepted as id-done and has come to no end",
  },
  "S20: a job is still live": {
    state: { live: [{ id: "id-x", ref: "maybe", status: "held" }] },
    found: "job id-x of maybe is still held",
  },
  "S20: a job that nobody sent": { state: added(endedAs("id-x", "x")), found: "nobody sent x" },
  "S2: an unanswered request counted twice": {
    state: added(endedAs("id-x", "maybe")),
    found: "maybe was enqueued 2 times",
  },
  "S3: one key, two answers": {
    lines: [{ op: "accepted", ref: "done", id: "id-maybe" }],
    found: "done was answered with id-done and id-maybe",
  },
  "S1: another payload": {
    state: changed("id-done", { amount: 8 }),
    found: "job id-done is not what done was sent as",
  },
  "S1: another lane": {
    state: changed("id-done", { lane: "normal" }),
    found: "job id-done is not what done was sent as",
  },
  "S21: a refused job runs": {
    state: added(endedAs("id-x", "full")),
    found: "full was refused, and is there as job id-x",
  },
  "S21: a refused job leaves its key": {
    state: { traces: [{ ref: "full", what: "a key" }] },
    found: "full was refused, and left a key behind",
  },
  "S7, S8: two deliveries were completed": {
    lines: [complete("id-done", 2)],
    found: "job id-done was completed by deliveries 1 and 2",
  },
  "S7: a completion that was taken is not the one that counts": {
    state: changed("id-done", { epoch: 2, answered: 2, marks: [1, 2] }),
    found: "delivery 1 of job id-done was completed, but it is COMPLETED by 2",
  },
  "S7: completed and failed": {
    lines: [{ op: "report", id: "id-done", attempt: 1, verb: "fail", verdict: "accepted" }],
    found: "delivery 1 of job id-done was both completed and failed",
  },
  "S7: somebody else's result": {
    state: changed("id-maybe", { answered: 2 }),
    found: "job id-maybe was completed by delivery 1, but has the result of 2",
  },
  "S8: a result without a handler": {
    state: changed("id-maybe", { marks: [] }),
    found: "job id-maybe was completed by a delivery that no handler ran",
  },
  "S4: a job has ended twice": { state: added(endedAs("id-maybe", "maybe")), found: "job id-maybe has ended twice" },
  "S9: more failures than tries": {
    state: changed("id-dead", { failures: 3 }),
    found: "job id-dead failed 3 times of 2",
  },
  "S9: deliveries without end": {
    state: changed("id-dead", { epoch: 200 }),
    found: "job id-dead was delivered 200 times",
  },
  "S12: before its time": {
    state: changed("id-done", { isEarly: true }),
    found: "job id-done was handed out before its time",
  },
  "S15: cancelled, and completed": {
    state: changed("id-off", { status: "COMPLETED", answered: 0, marks: [0] }),
    found: "job id-off was cancelled, and is COMPLETED",
  },
  "S15: cancelled, and gone": { state: without("id-off"), found: "job id-off was cancelled, and has come to no end" },
  "S20: dead without a letter": { state: { letters: [] }, found: "job id-dead is dead without a letter" },
  "S20: a letter of a job that is not dead": {
    state: { letters: ["id-dead", "id-done"] },
    found: "there is a dead letter of job id-done, which is not dead",
  },
  "S20: replayed, and its letter is still there": {
    state: { letters: ["id-dead", "id-twice"] },
    found: "job id-twice was replayed, and its dead letter is still there",
  },
  "F12: replayed twice": {
    state: added(endedAs("id-x", "twice", { replayOf: "id-twice" })),
    found: "the dead letter of id-twice was replayed 2 times",
  },
  "F12: one request, two answers": {
    lines: [{ op: "replayed", key: "r1", job: "id-twice", id: "id-x" }],
    found: "replay r1 was answered with id-again and id-x",
  },
  "S1: a replay is lost": {
    state: without("id-again"),
    found: "replay r1 of id-twice was accepted as id-again, which is lost",
  },
  "L1: a bulk replay never ends": { state: { openBulks: 1 }, found: "1 bulk operations have not come to their end" },
  "a limit exceeded": {
    lines: [{ op: "peak", kind: "limit", name: "in-pairs", leased: 3 }],
    found: "3 jobs of the limit in-pairs were leased at once, and 2 may be",
  },
  "a limit of one's own exceeded": {
    lines: [{ op: "peak", kind: "limit", name: "done", leased: 2 }],
    found: "2 jobs of the limit done were leased at once, and 1 may be",
  },
  "a downstream exceeded": {
    lines: [{ op: "peak", kind: "downstream", name: "chaos-bank", leased: 4 }],
    found: "4 jobs of the downstream chaos-bank were leased at once, and 3 may be",
  },
  "S21: a counter that drifts": {
    state: { counters: [{ name: "high", counted: 2, there: 0 }] },
    found: "0 jobs are there, but the gate of high counts 2",
  },
}

describe("every wound is found", () => {
  for (const [name, { lines = [], state: hurt = {}, found }] of Object.entries(wounds))
    test(name, () => expect(judgeJobs([...history, ...lines], { ...state, ...hurt }).join("\n")).toContain(found))
})

test("S2: what got no answer is sent again, unless nothing keeps it from being doubled", () => {
  const loose: Line = { op: "enqueue", ref: "loose", order: orderOf("loose", { keptBy: "nothing" }) }
  expect(unanswered([...history, loose]).map(({ payload }) => payload.ref)).toEqual(["maybe", "gone"])
  // Refused once, and then no answer.
  expect(unanswered([...history, enqueue("full")]).map(({ payload }) => payload.ref)).toContain("full")
})

test("orders are of every kind", () => {
  const random = seeded(3)
  const orders = Array.from({ length: 500 }, (_, n) => drawOrder(`ref-${n}`, random))
  expect(new Set(orders.map(({ lane }) => lane)).size).toBe(3)
  expect(new Set(orders.map(({ keptBy }) => keptBy)).size).toBe(3)
  expect(new Set(orders.map(({ payload }) => payload.fate)).size).toBe(5)
  for (const part of ["fairKey", "limit", "downstream", "timeoutMs"] as const)
    expect(orders.some((order) => order[part] !== undefined && order.payload.delayMs > 0)).toBe(true)
})
