import { expect, test } from "vitest"
import type { JobWaitingReason } from "../../api/jobs.ts"
import { decisiveFirst } from "./decisive-first.ts"

const since = "2025-03-01T09:00:00.000Z"
const reason = (kind: JobWaitingReason["kind"], message: string, more = {}): JobWaitingReason => ({
  kind,
  since,
  detail: { message, ...more },
})
const paused = reason("paused", "job type mail was paused by ada")
const pace = reason("pace", "3 jobs are before it for downstream smtp")
const unpolled = reason("job-queued", "0 jobs are before it; no worker has ever polled for mail")
const polled = reason("job-queued", "2 jobs are before it; the last worker polled", { lastPolledAt: since })

test("a pause decides, then that nobody polls; the place in the queue comes last", () => {
  expect(decisiveFirst([unpolled, pace, paused])).toEqual([paused, unpolled, pace])
  expect(decisiveFirst([polled, pace])).toEqual([pace, polled])
})
