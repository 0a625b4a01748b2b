// Names of topics: what Kafka takes, and what it refuses.
import { expect, test } from "vitest"
import { isTopicName } from "./topic-name.ts"

test("W-24: letters, digits, dots, dashes and underscores, 249 at most", () => {
  for (const name of ["payment.initiated", "workflow.jobs.Send_mail-2", "a", "...", "x".repeat(249)])
    expect(isTopicName(name), name).toBe(true)
  for (const name of ["", ".", "..", "a b", "a:b", "ä", "a/b", "a\n", "x".repeat(250)])
    expect(isTopicName(name), name).toBe(false)
})
