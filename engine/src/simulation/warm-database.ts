// A database that serves one seed after the other: between them all rows go, and those come back that a migrated database begins with.
import type { Database } from "../db/database.ts"
import { createWeek, weekOf } from "../store/upkeep/partitions.ts"
import { Backends } from "./backends.ts"
import { openNew, type SeedDatabase } from "./seed-database.ts"
import { EPOCH_MS } from "./virtual-time.ts"

/** The number of weeks that an engine's upkeep makes ahead. */
const WEEKS = 3
const WEEK_MS = 7 * 24 * 3_600_000

/** For the template: remembers what is in it, and a way back to that. */
export const REMEMBER = `
  do $$
    declare name text; kind "char";
    begin
      for name, kind in select relname, relkind from pg_class where relnamespace = 'millrace'::regnamespace
        and (relkind = 'S' or relkind = 'r' and pg_relation_size(oid) > 0)
      loop
        execute format('create table simulation.%I as select %s from millrace.%I',
          name, case kind when 'S' then 'last_value, is_called' else '*' end, name);
      end loop;
    end $$;
  create function simulation.reset() returns void language plpgsql as $$
    declare used text; name text; kind "char";
    begin
      select string_agg(oid::regclass::text, ', ') into used from pg_class
        where relnamespace = 'millrace'::regnamespace and relkind = 'r' and pg_relation_size(oid) > 0;
      execute 'truncate ' || used;
      for name, kind in select kept.relname, own.relkind from pg_class kept join pg_class own
        on own.relname = kept.relname and own.relnamespace = 'millrace'::regnamespace
        where kept.relnamespace = 'simulation'::regnamespace and kept.relkind = 'r'
      loop
        if kind = 'S' then
          execute format('select setval(''millrace.%I'', last_value, is_called) from simulation.%I', name, name);
        else
          execute format('insert into millrace.%I overriding system value select * from simulation.%I', name, name);
        end if;
      end loop;
    end $$;
`

/** More than the processes of a seed have at a time. */
const MOST_BACKENDS = 80

export class WarmDatabase {
  readonly #database: SeedDatabase
  readonly #backends: Backends
  readonly #lender: Database

  private constructor(database: SeedDatabase) {
    this.#database = database
    this.#lender = database.db.beside(MOST_BACKENDS)
    this.#backends = new Backends(this.#lender)
  }

  static async open(dsn: string): Promise<WarmDatabase> {
    const database = await openNew(dsn)
    for (let week = 0; week < WEEKS; week++) await createWeek(database.db, weekOf(EPOCH_MS + week * WEEK_MS))
    return new WarmDatabase(database)
  }

  /** Puts the database into the state of a new one. */
  async begin(): Promise<SeedDatabase> {
    await this.#backends.forgetPlans()
    await this.#database.db.script("select simulation.reset()")
    return { ...this.#database, backends: this.#backends, close: async () => {} }
  }

  async close(): Promise<void> {
    this.#backends.close()
    await this.#lender.close()
    await this.#database.close()
  }
}
