// The course of a run with Kafka: which process changes its mode when.
import { expect, test } from "vitest"
import type { Database } from "../../../../engine/dist/db/database.js"
import type { Slot } from "../nodes.ts"
import { Campaign } from "./campaign.ts"
import type { DispatchMode } from "./dispatch-mode.ts"

class FakeSlot {
  readonly ready = Promise.resolve()
  nextMode: DispatchMode = "polling"
  runsIn: DispatchMode = "polling"
  readonly role: string

  constructor(role: string) {
    this.role = role
  }

  get name(): string {
    return this.role
  }

  async stop(): Promise<boolean> {
    return this.role !== "server"
  }

  start(): void {
    this.runsIn = this.nextMode
  }
}

test("C-98: engines change their mode one by one or by a kill, workers never, and the last mode is polling", async () => {
  const slots = ["engine", "engine", "server", "worker", "kafka-worker"].map((role) => new FakeSlot(role))
  const modes = () => slots.map(({ runsIn }) => (runsIn === "polling" ? "p" : "k")).join("")
  const violations: string[] = []
  const db = { script: async () => [{ done: 30 }] } as unknown as Database
  const campaign = new Campaign({ db, slots: slots as unknown as Slot[], violations })
  await campaign.advance(0.2)
  expect([campaign.mode, modes()]).toEqual(["polling", "ppppp"])
  await campaign.advance(0.25)
  expect([campaign.mode, modes()]).toEqual(["kafka_outbox", "kpppp"])
  slots[2]?.start()
  expect(modes()).toBe("kpkpp")
  await campaign.advance(0.8)
  expect([campaign.mode, modes()]).toEqual(["kafka_outbox", "kkkpp"])
  await campaign.finish()
  expect([campaign.mode, modes(), campaign.switches]).toEqual(["polling", "ppppp", 2])
  expect(violations).toEqual(["F13: server did not stop by itself within 60000 ms"])
})
