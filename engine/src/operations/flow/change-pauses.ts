// Pauses: a priority, a job type, a definition or a downstream whose jobs are not handed out until it is resumed.
import type { Transaction } from "../../db/transaction.ts"
import type { Pause, PauseKind } from "../../store/flow/live-settings.ts"
import { deletePause, findPause, insertPause, listPauses as listRows } from "../../store/flow/pauses.ts"
import { conflict } from "../../support/errors.ts"
import { isoTime } from "../../support/iso-time.ts"
import type { Done } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { changeLive, type Operator } from "./change-live.ts"

export const PAUSE_KINDS = ["queue", "jobType", "definition", "downstream"] as const satisfies readonly PauseKind[]

export interface PauseView {
  readonly kind: PauseKind
  readonly name: string
  readonly reason?: string
  readonly pausedBy: string
  readonly pausedAt: string
}

/** What is to be paused or resumed. */
export interface PauseTarget {
  readonly kind: PauseKind
  readonly name: string
}

export const viewOfPause = ({ kind, name, reason, by, at }: Pause): PauseView => ({
  kind,
  name,
  ...(reason === null ? {} : { reason }),
  pausedBy: by,
  pausedAt: isoTime(at),
})

export const listPauses = async (kernel: Kernel): Promise<readonly PauseView[]> =>
  (await listRows(kernel.db)).map(viewOfPause)

/** What is paused already stays as it is: the answer names the first author and the reason. */
export const pause = (
  kernel: Kernel,
  operator: Operator,
  { kind, name, reason }: PauseTarget & { readonly reason: string | undefined },
): Promise<Done<PauseView>> => {
  const work = async (tx: Transaction) => {
    const made = await insertPause(tx, { kind, name, reason, actor: operator.actor })
    const stands = made ?? (await findPause(tx, kind, name))
    if (!stands) throw conflict(`${kind} ${name} was resumed at this moment; pause it again`)
    const detail = { paused: true, kind, reason }
    return { view: viewOfPause(stands), change: made && { kind: "pause", name, detail } }
  }
  return changeLive(kernel, operator, { work, readOld: ({ body }) => readOldPause(kind, body as OldPause) })
}

type OldPause = PauseView & { readonly paused_by?: string; readonly paused_at?: string }

/** An answer that version 0.1 kept for a repeat: of a priority it kept the body that it had sent, in snake_case. */
function readOldPause(kind: PauseKind, { paused_by, paused_at, ...pause }: OldPause): PauseView {
  if (paused_by === undefined || paused_at === undefined) return pause
  const { name, reason } = pause
  return { kind, name, ...(reason === undefined ? {} : { reason }), pausedBy: paused_by, pausedAt: paused_at }
}

/** What is not paused is no error: it runs. */
export const resume = (
  kernel: Kernel,
  operator: Operator,
  { kind, name, reason }: PauseTarget & { readonly reason?: string | undefined },
): Promise<Done<void>> =>
  changeLive(kernel, operator, async (tx) => {
    const ended = await deletePause(tx, kind, name)
    const detail = { paused: false, kind, reason }
    return { view: undefined, change: ended && { kind: "pause", name, detail } }
  })
