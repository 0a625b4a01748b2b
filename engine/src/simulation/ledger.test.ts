import { describe, expect, test } from "vitest"
import type { ClaimedJob } from "../operations/jobs/claim/claimed-job.ts"
import { Ledger } from "./ledger.ts"

const given = (attempt: number): ClaimedJob => ({ id: "j", instanceId: "i", attempt, lockExpiresAt: 0 }) as ClaimedJob

describe("the ledger tells what must never be told", () => {
  test("S3: two ids for one key", () => {
    const ledger = new Ledger()
    for (const id of ["x", "x", "y"]) ledger.accept("job", "key", id)
    expect(ledger.violations).toEqual(["S3: job key was told to be x and then y"])
  })

  test("S6: one epoch given out twice", () => {
    const ledger = new Ledger()
    const claims = [ledger.claim(), ledger.claim(), ledger.claim()]
    for (const [at, epoch] of [1, 3, 3].entries()) claims[at]?.(given(epoch), 0)
    expect(ledger.violations).toEqual(["S6: j was given out with epoch 3 twice"])
  })

  test("S6: an epoch that was given out after a later one was told, unless it was asked for before that", () => {
    const ledger = new Ledger()
    const slow = ledger.claim()
    ledger.claim()(given(3), 0)
    slow(given(1), 0)
    expect(ledger.violations).toEqual([])
    ledger.claim()(given(2), 0)
    expect(ledger.violations).toEqual(["S6: j was given out with epoch 2 after epoch 3"])
  })

  test("S6: a job given out while its holder was told that it has it, and has not reported", () => {
    const ledger = new Ledger()
    ledger.claim()(given(1), 0)
    ledger.extend(given(1), 3_000)
    ledger.claim()(given(2), 2_999)
    expect(ledger.violations).toEqual(["S6: j was given out with epoch 2 before the lease of the one before had ended"])
    ledger.extend(given(2), 6_000)
    ledger.claim()(given(3), 6_000)
    ledger.extend(given(3), 9_000)
    ledger.report(given(3), "fail")("unknown")
    ledger.claim()(given(4), 7_000)
    expect(ledger.violations).toHaveLength(1)
  })

  test("S7: an old token accepted, unless the report repeats one that may have been accepted in its time", () => {
    const ledger = new Ledger()
    ledger.claim()(given(1), 0)
    ledger.report(given(1), "fail")("unknown")
    ledger.claim()(given(2), 0)
    ledger.report(given(1), "fail")("accepted")
    expect(ledger.violations).toEqual([])
    ledger.report(given(1), "complete")("accepted")
    expect(ledger.violations).toEqual([
      "S7: complete of j with epoch 1 was accepted after epoch 2 was given out",
      "S7: j with epoch 1 was completed and failed",
    ])
  })

  test("S7: a report that was under way when the job was given out again may be accepted", () => {
    const ledger = new Ledger()
    ledger.claim()(given(1), 0)
    const settle = ledger.report(given(1), "complete")
    ledger.claim()(given(2), 0)
    settle("accepted")
    expect(ledger.violations).toEqual([])
  })

  test("S9: how many deliveries have failed, at most and for certain", () => {
    const ledger = new Ledger()
    for (const [epoch, told] of [
      [1, "accepted"],
      [1, "accepted"],
      [2, "unknown"],
      [3, "refused"],
    ] as const)
      ledger.report(given(epoch), "fail")(told)
    expect(ledger.failuresOf("j")).toEqual({ possible: 2, certain: 1 })
  })

  test("S15: a job given out, or a report accepted, after the cancel was answered", () => {
    const ledger = new Ledger()
    ledger.claim()(given(1), 0)
    ledger.cancelled.add("i")
    ledger.report(given(1), "complete")("accepted")
    ledger.claim()(given(2), 0)
    expect(ledger.violations).toEqual([
      "S15: complete of j was accepted after its cancel was answered",
      "S15: j was given out after its cancel was answered",
    ])
  })
})
