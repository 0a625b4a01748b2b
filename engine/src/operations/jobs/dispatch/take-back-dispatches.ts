// Takes back what a relay has left when jobs are polled again: each job has the time of a lease to be reported on, and is claimed then.
import { findLeft, releaseLeft } from "../../../store/jobs/left-dispatches.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { mayPass } from "../../kernel/passing-failures.ts"
import { wakeupsOf } from "../claim/wakeups.ts"

const RELAY = "dispatcher"
const BATCH = 1_000
const AGAIN_MS = 1_000

/** Goes on by itself while a relay still leads elsewhere, or there is something left. One statement where there is nothing. */
export async function takeBackDispatches(kernel: Kernel): Promise<void> {
  const { is_left, is_led } = await findLeft(kernel.db, RELAY)
  if (is_left && !is_led) await releaseLeft(kernel.db, RELAY, BATCH)
  if (is_left || is_led) lookAgain(kernel)
}

function lookAgain(kernel: Kernel): void {
  const timer = setTimeout(async () => {
    if (wakeupsOf(kernel).closed) return
    await takeBackDispatches(kernel).catch((error) => {
      if (!mayPass(error)) kernel.log.warn({ err: error }, "what was dispatched through Kafka is not taken back yet")
      lookAgain(kernel)
    })
  }, AGAIN_MS)
  timer.unref()
}
