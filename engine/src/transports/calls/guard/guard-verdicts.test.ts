// What a caller is told of each verdict, on every wire.
import type { Guard, RouteClass, Verdict, Visit } from "@millrace/guard"
import { describe, expect, test } from "vitest"
import { actionOn, obey } from "./guard-verdicts.ts"

const REASON = "eleven of ten"
const SOFT = { state: "soft-blocked", reason: REASON, retryAfterSeconds: 7 } as const

/** Headers that were told, and the error that was thrown. */
async function outcomeOf(verdict: Verdict, routeClass: RouteClass = "public", isServed = true) {
  const told: Record<string, string> = {}
  const guard = { hold: async () => isServed, retryAfterSeconds: () => 5 } as unknown as Guard
  const visit = { routeClass } as Visit
  const tell = (name: string, value: string) => {
    told[name] = value
  }
  const obeyed = async () => obey(guard, { verdict, visit }, { tell, gone: () => AbortSignal.abort() })
  const error = await obeyed().catch(({ code, message, retryAfterSeconds }) => ({ code, message, retryAfterSeconds }))
  return { told, error, action: actionOn(visit) }
}

describe("an allowed call", () => {
  test("E-08: is told how many are left, none included", async () => {
    const { told, error } = await outcomeOf({ state: "allowed", remaining: 0 })
    expect([told, error]).toEqual([{ "x-ratelimit-remaining": "0" }, undefined])
  })

  test("is told nothing where it has no limit, and nothing was done to it", async () => {
    expect(await outcomeOf({ state: "allowed" })).toEqual({ told: {}, error: undefined, action: undefined })
  })
})

describe("a throttled call", () => {
  const throttled = { state: "throttled", rule: "regularity", reason: REASON, delayMs: 1_500 } as const

  test("E-13, E-36: that was held is served, with its delay in whole seconds", async () => {
    const { told, error, action } = await outcomeOf(throttled)
    expect([told, error]).toEqual([{ "retry-after": "2" }, undefined])
    expect(action).toEqual({ state: "throttled", rule: "regularity", reason: REASON })
  })

  test("SEC-65: that could not be held, because too many are, is not served", async () => {
    const { told, error } = await outcomeOf(throttled, "public", false)
    expect(told).toEqual({})
    expect(error).toMatchObject({ code: "rate-limited", retryAfterSeconds: 5 })
  })
})

describe("E-32: a refused call is told when to come again, and not why it was refused", () => {
  test.each<[string, Verdict, RouteClass, object]>([
    ["too often", { ...SOFT, rule: "rate" }, "public", { code: "rate-limited", retryAfterSeconds: 7 }],
    ["too often, signing in", { ...SOFT, rule: "rate" }, "login", { code: "rate-limited", retryAfterSeconds: 7 }],
    ["a soft block", { ...SOFT, rule: "regularity" }, "gateway", { code: "rate-limited", retryAfterSeconds: 7 }],
    ["guesses, signing in", { ...SOFT, rule: "failures-by-address" }, "login", { code: "forbidden" }],
    ["a hard block", { state: "hard-blocked", rule: "blocked-agent", reason: REASON }, "public", { code: "forbidden" }],
    [
      "E-35: nothing is known, and it is set to refuse",
      { ...SOFT, rule: "rate", isUnavailable: true },
      "login",
      { code: "unavailable", retryAfterSeconds: 7 },
    ],
  ])("%s", async (_, verdict, routeClass, expected) => {
    const { told, error } = await outcomeOf(verdict, routeClass)
    expect(error).toMatchObject(expected)
    expect(JSON.stringify([told, error])).not.toContain(REASON)
    if ((expected as { code: string }).code === "forbidden")
      expect((error as { retryAfterSeconds?: number }).retryAfterSeconds).toBeUndefined()
  })
})
