// The heartbeat thread: keeps leases alive while the main thread is busy with a handler that does not yield.
import { parentPort, workerData } from "node:worker_threads"
import { monotonicClock } from "../calls/clock.ts"
import type { Logger } from "../calls/logger.ts"
import { EngineClient } from "../client/engine-client.ts"
import { Lease } from "./lease.ts"
import type { FromThread, LeaseNumber, ThreadSetup, ToThread } from "./thread-messages.ts"

if (parentPort) serve(parentPort, workerData as ThreadSetup)

function serve(port: NonNullable<typeof parentPort>, setup: ThreadSetup): void {
  const tell = (message: FromThread) => port.postMessage(message)
  const warn: Logger["warn"] = (fields, message) => tell({ kind: "warning", fields, message })
  const tools = {
    calls: new EngineClient(setup.client),
    clock: monotonicClock,
    logger: { debug: () => {}, info: () => {}, warn, error: warn },
  }
  const leases = new Map<LeaseNumber, Lease>()

  function keep({ lease, job, span }: Extract<ToThread, { kind: "keep" }>): void {
    const events = {
      extended: (extendedTo: typeof span) => tell({ kind: "extended", lease, span: extendedTo }),
      lost: (reason: Error, refused: boolean) => {
        leases.delete(lease)
        tell({ kind: "lost", lease, message: reason.message, refused })
      },
    }
    leases.set(lease, new Lease(job, span, setup.terms, tools, events))
  }

  function release(lease: LeaseNumber): void {
    leases.get(lease)?.release()
    leases.delete(lease)
  }

  port.on("message", (message: ToThread) => (message.kind === "keep" ? keep(message) : release(message.lease)))
}
