// The mock provider over HTTP: POST /charge, which sometimes hangs before it charges, POST /cancel, POST /refund, and GET /ledger.
import { setMaxListeners } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import Fastify, { type FastifyInstance, type FastifyRequest } from "fastify"
import { type Entry, Ledger } from "./ledger.ts"

export interface ProviderOptions {
  /** Of all charges, how many hang before they are made. 0.1 */
  readonly hangShare: number
  /** 31 s: longer than a client waits. */
  readonly hangMs: number
  /** Of all charges, how many are not declined. 0.9 */
  readonly successShare: number
  readonly random?: () => number
}

export interface RunningProvider {
  readonly url: string
  readonly ledger: Ledger
  close(): Promise<void>
}

export async function startProvider(options: ProviderOptions, port = 0): Promise<RunningProvider> {
  const ledger = new Ledger(options.successShare, options.random)
  const closing = new AbortController()
  // Any number of charges may hang at once.
  setMaxListeners(0, closing.signal)
  const app = Fastify({ forceCloseConnections: true })
  addRoutes(app, ledger, () => hang(options, closing.signal))
  const url = await app.listen({ host: "127.0.0.1", port })
  const close = () => {
    closing.abort()
    return app.close()
  }
  return { url, ledger, close }
}

function addRoutes(app: FastifyInstance, ledger: Ledger, hang: () => Promise<unknown>): void {
  app.post("/charge", async (request) => {
    const { payment_id } = request.body as { payment_id: string }
    await hang()
    return answerOf(ledger.charge(keyOf(request), payment_id))
  })
  app.post("/cancel", async (request) => answerOf(ledger.cancel(keyOf(request))))
  app.post("/refund", async (request, reply) => {
    const entry = ledger.refund(keyOf(request))
    return entry ? answerOf(entry) : reply.code(404).send({ error: "unknown charge" })
  })
  app.get("/ledger", async () => ({ totals: ledger.totals, entries: ledger.entries }))
  app.get("/totals", async () => ledger.totals)
}

/** The client gives up before the charge is made, and it is made all the same: the worst that a time-out can hide. */
async function hang({ hangShare, hangMs, random = Math.random }: ProviderOptions, signal: AbortSignal): Promise<void> {
  if (random() < hangShare) await sleep(hangMs, undefined, { signal }).catch(() => {})
}

const keyOf = ({ headers }: FastifyRequest): string => {
  const key = headers["idempotency-key"]
  if (typeof key !== "string") throw Object.assign(new Error("Idempotency-Key is missing"), { statusCode: 400 })
  return key
}

const answerOf = ({ transaction_id, status, reason }: Entry) => ({ transaction_id, status, reason })
