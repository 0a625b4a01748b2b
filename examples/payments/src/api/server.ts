// The API over HTTP: routes that read, call one function, and answer.

import Fastify, { type FastifyInstance, type FastifyReply } from "fastify"
import { EngineError, type Mill } from "millrace"
import type { Payment } from "../payments/payments.ts"
import { findPayment } from "../payments/payments.ts"
import { IllegalTransition } from "../payments/status.ts"
import { isUuid, refundPayment, retryPayment, takeWebhook } from "./change-routes.ts"
import { createPayment, type Shop } from "./create-payment.ts"
import type { Health } from "./health.ts"
import { readPaymentRequest } from "./payment-request.ts"
import { Refusal } from "./refusal.ts"

export interface Desk extends Shop {
  readonly mill: Mill
  readonly health: () => Promise<Health>
  readonly metrics: () => Promise<string>
}

export function paymentsApi(desk: Desk): FastifyInstance {
  const app = Fastify({ forceCloseConnections: true, bodyLimit: 16_384 })
  app.setErrorHandler((error, _request, reply) => tellFailure(error, reply))
  addPaymentRoutes(app, desk)
  app.post("/webhooks", async (request) => {
    await takeWebhook(desk, request.body)
    return { received: true }
  })
  app.get("/health", () => desk.health())
  app.get("/metrics", async (_request, reply) => reply.type("text/plain; version=0.0.4").send(await desk.metrics()))
  return app
}

function addPaymentRoutes(app: FastifyInstance, desk: Desk): void {
  app.post("/payments", async (request, reply) => {
    const asked = readPaymentRequest(request.headers["idempotency-key"], request.body)
    const { status, body } = await createPayment(desk, asked)
    return reply.code(status).send(body)
  })
  app.get<ById>("/payments/:id", ({ params: { id } }) => shown(id, isUuid(id) ? findPayment(desk.db, id) : undefined))
  app.post<ById>("/payments/:id/refund", ({ params: { id } }) =>
    shown(id, isUuid(id) ? refundPayment(desk, id) : undefined),
  )
  app.post<ById>("/payments/:id/retry", ({ params: { id } }) =>
    shown(id, isUuid(id) ? retryPayment(desk, id) : undefined),
  )
}

interface ById {
  readonly Params: { readonly id: string }
}

async function shown(id: string, found: Promise<Payment | undefined> | undefined): Promise<object> {
  const payment = await found
  if (!payment) throw new Refusal(404, "not-found", `there is no payment ${id}`)
  const { amount, currency, status, version, reason, created_at, updated_at } = payment
  return { payment_id: payment.id, status, amount, currency, version, reason, created_at, updated_at }
}

/** A refusal is told as it is. What cannot be reached is 503, and asked for again under the same key: nothing is done twice. */
function tellFailure(error: unknown, reply: FastifyReply): FastifyReply {
  if (error instanceof Refusal) {
    if (error.status === 409) reply.header("retry-after", "1")
    return reply.code(error.status).send({ error: error.error, message: error.message })
  }
  if (error instanceof IllegalTransition)
    return reply.code(422).send({ error: "illegal-transition", message: error.message })
  if (isBadJson(error)) return reply.code(422).send({ error: "validation", message: "the body is not JSON" })
  const why = error instanceof EngineError ? error.code : "unavailable"
  return reply.code(503).header("retry-after", "1").send({ error: why, message: "ask again with the same key" })
}

const isBadJson = (error: unknown): boolean =>
  /^FST_ERR_CTP_|^FST_.*JSON/.test(String((error as { code?: unknown }).code))
