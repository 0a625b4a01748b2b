// The one way to change a setting while the engine runs: made once per request key, noted with its author, and in force in every
// process when it returns.
import { setTimeout as sleep } from "node:timers/promises"
import type { Transaction } from "../../db/transaction.ts"
import { type Change, countChange, isLiveEverywhere } from "../../store/flow/live-settings.ts"
import type { RequestKey } from "../../store/kernel/request-keys.ts"
import { type Done, type OldAnswer, once } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { liveSettingsOf } from "./live-settings.ts"
import { openQueuesOf } from "./open-queues.ts"

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
  /** What the operator gets to see. Undefined where there is nothing to show. */
  readonly view: View
  /** Undefined where all was as it should be. */
  readonly change: Omit<Change, "actor" | "at"> | undefined
}

/** `at` is when the change is noted as made. */
type Work<View> = (tx: Transaction, at: number) => Promise<Made<View>> | Made<View>

interface Task<View> {
  readonly work: Work<View>
  /** The answer to a repeat of a change that the previous version made. Usually what that version has kept. */
  readonly readOld: (old: OldAnswer, tx: Transaction) => View | Promise<View>
}

const asKept = <View>({ body }: OldAnswer): View => body as View

export async function changeLive<View>(
  kernel: Kernel,
  { actor, requestKey }: Operator,
  task: Work<View> | Task<View>,
): Promise<Done<View>> {
  const { work, readOld } = typeof task === "function" ? { work: task, readOld: asKept<View> } : task
  const counted: { version?: number } = {}
  const make = async (tx: Transaction) => {
    const at = kernel.clock.nowMs()
    const { view, change } = await work(tx, at)
    // The last write of the transaction: every change locks what it changes first and the version after it, so that none deadlock.
    if (change) countChange(tx, { actor, at, ...change }, (version) => (counted.version = version))
    return view
  }
  const done = await kernel.db.transaction((tx) =>
    once(tx, requestKey, { work: () => make(tx), readOld: (old) => readOld(old, tx) }),
  )
  if (counted.version !== undefined) await takeEffect(kernel, counted.version)
  return done
}

const EVERYWHERE_WITHIN_MS = 3_000
const LOOK_EVERY_MS = 50
/** Longer than a pulse: a process that has itself stood still has not waited for the others. */
const LEAST_LOOKS = 30

/** Waits until the pulse of every process that is alive has read the change. */
async function takeEffect(kernel: Kernel, version: number): Promise<void> {
  await liveSettingsOf(kernel).refresh()
  openQueuesOf(kernel).changed()
  const end = performance.now() + EVERYWHERE_WITHIN_MS
  for (let looks = 0; looks < LEAST_LOOKS || performance.now() < end; looks++) {
    if (await isLiveEverywhere(kernel.db, version, kernel.processId)) return
    await sleep(LOOK_EVERY_MS)
  }
}
