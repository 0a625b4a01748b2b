// The door of every RPC: host, caller and permission, and what is noted of it when it ends.
import type { Visit as GuardVisit, RouteClass } from "@millrace/guard"
import { Code, codeName } from "@millrace/sdk/grpc-protocol"
import type { DatabaseWatch } from "../../operations/kernel/database-watch.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import type { Principal } from "../../operations/people/api-keys.ts"
import { assert } from "../../support/assert.ts"
import { failSpan } from "../../support/spans.ts"
import { VERSION } from "../../support/version.ts"
import type { Admission } from "../calls/admission.ts"
import { openCall } from "../calls/call-span.ts"
import { guardAddress } from "../calls/guard/client-address.ts"
import { type Entrance, enter, enterOpen } from "../calls/guard/enter.ts"
import { actionOn } from "../calls/guard/guard-verdicts.ts"
import { classOf } from "../calls/guard/route-class.ts"
import type { RestOptions } from "../calls/options.ts"
import { refusalOf } from "../calls/refusal.ts"
import { requestIdOf } from "../calls/request-id.ts"
import type { Route } from "../calls/route.ts"
import { whenDone } from "../calls/when-done.ts"
import { type EndedCall, isSerious, noteCall } from "./call-log.ts"
import { goneSignal, headersOf } from "./caller.ts"
import type { GrpcCall } from "./http2/grpc-call.ts"
import type { Trailers } from "./http2/trailers.ts"
import { refusalStatus } from "./refusal-status.ts"

export interface DoorParts {
  readonly kernel: Kernel
  readonly options: RestOptions
  readonly admission: Admission
  readonly watch: DatabaseWatch
}

const SERVICE = "workflow.v1.WorkflowEngine"

/** What the door needs of a call. */
type Caller = Pick<GrpcCall, "headers" | "peer" | "onGone" | "end">

type RpcKind = Pick<EndedCall, "rpc" | "quiet" | "streams">

/** One RPC from its first to its last moment. */
export class Visit {
  readonly #parts: DoorParts
  readonly #kind: RpcKind
  readonly #call: Caller
  /** The address of the connection, or of the caller behind a proxy that the operator has named. */
  readonly address: string | undefined
  readonly #startedAt = performance.now()
  readonly #opened: ReturnType<typeof openCall>
  #visit: GuardVisit | undefined
  #ended = false
  principal: Principal | undefined
  readonly headers: ReturnType<typeof headersOf>
  readonly requestId: string
  /** Sent with the answer, whatever it is. */
  readonly trailer: Trailers

  constructor(parts: DoorParts, call: Caller, kind: RpcKind) {
    const { rpc, quiet } = kind
    this.#parts = parts
    this.#kind = kind
    this.#call = call
    this.headers = headersOf(call)
    const { peer = "" } = call
    this.address = parts.options.findAddress ? parts.options.findAddress(peer, this.headers) : peer
    this.requestId = requestIdOf(parts.kernel, this.headers["x-request-id"])
    this.trailer = { "x-request-id": this.requestId, "millrace-version": VERSION }
    this.#opened = openCall({
      headers: this.headers,
      quiet,
      about: () => ({
        name: `${SERVICE}/${rpc}`,
        attributes: {
          "rpc.system": "grpc",
          "rpc.service": SERVICE,
          "rpc.method": rpc,
          "millrace.request.id": this.requestId,
        },
      }),
    })
    call.onGone((code) => this.end(code))
  }

  get trace(): string | undefined {
    return this.#opened.trace
  }

  /** Not a promise where no key is involved, as on REST. */
  enter(route: Pick<Route, "permission" | "routeClass" | "streams">): Principal | Promise<Principal> {
    const entrance = this.#entrance(classOf(route))
    return whenDone(enter(this.#parts.options, { ...entrance, permission: route.permission }), (principal) => {
      assert(principal, "every RPC asks for a permission")
      this.principal = principal
      return principal
    })
  }

  /** For a method that there is not: the guard's word alone. A caller that tries out names is limited like any other of public routes. */
  enterUnknown(): undefined | Promise<undefined> {
    return enterOpen(this.#parts.options, this.#entrance("public"))
  }

  #entrance(routeClass: RouteClass): Omit<Entrance, "permission"> {
    const { headers, address } = this
    this.#parts.admission.checkHost(headers.host)
    this.#visit = this.#visitOf(routeClass)
    return {
      visitor: { headers, address, visit: this.#visit },
      tell: (name, value) => {
        this.trailer[name] = value
      },
      gone: () => goneSignal(this.#call),
    }
  }

  /** Undefined where there is no guard. */
  #visitOf(routeClass: RouteClass): GuardVisit | undefined {
    if (!this.#parts.options.guarding) return undefined
    const { requestId, headers } = this
    const path = `${SERVICE}/${this.#kind.rpc}`
    return { routeClass, path, requestId, address: guardAddress(this.address), agent: headers["user-agent"] }
  }

  /** Ends the call with the error that was thrown, in the form for its caller. A fault of ours is logged. */
  refuse(thrown: unknown): void {
    const { watch, options } = this.#parts
    watch.failed(thrown)
    const { error, fault } = refusalOf(thrown, this.requestId)
    const { requestId } = this
    if (fault !== undefined) options.log.error({ err: fault, requestId, code: error.code }, "a fault of ours")
    const { code, details, trailers } = refusalStatus(error, requestId)
    this.#call.end(code, details, { ...this.trailer, ...trailers })
    this.end(code)
  }

  /** Notes how the call ended; the first time counts. */
  end(code: number): void {
    if (this.#ended) return
    this.#ended = true
    if (code === Code.OK) this.#parts.watch.answered()
    const { span, trace } = this.#opened
    span?.setAttribute("rpc.grpc.status_code", code)
    if (span && isSerious(code)) failSpan(span, codeName(code))
    span?.end()
    noteCall(this.#parts.options.log, this.#parts.kernel.metrics, {
      ...this.#kind,
      code,
      requestId: this.requestId,
      remote: this.address ?? "",
      principal: this.principal,
      trace,
      guard: actionOn(this.#visit),
      durationMs: performance.now() - this.#startedAt,
    })
  }
}
