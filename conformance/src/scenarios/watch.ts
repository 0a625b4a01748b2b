// What tests of workers look at: where an instance stands, and what the audit trail counts.
import assert from "node:assert/strict"
import { setTimeout as pause } from "node:timers/promises"
import type { EngineClient, Instance } from "@millrace/sdk"

const PATIENCE_MS = 240_000
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
export const ended = (client: EngineClient, id: string): Promise<Instance> =>
  eventually(`instance ${id} ended`, async () => {
    const instance = await client.getInstance(id)
    return TERMINAL.has(instance.status) ? instance : undefined
  })

/** How many audit lines of this kind there are. */
export async function auditCount(client: EngineClient, id: string, kind: string): Promise<number> {
  return (await client.getAudit(id)).filter((entry) => entry.kind === kind).length
}
