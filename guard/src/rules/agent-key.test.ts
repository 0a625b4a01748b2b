import { expect, test } from "vitest"
import { agentKey } from "./agent-key.ts"

test.each([
  ["BadBot/1.0", "badbot/1.0"],
  ["  BadBot/1.0 (X; Y)\t", "badbot/1.0 (x; y)"],
  ["bad bot", "bad bot"],
  [" ", ""],
])("E-04: %j is compared as %j", (text, key) => {
  expect(agentKey(text)).toBe(key)
})

test("E-04: agents are compared by 512 characters, and the key of a key is that key", () => {
  const long = `A${"b".repeat(510)} more than is compared`
  expect(agentKey(long)).toBe(`a${"b".repeat(510)}`)
  expect(agentKey(`${"c".repeat(511)}D`)).toBe(`${"c".repeat(511)}d`)
  expect(agentKey(`${"c".repeat(512)}D`)).toBe("c".repeat(512))
  for (const text of [long, "İstanbul/1", " ΑΣ "]) expect(agentKey(agentKey(text))).toBe(agentKey(text))
})
