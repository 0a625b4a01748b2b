// The checker: the doctor's questions after every so many steps, and at the end whether what callers were told is true of the database.
import type { Database } from "../db/database.ts"
import { ALL_KINDS, type Check, examine } from "../operations/upkeep/doctor.ts"
import type { Ledger } from "./ledger.ts"
import type { Profile } from "./profile.ts"
import { JOB_RETRIES } from "./workload/submitters.ts"

const MAX_LOST_LEASES = 3

export class Checker {
  readonly #db: Database
  readonly #ledger: Ledger
  readonly #profile: Profile

  constructor(db: Database, ledger: Ledger, profile: Profile) {
    this.#db = db
    this.#profile = profile
    this.#ledger = ledger
  }

  /** What must hold at every commit. */
  async checkState(): Promise<void> {
    await this.#examine(["state", "audit"])
  }

  /** Instances and jobs that have not ended, and events that were not sent. */
  async countLive(): Promise<number> {
    const [row] = await this.#db.script(`
      select (select count(*) from millrace.instances) + (select count(*) from millrace.live_jobs)
        + (select count(*) from millrace.chains where child_id is null)
        + (select count(*) from millrace.events where seq > (select min(after_seq) from millrace.sinks)) as live`)
    return row?.live as number
  }

  async describeLive(): Promise<string> {
    const rows = await this.#db.script(`
      select 'instance ' || id || ' ' || definition_id || ' ' || status || ' ' || state::text as what from millrace.instances
      union all select 'job ' || instance_id || ' ' || step_id || ' ' || status || ' ' || coalesce(visible_at::text, '') || ' '
        || coalesce(held_reason, '') || ' ' || coalesce(lease_until::text, '') from millrace.live_jobs
      union all select 'chain of ' || parent_id || ' ' || coalesce(last_error, '') from millrace.chains where child_id is null
      union all select 'event ' || id || ' ' || seq from millrace.events
        where seq > (select min(after_seq) from millrace.sinks)
      limit 10`)
    return rows.map(({ what }) => String(what)).join("\n  ")
  }

  /** After the last fault, when all work is done. */
  async checkEnd(): Promise<void> {
    await this.#examine(ALL_KINDS)
    await this.#checkAccepted(
      "instance",
      "select id from millrace.finished_instances union all select id from millrace.instances",
    )
    await this.#checkAccepted(
      "job",
      "select instance_id as id from millrace.history union all select instance_id from millrace.live_jobs",
    )
    await this.#checkBudgets()
    await this.#checkSchedule()
    if (this.#profile.events > 0) await this.#checkEvents()
  }

  async #examine(kinds: readonly Check["kind"][]): Promise<void> {
    const findings = await examine({ db: this.#db }, { kinds })
    for (const { name, meaning, symptoms } of findings.filter((finding) => !this.#isByClock(finding.name)))
      this.#ledger.violate(
        `doctor: ${name}: ${meaning}: ${symptoms.map((one) => `${one.instanceId} ${one.detail}`).join("; ")}`,
      )
  }

  /** Where the clock was set back, steps have ended before they started, and the doctor says so. */
  #isByClock(name: string): boolean {
    const { clockSteps, stepsBack } = this.#profile
    return name === "executionCounts" && stepsBack && clockSteps > 0
  }

  async #checkAccepted(kind: "instance" | "job" | "event", query: string): Promise<void> {
    const rows = await this.#db.script(query)
    const there = new Set(rows.map(({ id }) => id))
    for (const id of this.#ledger.idsOf(kind))
      if (!there.has(id)) this.#ledger.violate(`S1: ${kind} ${id} was accepted and is gone`)
  }

  /** A job is given up only when its failures, or its lost leases, are more than it may have. */
  async #checkBudgets(): Promise<void> {
    const rows = await this.#db.script(
      "select instance_id, reason, attempts from millrace.dead_letters where source = 'job' and reason <> 'not-retryable'",
    )
    for (const { instance_id, reason, attempts } of rows) {
      const { possible, certain } = this.#ledger.failuresOf(String(instance_id))
      const lost = Number(attempts) - certain
      if (reason === "exhausted" ? possible > JOB_RETRIES : lost > MAX_LOST_LEASES) continue
      this.#ledger.violate(
        `S9: job ${instance_id} was given up (${reason}) after at most ${possible} failures and ${lost} lost leases`,
      )
    }
  }

  /** What was received is what was published: nothing missing, nothing else, and of each key in its order. */
  async #checkEvents(): Promise<void> {
    await this.#checkAccepted("event", "select id || '-' || incarnation as id from millrace.events")
    const rows = await this.#db.script(
      "select coalesce(key, '') as key, array_agg(id || '-' || incarnation order by seq) as ids from millrace.events group by 1",
    )
    for (const { key, ids } of rows) {
      const received = [...(this.#ledger.received.get(String(key)) ?? [])].join()
      if (received !== (ids as string[]).join())
        this.#ledger.violate(
          `S17, S18: of key ${key} were published ${(ids as string[]).join()}, and received ${received}`,
        )
    }
  }

  /** No job of the schedule is there without its tick; that each tick has its job is asked by the doctor. */
  async #checkSchedule(): Promise<void> {
    const rows = await this.#db.script(`
      select m.id from (
        select instance_id as id from millrace.history where payload ? 'tick'
        union all select instance_id from millrace.live_jobs where payload ? 'tick'
      ) m
      left join millrace.schedule_runs r on r.work_id = m.id and r.outcome = 'started' where r.work_id is null`)
    for (const { id } of rows) this.#ledger.violate(`B-X6: the job ${id} of the schedule has no tick`)
  }
}
