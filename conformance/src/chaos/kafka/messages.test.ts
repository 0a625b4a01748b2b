// Whether the verdict on dispatches can fail.
import { expect, test } from "vitest"
import { doubledDispatches } from "./messages.ts"

const first = { dedupId: "a", jobId: "job", attempt: 1 }

test("C-98, S8: a message may be there twice; one claim under two dedup ids, or one id for two claims, may not", () => {
  const retried = { dedupId: "b", jobId: "job", attempt: 2 }
  expect(doubledDispatches([first, first, retried])).toEqual([])
  expect(doubledDispatches([first, { ...first, dedupId: "b" }])).toEqual([
    "S8: delivery 1 of job job was dispatched under two dedup ids",
  ])
  expect(doubledDispatches([first, { ...first, jobId: "other" }])).toEqual(["S8: dedup id a names two deliveries"])
})
