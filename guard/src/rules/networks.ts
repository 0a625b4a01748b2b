// Networks in settings, such as 10.0.0.0/8: which texts are one, and which of them would let everyone in.
import { isIP } from "node:net"
import { canonicalIpv6, ipv6Groups } from "./ip-address.ts"

interface Network {
  readonly first: bigint
  readonly last: bigint
}

/** IPv4 is a part of IPv6 here, as it is where connections are judged: ::ffff:0.0.0.0/96. */
const IPV4_BITS = 96
const ALL_BITS = 128
/** All addresses of IPv4, and all that are handed out of IPv6. */
const EVERYONE = ["0.0.0.0/0", "2000::/3"]

/** `10.0.0.0/8`, `fd00::/8` or a single address. All addresses there are would be no network. */
export function isNetwork(text: string): boolean {
  const [address = "", bits, ...more] = text.split("/")
  const longest = isIP(address) === 6 ? 128 : 32
  if (isIP(address) === 0 || address.includes("%") || more.length > 0) return false
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= longest)
}

/** What is wrong with networks that are well formed. */
export function networksFault(texts: readonly string[]): string | undefined {
  const inexact = texts.find((text) => numberOf(text.split("/")[0] as string) !== networkOf(text).first)
  if (inexact !== undefined) return `${inexact} is an address within a network: write ${exactly(inexact)}`
  const covered = EVERYONE.map(networkOf).some((all) => isCovered(all, texts.map(networkOf)))
  return covered ? "together these are all addresses there are: name the networks that are meant" : undefined
}

function networkOf(text: string): Network {
  const [address = "", bits] = text.split("/")
  const outer = isIP(address) === 4 ? IPV4_BITS : 0
  const rest = bits === undefined ? 0n : BigInt(ALL_BITS - outer - Number(bits))
  const first = (numberOf(address) >> rest) << rest
  return { first, last: first + (1n << rest) - 1n }
}

/** An address as the number that it is in IPv6. */
const numberOf = (address: string): bigint =>
  ipv6Groups(isIP(address) === 4 ? `::ffff:${address}` : address).reduce(
    (value, group) => (value << 16n) + BigInt(`0x${group}`),
    0n,
  )

/** The network that an address with a length of prefix is in. */
function exactly(text: string): string {
  const [address, bits] = text.split("/") as [string, string]
  const digits = networkOf(text).first.toString(16).padStart(32, "0")
  if (isIP(address) === 6) return `${canonicalIpv6((digits.match(/.{4}/g) as string[]).join(":"))}/${bits}`
  const bytes = (digits.slice(-8).match(/../g) as string[]).map((byte) => Number.parseInt(byte, 16))
  return `${bytes.join(".")}/${bits}`
}

/** Whether the networks leave no address of it out. */
function isCovered(all: Network, networks: readonly Network[]): boolean {
  let next = all.first
  for (const { first, last } of networks.toSorted((a, b) => (a.first < b.first ? -1 : 1)))
    if (first <= next && last >= next) next = last + 1n
  return next > all.last
}
