// Addresses as the guard compares and counts them: one text for each, however it was written.
import { isIP } from "node:net"

/** IPv4 written as IPv6, in either of its two spellings. */
const MAPPED = /^(?:::|(?:0{1,4}:){5})ffff:(?:(\d+\.\d+\.\d+\.\d+)|([\da-f]{1,4}):([\da-f]{1,4}))$/

/**
 * In lower case, without the name of a network card (`fe80::1%eth0`), and as IPv4 where it is IPv4 written as IPv6
 * (`::ffff:10.1.2.3`). Undefined for what is no address.
 */
export function plainAddress(text: string): string | undefined {
  const bare = text.replace(/%.*$/s, "").toLowerCase()
  const family = isIP(bare)
  if (family === 0) return undefined
  return family === 4 ? bare : (unmapped(bare) ?? bare)
}

function unmapped(address: string): string | undefined {
  const [, dotted, high, low] = MAPPED.exec(address) ?? []
  if (dotted !== undefined) return dotted
  if (high === undefined || low === undefined) return undefined
  const words = [high, low].map((word) => Number.parseInt(word, 16))
  return words.flatMap((word) => [word >> 8, word & 255]).join(".")
}

/** In hexadecimal, with the longest row of zeros as `::`. */
export const canonicalIpv6 = (address: string): string => new URL(`http://[${address}]`).hostname.slice(1, -1)

/** The eight groups of an IPv6 address, as hexadecimal digits. */
export function ipv6Groups(address: string): string[] {
  const [head = "", tail] = canonicalIpv6(address).split("::")
  const groups = (text = "") => text.split(":").filter((group) => group !== "")
  const missing = Array<string>(8 - groups(head).length - groups(tail).length).fill("0")
  return [...groups(head), ...missing, ...groups(tail)]
}

/**
 * What limits and blocks go by: an IPv4 address, or the /64 of an IPv6 one (`2001:db8:0:7::/64`), because one household or machine has
 * all of its 2^64 addresses to choose from. A /64 is its own key. Undefined for what is no address.
 */
export function addressKey(text: string): string | undefined {
  const plain = plainAddress(text.replace(/\/64$/, ""))
  if (plain === undefined || isIP(plain) === 4) return text.includes("/") ? undefined : plain
  return `${canonicalIpv6(`${ipv6Groups(plain).slice(0, 4).join(":")}::`)}/64`
}
