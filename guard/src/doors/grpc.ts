// The guard in front of a gRPC server: an interceptor that answers before the method hears of the call.
import {
  Metadata,
  ResponderBuilder,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  ServerListenerBuilder,
  status,
} from "@grpc/grpc-js"
import type { Guard } from "../guard.ts"
import { clientAddress, type Proxies } from "../rules/client-address.ts"
import { networkList } from "../rules/network-list.ts"
import type { Verdict } from "../verdict.ts"
import type { Caller } from "./fastify.ts"
import { holdOrRefuse, type Refusal, refusalOf, retryAfterOf } from "./refusal.ts"

export interface GrpcCall {
  /** `/workflow.v1.WorkflowEngine/PollJobs` */
  readonly method: string
  readonly metadata: Metadata
}

export interface GrpcGuardOptions {
  readonly guard: Guard
  readonly identify: (call: GrpcCall) => Caller | Promise<Caller>
  readonly requestId: (call: GrpcCall) => string
  readonly proxies?: Proxies
}

const NO_PROXIES: Proxies = { isTrusted: networkList([]) }

const CODES: Readonly<Record<Refusal["status"], status>> = {
  403: status.PERMISSION_DENIED,
  429: status.RESOURCE_EXHAUSTED,
  503: status.UNAVAILABLE,
}

export function guardInterceptor(options: GrpcGuardOptions): ServerInterceptor {
  return (method, call) => {
    const gone = new AbortController()
    const extra = new Metadata()
    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata((metadata, next) => {
        const goOn = (refusal: Refusal | undefined) => (refusal ? refuse(call, refusal) : next(metadata))
        const fail = () => call.sendStatus({ code: status.INTERNAL, details: "internal error" })
        judge({ method: method.path, metadata }, { call, options, gone: gone.signal, extra }).then(goOn).catch(fail)
      })
      .withOnCancel(() => gone.abort())
      .build()
    return new ServerInterceptingCall(
      call,
      new ResponderBuilder()
        .withStart((next) => next(listener))
        .withSendMetadata((metadata, next) => {
          metadata.merge(extra)
          next(metadata)
        })
        .build(),
    )
  }
}

interface Judged {
  readonly call: ServerInterceptingCallInterface
  readonly options: GrpcGuardOptions
  readonly gone: AbortSignal
  /** Goes out with the answer's headers. */
  readonly extra: Metadata
}

async function judge(grpcCall: GrpcCall, { call, options, gone, extra }: Judged): Promise<Refusal | undefined> {
  const { guard, proxies = NO_PROXIES } = options
  const caller = await options.identify(grpcCall)
  const { metadata, method } = grpcCall
  const verdict: Verdict = await guard.judge({
    routeClass: caller.routeClass,
    client: caller.client,
    limit: caller.limit,
    address: addressOf(call.getPeer(), metadata, proxies),
    agent: textOf(metadata, "user-agent"),
    path: method,
    requestId: options.requestId(grpcCall),
  })
  if (verdict.state === "allowed" && verdict.remaining !== undefined)
    extra.set("x-ratelimit-remaining", String(verdict.remaining))
  if (verdict.state !== "throttled") return refusalOf(verdict)
  extra.set("retry-after", String(retryAfterOf(verdict)))
  return holdOrRefuse(guard, verdict, gone)
}

/** A peer is `127.0.0.1:5678` or `[::1]:5678`. */
function addressOf(peer: string, metadata: Metadata, proxies: Proxies): string {
  const address = peer.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1")
  const texts = (name: string) => metadata.get(name).map(String)
  const forwardedFor = texts("x-forwarded-for")
  return clientAddress({ peer: address, forwardedFor, forwarded: texts("forwarded") }, proxies)
}

function textOf(metadata: Metadata, name: string): string | undefined {
  const [value] = metadata.get(name)
  return value === undefined ? undefined : String(value)
}

function refuse(call: ServerInterceptingCallInterface, { status: code, message, retryAfterSeconds }: Refusal): void {
  const metadata = new Metadata()
  if (retryAfterSeconds !== undefined) metadata.set("retry-after", String(retryAfterSeconds))
  call.sendStatus({ code: CODES[code], details: message, metadata })
}
