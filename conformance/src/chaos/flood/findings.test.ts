// Violations by kind.
import { expect, test } from "vitest"
import { Findings } from "./findings.ts"

test("a thousand of one kind are told as some and their number, and hide no other", () => {
  const findings = new Findings()
  findings.add(Array.from({ length: 1_000 }, (_, n) => `S7: job ${n}`))
  findings.add(["S1: lost", "it broke off"])
  expect(findings.all).toHaveLength(23)
  expect(findings.all.slice(-4)).toEqual(["S7: job 19", "S7: 1000 in all", "S1: lost", "it broke off"])
})
