// An outside system that takes events: slow, sometimes not there, and sometimes it has taken a batch and its answer is lost.
import type { OutgoingEvent, SendOutcome, Sink } from "../../operations/events/sink.ts"
import type { VirtualProcess } from "../virtual-process.ts"
import { Caller, sleep } from "./caller.ts"

const SENT: SendOutcome = { kind: "sent" }

export class Receiver extends Caller {
  readonly name = "receiver"

  /** The way to it from a process of an engine. */
  sinkOf(process: VirtualProcess): Sink {
    return {
      name: this.name,
      send: (batch) => this.#take(process, batch),
      close: async () => {},
    }
  }

  async #take(process: VirtualProcess, batch: readonly OutgoingEvent[]): Promise<readonly SendOutcome[]> {
    await sleep(this.dice.between(1, 200))
    const draw = this.simulation.isHealed ? 1 : this.dice.next()
    if (draw < 0.1) return batch.map(() => ({ kind: "retry", reason: "not there" }))
    // A connection that breaks in the middle: what came through is taken, in order.
    const taken = draw < 0.2 ? batch.slice(0, this.dice.between(0, batch.length)) : batch
    if (process.isAlive) for (const { id, key } of taken) this.ledger.receive(id, key ?? "")
    await sleep(this.dice.between(1, 200))
    return draw < 0.2 ? batch.map(() => ({ kind: "unknown", reason: "the answer is lost" })) : batch.map(() => SENT)
  }
}
