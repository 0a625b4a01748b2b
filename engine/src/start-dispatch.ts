// Starts the way that jobs take to their workers. Through Kafka: the broker must answer and the topics must be there, or the engine does
// not start; there is no falling back. By polling: what a relay has left is claimed again.
import type { Config } from "./config.ts"
import { beginDispatching } from "./operations/jobs/dispatch/begin-dispatching.ts"
import { dispatchingOf } from "./operations/jobs/dispatch/dispatching.ts"
import type { Kernel } from "./operations/kernel/kernel.ts"

/** `leads`: whether this process may be the relay. */
export async function startDispatch(kernel: Kernel, config: Config, leads: boolean): Promise<void> {
  if (config.dispatchMode === "polling") return dispatchingOf(kernel).poll()
  // Loaded here: an engine that polls needs no client of Kafka.
  const { openJobBroker } = await import("./transports/kafka/jobs/job-broker.ts")
  await beginDispatching(kernel, { broker: await openJobBroker(config), batchMax: config.outboxBatchSize, leads })
}
