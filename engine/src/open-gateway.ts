// The gateway as the settings say it: its upstreams are read once, and a file that is no good stops the start.
import { networkList } from "@millrace/guard"
import { Gateway } from "@millrace/guard/gateway"
import { readUpstreams } from "./config/gateway/gateway-file.ts"
import type { Config } from "./config.ts"
import type { ForwardingOptions } from "./transports/calls/forwarding-options.ts"
import { OWN_COOKIES } from "./transports/calls/session-cookie.ts"
import { MOUNT } from "./transports/gateway/mount-gateway.ts"

/** Undefined where there is no upstream. `hasPages` where the dashboard is on the same port. */
export function openGateway(config: Config, hasPages: boolean): ForwardingOptions | undefined {
  const upstreams = readUpstreams({ upstream: config.gatewayUpstream, file: config.gatewayConfigFile })
  if (upstreams.length === 0) return undefined
  const isTrusted = networkList(config.trustedProxies)
  return {
    gateway: new Gateway({ upstreams, mount: MOUNT, cookies: OWN_COOKIES }),
    isProxy: (peer) => peer !== undefined && isTrusted(peer),
    tokenIssuer: config.jwtIssuer,
    isBehindTls: config.behindTlsProxy,
    hasPages,
  }
}
