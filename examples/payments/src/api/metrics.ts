// What the API tells Prometheus: how requests ended, how far the outbox is behind, and how many dead letters wait for an operator.
import { Counter, Gauge, Registry } from "prom-client"
import { type Db, rowsOf } from "../payments/database.ts"

export interface ShopMetrics {
  readonly registry: Registry
  readonly created: Counter<"status">
}

export function shopMetrics(db: Db): ShopMetrics {
  const registry = new Registry()
  const created = new Counter({
    name: "payments_created_total",
    help: "POST /payments by how it ended: success, idempotent_hit, conflict.",
    labelNames: ["status"],
    registers: [registry],
  })
  for (const status of ["success", "idempotent_hit", "conflict"]) created.inc({ status }, 0)
  addGauge(registry, "outbox_lag_seconds", "Age of the oldest event that some sink has not had.", () =>
    numberOf(db, LAG),
  )
  addGauge(registry, "outbox_depth", "Events that some sink has not had.", () => numberOf(db, DEPTH))
  addGauge(
    registry,
    "dlq_depth",
    "Payments that were given up and not yet tried again, or of which the provider does not say what happened.",
    () => numberOf(db, DEAD_LETTERS),
  )
  return { registry, created }
}

/** Read when it is asked for: it is true whichever process died, and falls as well as rises. */
function addGauge(registry: Registry, name: string, help: string, read: () => Promise<number>): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect: async function () {
      this.set(await read())
    },
  })
}

const LAG = `select coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as value
  from millrace_views.event where published_at is null`
const DEPTH = "select count(*)::float8 as value from millrace_views.event where published_at is null"
const DEAD_LETTERS = `select (select count(*) from payments where is_dead_letter)::float8 + (
    select count(*) from payments p join millrace_views.dead_letter_queue_item d on d.workflow_id = p.job_id
    where p.status = 'PROCESSING') as value`

async function numberOf(db: Db, text: string): Promise<number> {
  const [row] = await rowsOf<{ value: number }>(db, text)
  return Math.max(0, row?.value ?? 0)
}
