// Networks such as `10.0.0.0/8`, `fd00::/8` or a single address, and whether an address is in one of them.
import { BlockList, isIP } from "node:net"
import { plainAddress } from "./ip-address.ts"

export type IsWithin = (address: string | undefined) => boolean

/** An IPv4 address that comes as IPv6, `::ffff:10.1.2.3`, is the IPv4 address; the name of a network card is no part of one. */
export function networkList(networks: readonly string[]): IsWithin {
  // Asked for every request, and in most installations no network is named.
  if (networks.length === 0) return () => false
  const known = new BlockList()
  for (const network of networks) {
    const [address = "", bits] = network.split("/")
    known.addSubnet(address, bits === undefined ? bitsOf(address) : Number(bits), familyOf(address))
  }
  return (address) => {
    const plain = plainAddress(address ?? "")
    return plain !== undefined && known.check(plain, familyOf(plain))
  }
}

const familyOf = (address: string): "ipv4" | "ipv6" => (isIP(address) === 6 ? "ipv6" : "ipv4")

const bitsOf = (address: string): number => (isIP(address) === 6 ? 128 : 32)
