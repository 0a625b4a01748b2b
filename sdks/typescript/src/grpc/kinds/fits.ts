// Whether a value is of a kind of the contract, so that a message of gRPC says it as JSON would.

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i
const LARGEST = 2 ** 31 - 1

/** `kind` is one of `generated/kinds.ts`; a query is text, in which digits are a number and a number is its digits. */
export function fits(held: unknown, kind: string, inQuery = false): boolean {
  const [name = ""] = kind.split(" ", 1)
  if (inQuery) return fitsQuery(held, name)
  return (FITTING[name] ?? isText)(held)
}

const isText = (held: unknown): boolean => typeof held === "string"

const FITTING: Readonly<Record<string, (held: unknown) => boolean>> = {
  flag: (held) => typeof held === "boolean",
  moment: (held) => typeof held === "string" && MOMENT.test(held) && !Number.isNaN(Date.parse(held)),
  object: (held) => typeof held === "object" && held !== null && !Array.isArray(held),
  strings: (held) => Array.isArray(held) && held.every(isText),
  whole: (held) => Number.isInteger(held) && Math.abs(Number(held)) <= LARGEST,
  number: (held) => Number.isFinite(held),
}

function fitsQuery(held: unknown, name: string): boolean {
  if (name === "moment") return FITTING.moment!(held)
  if (name !== "whole") return typeof held !== "object"
  return /^\d{1,15}$/.test(String(held)) && FITTING.whole!(Number(held))
}
