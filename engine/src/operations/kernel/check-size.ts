// Judges what a caller wants to write, before anything is done about it.
import { type SizeLimits, textBytes, tooLarge, writeFault } from "../../model/instances/variable-sizes.ts"

/** A character takes at most this many bytes (1e308 is written out): shorter texts need not be counted. */
const BYTES_PER_CHARACTER = 64

/** Throws `payload-too-large`. `what` is the subject of the sentence: "the payload". */
export function checkSize(limits: SizeLimits, text: string, what: string): void {
  if (text.length * BYTES_PER_CHARACTER <= limits.maxWriteBytes) return
  const fault = writeFault(textBytes(text), limits)
  if (fault !== undefined) throw tooLarge(`${what}: ${fault}`)
}
