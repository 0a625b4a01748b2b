// What is different between two states of the variables: each place that was added, changed or removed.
export interface Change {
  /** `customer.city`, `items[2]`. */
  readonly path: string
  readonly kind: "added" | "changed" | "removed"
  readonly before?: unknown
  readonly after?: unknown
}

type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const changesBetween = (before: Fields, after: Fields): readonly Change[] => inFields(before, after, "")

function inFields(before: Fields, after: Fields, path: string): readonly Change[] {
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])]
  return names.flatMap((name) => {
    const at = pathTo(path, name)
    if (!Object.hasOwn(before, name)) return [{ path: at, kind: "added", after: after[name] } as const]
    if (!Object.hasOwn(after, name)) return [{ path: at, kind: "removed", before: before[name] } as const]
    return inValue(before[name], after[name], at)
  })
}

function inValue(before: unknown, after: unknown, path: string): readonly Change[] {
  if (Object.is(before, after)) return []
  if (isFields(before) && isFields(after)) return inFields(before, after, path)
  if (Array.isArray(before) && Array.isArray(after)) return inLists(before, after, path)
  return [{ path, kind: "changed", before, after }]
}

function inLists(before: readonly unknown[], after: readonly unknown[], path: string): readonly Change[] {
  const length = Math.max(before.length, after.length)
  return Array.from({ length }, (_, index) => index).flatMap((index) => {
    const at = `${path}[${index}]`
    if (index >= before.length) return [{ path: at, kind: "added", after: after[index] } as const]
    if (index >= after.length) return [{ path: at, kind: "removed", before: before[index] } as const]
    return inValue(before[index], after[index], at)
  })
}

const PLAIN = /^[A-Za-z_$][\w$-]*$/

function pathTo(path: string, name: string): string {
  if (!PLAIN.test(name)) return `${path}[${JSON.stringify(name)}]`
  return path === "" ? name : `${path}.${name}`
}

/** What to send so that `before` becomes `after`: whole variables, for they are merged by name. */
export const patchBetween = (before: Fields, after: Fields): Fields =>
  Object.fromEntries(
    Object.entries(after).filter(
      ([name, value]) => !Object.hasOwn(before, name) || inValue(before[name], value, name).length > 0,
    ),
  )
