// Fills in what a script refers to: `$order.id` is a field of an earlier answer.

export type Values = ReadonlyMap<string, unknown>

const REFERENCE = /^\$([A-Za-z]\w*)((?:\.\w+)*)$/
const HOLE = /\{([A-Za-z]\w*(?:\.\w+)*)\}/g

/** A copy of `value` with every reference replaced. */
export function resolve(value: unknown, values: Values): unknown {
  if (typeof value === "string") return resolveText(value, values)
  if (Array.isArray(value)) return value.map((item) => resolve(item, values))
  if (typeof value !== "object" || value === null) return value
  const fields = Object.entries(value).map(([key, item]) => [key, resolve(item, values)] as const)
  return made(Object.fromEntries(fields))
}

/** A path with its holes filled: `/v1/instances/{order.id}/waiting`. */
export const fillHoles = (text: string, values: Values): string =>
  text.replaceAll(HOLE, (_, path: string) => String(lookUp(path, values)))

function resolveText(text: string, values: Values): unknown {
  const [, name, path] = REFERENCE.exec(text) ?? []
  return name === undefined ? text : lookUp(`${name}${path}`, values)
}

function lookUp(path: string, values: Values): unknown {
  const [name = "", ...keys] = path.split(".")
  if (!values.has(name)) throw new Error(`the script knows no ${name}`)
  return keys.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], values.get(name))
}

/** Values that would be tiresome to write out: a long text, and a copy with some fields replaced. */
function made(fields: Record<string, unknown>): unknown {
  if ("$repeat" in fields) return String(fields.$repeat).repeat(Number(fields.times))
  if (!("$copy" in fields)) return fields
  const { $copy, ...changes } = fields
  return { ...($copy as object), ...changes }
}
