// Producers and workers that keep a ledger outside the database: what was accepted, and what callers were told otherwise.

import { startInstance } from "../operations/instances/start/start-instance.ts"
import { digestOf } from "../operations/kernel/idempotency.ts"
import type { Kernel } from "../operations/kernel/kernel.ts"
import { asEngineError } from "../operations/kernel/run-operation.ts"
import { drive } from "./drive.ts"

export interface Ledger {
  /** Ids of accepted starts, by the key that they were sent with. */
  readonly accepted: ReadonlyMap<string, string>
  /** Ids of instances whose report was accepted. */
  readonly completed: ReadonlySet<string>
  /** The codes of refusals that callers got instead. */
  readonly refusals: ReadonlySet<unknown>
  /** Lets each call end; no further one begins. */
  stop(): Promise<void>
}

/** Starts at most one instance for a key: after an error a caller may try again with the same key. */
export async function startKeyed(kernel: Kernel, definitionId: string, key: string): Promise<string> {
  const requestKey = { scope: "POST /v1/instances", key, digest: digestOf({}) }
  const { instance } = await startInstance(kernel, { definitionId, variables: {}, actor: "local", requestKey })
  return instance.id
}

/** A load on a definition whose one step has its name. */
export function keepLedger(kernel: Kernel, definitionId: string, { producers = 6, workers = 2 } = {}): Ledger {
  const accepted = new Map<string, string>()
  const completed = new Set<string>()
  const refusals = new Set<unknown>()
  let isOver = false
  const refused = async (error: unknown): Promise<undefined> => {
    const told = asEngineError(error) as { code?: unknown }
    refusals.add(told.code ?? error)
    return undefined
  }
  // A call may be answered without a question to the database: the others have their turn all the same.
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const produce = async (lane: number) => {
    for (let n = 0; !isOver; await turn()) {
      const key = `${definitionId}-${lane}-${n}`
      const id = await startKeyed(kernel, definitionId, key).catch(refused)
      if (id === undefined) continue
      accepted.set(key, id)
      n += 1
    }
  }
  const work = async (lane: number) => {
    const worker = drive(kernel, `w${lane}`)
    for (; !isOver; await turn()) {
      const jobs = (await worker.claim([definitionId], 5, 5_000).catch(refused)) ?? []
      for (const job of jobs)
        if ((await worker.complete(job).catch(refused)) === "accepted") completed.add(job.instanceId)
    }
  }
  const lanes = [
    ...Array.from({ length: producers }, (_, lane) => produce(lane)),
    ...Array.from({ length: workers }, (_, lane) => work(lane)),
  ]
  return {
    accepted,
    completed,
    refusals,
    stop: async () => {
      isOver = true
      await Promise.all(lanes)
    },
  }
}
