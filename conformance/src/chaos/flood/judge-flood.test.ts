// Each story of a job that must not be, and those that may be.
import { expect, test } from "vitest"
import type { Delivery, Verdict } from "./deliveries.ts"
import { type EndedRow, type Evidence, judgeJob } from "./judge-flood.ts"

const SECRETS: Readonly<Record<number, string>> = { 1: "aaaaaaaa", 2: "bbbbbbbb", 3: "cccccccc" }
const tokenOf = (epoch: number, secret = SECRETS[epoch]): string => `${epoch}.${secret}-0000-4000-8000-000000000000`

/** Claimed at 1000 × its epoch, leased for 900, and reported 500 after its claim. */
const delivery = (epoch: number, verdict: Verdict, more: Partial<Delivery> = {}): Delivery => ({
  epoch,
  secret: Number.parseInt(SECRETS[epoch] as string, 16),
  askedAt: 1_000 * epoch - 10,
  claimedAt: 1_000 * epoch,
  until: 1_000 * epoch + 900,
  reportedAt: 1_000 * epoch + 500,
  verdict,
  isAmbiguous: false,
  ...more,
})

const endedBy = (epoch: number, more: Partial<EndedRow> = {}): EndedRow => ({
  ...{ n: 7, id: "J7", status: "COMPLETED", token: tokenOf(epoch), result: tokenOf(epoch) },
  lost: epoch > 1 ? Array.from({ length: epoch - 1 }, (_, at) => tokenOf(at + 1)) : null,
  ...more,
})

const judge = (more: Partial<Evidence>): string[] =>
  judgeJob({
    ...{ n: 7, id: "J7", deliveries: [delivery(1, "accepted")], rows: [endedBy(1)] },
    mayBeTakenBack: () => false,
    ...more,
  })

const never = "the report on delivery 1 of job 7"

test("a job that was delivered once and completed once is well", () => {
  expect(judge({})).toEqual([])
})

test("a job that was acknowledged and is not there is lost", () => {
  expect(judge({ rows: [] })).toEqual(["S1: job 7 was acknowledged as J7 and is lost"])
})

test("a worker that has a job is not told that there is none", () => {
  const deliveries = [delivery(1, "unknown"), delivery(2, "accepted")]
  expect(judge({ deliveries, rows: [endedBy(2)] })).toEqual([`S1: ${never} was told that there is no such job`])
})

test("a job that nobody ever acknowledged is not resolved, there or not", () => {
  expect(judge({ id: undefined })).toEqual(["S2: job 7 was asked for, and nobody ever said whether it is there"])
  expect(judge({ id: undefined, rows: [], deliveries: [] })).toHaveLength(2)
})

test("a report without a verdict is not resolved", () => {
  const deliveries = [delivery(1, "none"), delivery(2, "accepted")]
  expect(judge({ deliveries, rows: [endedBy(2)] })).toEqual([`S2: nobody ever said what became of ${never}`])
})

test("a job ends once, under the id that its caller was told, as completed", () => {
  const twice = judge({ rows: [endedBy(1), endedBy(1, { id: "J8" })] })
  expect(twice).toEqual(["S3, S4: job 7 has ended 2 times: J7, J8"])
  expect(judge({ id: "J9" })).toEqual(["S3: job 7 was acknowledged as J9, and is J7"])
  expect(judge({ rows: [endedBy(1, { status: "FAILED" })] })).toEqual(["S4: job 7 is FAILED"])
})

test("two deliveries that were both accepted are one too many", () => {
  const deliveries = [delivery(1, "accepted"), delivery(2, "accepted")]
  expect(judge({ deliveries, rows: [endedBy(2)] })).toEqual([
    "S7, S8: job 7 was completed by delivery 1 and delivery 2",
    `S7: delivery 1 of job 7 was accepted, but ${tokenOf(2)} ended it`,
  ])
})

test("a report that was sent when another had the job is not accepted", () => {
  const deliveries = [delivery(1, "accepted", { reportedAt: 2_100 }), delivery(2, "stale")]
  const stale = `S7: ${never} was accepted, and it was stale`
  expect(judge({ deliveries, rows: [endedBy(1, { lost: [tokenOf(2)] })] })).toEqual([stale])
  const late = deliveries.map((one) => (one.epoch === 2 ? { ...one, claimedAt: 2_200 } : one))
  expect(judge({ deliveries: late, rows: [endedBy(1, { lost: [tokenOf(2)] })] })).toEqual([])
})

test("the result is that of the delivery that was accepted", () => {
  const deliveries = [delivery(1, "stale"), delivery(2, "accepted")]
  expect(judge({ deliveries, rows: [endedBy(2)] })).toEqual([])
  expect(judge({ deliveries, rows: [endedBy(2, { result: tokenOf(1) })] })).toEqual([
    `S7: job 7 was completed by ${tokenOf(2)}, and has the result of ${tokenOf(1)}`,
  ])
})

test("nobody but a worker completes a job", () => {
  expect(judge({ deliveries: [] })).toEqual([`S8: job 7 was completed by ${tokenOf(1)}, and no worker did that`])
  const forged = endedBy(1, { token: tokenOf(1, "dddddddd"), result: tokenOf(1, "dddddddd") })
  expect(judge({ rows: [forged], deliveries: [delivery(1, "stale")] })).toEqual([
    `S8: job 7 was completed by ${forged.token}, and no worker did that`,
    "S6: the database does not know delivery 1 of job 7",
  ])
})

test("a delivery that the database does not know was taken back by a power cut, or must not be", () => {
  const deliveries = [delivery(1, "stale"), delivery(2, "accepted")]
  const rows = [endedBy(2, { lost: null })]
  expect(judge({ deliveries, rows })).toEqual(["S6: the database does not know delivery 1 of job 7"])
  expect(judge({ deliveries, rows, mayBeTakenBack: ({ epoch }) => epoch === 1 })).toEqual([])
})

test("a job is not given out while it is leased, unless that lease was taken back", () => {
  const deliveries = [delivery(1, "stale", { until: 2_001 }), delivery(2, "accepted")]
  const rows = [endedBy(2)]
  expect(judge({ deliveries, rows })).toEqual(["S6: job 7 was given out again while delivery 1 was leased"])
  expect(judge({ deliveries, rows, mayBeTakenBack: ({ epoch }) => epoch === 1 })).toEqual([])
})
