// Reads what stands in an address: text that is there, or nothing. An address can be typed by hand, so it may hold anything.
export type RawSearch = Readonly<Record<string, unknown>>

export function text(search: RawSearch, name: string): string | undefined {
  const value = search[name]
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  return typeof value === "string" && value !== "" ? value : undefined
}

export function oneOf<T extends string>(search: RawSearch, name: string, allowed: readonly T[]): T | undefined {
  const value = text(search, name)
  return allowed.find((one) => one === value)
}
