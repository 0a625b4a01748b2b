// The life of a payment: which status may follow which. Everything that is not listed is refused.

export const STATUSES = ["PENDING", "PROCESSING", "SETTLED", "FAILED", "REFUNDED"] as const
export type Status = (typeof STATUSES)[number]

const NEXT: Readonly<Record<Status, readonly Status[]>> = {
  PENDING: ["PROCESSING"],
  PROCESSING: ["SETTLED", "FAILED"],
  SETTLED: ["REFUNDED"],
  FAILED: ["PENDING"], // by hand, when the cause is mended
  REFUNDED: [],
}

export const mayBecome = (from: Status, to: Status): boolean => NEXT[from].includes(to)

export class IllegalTransition extends Error {
  constructor(from: Status, to: Status) {
    super(`a payment that is ${from} cannot become ${to}`)
  }
}
