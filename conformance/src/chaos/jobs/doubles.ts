// What a list holds more than once.

export function doubles(ids: readonly string[]): string[] {
  const seen = new Set<string>()
  return ids.filter((id) => seen.has(id) || !seen.add(id))
}
