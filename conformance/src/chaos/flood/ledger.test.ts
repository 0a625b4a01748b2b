// The ledger of a flood, read back from what its processes have written.
import { appendFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { Journal, type Line } from "../journal.ts"
import { readLedger } from "./ledger.ts"
import type { Held } from "./lines.ts"
import { owedBy } from "./owed.ts"
import { thereBefore } from "./ranges.ts"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "millrace-ledger-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(name: string, ...lines: Line[]): void {
  const journal = new Journal(folder, name)
  journal.write(...lines)
  journal.close()
}

const held = (n: number, epoch = 1): Held => [n, `J${n}`, `${epoch}.0000000${n}-0000-4000-8000-000000000000`]
const done = (batch: number, ...jobs: Held[]): Line => ({ op: "done", batch, askedAt: 1, at: 2, until: 3, jobs })
const reports = (batch: number, at = 4): Line => ({ op: "reports", batch, at })
const told = (batch: number, verdicts: string): Line => ({ op: "told", batch, at: 5, verdicts })

/** At this many milliseconds. */
const ulidAt = (ms: number, n: number): string => `00000000${"0123456789"[ms >> 5]}${"0123456789"[ms & 31]}${n}`

test("a range is ambiguous when an answer to it was lost, and not when it was never sent or found a gate shut", () => {
  write(
    "driver",
    ...[0, 2, 4].map((from): Line => ({ op: "asks", from, count: 2 })),
    ...[0, 2, 4].map((from): Line => ({ op: "sends", from, at: 33 })),
    { op: "unsent", from: 0 },
    { op: "unheard", from: 2 },
    { op: "full", from: 4 },
    ...[0, 2].map((from): Line => ({ op: "sends", from, at: 35 })),
    { op: "acked", from: 0, at: 40, ids: ["A", "B"] },
    { op: "acked", from: 2, at: 40, ids: [ulidAt(34, 1), ulidAt(35, 2)] },
  )
  const { ranges } = readLedger(folder, [])
  expect(ranges.map(({ isAmbiguous }) => isAmbiguous)).toEqual([false, true, false])
  expect(ranges.map(({ ids }) => ids?.length)).toEqual([2, 2, undefined])
  expect(thereBefore(ranges[1]!)).toBe(1)
})

test("what a life has reported and not heard of is ambiguous, and the verdict of a later life counts for it", () => {
  write("flood-worker-2-00001", { op: "begun", owed: [] }, done(1, held(1), held(2)), reports(1), done(2, held(3)))
  write("flood-worker-2-00002", { op: "begun", owed: owedBy(folder, "flood-worker-2", 2) })
  appendFileSync(join(folder, "flood-worker-2-00003.jsonl"), '{"op":"begun","ow')
  write("flood-worker-2-00004", { op: "begun", owed: owedBy(folder, "flood-worker-2", 4) })
  write("flood-worker-2-00004", reports(1), told(1, "as"), reports(2), told(2, "u"))
  const { deliveries, violations } = readLedger(folder, [])
  expect([1, 2, 3].map((n) => deliveries.of(n)[0]?.verdict)).toEqual(["accepted", "stale", "unknown"])
  expect([1, 2, 3].map((n) => deliveries.of(n)[0]?.isAmbiguous)).toEqual([true, true, false])
  expect(violations).toEqual([])
})

test("a report that nobody listened to is not ambiguous, and one whose answer was lost stays so when it is repeated", () => {
  const lines = [reports(1), { op: "unreported", batch: 1 } as const, reports(1), told(1, "a")]
  write("flood-worker-2-00001", { op: "begun", owed: [] }, done(1, held(1)), ...lines)
  write("flood-worker-3-00001", { op: "begun", owed: [] }, done(1, held(2)), reports(1), reports(1), told(1, "a"))
  const { deliveries } = readLedger(folder, [])
  expect([1, 2].map((n) => deliveries.of(n)[0]?.isAmbiguous)).toEqual([false, true])
})

test("a report without any verdict stays without, and is owed", () => {
  write("flood-worker-2-00001", { op: "begun", owed: [[held(1)]] }, done(2, held(2)), reports(2), told(2, "a"))
  expect(owedBy(folder, "flood-worker-2", 2)).toEqual([[held(1)]])
  write("flood-worker-3-00001", { op: "begun", owed: [] }, done(1, held(5)))
  expect(readLedger(folder, []).deliveries.of(5)[0]?.verdict).toBe("none")
})

test("an accepted report is accepted whenever it is repeated", () => {
  write("flood-worker-2-00001", { op: "begun", owed: [] }, done(1, held(1)), reports(1), told(1, "a"))
  write("flood-worker-2-00001", reports(1), told(1, "s"))
  const { deliveries, violations } = readLedger(folder, [])
  expect(violations).toEqual(["S7: an accepted report was stale when it was repeated"])
  expect(deliveries.of(1)[0]?.verdict).toBe("accepted")
})

test("what a process met that must not happen is a violation", () => {
  write("driver", { op: "bug", what: "enqueue", error: "500" })
  write("flood-worker-2-00001", { op: "bug", what: "uncaught", error: "oh" })
  expect(readLedger(folder, []).violations).toHaveLength(2)
})

const cut = { from: 100, until: 200 }
const mayBeLost = () => readLedger(folder, [cut]).cuts.mayHaveLost({ askedAt: 1, claimedAt: 2 })

test("a report that was accepted proves that what was seen before is on the disk, if no earlier one may have been it", () => {
  const worker = "flood-worker-2-00001"
  write(worker, { op: "begun", owed: [] }, done(1, held(1)), reports(1), reports(1), told(1, "a"))
  expect(mayBeLost()).toBe(true)
  write(worker, done(2, held(2)), reports(2), told(2, "s"), done(3, held(3)))
  write("flood-worker-2-00002", { op: "begun", owed: [[held(3)]] }, reports(1), told(1, "a"))
  expect(mayBeLost()).toBe(true)
  write("flood-worker-2-00002", done(2, held(4)), reports(2), told(2, "a"))
  expect(mayBeLost()).toBe(false)
})

test("so does a range that was acknowledged when it was sent first", () => {
  const acked: Line = { op: "acked", from: 0, at: 9, ids: ["A"] }
  const sends: Line = { op: "sends", from: 0, at: 5 }
  write("driver", { op: "asks", from: 0, count: 1 }, sends, { op: "unheard", from: 0 }, sends, acked)
  expect(mayBeLost()).toBe(true)
  write("driver", { op: "asks", from: 0, count: 1 }, sends, acked)
  expect(mayBeLost()).toBe(false)
})
