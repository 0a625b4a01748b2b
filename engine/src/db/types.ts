// How PostgreSQL's values become ours.

/** `2026-11-15 09:16:45.123456+00` → epoch milliseconds. */
export function parseTimestamp(text: string): number {
  const iso = `${text.slice(0, 10)}T${text.slice(11)}`
  return Date.parse(/[+-]\d\d$/.test(iso) ? `${iso}:00` : iso)
}

/** Epoch milliseconds → what a timestamptz parameter takes. */
export const timestamp = (epochMs: number): string => new Date(epochMs).toISOString()
