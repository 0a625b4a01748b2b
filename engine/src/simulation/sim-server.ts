// The PostgreSQL of one simulator: of its own, because every transaction of a cluster is seen in the snapshots of all its databases. Its
// statements run by the simulation's clock, and a lock is waited for without end: when a wait is over, the simulation decides.
import { rmSync } from "node:fs"
import { Database } from "../db/database.ts"
import { startEmbedded } from "../db/embedded.ts"
import { cloneOfTemplate, createTemplate, withDatabase } from "../test-support/global-setup.ts"
import { interceptSettings, takeInterception } from "../test-support/lock-waits.ts"
import { makeServerFolder } from "../test-support/memory-folder.ts"
import { openNew, type SeedDatabase } from "./seed-database.ts"
import { REMEMBER, WarmDatabase } from "./warm-database.ts"

export interface SimServer {
  /** Opens a migrated database: a new one, or a warm one that earlier seeds have used. */
  open(isWarm: boolean): Promise<SeedDatabase>
  stop(): Promise<void>
}

/**
 * A statement is planned once for all values. The doctor's questions are asked often enough for that to matter, and what a plan is like does
 * not depend on how often earlier seeds have run it.
 */
const ONE_PLAN = "plan_cache_mode = force_generic_plan"

/** After this many seeds a used database is replaced by a new one, because its catalogue is never vacuumed. */
const SEEDS_PER_DATABASE = 50

/** Nothing runs by itself there, and nothing is decided by real time. */
const SETTINGS = {
  fsync: "off",
  full_page_writes: "off",
  autovacuum: "off",
  deadlock_timeout: "1h",
  max_connections: "100",
  max_wal_size: "4GB",
  checkpoint_timeout: "1h",
}

/** A lease that was never delivered is given back: its delivery does not count, and the next one has its number. */
const GIVES_BACK = `new.epoch = old.epoch - 1 and new.nonce is null and old.status = 'leased' and new.status = 'ready'`

/** What the doctor would find at its next visit, and might not any more by then, is refused when it is written. */
const EVERY_WRITE = `
  create trigger tokens_are_new before update on millrace.jobs for each row
    when (new.epoch < old.epoch and not (${GIVES_BACK}) or new.epoch > old.epoch + 1
      or new.epoch = old.epoch and new.nonce <> old.nonce or new.epoch > old.epoch and new.nonce = old.nonce)
    execute function millrace.refuse();
  create trigger failures_use_up_tokens before update on millrace.jobs for each row
    when (new.retries_left < old.retries_left and new.nonce is not null) execute function millrace.refuse();
  create trigger versions_go_up before update on millrace.instances for each row
    when (new.version < old.version or new.definition_id <> old.definition_id) execute function millrace.refuse();
  create function millrace.refuse_gaps() returns trigger language plpgsql as $$ begin
    if exists (select from written w where w.seq > 1 and not exists (
      select from millrace.trail a where a.instance_id = w.instance_id and a.seq = w.seq - 1)) then
      raise exception 'refused by the test guards: a gap in the audit trail of %', (select min(instance_id) from written);
    end if;
    return null;
  end $$;
  create trigger audit_has_no_gap after insert on millrace.audit referencing new table as written
    for each statement execute function millrace.refuse_gaps();
`

const SHIM = `
  drop table millrace.test_clock;
  create unlogged sequence millrace.sim_clock;
  create or replace function millrace.clock() returns timestamptz language sql volatile as
    'select timestamptz ''epoch'' + last_value * interval ''1 ms'' from millrace.sim_clock';
  ${interceptSettings("simulation", { name: "case when name in ('lock_timeout', 'plan_cache_mode') then 'simulation.' || name else name end" })}
  ${EVERY_WRITE}
  ${REMEMBER}
`

/** A seed opens some twenty connections, and this password need not be hard to guess. */
const quickLogin = (dsn: string): string =>
  `set scram_iterations = 1; alter role current_user password '${decodeURIComponent(new URL(dsn).password)}'`

export async function startSimServer(): Promise<SimServer> {
  const dataDir = makeServerFolder("millrace-simulation-")
  const server = await startEmbedded({ dataDir, settings: SETTINGS })
  await createTemplate(server.dsn, SHIM)
  const admin = new Database({ dsn: server.dsn, schema: "millrace", maxConnections: 1 })
  await admin.script(quickLogin(server.dsn))
  const databases = new Databases(admin, server.dsn)
  return {
    open: (isWarm) => (isWarm ? databases.openWarm() : databases.openNew()),
    async stop() {
      await databases.close()
      await admin.close()
      await server.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

class Databases {
  readonly #admin: Database
  readonly #serverDsn: string
  #made = 0
  #warm: WarmDatabase | undefined
  #seeds = 0

  constructor(admin: Database, serverDsn: string) {
    this.#admin = admin
    this.#serverDsn = serverDsn
  }

  async openNew(): Promise<SeedDatabase> {
    const name = await this.#create()
    const database = await openNew(withDatabase(this.#serverDsn, name))
    const close = async () => {
      await database.close()
      await this.#admin.script(`drop database ${name} with (force)`)
    }
    return { ...database, close }
  }

  async openWarm(): Promise<SeedDatabase> {
    if (this.#seeds++ % SEEDS_PER_DATABASE === 0) {
      await this.close()
      const name = await this.#create()
      this.#warm = await WarmDatabase.open(withDatabase(this.#serverDsn, name))
    }
    return (this.#warm as WarmDatabase).begin()
  }

  /** The one that is kept. */
  async close(): Promise<void> {
    const warm = this.#warm
    this.#warm = undefined
    await warm?.close()
  }

  async #create(): Promise<string> {
    const name = `seed_${this.#made++}`
    await this.#admin.script(cloneOfTemplate(name))
    await this.#admin.script(takeInterception(name, "simulation"))
    await this.#admin.script(`alter database ${name} set ${ONE_PLAN}`)
    return name
  }
}
