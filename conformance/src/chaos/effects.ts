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
  instance_id text collate "C" not null, execution integer not null, attempt integer not null, job_id text not null,
  node text not null, idempotency_key text not null, at timestamptz not null default clock_timestamp(),
  via text not null, repeats integer not null default 0, primary key (instance_id, execution, attempt))`

// Kafka delivers a message at least once; what was claimed by a poll is delivered to its claimant alone.
const MARK = statement(
  "chaos.mark",
  `insert into public.chaos_effects as e (instance_id, execution, attempt, job_id, node, idempotency_key, via)
   values (@instance_id, @execution, @attempt, @id, @node, @idempotencyKey, @via)
   on conflict (instance_id, execution, attempt) do update set repeats = e.repeats + 1
   where e.via = 'kafka' and excluded.via = 'kafka' returning e.repeats`,
)

interface Marker {
  readonly dsn: string
  readonly node: string
  /** How deliveries come to this process. */
  readonly via: "polled" | "kafka"
}

export function effectsOf({ dsn, node, via }: Marker, onBug: (what: string, error: string) => void) {
  const db = new Database({ dsn, schema: "millrace", maxConnections: 4, applicationName: "chaos-effects" })
  return {
    async mark({ id, attempt, idempotencyKey }: Delivery): Promise<void> {
      const key = parseJobId(id)
      try {
        assert(key, `${id} is the id of a job`)
        const marked = await db.query(MARK, { ...toColumns(key), attempt, id, node, idempotencyKey, via })
        assert(marked.length > 0, `${id} #${attempt} was claimed once`)
      } catch (error) {
        if (!isAway(error)) onBug("one delivery was handled twice", `${id} #${attempt}: ${String(error)}`)
        throw error
      }
    },
    close: () => db.close(),
  }
}
