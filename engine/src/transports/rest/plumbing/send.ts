// Sends answers and refusals, each with the headers that every answer has.
import type { DatabaseWatch } from "../../../operations/kernel/database-watch.ts"
import { VERSION } from "../../../support/version.ts"
import type { RestOptions } from "../../calls/options.ts"
import { refusalOf } from "../../calls/refusal.ts"
import type { Answer } from "../../calls/route.ts"
import type { Answering, Asked } from "./exchange.ts"

const JSON_TYPE = "application/json; charset=utf-8"

export type Refuse = (request: Asked, reply: Answering, thrown: unknown) => void

export function send(reply: Answering, { status, body, contentType, headers, replayed }: Answer): void {
  reply.code(status)
  if (headers) reply.headers(headers)
  if (replayed) reply.header("idempotent-replayed", "true")
  if (body !== undefined) reply.header("content-type", contentType ?? JSON_TYPE)
  reply.send(body)
}

/** On every answer, refusals from before the door included. */
export function commonHeaders(request: Asked, reply: Answering, closing: boolean): void {
  reply.header("x-request-id", request.id)
  reply.header("millrace-version", VERSION)
  reply.header("cache-control", "no-store")
  reply.header("x-content-type-options", "nosniff")
  if (closing) reply.header("connection", "close")
}

export function refuserOf({ log, draining }: Pick<RestOptions, "log" | "draining">, watch: DatabaseWatch): Refuse {
  return (request, reply, thrown) => {
    if (reply.sent) return
    watch.failed(thrown)
    const { error, body, headers, fault } = refusalOf(thrown, request.id)
    if (fault !== undefined) log.error({ err: fault, requestId: request.id, code: error.code }, "a fault of ours")
    commonHeaders(request, reply, draining())
    reply.headers(headers)
    send(reply, { status: error.status, body })
  }
}
