// C-109: a handler that throws is logged with its stack, and by default on stderr.
import { afterEach, expect, test, vi } from "vitest"
import { useBench } from "../test-support/bench.ts"
import { sampleJob } from "../test-support/samples.ts"
import { NonRetryableError } from "./handler-errors.ts"

const bench = useBench()
afterEach(() => vi.restoreAllMocks())

const thrown = () => bench.logger.lines.find(({ message }) => message === "a handler threw")

function explode(): never {
  throw new TypeError("no such card")
}

test("C-109: an error that was not meant is logged as an error, with job, message and stack", async () => {
  const job = sampleJob({ attempt: 3 })
  bench.run(explode)
  bench.engine.offer(job)
  await bench.logger.heard("a handler threw")
  const { id: jobId, instanceId } = job
  expect(thrown()).toMatchObject({
    level: "error",
    fields: { jobId, instanceId, jobType: "charge-card", attempt: 3, error: "no such card" },
  })
  expect(thrown()?.fields.stack).toMatch(/^TypeError: no such card\n\s+at explode /)
})

test("C-109: what a handler says on purpose is a warning", async () => {
  bench.run(() => {
    throw new NonRetryableError("the card is stolen")
  })
  bench.engine.offer(sampleJob())
  await bench.logger.heard("a handler threw")
  expect(thrown()).toMatchObject({ level: "warn", fields: { error: "the card is stolen" } })
})

test("C-109: without a logger the line goes to stderr", async () => {
  const printed = new Promise<string>((resolve) => {
    vi.spyOn(console, "error").mockImplementation((line: string) => resolve(line))
  })
  bench.run(explode, { logger: undefined })
  bench.engine.offer(sampleJob())
  expect(JSON.parse(await printed)).toMatchObject({ level: "error", msg: "a handler threw", error: "no such card" })
})
