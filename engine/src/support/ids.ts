// Ids: ULIDs that only ever grow within one process, and the step execution ids built from them.
import { randomFillSync } from "node:crypto"

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const LIMB = 2 ** 20 // four base32 characters; 80 random bits are four limbs
const MAX_TIME = 2 ** 48 - 1
const ULID = "[0-7][0-9A-HJKMNP-TV-Z]{25}"
const EXECUTION_ID = new RegExp(`^${ULID}-[0-9A-HJKMNP-TV-Z]{4}$`)
const ULID_ONLY = new RegExp(`^${ULID}$`)

/** Fills the bytes with randomness; a test may pass something predictable. */
type FillRandom = (bytes: Uint8Array) => void

// Two characters a lookup: encoding one digit at a time cost three times as much.
const PAIRS = Array.from({ length: 1024 }, (_, n) => ALPHABET.charAt(n >> 5) + ALPHABET.charAt(n & 31))
const encode4 = (limb: number): string => PAIRS[limb >> 10]! + PAIRS[limb & 1023]!

/** Makes ULIDs in strictly rising order, also within one millisecond and when the clock steps back. */
export function ulidFactory(nowMs: () => number, random: FillRandom = randomFillSync): () => string {
  const nextLimb = limbSource(random)
  const limbs = [0, 0, 0, 0]
  let time = -1
  let prefix = "" // all but the last four characters, which are the ones that change within a millisecond

  const setPrefix = () => {
    const high = Math.floor(time / LIMB)
    // 10 characters of time are 50 bits: two from the top, eight from the rest.
    prefix = PAIRS[Math.floor(high / LIMB)]! + encode4(high % LIMB) + encode4(time % LIMB)
    for (let i = 0; i < 3; i++) prefix += encode4(limbs[i]!)
  }
  const restart = (at: number) => {
    if (!(at >= 0 && at <= MAX_TIME)) throw new Error(`assertion failed: no ULID can hold the time ${at}`)
    time = at
    for (let i = 0; i < 4; i++) limbs[i] = nextLimb()
    setPrefix()
  }
  const carry = () => {
    for (let i = 3; i >= 0; i--) {
      limbs[i]!++
      if (limbs[i]! < LIMB) return setPrefix()
      limbs[i] = 0
    }
    restart(time + 1) // 80 bits used up: the next millisecond is still in order
  }

  return () => {
    const now = Math.floor(nowMs())
    if (!(now <= time))
      restart(now) // also when it is not a number, which restart refuses
    else if (limbs[3]! + 1 < LIMB) limbs[3]!++
    else carry()
    return prefix + encode4(limbs[3]!)
  }
}

// One call to the kernel per 4 KiB: a call per id would cost more than the rest of it.
function limbSource(random: FillRandom): () => number {
  const buffer = new Uint8Array(4095)
  let at = buffer.length
  return () => {
    if (at === buffer.length) {
      random(buffer)
      at = 0
    }
    const limb = ((buffer[at]! << 16) | (buffer[at + 1]! << 8) | buffer[at + 2]!) & (LIMB - 1)
    at += 3
    return limb
  }
}

export const isUlid = (id: string): boolean => id.length === 26 && ULID_ONLY.test(id)

/** `<instanceId>-<ordinal>`: the ordinal in four base32 characters, so that executions sort in the order they began. */
export function executionId(instanceId: string, ordinal: number): string {
  if (!(Number.isInteger(ordinal) && ordinal >= 0 && ordinal < LIMB)) {
    throw new Error(`assertion failed: execution ordinal ${ordinal} is out of range`)
  }
  return `${instanceId}-${encode4(ordinal)}`
}

/** A step execution: which instance, and which of its executions. */
export interface ExecutionKey {
  readonly instanceId: string
  readonly execution: number
}

/** Strict: anything that `executionId` could not have made is undefined, whatever its length. */
export function parseExecutionId(id: string): ExecutionKey | undefined {
  if (id.length !== 31 || !EXECUTION_ID.test(id)) return undefined
  let execution = 0
  for (let i = 27; i < 31; i++) execution = execution * 32 + ALPHABET.indexOf(id.charAt(i))
  return { instanceId: id.slice(0, 26), execution }
}

/** The lowest ULID of a millisecond: ids below it were made before. */
export function ulidAt(epochMs: number): string {
  let rest = Math.max(0, Math.min(MAX_TIME, Math.floor(epochMs)))
  let text = ""
  for (let i = 0; i < 10; i++) {
    text = ALPHABET.charAt(rest % 32) + text
    rest = Math.floor(rest / 32)
  }
  return text + "0".repeat(16)
}
