// Reads the fields of a part of a YAML file one by one, and notes what is wrong with each: where it is, and what is allowed.
import { parseDuration } from "../../model/kernel/durations.ts"
import { isObject } from "../../support/json.ts"
import { safeText } from "../../support/redact.ts"
import { nearest } from "../nearest.ts"

interface Range {
  readonly min: number
  readonly max: number
  readonly fallback: number
}

export class FileFields {
  readonly #where: string
  readonly #values: Readonly<Record<string, unknown>>
  readonly #problems: string[]

  constructor(where: string, values: Readonly<Record<string, unknown>>, problems: string[]) {
    this.#where = where
    this.#values = values
    this.#problems = problems
  }

  /** Every other field is a mistake: a misspelt time-out would be no time-out. */
  only(names: readonly string[]): void {
    for (const name of Object.keys(this.#values).filter((one) => !names.includes(one))) {
      const near = nearest(name, [...names])
      const hint = near ? `did you mean ${near}?` : `there are ${names.join(", ")}`
      this.#problems.push(`${this.#where}${safeText(name.slice(0, 60))} is not known: ${hint}`)
    }
  }

  /** Empty where it is missing or wrong. */
  text(name: string, allowed: string, accepts: (text: string) => boolean): string {
    const value = this.#values[name]
    if (typeof value === "string" && accepts(value)) return value
    this.#refuse(name, allowed)
    return ""
  }

  flag(name: string, fallback: boolean): boolean {
    const value = this.#values[name] ?? fallback
    if (typeof value === "boolean") return value
    this.#refuse(name, "true or false")
    return fallback
  }

  integer(name: string, { min, max, fallback }: Range): number {
    const value = this.#values[name] ?? fallback
    if (Number.isInteger(value) && (value as number) >= min && (value as number) <= max) return value as number
    this.#refuse(name, `a whole number from ${min} to ${max}`)
    return fallback
  }

  /** In milliseconds. */
  duration(name: string, { min, max, fallback }: Range): number {
    const given = this.#values[name]
    if (given === undefined) return fallback
    const ms = typeof given === "string" ? parseDuration(given) : undefined
    if (ms !== undefined && ms >= min && ms <= max) return ms
    this.#refuse(name, "a duration from 1ms to 1h, such as 500ms, 30s or 5m")
    return fallback
  }

  within(name: string): FileFields {
    const value = this.#values[name] ?? {}
    if (!isObject(value)) this.#refuse(name, "a group of fields")
    return new FileFields(`${this.#where}${name}.`, isObject(value) ? value : {}, this.#problems)
  }

  #refuse(name: string, allowed: string): void {
    const value = this.#values[name]
    const shown = value === undefined ? "is missing" : `${safeText(JSON.stringify(value).slice(0, 100))} is not allowed`
    this.#problems.push(`${this.#where}${name}: ${shown}, must be ${allowed}`)
  }
}
