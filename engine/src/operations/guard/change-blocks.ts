// Blocks by operators: of an address or a user agent until they are lifted, of an address for a while; and pardons, after which what a
// client did before no longer counts. In force in every process when they return.
import { type BlockName, deleteBlock, upsertBlock } from "../../store/guard/blocks.ts"
import { deleteSoftBlocks, upsertSoftBlocks } from "../../store/guard/soft-blocks.ts"
import { noteGuardChange } from "../../store/guard/state.ts"
import { changeLive, type Operator } from "../flow/change-live.ts"
import type { Done } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"

export type { BlockName } from "../../store/guard/blocks.ts"

interface Terms {
  readonly reason: string
  /** Undefined is until it is lifted. */
  readonly forMs?: number | undefined
}

/** A block that is there already has its author, reason and time changed. */
export const block = (
  kernel: Kernel,
  operator: Operator,
  { kind, value, reason, forMs }: BlockName & Terms,
): Promise<Done<BlockName>> =>
  changeLive(kernel, operator, (tx, at) => {
    const until = forMs === undefined ? undefined : at + forMs
    upsertBlock(tx, { kind, value, id: kernel.newId(), reason, actor: operator.actor, at, until })
    noteGuardChange(tx, { act: "block", kind, value }, at)
    const detail = { blocked: true, kind, reason, forMs }
    return { view: { kind, value }, change: { kind: "guard", name: value, detail } }
  })

interface Lifted {
  readonly wasBlocked: boolean
}

/** What is not blocked is no error: it may call. */
export const unblock = (kernel: Kernel, operator: Operator, { kind, value }: BlockName): Promise<Done<Lifted>> =>
  changeLive(kernel, operator, async (tx, at) => {
    const wasBlocked = await deleteBlock(tx, { kind, value })
    if (wasBlocked) noteGuardChange(tx, { act: "unblock", kind, value }, at)
    const change = { kind: "guard", name: value, detail: { blocked: false, kind } }
    return { view: { wasBlocked }, change: wasBlocked ? change : undefined }
  })

interface SoftBlockRequest {
  /** The name that the guard uses, such as `ip:192.0.2.7`. */
  readonly subject: string
  readonly rule: string
  readonly reason: string
  readonly forMs: number
}

export const softBlock = (
  kernel: Kernel,
  operator: Operator,
  { subject, rule, reason, forMs }: SoftBlockRequest,
): Promise<Done<void>> =>
  changeLive(kernel, operator, async (tx, at) => {
    const { actor } = operator
    await upsertSoftBlocks(tx, [{ id: kernel.newId(), subject, rule, reason, actor, at, until: at + forMs }])
    noteGuardChange(tx, { act: "soft-block", value: subject }, at)
    return { view: undefined, change: { kind: "guard", name: subject, detail: { softBlocked: true, reason, forMs } } }
  })

/** Lifts soft blocks, those of rules too, and lets what was counted be forgotten. */
export const pardon = (kernel: Kernel, operator: Operator, subject: string): Promise<Done<Lifted>> =>
  changeLive(kernel, operator, async (tx, at) => {
    const wasBlocked = await deleteSoftBlocks(tx, subject)
    noteGuardChange(tx, { act: "pardon", value: subject }, at)
    return { view: { wasBlocked }, change: { kind: "guard", name: subject, detail: { pardoned: true } } }
  })
