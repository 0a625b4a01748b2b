// What a server needs to forward requests to upstreams.
import type { Gateway } from "@millrace/guard/gateway"

export interface ForwardingOptions {
  readonly gateway: Gateway
  /** Whether a connection comes from a proxy that the operator has named: it is believed what it says of the caller. */
  readonly isProxy: (peer: string | undefined) => boolean
  /** What tokens of ours say of their issuer: an upstream must not see one, good or not. */
  readonly tokenIssuer: string
  /** Callers speak TLS with a proxy in front. */
  readonly isBehindTls: boolean
  /** The dashboard is on the same port: a page of an upstream must not be able to act as its user. */
  readonly hasPages: boolean
}
