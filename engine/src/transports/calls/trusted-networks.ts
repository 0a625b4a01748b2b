// Callers that need no credential because of where they call from: judged by their address and by nothing they send.
import { networkList } from "@millrace/guard"
import type { Principal } from "../../operations/people/api-keys.ts"

/** All callers of all of them; the guard counts them by their addresses. */
export const NETWORK_SUBJECT = "network:trusted"

/** Who a connection from this address is; undefined where it has to say so itself. */
export type FindTrusted = (address: string | undefined) => Principal | undefined

/** Networks as `10.0.0.0/8`, `fd00::/8` or a single address. Undefined where there are none. */
export function trustNetworks(networks: readonly string[], scopes: readonly string[]): FindTrusted | undefined {
  if (networks.length === 0) return undefined
  const isKnown = networkList(networks)
  const principal: Principal = {
    id: "trusted-network",
    name: "trusted network",
    scopes: [...scopes],
    subject: NETWORK_SUBJECT,
  }
  return (address) => (isKnown(address) ? principal : undefined)
}
