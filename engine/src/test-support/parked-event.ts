// Leaves an event parked, as the relay of its sink would have.
import { publishEvent } from "../operations/events/publish-event.ts"
import type { Kernel } from "../operations/kernel/kernel.ts"
import { insertSink } from "../store/events/sinks.ts"

/** Returns its id. The sink is there from then on, with no process that sends to it. */
export async function parkEvent(kernel: Kernel, sink: string, type = "t"): Promise<string> {
  await insertSink(kernel.db, sink, "http")
  const { id } = (await publishEvent(kernel, { type, payload: {} })).outcome
  await kernel.db.script(`insert into millrace.parked_events (sink, seq, event_id, reason, attempts, parked_at)
    select '${sink}', seq, id, 'no', 1, millrace.clock() from millrace.events where id = split_part('${id}', '-', 1)`)
  return id
}
