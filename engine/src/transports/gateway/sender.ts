// What an upstream is told of a request: who calls, from where, by which name of ours, and where it stands in a trace.
import type { Sender, Upstream } from "@millrace/guard/gateway"
import type { FastifyRequest } from "fastify"
import type { Principal } from "../../operations/people/api-keys.ts"
import { traceparentOf, tracestateOf } from "../../support/trace-context.ts"
import type { ForwardingOptions } from "../calls/forwarding-options.ts"
import { clientName } from "../calls/guard/guard-verdicts.ts"
import type { RestOptions } from "../calls/options.ts"
import { LOCAL } from "../calls/route.ts"
import { carriesOwnCredential } from "./own-credential.ts"

type Options = Pick<ForwardingOptions, "isProxy" | "isBehindTls" | "tokenIssuer"> & {
  readonly options: Pick<RestOptions, "auth" | "tls">
}

const HOST = /^[A-Za-z0-9.:[\]-]{1,255}$/

export function senderOf(parts: Options, request: FastifyRequest, upstream: Upstream): Sender {
  const { principal, trace, headers, socket } = request
  const address = request.visitor?.address ?? socket.remoteAddress ?? "unknown"
  const isFromProxy = parts.isProxy(socket.remoteAddress)
  return {
    requestId: request.id,
    address: address.startsWith("::") ? address.replace(/^::ffff:(?=\d+\.)/i, "") : address,
    proto: protoOf(parts, isFromProxy ? first(headers["x-forwarded-proto"]) : undefined),
    host: hostOf(isFromProxy ? first(headers["x-forwarded-host"]) : undefined) ?? hostOf(headers.host),
    client: principal === null ? undefined : clientName(principal, request.visitor?.visit?.address ?? address),
    role: roleOf(principal),
    traceparent: trace === null ? undefined : traceparentOf(trace),
    tracestate: trace === null ? undefined : tracestateOf(trace),
    ownsAuthorization: ownsAuthorization(parts, upstream, headers.authorization),
  }
}

const first = (value: string | string[] | undefined): string | undefined => [value].flat()[0]?.split(",", 1)[0]?.trim()

const hostOf = (host: string | undefined): string | undefined =>
  host !== undefined && HOST.test(host) ? host : undefined

function protoOf({ isBehindTls, options }: Options, told: string | undefined): "http" | "https" {
  if (told === "http" || told === "https") return told
  return options.tls || isBehindTls ? "https" : "http"
}

/** A caller on this machine that needs no credential has neither a role nor a name that an upstream could rely on. */
function roleOf(principal: Principal | null): Sender["role"] {
  if (!principal || principal === LOCAL) return undefined
  return principal.scopes.includes("admin") ? "ADMIN" : "USER"
}

/** On a public route it is the upstream's own, unless it is a key or a token of ours that was sent along. */
function ownsAuthorization(parts: Options, upstream: Upstream, authorization: string | undefined): boolean {
  if (authorization === undefined) return false
  if (!upstream.public && parts.options.auth !== "off") return true
  return carriesOwnCredential(authorization, parts.tokenIssuer)
}
