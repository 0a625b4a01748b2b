// One request of REST from the dice: whose it is, what it asks, and how it is spoiled.
import { weighted } from "../values/dice.ts"
import type { Maker } from "../values/schema-values.ts"
import { type Draft, encode, kindsOf, pathOf, validDraft } from "./draft.ts"
import { BLOWS, SLIPS } from "./harm.ts"
import type { RestOperation } from "./operations.ts"

/** Scopes of the key that it is sent with; undefined where it is sent without one, or with one that is not known. */
export type Scopes = readonly string[] | undefined

export interface Caller {
  readonly scopes: Scopes
  readonly authorization: string | undefined
}

export interface RestRequest {
  readonly operation: RestOperation
  readonly method: string
  /** The path as it is sent, with the query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
  readonly raw: boolean
  readonly scopes: Scopes
  /** Nothing in it was spoiled. */
  readonly isValid: boolean
  /** What the body says, where it was not spoiled. */
  readonly said: unknown
}

export interface RestParts {
  readonly operations: readonly RestOperation[]
  readonly callers: readonly (readonly [number, Caller])[]
  /** Who the proxy says is calling: blocks meet this address alone. */
  readonly from: string
  /** The number of the request in its episode. */
  readonly at: number
}

/** An episode begins with work of its own, so that the requests after them are about something. */
const OPENING = [
  ...Array.from({ length: 4 }, () => "uploadDefinition"),
  ...Array.from({ length: 8 }, () => "startInstance"),
  ...Array.from({ length: 4 }, () => "enqueueJob"),
  ...["createSchedule", "publishEvent", "pollJobs", "pollJobs", "failJob", "failJob", "completeJob", "pollJobs"],
  ...["listUserTasks", "listDeadLetters", "listSchedules", "createApiKey"],
]
/** The share of the requests that are about something that exists. */
const ABOUT = 0.8

export function makeRequest(base: Omit<Maker, "about">, { operations, callers, from, at }: RestParts): RestRequest {
  const { dice, memory } = base
  const opening = operations.find(({ id }) => id === OPENING[at])
  const operation =
    opening ??
    weighted(
      dice,
      operations.map((one) => [one.weight, one]),
    )
  const isAbout = dice.chance(ABOUT)
  const found = memory.belonging(kindsOf(operation), dice.next())
  const maker = { ...base, about: isAbout ? found : {} }
  const draft = validDraft(maker, operation)
  const caller = opening ? adminOf(callers) : weighted(dice, callers)
  draft.headers["x-forwarded-for"] = from
  if (caller.authorization !== undefined) draft.headers.authorization = caller.authorization
  const isSpoiled = !opening && spoil(draft, maker)
  return { ...finished(draft, maker), scopes: scopesOf(draft, caller), isValid: !isSpoiled }
}

export const isOpening = (at: number): boolean => at < OPENING.length

export const adminOf = (callers: RestParts["callers"]): Caller =>
  callers.find(([, { scopes }]) => scopes?.includes("admin"))![1]

/** The odds of a valid request, a slip and a blow. */
function spoil(draft: Draft, maker: Maker): boolean {
  const { dice } = maker
  const how = weighted(dice, [
    [50, "none"],
    [28, "slip"],
    [18, "blow"],
    [4, "both"],
  ] as const)
  if (how === "slip" || how === "both") dice.pick(SLIPS)(draft, maker)
  if (how === "blow" || how === "both") dice.pick(BLOWS)(draft, maker)
  return how !== "none"
}

const scopesOf = ({ headers }: Draft, { authorization, scopes }: Caller): Scopes =>
  headers.authorization === authorization ? scopes : undefined

function finished(draft: Draft, { dice }: Maker): Omit<RestRequest, "scopes" | "isValid"> {
  const { operation, method, headers } = draft
  const query = draft.query.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&")
  const target = `${pathOf(draft)}${query === "" ? "" : `?${query}`}`
  const text = draft.body === undefined ? undefined : JSON.stringify(draft.body, null, dice.chance(0.05) ? 1 : 0)
  const body = draft.bytes ?? (text === undefined ? undefined : Buffer.from(text))
  return {
    operation,
    method,
    target,
    headers,
    body,
    raw: draft.raw ?? false,
    said: draft.bytes ? undefined : draft.body,
  }
}
