// What becomes of a run whose wait is not answered in time: the choices, what they tell the compiler, and which of them make sense.
import { badRequest } from "../../support/errors.ts"
import { isObject } from "../../support/json.ts"

/** "fail": the run fails. "continue": it goes on without a value. */
export type OnTimeout = "fail" | "continue"

/** The list goes on at this later step, and skips the steps between. A type, not an interface: it is stored as JSON. */
export type GoTo<Target extends string = string> = { readonly goTo: Target }

/** A function has code for it, so only a list can name a step. */
export type OnListTimeout = OnTimeout | GoTo

export type TargetOf<Late> = Late extends GoTo<infer Target> ? Target : never

/** A value is there, unless the wait may go on without one. Where it goes elsewhere, the steps between have it. */
export type IsSure<Within, Late> = [Within] extends [undefined] ? true : "continue" extends Late ? false : true

export const isGoTo = (value: unknown): value is GoTo => isObject(value) && typeof value.goTo === "string"

interface Limits {
  readonly within?: string | undefined
  readonly onTimeout?: OnListTimeout | undefined
}

export function checkOnTimeout(what: string, { within, onTimeout }: Limits): void {
  if (onTimeout === undefined) return
  if (!isChoice(onTimeout) && !isGoTo(onTimeout)) {
    const choices = '"fail", "continue" or { goTo: "name of a later step" }'
    throw badRequest(`onTimeout of ${what} must be ${choices}, not ${JSON.stringify(onTimeout)}`)
  }
  if (within === undefined) throw badRequest(`onTimeout of ${what} means nothing without \`within\`: add it`)
}

export function checkFunctionTimeout(what: string, limits: Limits): void {
  if (isGoTo(limits.onTimeout))
    throw badRequest(`onTimeout of ${what} names a step, which only a list can go to: catch the error instead`)
  checkOnTimeout(what, limits)
}

const isChoice = (value: unknown): boolean => value === "fail" || value === "continue"
