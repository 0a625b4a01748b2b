// The time that a caller gives its call, as the header grpc-timeout says it: up to eight digits and a unit.

const UNIT_MS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 }
/** The longest time that a timer takes: 24 days. */
const MOST_MS = 2 ** 31 - 1

/** Undefined where it is no time. */
export function timeoutMs(header: string | string[]): number | undefined {
  const [, digits, unit] = /^(\d{1,8})([HMSmun])$/.exec(String(header)) ?? []
  return digits === undefined ? undefined : Math.min(MOST_MS, Math.ceil(Number(digits) * UNIT_MS[unit!]!))
}
