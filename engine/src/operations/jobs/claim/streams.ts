// What a claim reads in one order of its own.
import type { Priority } from "../../../model/definitions/definition.ts"
import type { Queue } from "../../flow/queue-registry.ts"

/** What is read in one order: the plain queues of a priority together, each fair queue for itself. */
export interface Stream {
  readonly priority: Priority
  readonly isFair: boolean
  readonly queues: readonly Queue[]
}

export function streamsOf(queues: readonly Queue[]): Stream[] {
  const plain = new Map<Priority, Queue[]>()
  const streams: Stream[] = []
  for (const queue of queues) {
    const priority = queue.priority
    if (queue.isFair) streams.push({ priority, isFair: true, queues: [queue] })
    else plain.set(priority, [...(plain.get(priority) ?? []), queue])
  }
  for (const [priority, queues] of plain) streams.push({ priority, isFair: false, queues })
  return streams
}
