// The marks that handlers leave: one row per delivery, written through the same database in a transaction of its own.
import { Database } from "../../../engine/dist/db/database.js"
import { isAway } from "../../../engine/dist/db/errors.js"
import { statement } from "../../../engine/dist/db/statements.js"
import { toColumns } from "../../../engine/dist/store/jobs/job-columns.js"
import { assert } from "../../../engine/dist/support/assert.js"
import { parseJobId } from "../../../engine/dist/support/job-key.js"
import type { Delivery } from "./workload.ts"

// The primary key is a check: the mark is durable, so the claim before it is too, and its number is never given out again.
export const EFFECTS_TABLE = `create table if not exists public.chaos_effects (
  instance_id text collate "C" not null, execution integer not null, attempt integer not null,
  node text not null, idempotency_key text not null, at timestamptz not null default clock_timestamp(),
  primary key (instance_id, execution, attempt))`

const MARK = statement(
  "chaos.mark",
  `insert into public.chaos_effects (instance_id, execution, attempt, node, idempotency_key)
   values (@instance_id, @execution, @attempt, @node, @idempotencyKey)`,
)

export function effectsOf(dsn: string, node: string, onBug: (what: string, error: string) => void) {
  const db = new Database({ dsn, schema: "millrace", maxConnections: 4, applicationName: "chaos-effects" })
  return {
    async mark({ id, attempt, idempotencyKey }: Delivery): Promise<void> {
      const key = parseJobId(id)
      try {
        assert(key, `${id} is the id of a job`)
        await db.query(MARK, { ...toColumns(key), attempt, node, idempotencyKey })
      } catch (error) {
        if (!isAway(error)) onBug("one delivery was handled twice", `${id} #${attempt}: ${String(error)}`)
        throw error
      }
    },
    close: () => db.close(),
  }
}
