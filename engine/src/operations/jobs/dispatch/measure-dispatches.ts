// Sets the gauges of dispatch through Kafka; there are none where jobs are polled.
import type { Judged } from "../../../model/jobs/consumer-progress.ts"
import { groupOf, topicOf } from "../../../model/jobs/dispatch-topic.ts"
import { countUnpublished } from "../../../store/jobs/dispatches.ts"
import type { PlaceRow } from "../../../store/jobs/published-dispatches.ts"
import { queuesOf } from "../../flow/queue-registry.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import type { Progress } from "./broker.ts"
import { dispatchingOf } from "./dispatching.ts"

interface Watched {
  readonly places: readonly PlaceRow[]
  readonly progress: readonly Progress[]
  readonly judged: Judged
}

/** The age of the oldest message that the consumers have not passed, by partition. */
export function measureConsumers(kernel: Kernel, { places, progress, judged }: Watched): void {
  const metrics = dispatchingOf(kernel).metrics
  if (!metrics) return
  metrics.consumerLag.reset()
  metrics.unusableOffsets.set(judged.unusable.length)
  metrics.lostMessages.inc(judged.lost.length)
  for (const { job_type, partition, first_offset, waiting_seconds } of places) {
    const at = progress.find((one) => one.jobType === job_type && one.partition === partition)
    const labels = { topic: topicOf(job_type), group: groupOf(job_type), partition: String(partition) }
    metrics.consumerLag.set(labels, (at?.committed ?? 0) > first_offset ? 0 : Math.max(0, waiting_seconds))
  }
}

/** How many jobs Kafka has not got yet. */
export async function measureBacklog(kernel: Kernel): Promise<void> {
  const { metrics, types } = dispatchingOf(kernel)
  if (!metrics) return
  const queueIds = queuesOf(kernel)
    .ofTypes([...types])
    .map(({ id }) => id)
  metrics.backlog.set(await countUnpublished(kernel.db.aside, queueIds))
}
