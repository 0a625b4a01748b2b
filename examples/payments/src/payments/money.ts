// Money as whole minor units. A float never holds an amount: 0.1 + 0.2 is not 0.3.

/** What numeric(12, 2) holds: ten digits before the point. */
const MOST_MINOR = 999_999_999_999n
const DECIMAL = /^(\d{1,10})(?:\.(\d{1,2}))?$/

/**
 * The minor units of an amount as it came in: "12.50" is a decimal, 1250 is minor units already. A number with a fraction may have lost
 * a cent on its way and is undefined, like anything else that is not an amount above zero.
 */
export function minorUnits(amount: unknown): bigint | undefined {
  const minor = typeof amount === "string" ? fromDecimal(amount) : fromInteger(amount)
  return minor !== undefined && minor > 0n && minor <= MOST_MINOR ? minor : undefined
}

function fromDecimal(text: string): bigint | undefined {
  const [, whole, fraction = ""] = DECIMAL.exec(text) ?? []
  return whole === undefined ? undefined : BigInt(whole) * 100n + BigInt(fraction.padEnd(2, "0"))
}

const fromInteger = (value: unknown): bigint | undefined =>
  Number.isSafeInteger(value) ? BigInt(value as number) : undefined

/** As PostgreSQL writes numeric(12, 2), and as answers and events carry it. */
export function decimal(minor: bigint): string {
  return `${minor / 100n}.${String(minor % 100n).padStart(2, "0")}`
}
