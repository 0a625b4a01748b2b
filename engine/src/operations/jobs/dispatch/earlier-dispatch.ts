// Tells whether a failure that names no dispatch may be about an earlier one: a message that is read twice is reported on twice, and
// the second time its retry may be on its way already.
import { setTimeout as sleep } from "node:timers/promises"
import { type EarlierRow, listEarlier } from "../../../store/jobs/published-dispatches.ts"
import type { JobKey } from "../../../support/job-key.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import type { JobBroker } from "./broker.ts"
import { dispatchingOf } from "./dispatching.ts"

/** Consumers that commit in the background do so a moment after they have reported. */
const LOOKS = 4
const BETWEEN_MS = 150

/** False once the consumers have passed all earlier messages of the job: a report can then be about the last one only. */
export async function mayBeEarlier(kernel: Kernel, key: JobKey): Promise<boolean> {
  const { options } = dispatchingOf(kernel)
  if (!options) return false
  const earlier = await listEarlier(kernel.db, key)
  if (earlier.length === 0) return false
  for (let look = 1; look <= LOOKS; look++) {
    if (await arePassed(options.broker, earlier)) return false
    if (look < LOOKS) await sleep(BETWEEN_MS)
  }
  return true
}

/** Not while no broker answers: the message that is in the topic is reported on again. */
async function arePassed(broker: JobBroker, earlier: readonly EarlierRow[]): Promise<boolean> {
  const jobTypes = [...new Set(earlier.map(({ job_type }) => job_type))]
  const progress = await broker.progressOf(jobTypes).catch(() => [])
  return earlier.every(({ job_type, partition, log_offset }) => {
    const at = progress.find((one) => one.jobType === job_type && one.partition === partition)
    return log_offset === null || (at?.committed ?? 0) > log_offset
  })
}
