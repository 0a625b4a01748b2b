// Names of topics and groups, and job types that no topic can be named after.
import { expect, test } from "vitest"
import { groupOf, jobTypeOf, topicFault, topicOf } from "./dispatch-topic.ts"

test("C-93, C-94: a job type has a topic and a group", () => {
  expect([topicOf("ship"), groupOf("ship")]).toEqual(["workflow.jobs.ship", "workflow.workers.ship"])
  expect(["workflow.jobs.ship", "workflow.jobs.", "payments"].map(jobTypeOf)).toEqual(["ship", undefined, undefined])
})

test("W-24: at most 249 characters with the prefix, and only those that Kafka takes", () => {
  expect([topicFault("a.b_c-D9"), topicFault("x".repeat(235))]).toEqual([undefined, undefined])
  for (const jobType of ["a:b", "x".repeat(236), "ä", ""]) expect(topicFault(jobType)).toContain("at most 235 of them")
})
