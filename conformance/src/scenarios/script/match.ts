// Compares what was seen with what a script expects, and says in words where they differ.
import { isDeepStrictEqual } from "node:util"

type Fields = Readonly<Record<string, unknown>>

/** Where `seen` is not as `expected`, each with its path; empty when it is. */
export function mismatches(expected: unknown, seen: unknown, path = ""): string[] {
  const matcher = matcherOf(expected)
  if (matcher) return matcher(seen, path)
  if (Array.isArray(expected)) return ofList(expected, seen, path)
  if (isFields(expected)) return ofFields(expected, seen, path)
  return Object.is(expected, seen) ? [] : [differs(path, expected, seen)]
}

/** Does the same as `mismatches`, but only the named fields of an object count. */
export const unlike = (expected: unknown, seen: unknown, path = ""): string[] =>
  isFields(expected) && !matcherOf(expected)
    ? Object.entries(expected).flatMap(([key, value]) => mismatches(value, fieldOf(seen, key), `${path}.${key}`))
    : mismatches(expected, seen, path)

type Matcher = (seen: unknown, path: string) => string[]

/** An object with one key that begins with `$` is not a value but says what the value is like. */
function matcherOf(expected: unknown): Matcher | undefined {
  if (!isFields(expected)) return undefined
  const [key = "", ...more] = Object.keys(expected)
  const make = more.length === 0 ? MATCHERS[key] : undefined
  return make?.(expected[key])
}

const MATCHERS: Readonly<Record<string, (given: unknown) => Matcher>> = {
  /** Only the fields that are named count. */
  $like: (fields) => (seen, path) => unlike(fields, seen, path),
  $some: (item) => holds("some item like", item, (seen) => listOf(seen).some((one) => unlike(item, one).length === 0)),
  $none: (item) => holds("no item like", item, (seen) => !listOf(seen).some((one) => unlike(item, one).length === 0)),
  $every: (item) => holds("every item like", item, (seen) => listOf(seen).every((one) => !unlike(item, one).length)),
  /** The same items in any order. */
  $set: (items) => holds("in any order", items, (seen) => isDeepStrictEqual(sorted(seen), sorted(items))),
  $count: (count) => holds("this many items", count, (seen) => Array.isArray(seen) && seen.length === count),
  $matches: (text) => holds("text that matches", text, (seen) => new RegExp(text as string).test(String(seen))),
  $oneOf: (values) => holds("one of", values, (seen) => listOf(values).some((one) => isDeepStrictEqual(one, seen))),
  $atLeast: (least) => holds("at least", least, (seen) => typeof seen === "number" && seen >= (least as number)),
  $not: (value) => holds("anything but", value, (seen) => !isDeepStrictEqual(seen, value)),
  $present: (wanted) => holds("present", wanted, (seen) => (seen !== undefined) === wanted),
  /** A time, `ms` after `of` or later. */
  $after: (given) => holds("a time after", given, (seen) => isAfter(seen, given as { of: string; ms: number })),
}

const holds =
  (what: string, given: unknown, check: (seen: unknown) => boolean): Matcher =>
  (seen, path) =>
    check(seen) ? [] : [`${path || "it"}: expected ${what} ${show(given)}, saw ${show(seen)}`]

const isAfter = (seen: unknown, { of, ms }: { of: string; ms: number }): boolean =>
  Date.parse(String(seen)) - Date.parse(of) >= ms

function ofList(expected: readonly unknown[], seen: unknown, path: string): string[] {
  if (!Array.isArray(seen) || seen.length !== expected.length) return [differs(path, expected, seen)]
  return expected.flatMap((item, at) => mismatches(item, seen[at], `${path}[${at}]`))
}

function ofFields(expected: Fields, seen: unknown, path: string): string[] {
  if (!isFields(seen)) return [differs(path, expected, seen)]
  const keys = [...new Set([...Object.keys(expected), ...Object.keys(seen)])]
  return keys.flatMap((key) => mismatches(fieldOf(expected, key), fieldOf(seen, key), `${path}.${key}`))
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const fieldOf = (value: unknown, key: string): unknown =>
  isFields(value) && Object.hasOwn(value, key) ? value[key] : undefined

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const sorted = (value: unknown): unknown => (Array.isArray(value) ? value.map(show).sort() : value)

const differs = (path: string, expected: unknown, seen: unknown): string =>
  `${path || "it"}: expected ${show(expected)}, saw ${show(seen)}`

const SHOWN = 1_500

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing"
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}… (${text.length} characters)` : text
}
