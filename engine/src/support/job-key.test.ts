// The ids of jobs on the wire.
import fc from "fast-check"
import { expect, test } from "vitest"
import { executionId, ulidFactory } from "./ids.ts"
import { type JobKey, jobIdOf, parseJobId } from "./job-key.ts"

const newId = ulidFactory(() => 1_700_000_000_000)
const anyKey: fc.Arbitrary<JobKey> = fc.oneof(
  fc.constant(0).map(() => ({ kind: "standalone" as const, id: newId() })),
  fc
    .integer({ min: 1, max: 2 ** 20 - 1 })
    .map((execution) => ({ kind: "step" as const, instanceId: newId(), execution })),
)

test("a key reads as it was written", () => {
  fc.assert(
    fc.property(anyKey, (key) => {
      expect(parseJobId(jobIdOf(key))).toEqual(key)
    }),
  )
})

test.each([
  ["nothing", ""],
  ["a word", "mail"],
  ["execution 0, which no step has", executionId(newId(), 0)],
  ["an id in lower case", newId().toLowerCase()],
  ["an id and more", `${newId()}-`],
])("C-27: %s is the id of no job", (_name, id) => {
  expect(parseJobId(id)).toBeUndefined()
})
