// Runs one route: checks the caller, then does the route's own work within its deadline, then the answer.
import { EVERYTHING, Reach } from "../../../model/people/reach.ts"
import type { DatabaseWatch } from "../../../operations/kernel/database-watch.ts"
import type { Kernel } from "../../../operations/kernel/kernel.ts"
import type { Principal } from "../../../operations/people/api-keys.ts"
import type { JsonValue } from "../../../support/json.ts"
import { withDeadline } from "../../calls/deadline.ts"
import { departuresOf } from "../../calls/departures.ts"
import { enter as comeIn } from "../../calls/guard/enter.ts"
import { classOf } from "../../calls/guard/route-class.ts"
import type { RestOptions } from "../../calls/options.ts"
import { type Answer, type Call, LOCAL, MAX_WAIT_MS, type Route } from "../../calls/route.ts"
import { warningHeaders } from "../../calls/warning-headers.ts"
import { endWithCaller } from "./caller-watch.ts"
import type { Answering, Asked } from "./exchange.ts"
import { goneSignal } from "./gone-signal.ts"
import { openRequest } from "./request-span.ts"
import { type Refuse, send } from "./send.ts"
import { visitorOf } from "./visitor.ts"

interface Parts {
  readonly kernel: Kernel
  readonly options: RestOptions
  readonly watch: DatabaseWatch
  readonly refuse: Refuse
  readonly route: Route
}

/** The caller of a public route. */
const NOBODY: Principal = { id: "nobody", name: "nobody", scopes: [] }

export function handlerOf({ kernel, options, watch, refuse, route }: Parts) {
  const deadlineMs = options.timeouts.handlerMs + (route.waits ? MAX_WAIT_MS : 0)

  const departures = departuresOf(kernel)
  const enter = entranceOf({ options, refuse, route })

  function run(request: Asked, reply: Answering): void {
    if (route.waits || route.streams) allowSilence(options, route, { request, reply })
    const call = callOf(kernel, request, reply)
    withDeadline(async () => route.handle(call), deadlineMs).then(
      (answer) => {
        const leaving = departures.before(route)
        if (leaving) void leaving.then(() => say(call, reply, answer))
        else say(call, reply, answer)
      },
      (error) => {
        warn(call, reply)
        refuse(request, reply, error)
      },
    )
  }

  function say(call: Call, reply: Answering, answer: Answer): void {
    warn(call, reply)
    watch.answered()
    if (!reply.sent) send(reply, answer)
  }

  return { enter, run }
}

/** Before the body is read. */
function entranceOf({ options, refuse, route }: Pick<Parts, "options" | "refuse" | "route">) {
  const aim = { routeClass: classOf(route), path: route.path, liftsBlocks: route.liftsBlocks }
  return (request: Asked, reply: Answering, done: () => void): void => {
    request.matched = route
    openRequest(request, route)
    if (route.headers) reply.headers(route.headers)
    const visitor = visitorOf(options, request, aim)
    request.visitor = visitor
    const admit = (principal: Principal | undefined) => {
      request.principal = principal ?? null
    }
    const tell = (name: string, value: string) => void reply.header(name, value)
    try {
      const entered = comeIn(options, { visitor, permission: route.permission, tell, gone: () => goneSignal(reply) })
      if (entered instanceof Promise) {
        entered.then(admit).then(done, (error) => refuse(request, reply, error))
        return
      }
      admit(entered)
    } catch (error) {
      return refuse(request, reply, error)
    }
    done()
  }
}

interface Exchange {
  readonly request: Asked
  readonly reply: Answering
}

function allowSilence(options: RestOptions, route: Route, { request, reply }: Exchange): void {
  const { writeMs } = options.timeouts
  // A long poll is silent for longer than the write timeout allows a connection to be.
  if (route.waits) request.socket.setTimeout(writeMs + MAX_WAIT_MS)
  if (!route.streams) return
  keepOpen(request.socket, reply, writeMs)
  endWithCaller(options, route, { request, reply })
}

function warn({ warnings }: Call, reply: Answering): void {
  if (warnings.length > 0 && !reply.sent) reply.headers(warningHeaders(warnings))
}

function callOf(kernel: Kernel, request: Asked, reply: Answering): Call {
  const { headers, method } = request
  const url = request.raw.url ?? ""
  const end = url.indexOf("?")
  const idempotencyKey = headers["idempotency-key"]
  const principal = request.principal ?? NOBODY
  return {
    kernel,
    method,
    path: end < 0 ? url : url.slice(0, end),
    params: request.params as Record<string, string>,
    query: request.query as Record<string, unknown>,
    body: request.body as JsonValue | undefined,
    size: Number(headers["content-length"] ?? 0),
    idempotencyKey: Array.isArray(idempotencyKey) ? idempotencyKey.join() : idempotencyKey,
    headers,
    address: request.visitor?.address,
    visit: request.visitor?.visit,
    requestId: request.id,
    principal,
    reach: principal === LOCAL ? EVERYTHING : new Reach(principal.scopes),
    trace: request.trace ?? undefined,
    warnings: [],
    tell: (name, value) => void reply.header(name, value),
    gone: () => goneSignal(reply),
    weigh: Buffer.byteLength,
    hasCap: false,
    door: "rest",
  }
}

/** Until the answer has ended. */
function keepOpen(socket: Asked["socket"], { raw }: Answering, thenMs: number): void {
  socket.setTimeout(0)
  raw.once("close", () => socket.setTimeout(thenMs))
}
