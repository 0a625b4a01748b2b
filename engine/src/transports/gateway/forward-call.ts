// Hands an admitted request over to the gateway, and answers it here where the gateway cannot.
import type { IncomingMessage } from "node:http"
import { GatewayRefusal, type Upgrading, type Way } from "@millrace/guard/gateway"
import type { FastifyReply, FastifyRequest } from "fastify"
import { EngineError } from "../../support/errors.ts"
import type { Route } from "../calls/route.ts"
import { endWithCaller } from "../rest/plumbing/caller-watch.ts"
import type { GatewayParts } from "./gateway-parts.ts"
import { senderOf } from "./sender.ts"

interface Found {
  readonly upgradeOf: (raw: IncomingMessage) => Upgrading | undefined
  readonly routeOf: (way: Way) => Route
}

/** Headers that we put on every answer of our own, but that an upstream decides on for its answers. */
const THEIRS: ReadonlySet<string> = new Set(["cache-control", "x-content-type-options"])
/** A page gets an origin of its own: it may not read the dashboard, nor call the API with the session of its user. */
const SANDBOX = "sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts"
/** The caller has not been answered; what the logs of proxies call a caller that did not wait. */
const CALLER_GONE = 499

export function forwarderOf(parts: GatewayParts, { upgradeOf, routeOf }: Found) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const { way } = request
    const refuse = (refusal: GatewayRefusal) => parts.refuse(request, reply, asEngineError(refusal))
    if (way === null || way instanceof GatewayRefusal)
      return refuse(way ?? new GatewayRefusal("not-found", "there is no such route"))
    const { raw } = request
    if (raw.headers.expect !== undefined && way.hasBody) reply.raw.writeContinue()
    const { target, upstream, hasBody, isUpgrade } = way
    parts.gateway.forward({
      target,
      upstream,
      hasBody,
      request: raw,
      response: reply.raw,
      sender: senderOf(parts, request, upstream),
      own: ownHeaders(parts, reply),
      refuse,
      closed: () => tellIfBroken(parts, request, reply),
      upgrading: isUpgrade ? upgradeOf(raw) : undefined,
      onStream: (end) => keepOpen(parts, { request, reply, end, route: routeOf(way) }),
    })
  }
}

function asEngineError({ code, message, cause }: GatewayRefusal): EngineError {
  return new EngineError(code, message, { cause: code === "bad-request" ? undefined : cause })
}

function ownHeaders({ hasPages }: GatewayParts, reply: FastifyReply): Record<string, string> {
  const own: Record<string, string> = {}
  const headers = reply.getHeaders()
  for (const name in headers) if (!THEIRS.has(name)) own[name] = String(headers[name])
  if (hasPages) own["content-security-policy"] = SANDBOX
  return own
}

/** An answer that is never finished has no line in the log by itself. */
function tellIfBroken({ ended }: GatewayParts, request: FastifyRequest, reply: FastifyReply): void {
  const { raw } = reply
  if (raw.writableFinished) return
  if (!raw.headersSent && raw.statusCode !== 101) raw.statusCode = CALLER_GONE
  ended(request, reply)
}

interface Stream {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly end: () => void
  readonly route: Route
}

/** The stream may be silent for hours. It ends when its caller may no longer call. */
function keepOpen({ options }: GatewayParts, { request, reply, end, route }: Stream): void {
  request.socket.setTimeout(0)
  reply.raw.once("close", () => request.socket.setTimeout(options.timeouts.writeMs))
  endWithCaller(options, route, { request, reply, end })
}
