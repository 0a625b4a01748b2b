// The topics that the engine reads: their names, the keys of submissions, and what wakes a run.
import { describe, expect, test } from "vitest"
import { uuidV5 } from "../../support/uuid-v5.ts"
import { intakeKey, intakeTopic, isIntakeDefinition, readLinkingId } from "./intake-topic.ts"
import type { TopicRecord } from "./message.ts"

const record = (given: Partial<TopicRecord>): TopicRecord => ({
  topic: "workflow.intake.d",
  partition: 0,
  offset: 7n,
  key: null,
  value: Buffer.from("{}"),
  headers: {},
  writtenAt: 0,
  ...given,
})

test("A-03, W-24: a definition has a topic if its id can stand in the name of one", () => {
  expect(intakeTopic("onboarding")).toBe("workflow.intake.onboarding")
  expect(["onboarding", "a:b", "", "x".repeat(233), "x".repeat(234)].map(isIntakeDefinition)).toEqual([
    true,
    false,
    false,
    true,
    false,
  ])
})

describe("A-03: the key of a submission", () => {
  test.each([
    ["its header", { key: "k", headers: { "idempotency-key": "h", "event-id": "e" } }, "h"],
    ["its key", { key: "k", headers: { "idempotency-key": "", "event-id": "e" } }, "k"],
    ["the id of an event", { headers: { "event-id": "e" } }, "e"],
    ["its place", { key: "a\0b", headers: {} }, uuidV5("workflow.intake.d:0:7")],
  ])("is %s", (_, given, key) => {
    expect(intakeKey(record(given))).toBe(key)
  })
})

test("A-35: a message wakes by its linking id, and one without says what is wrong", () => {
  expect(readLinkingId(Buffer.from('{"linkingId":"order-7"}'))).toBe("order-7")
  for (const text of ["x", "{}", '{"linkingId":""}', '{"linkingId":7}'])
    expect(() => readLinkingId(Buffer.from(text))).toThrow()
})
