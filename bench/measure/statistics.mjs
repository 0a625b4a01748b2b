// Medians, percentiles and rates, rounded to what the clock can tell.
export const round = (value, digits = 2) => Number(value.toFixed(digits))

export const perSecond = (n, ms) => round((n / ms) * 1000, 1)

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

export function percentiles(values) {
  const sorted = Float64Array.from(values).sort()
  const at = (share) => round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN)
  return { samples: sorted.length, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99), maxMs: at(1) }
}
