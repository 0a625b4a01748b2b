// Tells the group that a member lives, until the group asks its members to join again, and while this one lets go of its partitions.
// The client's own heartbeats join again at once: others would have a partition while its handlers still run here.
import type { Consumer } from "@platformatic/kafka"
import { type Clock, sleep } from "../../calls/clock.ts"
import { isAskedToRejoin } from "./asked-to-rejoin.ts"
import type { KafkaClient } from "./connection.ts"

const EVERY_MS = 3_000

export interface HeartbeatOptions {
  readonly kafka: KafkaClient
  readonly member: Consumer
  readonly clock: Clock
}

export class Heartbeats {
  readonly #o: HeartbeatOptions
  readonly #stop = new AbortController()
  /** Resolves when the group asks its members to join again, rejects when it cannot be told. */
  readonly askedToRejoin: Promise<void>

  constructor(options: HeartbeatOptions) {
    this.#o = options
    this.askedToRejoin = new Promise((resolve, reject) => {
      this.#run(resolve).catch(reject)
    })
    this.askedToRejoin.catch(() => {})
  }

  stop(): void {
    this.#stop.abort()
  }

  async #run(onAsked: () => void): Promise<void> {
    for (;;) {
      await sleep(this.#o.clock, EVERY_MS, this.#stop.signal)
      if (this.#stop.signal.aborted) return
      await this.#beat(onAsked)
    }
  }

  async #beat(onAsked: () => void): Promise<void> {
    const { kafka, member } = this.#o
    try {
      const coordinator = await member.findGroupCoordinator()
      const connection = (await member.connectToBrokers([coordinator])).get(coordinator)
      if (!connection) throw new Error(`the coordinator of the group ${member.groupId}, broker ${coordinator}, is gone`)
      const { groupId, generationId, memberId } = member
      await kafka.heartbeatV4.api.async(connection, groupId, generationId, memberId ?? "", null)
    } catch (error) {
      if (!isAskedToRejoin(error)) throw error
      onAsked()
    }
  }
}
