// Which new passwords are taken.
import { expect, test } from "vitest"
import { normalPassword, passwordFault } from "./password-rules.ts"

test.each([
  "plum otter lantern",
  "xk7-Qm2vRz9p",
  "einszweidreivierfuenf",
  "ein guter langer Satz",
  "パスワードはとても長いですよ本当",
  "password of the harbour master",
  "summer-otter-2024",
  `${"ab c9 ".repeat(20)}ende`,
])("SEC-22: %s is taken", (password) => {
  expect(passwordFault(password, ["grace", "grace@example.com"])).toBeUndefined()
})

test.each([
  ["short", "at least 12"],
  ["elevenchars", "at least 12"],
  ["a".repeat(129), "at most 128"],
  ["aaaaaaaaaaaa", "again and again"],
  ["abcabcabcabc", "again and again"],
  ["passwordpassword", "again and again"],
  ["123456789012", "sequence"],
  ["987654321098", "sequence"],
  ["abcdefghijkl", "sequence"],
  ["zyxwvutsrqpo", "sequence"],
  ["qwertyuiopas", "sequence"],
  ["1qaz2wsx3edc4", "sequence"],
  ["password1234", "tried first"],
  ["Password1234!", "tried first"],
  ["P@ssw0rd12345", "tried first"],
  ["!!!Welcome2024", "tried first"],
  ["Summer-2024-2024", "tried first"],
  ["administrator", "tried first"],
  ["adminpassword", "tried first"],
  ["welcome-admin", "tried first"],
  ["correcthorsebatterystaple", "tried first"],
  ["millrace123456", "tried first"],
  ["grace.hopper.1906", "own name"],
  ["grace.hopper", "own name"],
  ["Grace@Example.com", "own name"],
])("SEC-22: %s is refused: %s", (password, why) => {
  expect(passwordFault(password, ["grace.hopper", "grace@example.com"])).toContain(why)
})

test("SEC-22: the length is counted in characters, after NFKC", () => {
  expect(passwordFault("🦦🌿🏮🪁🧭🪵🦉🌊🍃🪶🧵🔭")).toBeUndefined()
  expect(passwordFault("🦦🌿🏮🪁🧭🪵🦉🌊🍃🪶🧵")).toContain("it has 11")
  // One sign in Unicode, three letters when it is taken apart: `ffi`.
  expect(passwordFault("ﬃxkqLmvRz9")).toBeUndefined()
  expect(normalPassword("Ａ①ﬃ")).toBe("A1ffi")
})
