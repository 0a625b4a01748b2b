// What an operator sees: the queue, the states of the steps and the dead letters, by SQL on the views of the engine.
import postgres from "postgres"

export interface DeadItem {
  readonly id: string
  readonly workflow_id: string
  readonly step_id: string
  readonly error: string
  readonly retry_count: number
}

/** Of all analyses. */
export interface Outcome {
  readonly pending: number
  readonly complete: number
  readonly failed: number
  readonly averageMs: number
}

const STATES = ["pending", "queued", "running", "completed", "failed", "aborted"]

export class Board {
  readonly #sql: postgres.Sql

  constructor(database: string) {
    this.#sql = postgres(database, { max: 1 })
  }

  /** How many steps are in each state, such as `queued 5, completed 12`. */
  async states(): Promise<string> {
    const rows = await this.#sql<{ status: string; n: number }[]>`
      select status, count(*)::integer as n from millrace_views.workflow_step group by 1`
    const count = new Map(rows.map(({ status, n }) => [status, n]))
    return STATES.flatMap((state) => (count.has(state) ? [`${state} ${count.get(state)}`] : [])).join(", ")
  }

  async queued(): Promise<number> {
    const [row] = await this.#sql<[{ n: number }]>`select count(*)::integer as n from millrace_views.queue_item`
    return row.n
  }

  /** Such as `upload-image completed, predict pending (retries: 1)`. */
  async stepsOf(id: string): Promise<string> {
    const rows = await this.#sql<{ name: string; status: string; retry_count: number }[]>`
      select name, status, retry_count::integer from millrace_views.workflow_step where workflow_id = ${id} order by execution`
    const retries = (n: number) => (n === 0 ? "" : ` (retries: ${n})`)
    return rows.map(({ name, status, retry_count }) => `${name} ${status}${retries(retry_count)}`).join(", ")
  }

  deadLetters(): Promise<readonly DeadItem[]> {
    return this.#sql<DeadItem[]>`select * from millrace_views.dead_letter_queue_item order by moved_at`
  }

  async outcome(): Promise<Outcome> {
    const [row] = await this.#sql<[Outcome]>`
      select count(*) filter (where status = 'PENDING')::integer as pending,
        count(*) filter (where status = 'COMPLETE')::integer as complete,
        count(*) filter (where status = 'FAILED')::integer as failed,
        coalesce(extract(epoch from avg(completed_at - created_at) filter (where status = 'COMPLETE')) * 1000, 0)::float8
          as "averageMs"
      from millrace_views.workflow`
    return row
  }

  close(): Promise<void> {
    return this.#sql.end()
  }
}
