// Sets the gauges of the outbox, every 15 s in every process that publishes or has a sink: a relay that stands still is seen by others.
import { listSinks } from "../../store/events/sinks.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { relaysOf } from "./relays.ts"
import { measureRoom } from "./room.ts"

/** An engine without events asks nothing. */
export async function measureSinks(kernel: Kernel): Promise<void> {
  if (!relaysOf(kernel).isUsed) return
  const { outboxDepth, outboxLag, outboxParked } = kernel.metrics
  const sinks = await listSinks(kernel.db)
  outboxDepth.set(Math.max(0, ...sinks.map(({ depth }) => depth)))
  outboxLag.set(Math.max(0, ...sinks.map(({ lag_seconds }) => lag_seconds)))
  await measureRoom(kernel)
  outboxParked.set(sinks.reduce((all, { parked }) => all + parked, 0))
}
