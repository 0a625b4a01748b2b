// Runs one unary RPC: checks the caller, asks the route that REST asks, and says its answer as a message.
import { type handleUnaryCall, type ServerUnaryCall, status } from "@grpc/grpc-js"
import { EVERYTHING, Reach } from "../../model/people/reach.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import type { Principal } from "../../operations/people/api-keys.ts"
import { badRequest, EngineError } from "../../support/errors.ts"
import { checkJson, jsonLimits } from "../../support/json-scan.ts"
import { bodyLimits } from "../calls/body-limits.ts"
import { withDeadline } from "../calls/deadline.ts"
import { type Answer, type Call, LOCAL, MAX_WAIT_MS, type Route } from "../calls/route.ts"
import { warningHeaders } from "../calls/warning-headers.ts"
import { goneSignal } from "./caller.ts"
import type { Departures } from "./departures.ts"
import { type DoorParts, Visit } from "./door.ts"
import type { Asked as Asking, Rpc } from "./rpc.ts"
import { structBytes } from "./struct-bytes.ts"
import { Undecodable } from "./undecodable.ts"

/** With its route settled. */
type Asked = Asking & Pick<AnyRpc, "route">
type AnyRpc = Rpc<unknown, unknown>
type UnaryCall = ServerUnaryCall<unknown, unknown>

interface Parts extends DoorParts {
  readonly departures: Departures
  /** As the contract writes it, `StartInstance`. */
  readonly name: string
  readonly rpc: AnyRpc
}

export function unaryOf(parts: Parts): handleUnaryCall<unknown, unknown> {
  const { name, rpc } = parts
  const { quiet = false } = rpc.route
  return (call, respond) => {
    const visit = new Visit(parts, call, { rpc: name, quiet, streams: false })
    call.on("cancelled", () => visit.end(status.CANCELLED))
    work(parts, call, visit).then(
      (response) => {
        respond(null, response, visit.trailer)
        // HTTP/2 writes at the end of this turn of the event loop: the answer, and a job for a stream, leave before they are noted.
        setImmediate(() => visit.end(status.OK))
      },
      (thrown) => {
        const refusal = visit.refuse(thrown)
        respond(refusal)
        visit.end(refusal.code)
      },
    )
  }
}

async function work({ kernel, options, departures, rpc }: Parts, call: UnaryCall, visit: Visit): Promise<unknown> {
  const entered = visit.enter(rpc.route)
  const principal = entered instanceof Promise ? await entered : entered
  if (call.request instanceof Undecodable) throw call.request.error
  const asked = { route: rpc.route, ...rpc.ask(call.request) }
  const { route } = asked
  const deadlineMs = options.timeouts.handlerMs + (route.waits ? MAX_WAIT_MS : 0)
  const routed = callOf(kernel, asked, { call, visit, principal })
  const answer = await withDeadline(async () => route.handle(routed), deadlineMs)
  if (departures.underWay) await departures.underWay
  const warnings = asked.warnings?.() ?? []
  const told = [...routed.warnings, ...warnings]
  const about = { replayed: answer.replayed ?? false, warnings, warn: (text: string) => void told.push(text) }
  const response = rpc.say(bodyOf(answer), about)
  for (const warning of warningHeaders(told).warning) visit.trailer.add("warning", warning)
  return response
}

function bodyOf(answer: Answer): unknown {
  if (answer.value) return answer.value
  return typeof answer.body === "string" ? JSON.parse(answer.body) : undefined
}

interface Caller {
  readonly call: UnaryCall
  readonly visit: Visit
  readonly principal: Principal
}

function callOf(kernel: Kernel, asked: Asked, { call, visit, principal }: Caller): Call {
  const { route, params = {}, query = {}, body, idempotencyKey } = asked
  const text = body === undefined ? "" : checkedText(body, route)
  return {
    kernel,
    method: route.method,
    path: pathOf(asked),
    params,
    query,
    body,
    size: text.length,
    idempotencyKey: idempotencyKey ?? (visit.headers["idempotency-key"] as string | undefined),
    headers: visit.headers,
    address: visit.address,
    requestId: visit.requestId,
    principal,
    reach: principal === LOCAL ? EVERYTHING : new Reach(principal.scopes),
    trace: visit.trace,
    warnings: [],
    gone: () => goneSignal(call),
    weigh: structBytes,
    hasCap: true,
    door: "grpc",
  }
}

/** Judged as the body of a REST request is: size, depth, keys, characters that cannot be stored, names that change prototypes. */
function checkedText(body: object, route: Route): string {
  const text = JSON.stringify(body)
  if (text.length * 3 > jsonLimits.bodyBytes && Buffer.byteLength(text) > jsonLimits.bodyBytes)
    throw new EngineError("payload-too-large", "the message is larger than 1 MiB as JSON")
  return checkJson(text, bodyLimits(route))
}

/** As a REST client would send it: an idempotency key holds on both wires alike. */
function pathOf({ route, params = {} }: Asked): string {
  return route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name] ?? ""
    if (value === "") throw missing(name)
    return encodeURIComponent(value)
  })
}

const missing = (name: string) =>
  badRequest(`path.${name} is required`, [{ path: `path.${name}`, message: "is required", hint: "give it a value" }])
