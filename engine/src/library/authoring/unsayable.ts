// Finds what JSON cannot say in a value, to name its place: JSON.stringify throws without it, or writes a Map or a promise as {}.

export interface Unsayable {
  /** The path from the value, as code would write it: `items[2].tags`. */
  readonly path: string
  readonly what: string
  readonly instead: string
}

interface Found {
  /** The keys, the innermost first. */
  readonly keys: (string | number)[]
  readonly what: string
  readonly instead: string
}

/** The first one. What says for itself how it is written, by toJSON, is left alone. */
export function unsayable(value: object): Unsayable | undefined {
  const found = find(value, [])
  return found && { path: pathOf(found.keys.reverse()), what: found.what, instead: found.instead }
}

function find(value: unknown, above: unknown[]): Found | undefined {
  const fault = faultOf(value, above)
  if (fault) return { keys: [], what: fault[0], instead: fault[1] }
  if (typeof value !== "object" || value === null || writesItself(value)) return undefined
  above.push(value)
  for (const key of Object.keys(value)) {
    const found = find((value as Readonly<Record<string, unknown>>)[key], above)
    if (!found) continue
    found.keys.push(Array.isArray(value) ? Number(key) : key)
    return found
  }
  above.pop()
}

function faultOf(value: unknown, above: readonly unknown[]): readonly [what: string, instead: string] | undefined {
  if (typeof value === "bigint") return writesItself(value) ? undefined : ["a bigint", "send String(n)"]
  if (typeof value !== "object" || value === null) return undefined
  if (value instanceof Map) return writesItself(value) ? undefined : ["a Map", "send Object.fromEntries(map)"]
  if (value instanceof Set) return writesItself(value) ? undefined : ["a Set", "send [...set]"]
  if (isPromise(value)) return writesItself(value) ? undefined : ["a promise", "await it"]
  return above.includes(value) ? ["a circle", "send the id of what it leads back to"] : undefined
}

/** One that was not awaited, of whichever library. */
export const isPromise = (value: object): boolean => typeof (value as { then?: unknown }).then === "function"

const writesItself = (value: object | bigint): boolean => typeof (value as { toJSON?: unknown }).toJSON === "function"

const PLAIN = /^[A-Za-z_$][\w$]*$/
const LONGEST_KEY = 100

function pathOf(keys: readonly (string | number)[]): string {
  const steps = keys.map((key) => {
    if (typeof key === "number") return `[${key}]`
    return PLAIN.test(key) ? `.${key}` : `[${JSON.stringify(key.slice(0, LONGEST_KEY))}]`
  })
  return steps.join("").replace(/^\./, "")
}
