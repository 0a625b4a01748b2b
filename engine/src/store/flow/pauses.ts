// Typed access to pauses.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"
import type { Pause, PauseKind } from "./live-settings.ts"

const sql = statements(import.meta.url, "pauses", ["insertPause", "findPause", "listPauses", "deletePause"])

type PauseRow = Pause & Record<string, unknown>

export interface NewPause {
  readonly kind: PauseKind
  readonly name: string
  readonly reason: string | undefined
  readonly actor: string
}

/** Undefined where it is paused already: the first pause stands. */
export async function insertPause(
  tx: Transaction,
  { kind, name, reason, actor }: NewPause,
): Promise<Pause | undefined> {
  const [row] = await tx.read<PauseRow>(sql.insertPause, { kind, name, reason: reason ?? null, actor })
  return row
}

export async function findPause(tx: Transaction, kind: PauseKind, name: string): Promise<Pause | undefined> {
  const [row] = await tx.read<PauseRow>(sql.findPause, { kind, name })
  return row
}

export const listPauses = (db: Database): Promise<PauseRow[]> => db.query(sql.listPauses)

/** The pause that was ended; undefined where there was none. */
export async function deletePause(tx: Transaction, kind: PauseKind, name: string): Promise<Pause | undefined> {
  const [row] = await tx.read<PauseRow>(sql.deletePause, { kind, name })
  return row
}
