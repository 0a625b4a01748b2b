// The one way to change a setting while the engine runs: made once per request key, noted with its author, and in force in every
// process when it returns.
import { setTimeout as sleep } from "node:timers/promises"
import type { Transaction } from "../../db/transaction.ts"
import { type Change, countChange, isLiveEverywhere } from "../../store/flow/live-settings.ts"
import type { RequestKey } from "../../store/instances/keys.ts"
import { once, type Replay } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { dispatchOf } from "./dispatch.ts"
import { liveSettingsOf } from "./live-settings.ts"

/** Who makes the change: an operator, or a worker that declares what it needs. */
export interface Operator {
  readonly actor: string
  readonly requestKey?: RequestKey | undefined
}

/** Who made the last one, where it is still known. */
export interface LastChange {
  readonly changedAt?: string
  readonly changedBy?: string
}

interface Made<View> {
  /** What the operator is answered; undefined is an answer without a body. */
  readonly view: View
  /** Undefined where all was as it should be. */
  readonly change: Omit<Change, "actor"> | undefined
}

export type Applied<View> = { readonly result: View } | { readonly replay: Replay }

type Work<View> = (tx: Transaction) => Promise<Made<View>> | Made<View>

export async function changeLive<View>(
  kernel: Kernel,
  { actor, requestKey }: Operator,
  work: Work<View>,
): Promise<Applied<View>> {
  const counted: { version?: number } = {}
  const make = async (tx: Transaction) => {
    const { view, change } = await work(tx)
    // The last write of the transaction: every change locks what it changes first and the version after it, so that none deadlock.
    if (change) countChange(tx, { actor, ...change }, (version) => (counted.version = version))
    return view
  }
  const done = await kernel.db.transaction((tx) => once(tx, requestKey, () => make(tx), answerOf))
  if (counted.version !== undefined) await takeEffect(kernel, counted.version)
  return done
}

const answerOf = (view: unknown) =>
  view === undefined ? { status: 204, body: null } : { status: 200, body: JSON.stringify(view) }

const EVERYWHERE_WITHIN_MS = 3_000
const LOOK_EVERY_MS = 50

/** Waits until the pulse of every process that is alive has read the change. */
async function takeEffect(kernel: Kernel, version: number): Promise<void> {
  await liveSettingsOf(kernel).refresh()
  dispatchOf(kernel).changed()
  const end = performance.now() + EVERYWHERE_WITHIN_MS
  while (!(await isLiveEverywhere(kernel.db, version, kernel.processId)) && performance.now() < end)
    await sleep(LOOK_EVERY_MS)
}
