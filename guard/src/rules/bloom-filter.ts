// A Bloom filter: says for certain that a text was never added, in ten looks at a few bits.
import { hash } from "node:crypto"

export interface FilterSize {
  /** How many texts can be added … */
  readonly capacity: number
  /** … while at most this share of other texts is mistaken for one of them. */
  readonly errorRate: number
}

export interface BloomFilter {
  add(text: string): void
  has(text: string): boolean
  /** Texts that were added; one that was added twice counts twice. */
  readonly count: number
  readonly bytes: number
  readonly hashes: number
}

/**
 * The places of a text come from a hash over a secret seed: one who does not know it cannot make up texts that are taken for blocked
 * ones. A hash of the fast kind would not do, collisions of those hold for every seed.
 */
export function bloomFilter({ capacity, errorRate }: FilterSize, seed: string): BloomFilter {
  const bits = Math.ceil((-capacity * Math.log(errorRate)) / Math.LN2 ** 2)
  const hashes = Math.max(1, Math.round((bits / capacity) * Math.LN2))
  const field = new Uint8Array(Math.ceil(bits / 8))
  let count = 0
  return {
    bytes: field.length,
    hashes,
    get count() {
      return count
    },
    add(text) {
      count++
      allPlaces(seed + text, { bits, hashes }, (place) => {
        field[place >>> 3]! |= 1 << (place & 7)
        return true
      })
    },
    has(text) {
      if (count === 0) return false
      return allPlaces(seed + text, { bits, hashes }, (place) => (field[place >>> 3]! & (1 << (place & 7))) !== 0)
    },
  }
}

/** Two numbers of 48 bits give all places: `first + n × second`. Ends at the first place that is not as asked. */
function allPlaces(
  text: string,
  { bits, hashes }: { bits: number; hashes: number },
  is: (place: number) => boolean,
): boolean {
  const digest = hash("sha256", text, "buffer")
  const step = (digest.readUIntBE(6, 6) % (bits - 1)) + 1
  let place = digest.readUIntBE(0, 6) % bits
  for (let at = 0; at < hashes; at++) {
    if (!is(place)) return false
    place = (place + step) % bits
  }
  return true
}
