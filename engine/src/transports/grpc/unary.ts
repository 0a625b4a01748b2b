// Runs one unary RPC: checks the caller, asks the route that REST asks, and says its answer as a message.
import { Code } from "@millrace/sdk/grpc-protocol"
import { EVERYTHING, Reach } from "../../model/people/reach.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import type { Principal } from "../../operations/people/api-keys.ts"
import { badRequest } from "../../support/errors.ts"
import { checkJson } from "../../support/json-scan.ts"
import { bodyLimits, bodyTooLarge, maxBodyBytes } from "../calls/body-limits.ts"
import { withDeadline } from "../calls/deadline.ts"
import { departuresOf } from "../calls/departures.ts"
import { type Answer, type Call, LOCAL, MAX_WAIT_MS, type Route } from "../calls/route.ts"
import { warningHeaders } from "../calls/warning-headers.ts"
import { goneSignal } from "./caller.ts"
import { type DoorParts, Visit } from "./door.ts"
import type { GrpcCall } from "./http2/grpc-call.ts"
import type { Handle } from "./http2/listener.ts"
import { type Method, readMessage } from "./read-message.ts"
import type { Asked as Asking, Rpc } from "./rpc.ts"
import { structBytes } from "./struct-bytes.ts"
import type { UnderWay } from "./under-way.ts"

/** Numbers take up to five times the room in a Struct that they take in JSON. */
const MOST_TIMES = 6

/** With its route settled. */
type Asked = Asking & Pick<AnyRpc, "route">
type AnyRpc = Rpc<unknown, unknown>

export interface UnaryParts extends DoorParts {
  readonly underWay: UnderWay
  /** The name in the contract, such as `StartInstance`. */
  readonly name: string
  readonly method: Method<unknown, unknown>
  readonly rpc: AnyRpc
}

/** Its caller is checked before its message is read. */
export function unaryOf(parts: UnaryParts): Handle {
  const { name, rpc, underWay } = parts
  const { quiet = false } = rpc.route
  return async (call) => {
    const visit = new Visit(parts, call, { rpc: name, quiet, streams: false })
    try {
      const entered = visit.enter(rpc.route)
      const principal = entered instanceof Promise ? await entered : entered
      const message = await call.only(MOST_TIMES * maxBodyBytes(parts.kernel.settings))
      if (message === undefined) throw badRequest("the call has no message")
      await underWay.work(() => answer(parts, message, { call, visit, principal }))
    } catch (thrown) {
      visit.refuse(thrown)
    }
  }
}

async function answer(parts: UnaryParts, message: Buffer, caller: Caller): Promise<void> {
  const { call, visit } = caller
  const response = parts.method.responseSerialize(await work(parts, message, caller))
  call.answer(response, visit.trailer)
  // HTTP/2 writes at the end of this turn of the event loop: the answer, and a job for a stream, leave before they are noted.
  setImmediate(() => visit.end(Code.OK))
}

async function work(parts: UnaryParts, message: Buffer, caller: Caller): Promise<unknown> {
  const { kernel, options, rpc, method } = parts
  const { visit } = caller
  const asked = { route: rpc.route, ...rpc.ask(readMessage(method, message)) }
  const { route } = asked
  const deadlineMs = options.timeouts.handlerMs + (route.waits ? MAX_WAIT_MS : 0)
  const routed = callOf(kernel, asked, caller)
  const answer = await withDeadline(async () => route.handle(routed), deadlineMs)
  const leaving = departuresOf(kernel).before(route)
  if (leaving) await leaving
  const warnings = asked.warnings?.() ?? []
  const told = [...routed.warnings, ...warnings]
  const about = { replayed: answer.replayed ?? false, warnings, warn: (text: string) => void told.push(text) }
  const response = rpc.say(bodyOf(answer), about)
  if (told.length > 0) visit.trailer.warning = warningHeaders(told).warning
  return response
}

function bodyOf(answer: Answer): unknown {
  if (answer.value) return answer.value
  return typeof answer.body === "string" ? JSON.parse(answer.body) : undefined
}

interface Caller {
  readonly call: GrpcCall
  readonly visit: Visit
  readonly principal: Principal
}

function callOf(kernel: Kernel, asked: Asked, { call, visit, principal }: Caller): Call {
  const { route, params = {}, query = {}, body, idempotencyKey } = asked
  const text = body === undefined ? "" : checkedText(body, route, kernel)
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
function checkedText(body: object, route: Route, { settings }: Kernel): string {
  const text = JSON.stringify(body)
  const most = maxBodyBytes(settings)
  if (text.length * 3 > most && Buffer.byteLength(text) > most) throw bodyTooLarge(settings)
  return checkJson(text, bodyLimits(route))
}

/** The path that a REST client would use, so that an idempotency key holds on both wires. */
function pathOf({ route, params = {} }: Asked): string {
  return route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name] ?? ""
    if (value === "") throw missing(name)
    return encodeURIComponent(value)
  })
}

const missing = (name: string) =>
  badRequest(`path.${name} is required`, [{ path: `path.${name}`, message: "is required", hint: "give it a value" }])
