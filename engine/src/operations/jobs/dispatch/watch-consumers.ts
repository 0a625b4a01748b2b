// Follows the consumers of dispatched jobs. A job whose message they have passed has the time of a lease to be reported on; one whose
// message is still in the topic waits for them, however long that takes.

import { type Judged, judgeProgress } from "../../../model/jobs/consumer-progress.ts"
import { topicOf } from "../../../model/jobs/dispatch-topic.ts"
import { holdDispatched } from "../../../store/jobs/dispatches.ts"
import {
  type LostRow,
  listLost,
  listPlaces,
  type PlaceRow,
  releasePassed,
} from "../../../store/jobs/published-dispatches.ts"
import { type Kernel, perKernel } from "../../kernel/kernel.ts"
import type { ProveTerm } from "../../kernel/loops.ts"
import type { Progress } from "./broker.ts"
import { dispatchingOf } from "./dispatching.ts"
import { measureConsumers } from "./measure-dispatches.ts"

const BATCH = 1_000

/** True when there may be more at once. */
export async function watchConsumers(kernel: Kernel, proveTerm: ProveTerm): Promise<boolean> {
  const places = await listPlaces(kernel.db)
  const progress = await readProgress(kernel, places)
  if (!progress) return false
  const judged = judgeProgress(places.map(toPlace), progress)
  const lost = lostForGood(kernel, judged.lost)
  measureConsumers(kernel, { places, progress, judged: { ...judged, lost } })
  return writeDown(kernel, proveTerm, { ...judged, lost })
}

/** A broker that has just started may not know its topics yet: only what is missing at so many looks in a row is lost. */
const LOOKS = 3
const looksOf = perKernel(() => ({ missing: new Map<string, number>() }))

function lostForGood(kernel: Kernel, lost: Judged["lost"]): Judged["lost"] {
  const nameOf = ({ jobType, partition }: Judged["lost"][0]) => `${partition}:${jobType}`
  const before = looksOf(kernel).missing
  const missing = new Map(lost.map((range) => [nameOf(range), (before.get(nameOf(range)) ?? 0) + 1]))
  looksOf(kernel).missing = missing
  return lost.filter((range) => (missing.get(nameOf(range)) ?? 0) >= LOOKS)
}

const toPlace = ({ job_type, partition, first_offset, last_offset }: PlaceRow) => ({
  jobType: job_type,
  partition,
  first: first_offset,
  last: last_offset,
})

/** Undefined while no broker answers. */
async function readProgress(kernel: Kernel, places: readonly PlaceRow[]): Promise<readonly Progress[] | undefined> {
  const { options } = dispatchingOf(kernel)
  if (!options) return undefined
  const jobTypes = [...new Set(places.map(({ job_type }) => job_type))]
  if (jobTypes.length === 0) return []
  return options.broker.progressOf(jobTypes).catch((error) => {
    kernel.log.warn({ err: error }, "the offsets of the consumers could not be read; dispatched jobs wait")
    return undefined
  })
}

async function writeDown(kernel: Kernel, proveTerm: ProveTerm, { passed, lost }: Judged): Promise<boolean> {
  if (passed.length + lost.length === 0) return false
  return kernel.db.transaction(async (tx) => {
    const [, row, missing] = await Promise.all([
      proveTerm(tx),
      passed.length > 0 ? releasePassed(tx, passed, BATCH) : undefined,
      lost.length > 0 ? listLost(tx, lost, BATCH) : [],
    ])
    if (row && row.awaited > 0) kernel.nudge("reaper", 0)
    if (missing.length > 0)
      holdDispatched(
        tx,
        missing.map((one) => heldOf(kernel, one)),
      )
    return (row?.released ?? 0) >= BATCH
  })
}

/** Claimed again after a lease, so that a topic that is made anew again and again brings no storm. */
function heldOf(kernel: Kernel, { instance_id, execution, epoch, job_type }: LostRow) {
  const reason = `its message is not in the topic ${topicOf(job_type)} any more`
  return { instance_id, execution, epoch, reason, delay_ms: kernel.settings.leaseDefaultMs }
}
