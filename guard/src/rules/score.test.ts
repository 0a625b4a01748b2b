// Each branch from counters to an answer.
import { expect, test } from "vitest"
import { type Evidence, scoreOf } from "./score.ts"

const byAddress = (count: number) => ({ byAddress: { count, threshold: 10 } })
const byUser = (count: number) => ({ byUser: { count, threshold: 20 } })

const branches: readonly (readonly [string, Evidence, string, string | undefined])[] = [
  ["nothing is known", {}, "allowed", undefined],
  ["a block that has not run out", { isBlocked: true }, "soft-blocked", undefined],
  ["as many failures from an address as its threshold", byAddress(10), "soft-blocked", "failures-by-address"],
  ["a machine's intervals", { regularity: "mechanical" }, "soft-blocked", "regularity"],
  ["70 % of the failures from an address", byAddress(7), "throttled", "failures-by-address"],
  ["less than 70 % of them", byAddress(6), "allowed", undefined],
  ["70 % of the failures on a name", byUser(14), "throttled", "failures-by-user"],
  ["less than 70 % of those", byUser(13), "allowed", undefined],
  ["regular intervals", { regularity: "regular" }, "throttled", "regularity"],
  ["irregular ones", { regularity: "irregular" }, "allowed", undefined],
  ["a block and more", { isBlocked: true, ...byAddress(10) }, "soft-blocked", undefined],
  ["slow by name, but a machine", { ...byUser(14), regularity: "mechanical" }, "soft-blocked", "regularity"],
]

test.each(branches)("E-14, E-T10: %s", (_, evidence, state, rule) => {
  expect(scoreOf(evidence)).toMatchObject({ state, rule })
  expect(scoreOf(evidence).reason).not.toBe("")
})

test("E-42, SEC-61: however many failures there are on a name, it is slowed down and not blocked", () => {
  expect(scoreOf(byUser(20)).state).toBe("throttled")
  expect(scoreOf(byUser(1_000_000)).state).toBe("throttled")
})
