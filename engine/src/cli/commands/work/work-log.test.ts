// What a worker tells while it works: failures in a line, and now and then how far it is.
import { expect, test } from "vitest"
import { createMetrics } from "../../../support/metrics.ts"
import { createWorkLog } from "./work-log.ts"
import { WorkProgress } from "./work-progress.ts"

function logged(level: "debug" | "info", severity: "warn" | "error") {
  const lines: string[] = []
  const log = createWorkLog(level, { write: (line) => lines.push(line) })
  log[severity]({ err: new Error("refused", { cause: new Error("closed") }), jobId: "01JOB" }, "a job has failed")
  expect(lines).toHaveLength(1)
  return JSON.parse(lines[0] as string)
}

test("a failed handler is a warning without its stack, unless somebody debugs", () => {
  const { err, ...entry } = logged("info", "warn")
  expect(entry).toMatchObject({ level: "warn", msg: "a job has failed", jobId: "01JOB" })
  expect(err).toEqual({ type: "Error", message: "refused", cause: { type: "Error", message: "closed" } })
  expect(logged("debug", "warn").err.stack).toContain("work-log.test")
  expect(logged("info", "error").err.stack).toContain("work-log.test")
})

test("progress is told after a hundred jobs or a minute, and at the end; nothing new is no news", async () => {
  const metrics = createMetrics()
  const lines: string[] = []
  const progress = new WorkProgress(metrics, (line) => lines.push(line), 0)
  await progress.look(120_000)
  metrics.jobsProcessed.inc({ status: "completed" }, 97)
  await progress.look(59_999)
  expect(lines).toEqual([])
  metrics.processedSteps.inc(3)
  metrics.failedSteps.inc(1)
  await progress.look(59_999)
  metrics.jobsProcessed.inc({ status: "failed" })
  await progress.look(119_998)
  expect(lines.splice(0)).toEqual(["99 done, 1 failed"])
  await progress.look(119_999)
  metrics.jobsProcessed.inc({ status: "dead" })
  await progress.stop()
  await progress.stop()
  expect(lines).toEqual(["99 done, 2 failed", "99 done, 3 failed"])
})
