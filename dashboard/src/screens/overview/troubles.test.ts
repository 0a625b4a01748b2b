import { expect, test } from "vitest"
import { downstream, lane, overviewOf } from "./test-support/overviews.ts"
import { type Evidence, troublesOf } from "./troubles.ts"

const CALM: Evidence = { overview: overviewOf(), unpolled: [], groups: [], pauses: [] }
const group = (error: string) => ({
  fingerprint: `f-${error}`,
  error: `${error}\n    at somewhere`,
  count: 37,
  count_is_exact: true,
  first_at: "2026-03-01T09:00:00.000Z",
  last_at: "2026-03-01T09:30:00.000Z",
})

test("an engine that is well has no troubles", () => {
  expect(troublesOf(CALM)).toEqual([])
})

test("what is wrong is told by kind: shut, stuck, failing by cause, late, paused", () => {
  const overview = overviewOf({
    lanes: [
      lane("critical", { oldestWaitingSeconds: 301 }),
      lane("high", { oldestWaitingSeconds: 299 }),
      lane("normal", { shut: true, lowWatermark: 10 }),
    ],
    overdueUserTasks: 2,
    downstreams: [downstream("mail", { pushedBackUntil: "2026-03-01T09:32:00.000Z" }), downstream("sms")],
  })
  const evidence: Evidence = {
    overview,
    unpolled: [{ name: "resize", ready: 4, leased: 0 }],
    groups: [group("card declined")],
    pauses: [{ kind: "jobType", name: "mail", reason: "provider is down", by: "anna", at: "2026-03-01T09:00:00.000Z" }],
  } as unknown as Evidence
  expect(troublesOf(evidence).map(({ kind, what, where }) => [kind, what, where.to])).toEqual([
    ["shut", "New normal jobs are refused until the depth is below 10.", "/queues"],
    ["stuck", "4 jobs of type resize wait, and no worker asks for them.", "/workers"],
    ["failing", "37 dead: card declined", "/dead-letters"],
    ["late", "The oldest critical job has waited for 5 min 1 s.", "/jobs"],
    ["late", "2 user tasks are overdue.", "/user-tasks"],
    ["paused", "mail has asked to be left alone for now.", "/queues"],
    ["paused", "Job type mail is paused: provider is down", "/queues"],
  ])
})

test("of each kind the first three; more than one other is counted, and the screen behind it has them", () => {
  const whatOf = (errors: readonly string[]) =>
    troublesOf({ ...CALM, groups: errors.map(group) }).map(({ what, where }) => [what, where])
  const abc = ["a", "b", "c"].map((one) => [`37 dead: ${one}`, { to: "/dead-letters", failure: `f-${one}` }])
  expect(whatOf(["a", "b", "c", "d"])).toEqual([...abc, ["37 dead: d", { to: "/dead-letters", failure: "f-d" }]])
  expect(whatOf(["a", "b", "c", "d", "e"])).toEqual([...abc, ["2 more errors", { to: "/dead-letters" }]])
})
