// The library's door: what a caller in this process hands over is judged as what comes over REST.
import { PRIORITIES } from "../../model/definitions/definition.ts"
import { kindOf } from "../../model/definitions/expressions/kind-of.ts"
import type { RunWaitKind } from "../../model/instances/plan.ts"
import { hasControlCharacter } from "../../support/control-characters.ts"
import { badRequest, EngineError } from "../../support/errors.ts"
import { isObject, type JsonObject } from "../../support/json.ts"
import { checkJson, jsonLimits, parseJson, variableLimits } from "../../support/json-scan.ts"
import type { JsonLimits } from "../../support/json-scanner.ts"
import { peek } from "../../support/thrown.ts"
import { isPromise, type Unsayable, unsayable } from "../authoring/unsayable.ts"
import { describeError } from "./step-failure.ts"

/** A plain JSON object that PostgreSQL can hold; nothing is an empty one. */
export function checkVariables(value: unknown, name = "variables"): JsonObject {
  return checkObject(value ?? {}, name, variableLimits)
}

/** A definition is a request by itself. */
export const checkDocument = (value: unknown): JsonObject => checkObject(value ?? {}, "the definition", jsonLimits)

const checkObject = (value: unknown, name: string, limits: JsonLimits): JsonObject =>
  judged(value, name, (text) => parseJson(text, limits) as JsonObject)

/** The same as JSON text, which is not read where nothing in it is in doubt. */
export const checkPayload = (value: unknown, name: string): string =>
  judged(value ?? {}, name, (text) => checkJson(text, variableLimits))

function judged<T>(value: unknown, name: string, judge: (text: string) => T): T {
  // Its JSON is {}, and what it would have brought is lost without a word.
  if (isObject(value) && isPromise(value)) throw badRequest(`${name} is a promise: await it`)
  if (!isObject(value) || value instanceof Map || value instanceof Set) throw noObject(value, name)
  const text = jsonOf(value, name)
  // By toJSON an object may say that it is something else: a Date is a text.
  if (!text.startsWith("{")) throw noObject(value, name)
  try {
    return judge(text)
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    const { code, message, details } = error
    throw new EngineError(code, `${name}: ${message}`, details ? { details } : {})
  }
}

function jsonOf(value: object, name: string): string {
  try {
    const text = JSON.stringify(value) ?? ""
    // A Map has become {}: only a text with one is looked through.
    const found = text.includes("{}") ? unsayable(value) : undefined
    if (found) throw refusalOf(found, name)
    return text
  } catch (error) {
    if (error instanceof EngineError) throw error
    // A getter may throw once more.
    const found = peek(() => unsayable(value))
    if (found) throw refusalOf(found, name)
    const [reason] = describeError(error).split("\n")
    throw badRequest(`${name} cannot be written as JSON: ${reason}`)
  }
}

const refusalOf = ({ path, what, instead }: Unsayable, name: string): EngineError =>
  badRequest(`${name} cannot be written as JSON: ${path} is ${what}; ${instead}`)

function noObject(value: unknown, name: string): EngineError {
  const what = Object(value) === value ? (value as object).constructor?.name || "object" : typeof value
  return badRequest(`${name} must be a plain object, not ${Array.isArray(value) ? "an array" : `a ${what}`}`)
}

/** What `workflow(…)` has made, and nothing that merely looks like it. */
export function checkWorkflow(value: unknown): void {
  const { kind, name, toDefinition } = Object(value) as Record<string, unknown>
  if (["list", "function"].includes(kind as string) && typeof toDefinition === "function") return
  const what = typeof name === "string" && name !== "" ? name : String(value)
  throw badRequest(`${what.slice(0, 100)} is no workflow: pass on what workflow(…) has returned`)
}

export function checkPriority(value: unknown): void {
  if (value !== undefined && !(PRIORITIES as readonly unknown[]).includes(value)) {
    throw badRequest(`priority must be one of ${PRIORITIES.join(", ")}`)
  }
}

/** Keys and names stand in indexes, where there is no room for more. */
const LONGEST = 512

export function checkText(value: unknown, name: string): void {
  if (typeof value !== "string" || value === "") throw badRequest(`${name} must be a text that is not empty`)
  if (value.length > LONGEST)
    throw badRequest(`${name} has ${value.length} characters, and may have ${LONGEST}: use a hash of it`)
  if (hasControlCharacter(value) && !value.includes("\0"))
    throw badRequest(`${name} has control characters, such as line breaks: leave them out`)
  if (/\0|\p{Surrogate}/u.test(value))
    throw badRequest(`${name} has \\u0000 or half of a surrogate pair in it, which PostgreSQL cannot store`)
}

/** What a call of a function is known by. */
export function checkCall(name: string, key: string | undefined, kind: RunWaitKind | undefined): string {
  if (typeof name !== "string") {
    const verb = kind === "user-task" ? "userTask" : (kind ?? "step")
    throw badRequest(`${kindOf(name)} cannot name a call: the name comes first, as in run.${verb}("name", …)`)
  }
  const id = key === undefined ? name : `${name}/${key}`
  checkText(name, "the name of a call")
  checkText(id, "the name of a call together with its key")
  return id
}

/** At least one function by job type. */
export function checkHandlers(value: unknown): void {
  const handlers = isObject(value) ? Object.entries(value) : []
  const wrong = handlers.find(([, handler]) => typeof handler !== "function")
  if (handlers.length === 0) throw badRequest("work needs handlers: { <job type>: <function> }")
  if (wrong) throw badRequest(`the handler of ${wrong[0]} must be a function`)
}

/** What `run.all` calls: of promises the calls have begun already, outside of any branch. */
export function checkBranches(branches: object): void {
  const given = isObject(branches) || Array.isArray(branches) ? Object.entries(branches) : undefined
  const wrong = given?.find(([, branch]) => typeof branch !== "function")
  if (given && !wrong) return
  const what = wrong ? `${wrong[0]} is ${kindOf(wrong[1])}` : `it was given ${kindOf(branches)}`
  throw badRequest(`run.all takes functions that make the calls, as in run.all({ a: () => run.step("a", …) }): ${what}`)
}

interface NamedStart {
  readonly key?: unknown
  readonly priority?: unknown
  readonly linkingId?: unknown
  readonly businessKey?: unknown
}

export function checkStart(workflow: unknown, { key, priority, linkingId, businessKey }: NamedStart): void {
  if (typeof workflow === "string") checkText(workflow, "the definition's id")
  else checkWorkflow(workflow)
  checkPriority(priority)
  if (linkingId !== undefined) checkText(linkingId, "linkingId")
  if (businessKey !== undefined) checkText(businessKey, "businessKey")
  if (key !== undefined) checkText(key, "key")
  if (key !== undefined && businessKey !== undefined)
    throw badRequest("key and businessKey exclude each other: the key says which run it is")
}
