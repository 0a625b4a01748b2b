// Takes back what a relay has left when jobs are polled again: each job has the time of a lease to be reported on, and is claimed then.
import { releaseLeft } from "../../../store/jobs/published-dispatches.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import type { ProveTerm } from "../../kernel/loops.ts"

const RELAY = "dispatcher"
const BATCH = 1_000

/** Nothing while a relay leads. True when there may be more. */
export const takeBackDispatches = (kernel: Kernel, proveTerm: ProveTerm): Promise<boolean> =>
  kernel.db.transaction(async (tx) => {
    const [, { released }] = await Promise.all([proveTerm(tx), releaseLeft(tx, RELAY, BATCH)])
    return released >= BATCH
  })
