import { expect, test } from "vitest"
import { overTimeText, sourcesText } from "./group-words.ts"

const step = { definition_id: "order", type: "charge", count: 1_200 }
const list = { definition_id: "checkout", type: "checkout", count: 30 }
const job = { type: "send_email", count: 7 }

test("what died is told by its definition and its job type, the most frequent first, each with its number", () => {
  expect(sourcesText({ sources: [step, list, job], source_count: 3 })).toBe(
    "order charge 1,200 · checkout 30 · send_email 7",
  )
  expect(sourcesText({ sources: [step, job], source_count: 9 })).toBe("order charge 1,200 · send_email 7 · 7 more")
})

test("the only one needs no number, and an engine that does not tell says nothing", () => {
  expect(sourcesText({ sources: [list], source_count: 1 })).toBe("checkout")
  expect(sourcesText({})).toBe("")
})

test("whether it goes on is told by the last tenth of the time", () => {
  expect(overTimeText([5, 0, 0, 0])).toBe("none of late")
  expect(overTimeText([0, 1, 0, 2])).toBe("3 of late")
})
