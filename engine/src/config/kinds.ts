// The kinds of settings: how each reads its text, which values it allows, and how it is shown.
import { parseDuration, shortDuration } from "../model/kernel/durations.ts"
import { isObject } from "../support/json.ts"

/** What the machine contributes to defaults. */
export interface Machine {
  readonly cpus: number
}

export interface Setting<T> {
  /** The environment variable. */
  readonly name: string
  /** Other variables read when the first is not set. */
  readonly aliases: readonly string[]
  readonly unit: string
  readonly doc: string
  /** The allowed values in words, for error lines. */
  readonly allowed: string
  /** A secret comes from the environment only and is never shown. */
  readonly secret: boolean
  readonly defaultOf: (machine: Machine) => T
  /** The value that a text of the environment or the file stands for; undefined when it stands for none. */
  readonly read: (text: string) => unknown
  /** Judges a value, wherever it came from. */
  readonly accepts: (value: unknown) => boolean
  /** Why a value that is well formed is still not accepted, where more than the range is to be said. */
  readonly refusal: (value: unknown) => string | undefined
  readonly show: (value: T) => string
}

type Common<T> = Pick<Setting<T>, "name" | "doc"> & { readonly default: T | ((machine: Machine) => T) }

const setting = <T>(
  common: Common<T>,
  rest: Partial<Setting<T>> & Pick<Setting<T>, "allowed" | "accepts">,
): Setting<T> => ({
  name: common.name,
  doc: common.doc,
  aliases: [],
  unit: "",
  secret: false,
  defaultOf:
    typeof common.default === "function" ? (common.default as (machine: Machine) => T) : () => common.default as T,
  read: (text) => text,
  refusal: () => undefined,
  show: String,
  ...rest,
})

const isWithin = (value: unknown, min: number, max: number): boolean =>
  Number.isInteger(value) && (value as number) >= min && (value as number) <= max

export const integer = (s: Common<number> & { unit: string; min: number; max: number }): Setting<number> =>
  setting(s, {
    unit: s.unit,
    allowed: `a whole number from ${s.min} to ${s.max}`,
    read: (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : undefined),
    accepts: (value) => isWithin(value, s.min, s.max),
  })

/** A number that may have a part behind the point. */
export const decimal = (s: Common<number> & { min: number; max: number }): Setting<number> =>
  setting(s, {
    allowed: `a number from ${s.min} to ${s.max}`,
    read: (text) => (/^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : undefined),
    accepts: (value) => typeof value === "number" && value >= s.min && value <= s.max,
  })

/** Its value is in milliseconds. */
export const duration = (
  s: Omit<Common<number>, "default"> & { default: string; min: string; max: string },
): Setting<number> => {
  const [fallback, min, max] = [parseDuration(s.default)!, parseDuration(s.min)!, parseDuration(s.max)!]
  return setting(
    { ...s, default: fallback },
    {
      unit: "duration",
      allowed: `a duration from ${s.min} to ${s.max}, such as 500ms, 30s, 5m or PT30S`,
      read: parseDuration,
      accepts: (value) => isWithin(value, min, max),
      show: shortDuration,
    },
  )
}

/** `D`: undefined where there is no default. */
export const choice = <const T extends string, const D extends T | undefined = T>(
  s: Common<D> & { values: readonly T[] },
): Setting<T | D> =>
  setting<T | D>(s, {
    allowed: `one of ${s.values.join(", ")}`,
    accepts: (value) => s.values.includes(value as T),
    show: (value) => value ?? "",
  })

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ...["true", "1", "yes", "on"].map((word) => [word, true] as const),
  ...["false", "0", "no", "off"].map((word) => [word, false] as const),
])

export const flag = (s: Common<boolean>): Setting<boolean> =>
  setting(s, {
    allowed: "true or false",
    read: (text) => FLAGS.get(text.toLowerCase()),
    accepts: (value) => typeof value === "boolean",
  })

export const text = <T extends string | undefined>(
  s: Common<T> & {
    allowed: string
    accepts: (text: string) => boolean
    aliases?: readonly string[]
    secret?: boolean
    show?: (value: string) => string
  },
): Setting<T> =>
  setting(s, {
    allowed: s.allowed,
    aliases: s.aliases ?? [],
    secret: s.secret ?? false,
    accepts: (value) => typeof value === "string" && s.accepts(value),
    show: (value) => (value === undefined ? "" : (s.show?.(value) ?? value)),
  })

export const list = (
  s: Common<readonly string[]> & {
    allowed: string
    accepts: (item: string) => boolean
    /** Why items that are fine alone are refused as they are together. */
    fault?: (items: readonly string[]) => string | undefined
  },
): Setting<readonly string[]> => {
  const areItems = (value: unknown): value is readonly string[] =>
    Array.isArray(value) && value.every((item) => typeof item === "string" && s.accepts(item))
  const faultOf = (value: unknown) => (areItems(value) ? s.fault?.(value) : undefined)
  return setting(s, {
    allowed: s.allowed,
    unit: "comma list",
    read: itemsOf,
    accepts: (value) => areItems(value) && faultOf(value) === undefined,
    refusal: (value) => faultOf(itemsOf(String(value))),
    show: (items) => items.join(","),
  })
}

const itemsOf = (text: string): readonly string[] =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")

/** Shares of a hundred, in the order of their names. */
export const shares = <const K extends string>(
  s: Common<Readonly<Record<K, number>>> & { names: readonly K[] },
): Setting<Readonly<Record<K, number>>> =>
  setting(s, {
    allowed: `${s.names.length} whole numbers that add up to 100, one each for ${s.names.join(", ")}`,
    unit: "percent",
    read: (text) => sharesOf(s.names, text),
    accepts: (value) => isObject(value) && addUp(s.names.map((name) => value[name])),
    show: (value) => s.names.map((name) => value[name]).join(","),
  })

function sharesOf(names: readonly string[], text: string): Record<string, number> | undefined {
  const numbers = text.split(",").map((share) => (/^\s*\d{1,3}\s*$/.test(share) ? Number(share) : Number.NaN))
  if (numbers.length !== names.length) return undefined
  return Object.fromEntries(names.map((name, index) => [name, numbers[index] as number]))
}

const addUp = (shares: readonly unknown[]): boolean =>
  shares.every((share) => isWithin(share, 0, 100)) &&
  (shares as readonly number[]).reduce((sum, share) => sum + share) === 100
