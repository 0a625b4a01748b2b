// What a scenario looks at: the road an instance took, where it stands, and how a call was refused.
import assert from "node:assert/strict"
import { setTimeout as pause } from "node:timers/promises"
import type { Instance } from "@millrace/sdk"
import type { ScenarioClient } from "./scenario.ts"

const PATIENCE_MS = 60_000
const LOOK_EVERY_MS = 15

/** Looks again until it is so. No transport tells a client that an instance moved, so there is no signal to wait for. */
export async function eventually<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const end = performance.now() + PATIENCE_MS
  for (;;) {
    const seen = await look()
    if (seen !== undefined) return seen
    assert.ok(performance.now() < end, `it never came to this: ${what}`)
    await pause(LOOK_EVERY_MS)
  }
}

const TERMINAL = new Set(["COMPLETED", "FAILED", "CANCELLED"])

/** The instance when it has ended. */
export const ended = (client: ScenarioClient, id: string): Promise<Instance> =>
  eventually(`instance ${id} ended`, async () => {
    const instance = await client.getInstance(id)
    return TERMINAL.has(instance.status) ? instance : undefined
  })

/** The instance when it stands at exactly these steps. */
export const standsAt = (client: ScenarioClient, id: string, ...stepIds: readonly string[]): Promise<Instance> =>
  eventually(`instance ${id} stands at ${stepIds.join(", ")}`, async () => {
    const instance = await client.getInstance(id)
    return sameSet(instance.currentStepIds, stepIds) ? instance : undefined
  })

const sameSet = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((item) => other.includes(item))

/** `step STATUS` of every step execution, in order. */
export async function road(client: ScenarioClient, id: string): Promise<string[]> {
  return (await client.getHistory(id)).map(({ stepId, status }) => `${stepId} ${status}`)
}

/** How many audit lines of this kind there are. */
export async function auditCount(client: ScenarioClient, id: string, kind: string): Promise<number> {
  return (await client.getAudit(id)).filter((entry) => entry.kind === kind).length
}

/** The code by which a call was refused; a call that was taken is a failure of the scenario. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  const outcome = await call.then(
    () => "taken",
    (error: { readonly code?: unknown }) => {
      if (typeof error.code !== "string") throw error
      return error.code
    },
  )
  assert.notEqual(outcome, "taken", "the call was not refused")
  return outcome
}
