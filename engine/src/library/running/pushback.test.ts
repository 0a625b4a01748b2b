import { describe, expect, test } from "vitest"
import { EngineError } from "../../support/errors.ts"
import { RetryableError } from "../authoring/retryable-error.ts"
import { pushbackOf } from "./pushback.ts"

const failure = (fields: object) => Object.assign(new Error("it did not work"), fields)
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString()

describe("what a downstream says through its client's errors", () => {
  test.each([
    ["status", { status: 429 }, { status: 429 }],
    ["statusCode", { statusCode: 503 }, { status: 503 }],
    ["the status of a response", { response: { status: 429 } }, { status: 429 }],
    ["a header", { status: 503, headers: { "retry-after": "7" } }, { status: 503, retryAfterMs: 7_000 }],
    [
      "the headers of a fetch",
      { response: { status: 429, headers: new Headers({ "Retry-After": "0.5" }) } },
      { status: 429, retryAfterMs: 500 },
    ],
    ["a Retry-After alone", { retryAfter: 2 }, { retryAfterMs: 2_000 }],
    ["a Retry-After beside another status", { status: 500, retryAfter: "3" }, { status: 500, retryAfterMs: 3_000 }],
    ["a timeout by name", { name: "TimeoutError" }, { timeout: true }],
    ["a timeout of the socket", { code: "ETIMEDOUT" }, { timeout: true }],
    ["a timeout of undici", { cause: failure({ code: "UND_ERR_CONNECT_TIMEOUT" }) }, { timeout: true }],
  ])("%s", (_, fields, expected) => {
    expect(pushbackOf(failure(fields))).toEqual(expected)
  })

  test.each([
    ["nothing of it", {}],
    ["another status", { status: 500 }],
    ["a status that is none", { status: "down", statusCode: 7 }],
    ["a refused connection", { code: "ECONNREFUSED" }],
    ["a wait that is none", { retryAfter: "soon", headers: { "retry-after": "-1" } }],
  ])("%s is no push-back", (_, fields) => {
    expect(pushbackOf(failure(fields))).toBeUndefined()
  })

  test.each([[undefined], [null], ["429"], [429], [[]]])("%j is no push-back", (thrown) => {
    expect(pushbackOf(thrown)).toBeUndefined()
  })

  test("a date is a wait, one that has passed is none, and nobody waits for longer than a day", () => {
    const { retryAfterMs = 0 } = pushbackOf({ headers: { "retry-after": inSeconds(3_600) } }) ?? {}
    expect(Math.round(retryAfterMs / 60_000)).toBeGreaterThanOrEqual(59)
    expect(pushbackOf({ headers: { "retry-after": inSeconds(-60) } })).toEqual({ retryAfterMs: 0 })
    expect(pushbackOf({ retryAfter: 1e9 })).toEqual({ retryAfterMs: 24 * 3_600_000 })
  })

  test("an error that stands for another is looked behind, but not for ever", () => {
    const cause = failure({ status: 429 })
    expect(pushbackOf(new RetryableError("later", { cause }))).toEqual({ status: 429 })
    const endless: { cause?: unknown } = {}
    endless.cause = endless
    expect(pushbackOf(endless)).toBeUndefined()
  })

  test("a refusal by the engine itself is none", () => {
    expect(pushbackOf(new EngineError("backpressure", "full", { retryAfterSeconds: 5 }))).toBeUndefined()
  })
})
