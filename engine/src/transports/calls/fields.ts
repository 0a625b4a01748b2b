// Reads the fields of a request one by one, noting everything that is wrong with them instead of stopping at the first.

import { closestName } from "../../model/definitions/closest-name.ts"
import { child } from "../../model/definitions/json-path.ts"
import { isRoutingName, ROUTING_NAME_HINT } from "../../model/jobs/routing-name.ts"
import { ISO_DURATION_HINT, parseIsoDuration } from "../../model/kernel/durations.ts"
import { elsewhereHint } from "../../model/kernel/elsewhere.ts"
import { hasControlCharacter } from "../../support/control-characters.ts"
import type { Violation } from "../../support/errors.ts"
import { isObject, type JsonObject, type JsonValue } from "../../support/json.ts"

interface Bounds {
  readonly min: number
  readonly max: number
}

/** A field, or a field and its other names: at most one of them may be sent. */
type Name = string | readonly string[]

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i

/** What is noted while a request is read. */
export interface Notes {
  readonly violations: Violation[]
  /** Everything that was looked into and has no fields but those that are asked for. */
  readonly closed: Fields[]
}

interface FieldsOptions {
  /** True for a query, where every value is text. */
  readonly isText?: boolean
  /** Unknown fields are allowed: they belong to the caller. */
  readonly isOpen?: boolean
}

/** Unknown fields are ignored; null counts as absent. What a method returns for a bad field is never used: `decode` throws. */
export class Fields {
  readonly #source: Readonly<Record<string, unknown>>
  readonly #at: string
  readonly #notes: Notes
  readonly #violations: Violation[]
  readonly #isText: boolean
  /** The names that were asked for. */
  readonly #known = new Set<string>()
  #emptyIsAbsent = false

  constructor(source: Readonly<Record<string, unknown>>, at: string, notes: Notes, options: FieldsOptions = {}) {
    this.#source = source
    this.#at = at
    this.#notes = notes
    this.#violations = notes.violations
    this.#isText = options.isText ?? false
    if (!options.isOpen) notes.closed.push(this)
  }

  /** For one field that clients spell as "", 0, [] or {} where they have nothing to say: read as if it were left out. */
  orAbsent<T>(read: (from: this) => T): T {
    this.#emptyIsAbsent = true
    try {
      return read(this)
    } finally {
      this.#emptyIsAbsent = false
    }
  }

  /** Fields that nothing has asked for, with where they stand and what may have been meant. */
  unknown(): { readonly path: string; readonly hint: string | undefined }[] {
    const names = Object.keys(this.#source).filter((name) => !this.#known.has(name))
    return names.map((name) => ({ path: child(this.#at, name), hint: this.#hintFor(name) }))
  }

  #hintFor(name: string): string | undefined {
    const meant = closestName(name, this.#known)
    return elsewhereHint(name, this.#known) ?? (meant && `did you mean ${meant}?`)
  }

  text(name: Name, max = 200): string {
    return this.optionalText(name, max) ?? this.#missing(name, `send a string of at most ${max} bytes`, "")
  }

  /** A key, an id or a name: one line, without control characters. */
  optionalText(name: Name, max = 200): string | undefined {
    return this.#textOf(name, max, true)
  }

  /** What people write, in as many lines as they like. */
  optionalProse(name: Name, max: number): string | undefined {
    return this.#textOf(name, max, false)
  }

  #textOf(name: Name, max: number, isOneLine: boolean): string | undefined {
    const [key, value] = this.#pick(name)
    if (value === undefined) return undefined
    if (typeof value !== "string") return this.#wrong(key, "must be a string", `it is ${kindOf(value)}`)
    if (value === "") return this.#wrong(key, "must not be empty", "leave it out or give it a value")
    if (value.length > max || Buffer.byteLength(value) > max)
      return this.#wrong(key, `is longer than ${max} bytes`, `it has ${Buffer.byteLength(value)}`)
    if (value.includes("\0") || !value.isWellFormed())
      return this.#wrong(key, "has characters that cannot be stored", "leave out \\u0000 and halves of surrogate pairs")
    if (isOneLine && hasControlCharacter(value))
      return this.#wrong(key, "has control characters", "leave out line ends, tabs and the like")
    return value
  }

  /** Any string, the empty one included: what it means is for others to judge. */
  anyText(name: string): string | undefined {
    const [key, value] = this.#pick(name)
    if (value === undefined || typeof value === "string") return value
    return this.#wrong(key, "must be a string", `it is ${kindOf(value)}`)
  }

  require(name: string, hint: string): void {
    this.#missing(name, hint, undefined)
  }

  /** Text of any length, cut to `max` characters: refusing it would lose more than cutting it. */
  longText(name: string, max: number): string {
    return this.optionalLongText(name, max) ?? this.#missing(name, "send a string", "")
  }

  optionalLongText(name: string, max: number): string | undefined {
    const [key, value] = this.#pick(name)
    if (value === undefined) return undefined
    if (typeof value !== "string") return this.#wrong(key, "must be a string", `it is ${kindOf(value)}`)
    return value.length > max ? `${value.slice(0, max).toWellFormed()}…` : value
  }

  optionalFlag(name: string): boolean | undefined {
    const [key, value] = this.#pick(name)
    if (value === undefined || typeof value === "boolean") return value
    return this.#wrong(key, "must be true or false", `it is ${kindOf(value)}`)
  }

  oneOf<const T extends string>(name: string, words: readonly T[]): T {
    return this.optionalOneOf(name, words) ?? this.#missing(name, `send one of ${words.join(", ")}`, words[0] as T)
  }

  optionalOneOf<const T extends string>(name: string, words: readonly T[]): T | undefined {
    const [key, value] = this.#pick(name)
    const word = words.find((candidate) => candidate === value)
    if (value === undefined || word !== undefined || (value === "0" && this.#emptyIsAbsent)) return word
    return this.#wrong(key, `must be one of ${words.join(", ")}`, "use one of these words, spelt as here")
  }

  wholeNumber(name: string, { min, max }: Bounds): number | undefined {
    const [key, value] = this.#pick(name)
    if (value === undefined) return undefined
    const number = this.#isText && /^\d{1,15}$/.test(String(value)) ? Number(value) : value
    if (number === 0 && this.#emptyIsAbsent) return undefined
    if (typeof number === "number" && Number.isInteger(number) && number >= min && number <= max) return number
    return this.#wrong(key, `must be a whole number from ${min} to ${max}`, "send digits only")
  }

  /** A number out of range becomes the nearest in it. */
  clamped(name: string, { min, max }: Bounds): number | undefined {
    const [key, value] = this.#pick(name)
    if (value === undefined) return undefined
    if (typeof value === "number") return Math.min(max, Math.max(min, value))
    return this.#wrong(key, "must be a number", `it is ${kindOf(value)}`)
  }

  number(name: string, { min, max }: Bounds): number | undefined {
    const [key, value] = this.#pick(name)
    if (value === undefined) return undefined
    if (typeof value === "number" && value >= min && value <= max) return value
    return this.#wrong(key, `must be a number from ${min} to ${max}`, "send it as a number, not as text")
  }

  /** A moment as RFC 3339, in milliseconds. */
  moment(name: string): number | undefined {
    const [key, value] = this.#pick(name)
    if (value === undefined) return undefined
    const epochMs = typeof value === "string" && TIME.test(value) ? Date.parse(value) : Number.NaN
    if (!Number.isNaN(epochMs)) return epochMs
    return this.#wrong(key, "must be a time", "write it like 2025-03-01T09:31:00.000Z")
  }

  /** A length of time as ISO-8601, in milliseconds. */
  duration(name: string): number | undefined {
    const [key, value] = this.#pick(name)
    if (value === undefined) return undefined
    const ms = typeof value === "string" ? parseIsoDuration(value) : undefined
    return ms ?? this.#wrong(key, "is not a duration", ISO_DURATION_HINT)
  }

  /** The name of a job type or a downstream. */
  routingName(name: string): string | undefined {
    const [key, value] = this.#pick(name)
    if (value === undefined || isRoutingName(value)) return value
    return this.#wrong(key, "is not a name", ROUTING_NAME_HINT)
  }

  /** A value that has rules of its own. */
  judged<T>(name: string, faultOf: (value: unknown) => Omit<Violation, "path"> | undefined): T | undefined {
    const [key, value] = this.#pick(name)
    const fault = value === undefined ? undefined : faultOf(value)
    return fault ? this.#wrong(key, fault.message, fault.hint ?? "") : (value as T | undefined)
  }

  /** A name that people write by mistake: ignored, it would do harm quietly. */
  notThis(name: string, instead: string): void {
    if (this.has(name)) this.#wrong(name, "is not a field here", `write ${instead}`)
  }

  /** For a body that changes what it names: a name that is misspelt would change nothing, and say nothing. */
  someOf(names: readonly string[]): void {
    const hint = `send ${names.slice(0, -1).join(", ")} or ${names.at(-1)}`
    for (const name of Object.keys(this.#source)) {
      this.#known.add(name)
      if (!names.includes(name)) this.#wrong(name, "is not a field here", hint)
    }
    if (names.some((name) => this.has(name)) || this.#violations.length > 0) return
    this.#violations.push({ path: this.#at, message: "changes nothing", hint })
  }

  has(name: string): boolean {
    return this.#valueOf(name) !== undefined
  }

  /** Where another kind of value would be as good. */
  hasObject(name: string): boolean {
    return isObject(this.#valueOf(name))
  }

  /** A map of variables. */
  object(name: Name): JsonObject | undefined {
    const [key, value] = this.#pick(name)
    if (value === undefined || isObject(value)) return value as JsonObject | undefined
    return this.#wrong(key, "must be an object", `it is ${kindOf(value)}`)
  }

  words(name: string, { min, max }: Bounds): readonly string[] {
    const [key, value] = this.#pick(name)
    if (value === undefined) return this.#missing(name, `send a list of ${min} to ${max} strings`, [])
    if (Array.isArray(value) && value.length >= min && value.length <= max && value.every(isWord)) return value
    return (
      this.#wrong(
        key,
        `must be a list of ${min} to ${max} strings`,
        "each of 1 to 200 bytes, without control characters",
      ) ?? []
    )
  }

  /** The fields of an object within this one. */
  within(name: string, options: FieldsOptions = {}): Fields | undefined {
    const value = this.object(name)
    return value && new Fields(value, this.#path(name), this.#notes, options)
  }

  /** The fields of each object of a list. */
  each<T>(name: string, max: number, read: (item: Fields) => T): readonly T[] {
    const [key, value] = this.#pick(name)
    if (value === undefined) return []
    if (!Array.isArray(value)) return this.#wrong(key, "must be a list", `it is ${kindOf(value)}`) ?? []
    if (value.length > max) return this.#wrong(key, `has more than ${max} items`, `it has ${value.length}`) ?? []
    return value.flatMap((item: JsonValue, index) => {
      const at = `${this.#path(name)}[${index}]`
      if (isObject(item)) return [read(new Fields(item, at, this.#notes))]
      this.#violations.push({ path: at, message: "must be an object", hint: `it is ${kindOf(item)}` })
      return []
    })
  }

  #pick(name: Name): readonly [string, unknown] {
    if (typeof name === "string") return [name, this.#valueOf(name)]
    const sent = name.filter((candidate) => this.#valueOf(candidate) !== undefined)
    const key = sent[0] ?? (name[0] as string)
    if (sent.length > 1) this.#wrong(sent[1] as string, `is another name of ${key}`, "send one of them")
    return [key, this.#valueOf(key)]
  }

  #valueOf(name: string): unknown {
    this.#known.add(name)
    const value = Object.hasOwn(this.#source, name) ? (this.#source[name] ?? undefined) : undefined
    if (this.#emptyIsAbsent && isEmpty(value)) return undefined
    if (!this.#isText || !Array.isArray(value)) return value
    return this.#wrong(name, "is given more than once", "send it once")
  }

  #missing<T>(name: Name, hint: string, stand: T): T {
    const key = typeof name === "string" ? name : (name[0] as string)
    const path = this.#path(key)
    // A field that was there and wrong has been told already.
    if (!this.#violations.some((violation) => violation.path === path)) {
      this.#violations.push({ path, message: "is required", hint })
    }
    return stand
  }

  #wrong(key: string, message: string, hint: string): undefined {
    this.#violations.push({ path: this.#path(key), message, hint })
    return undefined
  }

  #path(key: string): string {
    return `${this.#at}.${key}`
  }
}

const isEmpty = (value: unknown): boolean =>
  value === "" || value === 0 || (typeof value === "object" && Object.keys(value ?? {}).length === 0)

const isWord = (value: unknown): boolean =>
  typeof value === "string" &&
  value !== "" &&
  value.length <= 200 &&
  Buffer.byteLength(value) <= 200 &&
  !hasControlCharacter(value)

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list"
  if (typeof value === "object") return "an object"
  return `a ${typeof value}`
}
