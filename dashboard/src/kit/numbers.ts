// Numbers as they are shown: grouped, short, and honest about a count that stopped early.
const WHOLE = new Intl.NumberFormat("en")
const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 })

export const count = (value: number, isExact = true): string => WHOLE.format(value) + (isExact ? "" : "+")

export const short = (value: number): string =>
  Math.abs(value) < 10_000 ? WHOLE.format(Math.round(value)) : SHORT.format(value)

/** Per second: `0`, `0.4`, `12`, `1.2K`. */
export const rate = (value: number): string => (value > 0 && value < 10 ? value.toFixed(1) : short(value))
