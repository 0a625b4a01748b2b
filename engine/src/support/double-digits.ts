// Whether a double keeps the number that a decimal literal writes, or would round it in silence.

/** A double printed with this many digits is read back as the same double, so every language prints at least so many when asked to. */
const ALWAYS_KEPT = 17
/** The most that JavaScript prints: enough for every double that is written out in full in practice. */
const MOST_PRINTED = 100

/**
 * The literal is a JSON number, and `value` the finite double it is read as. More than 17 digits are kept only where they are exactly
 * the double's own, as 0.500000000000000000 and sums of small powers of two are.
 */
export function keepsDigits(written: string, value: number): boolean {
  if (written.length <= ALWAYS_KEPT && value !== 0) return true
  const count = countDigits(written)
  if (value === 0) return count === 0
  if (count <= ALWAYS_KEPT) return true
  return count <= MOST_PRINTED && significantDigits(written) === significantDigits(value.toPrecision(MOST_PRINTED))
}

const [ZERO, NINE, LETTERS] = [0x30, 0x39, 0x40]

/** From the first digit that is not zero to the last one, whatever the exponent is. */
function countDigits(written: string): number {
  let seen = 0
  let count = 0
  for (let at = 0; at < written.length; at++) {
    const c = written.charCodeAt(at)
    if (c > LETTERS) break
    if (c < ZERO || c > NINE || (c === ZERO && seen === 0)) continue
    seen++
    if (c !== ZERO) count = seen
  }
  return count
}

/** Expects a short literal, because the expressions take long over many zeros. */
const significantDigits = (written: string): string =>
  written.replace(/e.*$/i, "").replaceAll(/[-.]/g, "").replace(/^0+/, "").replace(/0+$/, "")
