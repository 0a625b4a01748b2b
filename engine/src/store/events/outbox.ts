// Typed access to the outbox as a whole.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import { assert } from "../../support/assert.ts"

const sql = statements(import.meta.url, "outbox", [
  "readOutbox",
  "setHighWatermark",
  "renewIncarnation",
  "keepIncarnation",
])

export interface Outbox extends Record<string, unknown> {
  readonly incarnation: string
  readonly high_watermark: number
  /** Events that the sink which is furthest behind has not had. */
  readonly waiting: number
  /** The server is another than the one that wrote it, or has been restored or promoted since. */
  readonly has_moved: boolean
}

export async function readOutbox(db: Database): Promise<Outbox> {
  const [outbox] = await db.query<Outbox>(sql.readOutbox, {})
  assert(outbox, "the outbox has its row")
  return outbox
}

export async function setHighWatermark(db: Database, most: number): Promise<void> {
  await db.query(sql.setHighWatermark, { most })
}

export interface Renewal extends Record<string, unknown> {
  readonly former: string
  readonly fresh: string
}

/** Events from now on have ids that none of those can have which were published and lost. */
export async function renewIncarnation(db: Database): Promise<Renewal> {
  const [renewal] = await db.query<Renewal>(sql.renewIncarnation, {})
  assert(renewal, "the outbox has its row")
  return renewal
}

/** Nothing was lost: the server as it is now is the one that the outbox belongs to. */
export async function keepIncarnation(db: Database): Promise<void> {
  await db.query(sql.keepIncarnation, {})
}
