// The settings of the gateway: where /gateway/* is forwarded to.
import { isUpstreamUrl } from "../addresses.ts"
import { text } from "../kinds.ts"

export const gatewaySettings = {
  gatewayUpstream: text<string | undefined>({
    name: "WE_GATEWAY_UPSTREAM",
    default: undefined,
    allowed: "a URL such as http://127.0.0.1:3000, without a user, a query and a fragment",
    accepts: isUpstreamUrl,
    doc: "Where /gateway/* is forwarded to; without it and WE_GATEWAY_CONFIG_FILE there is no gateway.",
  }),
  gatewayConfigFile: text<string | undefined>({
    name: "WE_GATEWAY_CONFIG_FILE",
    default: undefined,
    allowed: "a path",
    accepts: (path) => path !== "",
    doc: "A YAML file of several upstreams by path, with their time-outs; see the guide of the gateway.",
  }),
} as const
