// C-109: whatever a handler throws and however the logger behaves, the job fails, its place is free and its lease is let go.
import { expect, test } from "vitest"
import type { Logger } from "../calls/logger.ts"
import { useBench } from "../test-support/bench.ts"
import { ManualClock } from "../test-support/manual-clock.ts"
import { sampleJob } from "../test-support/samples.ts"
import { NonRetryableError, RetryLaterError } from "./handler-errors.ts"
import type { RunnerOptions } from "./runner-options.ts"

const bench = useBench()

function explode(): never {
  throw new Error("not to be read")
}
const withGetter = (error: object, name: string) => Object.defineProperty(error, name, { get: explode })
const refusing = () => new Proxy({}, { get: explode, getPrototypeOf: explode, has: explode, ownKeys: explode })
function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

/** One job is run to its report, with one place and a clock that stands still. */
async function failing(thrown: () => unknown, options: Partial<RunnerOptions> = {}) {
  const clock = new ManualClock()
  const runner = bench.run(() => Promise.reject(thrown()), { clock, concurrency: 1, ...options })
  bench.engine.offer(sampleJob())
  await bench.engine.until(() => bench.engine.reports.length === 1)
  expect(clock.pending).toEqual([])
  // The place is free for another job, and nothing is left to wait for.
  bench.engine.offer(sampleJob())
  await bench.engine.until(() => bench.engine.reports.length === 2)
  expect(await runner.stop()).toEqual({ drained: true, unfinished: 0 })
  return bench.engine.reports[0]
}

const UNREADABLE = "the handler threw an error whose message cannot be read"

test.each<[string, () => unknown, object]>([
  [
    "an object without a prototype",
    () => Object.create(null),
    { errorMessage: "the handler threw a value of type object" },
  ],
  ["an error whose message throws", () => withGetter(new Error("x"), "message"), { errorMessage: UNREADABLE }],
  ["an error whose message is no text", () => Object.assign(new Error(), { message: 42 }), { errorMessage: "42" }],
  [
    "an error whose message has no text",
    () => Object.assign(new Error(), { message: Object.create(null) }),
    { errorMessage: UNREADABLE },
  ],
  ["an error whose stack throws", () => withGetter(new Error("broken"), "stack"), { errorMessage: "broken" }],
  ["an error whose status throws", () => withGetter(new Error("busy"), "status"), { errorMessage: "busy" }],
  ["an error with an odd code", () => Object.assign(new Error("odd"), { code: 7n }), { errorMessage: "odd" }],
  ["a proxy that refuses", refusing, { errorMessage: "the handler threw a value of type object" }],
  ["a proxy that is revoked", revoked, { errorMessage: "the handler threw a value of type object" }],
  ["a function", () => () => {}, { errorMessage: "the handler threw a value of type function" }],
  ["a symbol", () => Symbol("s"), { errorMessage: "the handler threw a value of type symbol" }],
  [
    "a failure for good whose message throws",
    () => withGetter(new NonRetryableError("x"), "message"),
    { errorMessage: UNREADABLE, retryable: false },
  ],
  [
    "a wait whose time throws",
    () => withGetter(new RetryLaterError("later", { afterSeconds: 1 }), "afterSeconds"),
    { errorMessage: "later", retryable: true },
  ],
])("C-109: throwing %s fails the job, and the log names it", async (_, thrown, expected) => {
  expect(await failing(thrown)).toMatchObject({ kind: "failed", retryable: true, ...expected })
  const lines = bench.logger.lines.filter(({ message }) => message === "a handler threw")
  expect(lines.map(({ fields }) => fields.jobId)).toEqual(bench.engine.reports.map(({ jobId }) => jobId))
  for (const { fields } of lines)
    expect(JSON.parse(JSON.stringify(fields))).toMatchObject({ error: expect.any(String) })
})

const loggerOf = (line: Logger["warn"]): Logger => ({ debug: line, info: line, warn: line, error: line })

test.each<[string, Logger]>([
  ["throws", loggerOf(explode)],
  ["rejects", loggerOf(async () => explode())],
  ["has no methods", {} as Logger],
])("C-109: a logger that %s does not keep a job from failing", async (_, logger) => {
  const report = await failing(() => new Error("bank is down"), { logger })
  expect(report).toMatchObject({ kind: "failed", errorMessage: "bank is down" })
})

test("a source of handlers that throws: the job is left to its lease, and its place is free", async () => {
  const clock = new ManualClock()
  const handlers = { jobTypes: () => ["charge-card"], find: explode }
  const runner = bench.make({ handlers, clock, concurrency: 1 }).start()
  bench.engine.offer(sampleJob())
  await bench.logger.heard("a job could not be run, it comes back when its lease ends")
  expect(await runner.stop()).toEqual({ drained: true, unfinished: 0 })
  expect(clock.pending).toEqual([])
})

test("a handler gets the very logger that was passed", async () => {
  const given: unknown[] = []
  bench.run((_, { logger }) => void given.push(logger))
  bench.engine.offer(sampleJob())
  await bench.engine.until(() => bench.engine.reports.length === 1)
  expect(given).toEqual([bench.logger])
  expect(given[0]).toBe(bench.logger)
})

test("C-109: the stack of what was thrown is reported, cut and fit to be stored", async () => {
  const long = Object.assign(new Error("no"), { stack: `at \u0000 ${"s".repeat(20_000)}` })
  const report = await failing(() => long)
  expect(report?.stack).toBe(`at \ufffd ${"s".repeat(8_000 - 5)}`)
})

test.each([
  ["a text", () => "no"],
  ["an error whose stack cannot be read", () => withGetter(new Error("no"), "stack")],
])("C-109: %s is reported without a stack", async (_, thrown) => {
  expect(await failing(thrown)).not.toHaveProperty("stack")
})
