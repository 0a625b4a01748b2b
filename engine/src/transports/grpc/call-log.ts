// One line and one measurement per RPC; never a message, a key or a token.
import { Code, codeName } from "@millrace/sdk/grpc-protocol"
import type { Principal } from "../../operations/people/api-keys.ts"
import type { Logger } from "../../support/log.ts"
import type { Metrics } from "../../support/metrics.ts"
import { traceparentOf } from "../../support/trace-context.ts"
import { LOCAL } from "../calls/route.ts"

export interface EndedCall {
  readonly rpc: string
  readonly code: number
  readonly requestId: string
  readonly remote: string
  /** Called so often that only refusals are worth a log line. */
  readonly quiet: boolean
  /** The call goes on for as long as its caller likes. */
  readonly streams: boolean
  readonly principal: Principal | undefined
  readonly trace: string | undefined
  readonly durationMs: number
  /** What the guard did to it, where it did anything. */
  readonly guard?: object | undefined
}

/** Faults of ours, or of what we stand on. */
const SERIOUS = new Set<number>([Code.INTERNAL, Code.UNAVAILABLE, Code.UNKNOWN, Code.DATA_LOSS])

export const isSerious = (code: number): boolean => SERIOUS.has(code)

export function noteCall(log: Logger, metrics: Metrics, call: EndedCall): void {
  const { rpc, code, quiet, streams, durationMs } = call
  const duration = streams ? metrics.grpcStreamDuration : metrics.grpcDuration
  duration.observe({ method: rpc, status: codeName(code) }, durationMs / 1000)
  if (code === Code.OK && quiet && !call.guard) return
  const level = isSerious(code) ? "error" : code === Code.OK ? "info" : "warn"
  if (log.isLevelEnabled(level)) log[level](lineOf(call), "rpc")
}

function lineOf({ rpc, code, requestId, remote, principal, trace, durationMs, guard }: EndedCall): object {
  return {
    requestId,
    rpc,
    status: codeName(code),
    durationMs: Math.round(durationMs * 100) / 100,
    remote,
    ...(principal && principal !== LOCAL ? { caller: principal.name } : {}),
    ...(guard ? { guard } : {}),
    ...(trace === undefined ? {} : { traceparent: traceparentOf(trace) }),
  }
}
