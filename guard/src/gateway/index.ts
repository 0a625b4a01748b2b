// The gateway: forwards what the guard lets through.
export type { Exchange, Upgrading } from "./exchange.ts"
export type { Sender } from "./forward-headers.ts"
export { Gateway, type GatewayOptions, type Way } from "./gateway.ts"
export { type GatewayCode, GatewayRefusal } from "./refusal.ts"
export { UPSTREAM_DEFAULTS, type Upstream, type UpstreamTimeouts, type WebsocketLimits } from "./upstream.ts"
