// What workers do with standalone jobs: fare as the payload says, leave a mark at each delivery, and report late, twice or otherwise.
import { setTimeout as sleep } from "node:timers/promises"
import type { Attempt } from "../../../../engine/dist/library/running/worker.js"
import type { Report } from "../../../../engine/dist/operations/jobs/end/report.js"
import { reportJob } from "../../../../engine/dist/operations/jobs/end/report-jobs.js"
import type { Kernel } from "../../../../engine/dist/operations/kernel/kernel.js"
import type { Journal } from "../journal.ts"
import type { Random } from "../random.ts"
import type { Delivery, Means } from "../workload.ts"
import { type Payload, QUEUE_TYPES } from "./order.ts"

type Handle = (job: Delivery & { readonly variables: object }) => Promise<{ attempt: number }>

/** Its result says which delivery it was. */
export function jobHandlersOf({ random, mark, hopeless: Hopeless }: Means): Record<string, Handle> {
  const handle: Handle = async (job) => {
    const { fate } = job.variables as Payload
    await mark(job)
    await sleep(timeFor(fate, job.attempt, random))
    if (fate === "hopeless") throw new Hopeless("beyond help")
    if (fate === "doomed" || random.chance(fate === "flaky" ? 0.5 : 0.03))
      throw new Error(`unlucky ${random.between(1, 1_000)}`)
    return { attempt: job.attempt }
  }
  return Object.fromEntries(QUEUE_TYPES.map((type) => [type, handle]))
}

/**
 * Now and then longer than the job's own timeout, or than a lease lasts without a heartbeat. A second delivery takes its time, so that the
 * first is heard of meanwhile.
 */
function timeFor(fate: Payload["fate"], attempt: number, random: Random): number {
  if (fate === "slow" && random.chance(0.5)) return 900
  if (attempt > 1 && random.chance(0.3)) return random.between(200, 1_500)
  return random.chance(0.01) ? 2_500 : random.between(1, 40)
}

interface Desk {
  readonly kernel: Kernel
  readonly workerId: string
  readonly journal: Journal
  readonly random: Random
  /** What is late when it drains would only tell how long a lease is. */
  readonly phase: { readonly draining: boolean }
}

/** Reports each job by itself, and writes down the answers. */
export function reporting(attempt: Attempt, { kernel, workerId, journal, random, phase }: Desk): Attempt {
  return async (job) => {
    const outcome = await attempt(job)
    if (!outcome) return undefined
    const say = async (report: Report) => {
      const verdict = await reportJob(kernel, report)
      journal.write({ op: "report", id: job.id, attempt: job.attempt, verb: report.verb, verdict })
    }
    const reports = said({ ...outcome, jobId: job.id, workerId, token: job.token, actor: workerId }, random)
    if (!phase.draining && random.chance(0.06)) void sayLate(reports, say, random)
    else for (const report of reports) await say(report)
    return undefined
  }
}

/** Some reports come twice, and some completions are taken back: the first that is accepted counts. */
const said = (report: Report, random: Random): Report[] => [
  report,
  ...(random.chance(0.1) ? [report] : []),
  ...(report.verb === "complete" && random.chance(0.05) ? [contrary(report)] : []),
]

/** Sends no heartbeat meanwhile: the lease ends, and another worker may have the job by then, or may have ended it. */
async function sayLate(reports: readonly Report[], say: (report: Report) => Promise<void>, random: Random) {
  await sleep(random.between(1_000, 6_000))
  // No caller waits for these reports: one that cannot be delivered does not count.
  for (const report of reports) await say(report).catch(() => {})
}

const contrary = ({ jobId, workerId, token, actor }: Report): Report => ({
  ...{ jobId, workerId, token, actor },
  verb: "fail",
  retryable: true,
  message: "it was not done after all",
  retryAfterMs: undefined,
})
