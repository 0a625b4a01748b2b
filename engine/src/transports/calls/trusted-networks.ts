// Callers that need no credential because of where they call from: judged by the address of their connection and by nothing they send.
import { BlockList, isIP } from "node:net"
import type { Principal } from "../../operations/people/api-keys.ts"

/** Who a connection from this address is; undefined where it has to say so itself. */
export type FindTrusted = (address: string | undefined) => Principal | undefined

/** Networks as `10.0.0.0/8`, `fd00::/8` or a single address. Undefined where there are none. */
export function trustNetworks(networks: readonly string[], scopes: readonly string[]): FindTrusted | undefined {
  if (networks.length === 0) return undefined
  const known = new BlockList()
  for (const network of networks) {
    const [address = "", bits] = network.split("/")
    known.addSubnet(address, bits === undefined ? bitsOf(address) : Number(bits), familyOf(address))
  }
  const principal: Principal = { id: "trusted-network", name: "trusted network", scopes: [...scopes] }
  return (address) => (isKnown(known, address) ? principal : undefined)
}

/** An IPv4 address that comes as IPv6, `::ffff:10.1.2.3`, is the IPv4 address; the name of a network card is no part of one. */
function isKnown(known: BlockList, address: string | undefined): boolean {
  const plain = (address ?? "")
    .toLowerCase()
    .replace(/%.*$/, "")
    .replace(/^::ffff:(?=\d+\.)/, "")
  return isIP(plain) !== 0 && known.check(plain, familyOf(plain))
}

const familyOf = (address: string): "ipv4" | "ipv6" => (isIP(address) === 6 ? "ipv6" : "ipv4")

const bitsOf = (address: string): number => (isIP(address) === 6 ? 128 : 32)
