// The simulator's own connection: it sets the database's clock, sees which statements wait for a lock, and ends backends.
import type { Database } from "../db/database.ts"
import { realSleep } from "./virtual-globals.ts"

type Ask = (text: string, values: unknown[]) => Promise<Record<string, unknown>[]>

export class Monitor {
  readonly #ask: Ask
  readonly close: () => void

  private constructor(ask: Ask, close: () => void) {
    this.#ask = ask
    this.close = close
  }

  static async open(db: Database): Promise<Monitor> {
    const client = await db.dedicated()
    const names = new Map<string, string>()
    const nameOf = (text: string) => names.get(text) ?? (names.set(text, `monitor-${names.size}`).get(text) as string)
    const ask: Ask = async (text, values) => (await client.query({ name: nameOf(text), text, values })).rows
    return new Monitor(ask, () => client.release())
  }

  async setClock(epochMs: number): Promise<void> {
    await this.#ask("select setval('millrace.sim_clock', $1::bigint)", [epochMs])
  }

  /** For each backend that waits for a lock: the backends it waits for. */
  async findBlocked(pids: readonly number[]): Promise<ReadonlyMap<number, readonly number[]>> {
    const rows = await this.#ask(
      "select pid, pg_blocking_pids(pid) as behind from unnest($1::integer[]) as pid where cardinality(pg_blocking_pids(pid)) > 0",
      [pids],
    )
    return new Map(rows.map(({ pid, behind }) => [pid as number, behind as number[]]))
  }

  async cancel(pid: number): Promise<void> {
    await this.#ask("select pg_cancel_backend($1::integer)", [pid])
  }

  /** Resolves when they have ended, and their locks are free. The server itself would look for that every 100 ms only. */
  async terminate(pids: readonly number[]): Promise<void> {
    await this.#ask("select pg_terminate_backend(pid) from unnest($1::integer[]) as pid", [pids])
    const count = "select count(*)::integer as left from pg_stat_activity where pid = any($1::integer[])"
    while ((await this.#ask(count, [pids]))[0]?.left !== 0) await realSleep(1)
  }
}
