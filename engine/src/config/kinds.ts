// The kinds of settings: how each reads its text, what it allows, and how it is shown.
import { parseDuration, shortDuration } from "../model/kernel/durations.ts"

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
  /** Undefined when the text is not allowed; an instruction when more than the range is to be said. */
  readonly parse: (text: string) => T | Refusal | undefined
  readonly show: (value: T) => string
}

/** Why a value that is well formed is still not accepted. */
export class Refusal {
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}

type Common<T> = Pick<Setting<T>, "name" | "doc"> & { readonly default: T | ((machine: Machine) => T) }

const setting = <T>(
  common: Common<T>,
  rest: Partial<Setting<T>> & Pick<Setting<T>, "allowed" | "parse">,
): Setting<T> => ({
  name: common.name,
  doc: common.doc,
  aliases: [],
  unit: "",
  secret: false,
  defaultOf:
    typeof common.default === "function" ? (common.default as (machine: Machine) => T) : () => common.default as T,
  show: String,
  ...rest,
})

export const integer = (s: Common<number> & { unit: string; min: number; max: number }): Setting<number> =>
  setting(s, {
    unit: s.unit,
    allowed: `a whole number from ${s.min} to ${s.max}`,
    parse: (text) =>
      /^-?\d{1,15}$/.test(text) && Number(text) >= s.min && Number(text) <= s.max ? Number(text) : undefined,
  })

export const duration = (
  s: Omit<Common<number>, "default"> & { default: string; min: string; max: string },
): Setting<number> => {
  const [fallback, min, max] = [parseDuration(s.default)!, parseDuration(s.min)!, parseDuration(s.max)!]
  const parse = (text: string) => {
    const ms = parseDuration(text)
    return ms !== undefined && ms >= min && ms <= max ? ms : undefined
  }
  const allowed = `a duration from ${s.min} to ${s.max}, such as 500ms, 30s, 5m or PT30S`
  return setting({ ...s, default: fallback }, { unit: "duration", allowed, parse, show: shortDuration })
}

export const choice = <const T extends string>(
  s: Common<T> & { values: readonly T[]; refused?: Readonly<Record<string, string>> },
): Setting<T> =>
  setting(s, {
    allowed: `one of ${s.values.join(", ")}`,
    parse: (text) => {
      const refusal = s.refused && Object.hasOwn(s.refused, text) ? s.refused[text] : undefined
      return refusal ? new Refusal(refusal) : s.values.find((value) => value === text)
    },
  })

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ...["true", "1", "yes", "on"].map((word) => [word, true] as const),
  ...["false", "0", "no", "off"].map((word) => [word, false] as const),
])

export const flag = (s: Common<boolean>): Setting<boolean> =>
  setting(s, { allowed: "true or false", parse: (text) => FLAGS.get(text.toLowerCase()) })

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
    parse: (value) => (s.accepts(value) ? (value as T) : undefined),
    show: (value) => (value === undefined ? "" : (s.show?.(value) ?? value)),
  })

export const list = (
  s: Common<readonly string[]> & { allowed: string; accepts: (item: string) => boolean },
): Setting<readonly string[]> =>
  setting(s, {
    allowed: s.allowed,
    unit: "comma list",
    parse: (value) => {
      const items = value
        .split(",")
        .map((item) => item.trim())
        .filter((item) => item !== "")
      return items.every(s.accepts) ? Object.freeze(items) : undefined
    },
    show: (items) => items.join(","),
  })

/** Shares of a hundred, in the order of their names. */
export const shares = <const K extends string>(
  s: Common<Readonly<Record<K, number>>> & { names: readonly K[] },
): Setting<Readonly<Record<K, number>>> =>
  setting(s, {
    allowed: `${s.names.length} whole numbers that add up to 100, one each for ${s.names.join(", ")}`,
    unit: "percent",
    parse: (value) => {
      const numbers = value.split(",").map((share) => (/^\s*\d{1,3}\s*$/.test(share) ? Number(share) : Number.NaN))
      if (numbers.length !== s.names.length || numbers.reduce((sum, share) => sum + share) !== 100) return undefined
      return Object.fromEntries(s.names.map((name, index) => [name, numbers[index]])) as Record<K, number>
    },
    show: (value) => s.names.map((name) => value[name]).join(","),
  })
