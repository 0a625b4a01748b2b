// What can only be seen at run time about a workflow as it is written: names, durations, what a JavaScript caller may have mixed up.

import { closestName } from "../../model/definitions/closest-name.ts"
import { kindOf } from "../../model/definitions/expressions/kind-of.ts"
import { elsewhereHint } from "../../model/kernel/elsewhere.ts"
import { badRequest, type EngineError } from "../../support/errors.ts"
import { isObject } from "../../support/json.ts"

const NAME = /^[A-Za-z0-9_:-]{1,128}$/

export function checkWorkflowName(name: unknown): asserts name is string {
  if (typeof name === "string" && NAME.test(name)) return
  if (Object(name) === name)
    throw badRequest(`${kindOf(name)} cannot name a workflow: the name comes first, as in workflow("order", …)`)
  throw badRequest(
    `${JSON.stringify(name)} cannot name a workflow: use 1 to 128 letters, digits, \`_\`, \`:\` and \`-\``,
  )
}

export function checkOptions(name: string, given: object, known: readonly string[]): void {
  checkKnown(`workflow ${name}`, given, known)
}

/** A misspelt option would be ignored, and with it the limit or the filter that it stands for. */
export function checkKnown(what: string, given: unknown, known: readonly string[]): void {
  const odd = isObject(given ?? {}) ? oddOption(given ?? {}, known) : noOptions(given, known)
  if (odd !== undefined) throw badRequest(`${what}: ${odd}`)
}

const noOptions = (given: unknown, [first]: readonly string[]): string =>
  `options are an object, such as { ${first}: … }, not ${kindOf(given)}`

/** What to say about an unknown option. */
export function oddOption(given: object, known: readonly string[]): string | undefined {
  const odd = Object.keys(given).find((option) => !known.includes(option))
  if (odd === undefined) return undefined
  const meant = closestName(odd, known)
  const elsewhere = elsewhereHint(odd, known)
  if (elsewhere !== undefined) return `unknown option \`${odd}\`: ${elsewhere}`
  const hint = meant === undefined ? `known are ${known.join(", ")}` : `did you mean \`${meant}\`?`
  return `unknown option \`${odd}\`: ${hint}`
}

export function checkChoice(name: string, option: string, value: unknown, allowed: readonly unknown[]): void {
  if (value === undefined || allowed.includes(value)) return
  throw fault(
    name,
    `\`${option}\` must be one of ${allowed.map((word) => JSON.stringify(word)).join(", ")}, not ${JSON.stringify(value)}`,
  )
}

export const fault = (workflow: string, message: string): EngineError => badRequest(`workflow ${workflow}: ${message}`)

export function noElement(workflow: string, value: unknown, at: number): EngineError {
  const elements = "a function, step(), bestEffort(), waitForSignal(), sleep() or userTask()"
  const found = value === undefined ? "undefined (imported in a circle, or declared further down?)" : kindOf(value)
  return fault(workflow, `steps[${at}] must be ${elements}, not ${found}`)
}
