// What becomes of a batch, by what the sink said of each event.
import { expect, test } from "vitest"
import { delayOf, planMove, type Verdict } from "./plan-move.ts"

const SENT: Verdict = { kind: "sent" }
const event = (seq: number, key: string | null = null, isBehind = false) => ({ seq, key, isBehind })
const plan = (events: readonly ReturnType<typeof event>[], verdicts: readonly [number, Verdict][], toSeq = 9) =>
  planMove({ events, verdicts: new Map(verdicts), fromSeq: 0, toSeq, tries: 3 })

test("all sent: the sink is where the batch ends", () => {
  expect(
    plan(
      [event(1), event(4)],
      [
        [1, SENT],
        [4, SENT],
      ],
    ),
  ).toEqual({ toSeq: 9, parked: [] })
})

test("F54: refused waits for an operator, failed is tried again, the rest go on", () => {
  const { toSeq, parked } = plan(
    [event(1), event(2), event(3)],
    [
      [1, { kind: "refused", reason: "too large" }],
      [2, { kind: "failed", reason: "no answer" }],
      [3, SENT],
    ],
  )
  expect(toSeq).toBe(9)
  expect(parked).toEqual([
    { seq: 1, reason: "too large", attempts: 1, delayMs: null, behind: null },
    { seq: 2, reason: "no answer", attempts: 1, delayMs: 1_000, behind: null },
  ])
})

test("S18: later ones of its key are parked behind it, whatever the sink said of them", () => {
  const { parked } = plan(
    [event(1, "a"), event(2, "a"), event(3, "b"), event(4, "c", true)],
    [
      [1, { kind: "failed" }],
      [2, SENT],
      [3, SENT],
    ],
  )
  expect(parked).toEqual([
    { seq: 1, reason: "no reason given", attempts: 1, delayMs: 1_000, behind: null },
    { seq: 2, reason: "an earlier event of its key is parked", attempts: 0, delayMs: null, behind: "batch" },
    { seq: 4, reason: "an earlier event of its key is parked", attempts: 0, delayMs: null, behind: "before" },
  ])
})

test.each<[Verdict | undefined, string]>([
  [{ kind: "retry", reason: "broker away" }, "broker away"],
  [{ kind: "unknown" }, "no reason given"],
  [undefined, "the sink has said nothing of it"],
])("F53: %o stops the sink before that event", (verdict, stopped) => {
  const said: [number, Verdict][] = verdict ? [[2, verdict]] : []
  expect(plan([event(1), event(2), event(3)], [[1, SENT], ...said, [3, SENT]])).toEqual({
    toSeq: 1,
    parked: [],
    stopped: { reason: stopped, restMs: 0 },
  })
})

test("tries are further and further apart, and end", () => {
  const delays = [1, 2, 3, 7, 8].map((attempts) => delayOf({ kind: "failed" }, attempts, 8))
  expect(delays).toEqual([1_000, 2_000, 4_000, 60_000, null])
  expect(delayOf({ kind: "refused" }, 1, 8)).toBeNull()
})

test("a sink that asks to be left alone is, with one event or with all", () => {
  expect(delayOf({ kind: "failed", retryAfterMs: 90_000 }, 2, 8)).toBe(90_000)
  expect(delayOf({ kind: "failed", retryAfterMs: 500 }, 2, 8)).toBe(2_000)
  const busy: Verdict = { kind: "retry", reason: "busy", retryAfterMs: 7_000 }
  expect(plan([event(1)], [[1, busy]]).stopped).toEqual({ reason: "busy", restMs: 7_000 })
})
