// Starts orders through the clients of every language, each with a key; an answer that was lost is asked for again with the same key.
import { setTimeout as sleep } from "node:timers/promises"
import type { Database } from "../../../../engine/dist/db/database.js"
import { Refusal } from "../../scenarios/control/refusal.ts"
import type { Random } from "../random.ts"
import type { MixedWorker } from "./mixed-worker.ts"
import { order } from "./workload.ts"

const MOST_LIVE = 120
const TRIES = 200

export interface Started {
  readonly ref: string
  readonly id: string
}

export class Starts {
  readonly #workers: readonly MixedWorker[]
  readonly #random: Random
  readonly accepted: Started[] = []
  readonly violations: string[] = []
  #open: Promise<void>[] = []
  #over = false

  constructor(workers: readonly MixedWorker[], random: Random) {
    this.#workers = workers
    this.#random = random
  }

  /** Until `stop`; resolves when every start has its answer. */
  async run(db: Database): Promise<void> {
    for (let n = 0; !this.#over; n++) {
      await sleep(this.#random.between(30, 90))
      if (!(await isBehind(db))) this.#open.push(this.#start(`order-${n}`))
    }
    await Promise.all(this.#open)
  }

  stop(): void {
    this.#over = true
  }

  /** A key holds on both wires: the client of any language, over either, asks again. */
  async #start(ref: string): Promise<void> {
    const args = { definitionId: order.id, variables: { ref }, idempotencyKey: ref }
    for (let tries = 0; tries < TRIES; tries++) {
      const started = this.#random.pick(this.#workers).call("startInstance", args)
      const id = await started.then(idOf, (error: unknown) => this.#judge(ref, error))
      if (id === "refused") return
      if (id) return void this.accepted.push({ ref, id })
      await sleep(100)
    }
    this.violations.push(`${ref} had no answer in ${TRIES} tries`)
  }

  /** A killed program and an engine that is away say nothing of the start; any other refusal is wrong. */
  #judge(ref: string, error: unknown): "refused" | undefined {
    if (!(error instanceof Refusal) || error.retryable || ["unavailable", "client"].includes(error.code))
      return undefined
    this.violations.push(`${ref} was refused: ${error.message}`)
    return "refused"
  }
}

const idOf = (instance: unknown): string => (instance as { id: string }).id

async function isBehind(db: Database): Promise<boolean> {
  const [row] = await db.script("select count(*) as live from millrace.instances")
  return (row?.live as number) >= MOST_LIVE
}
