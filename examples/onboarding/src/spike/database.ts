// The embedded PostgreSQL of this run: where the workers find it, and what it says about the onboardings.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import postgres from "postgres"

/** Of the server that `millrace({ database: "embedded", dataDir })` has started in this process. */
export function connectionString(dataDir: string): string {
  const content = (name: string) => readFileSync(join(dataDir, name), "utf8").trim()
  return `postgres://millrace:${content("password")}@127.0.0.1:${content("port")}/millrace`
}

export interface Row {
  readonly idempotency_key: string
  readonly status: "PENDING" | "COMPLETE" | "FAILED"
  readonly last_error: string | null
}

export class Books {
  readonly #sql: postgres.Sql

  constructor(dsn: string) {
    this.#sql = postgres(dsn, { max: 1 })
  }

  /** How many are in each of the three statuses. */
  async counts(): Promise<{ PENDING: number; COMPLETE: number; FAILED: number }> {
    const rows = await this.#sql<{ status: Row["status"]; count: number }[]>`
      select status, count(*)::integer from millrace_views.workflow group by 1`
    return { PENDING: 0, COMPLETE: 0, FAILED: 0, ...Object.fromEntries(rows.map((row) => [row.status, row.count])) }
  }

  rows(): Promise<readonly Row[]> {
    return this.#sql<Row[]>`
      select idempotency_key, status, last_error from millrace_views.workflow where definition_id = 'onboarding'`
  }

  /** From arrival to end of the latest runs that needed one attempt, in ms. */
  async runTimesMs(latest: number): Promise<readonly number[]> {
    const rows = await this.#sql<{ ms: number }[]>`
      select (extract(epoch from completed_at - created_at) * 1000)::float8 as ms from millrace_views.workflow
      where status = 'COMPLETE' and retry_count = 0
      order by created_at desc limit ${latest}`
    return rows.map(({ ms }) => ms)
  }

  close(): Promise<void> {
    return this.#sql.end()
  }
}
