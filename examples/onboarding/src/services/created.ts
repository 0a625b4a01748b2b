// The usual answer of a service that creates something: a new id under the name that the caller expects.
import { randomUUID } from "node:crypto"
import type { Answer } from "./service.ts"

export const created = (idName: string, effect: string): Answer => ({
  status: 201,
  body: { [idName]: randomUUID() },
  effect,
})

/** Something is as the caller wants it; there is nothing to tell. */
export const done = (effect: string): Answer => ({ status: 200, body: {}, effect })
