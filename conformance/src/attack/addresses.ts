// Addresses that no other attack has used: what one leaves behind does not touch the next.

let strangers = 0
let peers = 0
let networks = 0

const bytesOf = (number: number): [number, number] => [(number >> 8) & 255, number & 255]

/** An address of 198.18.0.0/15, a network reserved for tests. */
export function freshAddress(): string {
  const at = ++strangers
  const [third, fourth] = bytesOf(at)
  return `198.${18 + ((at >> 16) & 1)}.${third}.${fourth}`
}

/** An address of this machine, different from the trusted proxy. */
export function freshPeer(): string {
  const [third, fourth] = bytesOf(++peers)
  return `127.9.${third}.${fourth}`
}

/** The first half of an IPv6 address: one household. */
export const freshNetwork = (): string => `2001:db8:${(++networks).toString(16)}:7`
