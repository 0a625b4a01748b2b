// How PostgreSQL plans our statements: settings of one transaction, said at its beginning.
import { statement } from "./statements.ts"
import type { Car } from "./train.ts"

/**
 * The engine finds its rows by index. Left to its statistics PostgreSQL plans for the tables as they were: a join that was planned
 * while a table was empty reads all of it a million rows later, and one that is planned anew at every batch costs more than it does.
 * Nor are places gathered in a bitmap, which costs the same on paper for a table that looks empty: looking a job up took 22 µs instead of 3,
 * because what a bitmap finds dead is not marked in the index, and every later look-up finds it again.
 * Nothing is compiled either: where a table of four rows has to be read whole, that looks expensive enough for 1.4 s of it.
 */
export const INDEX_SETTINGS = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_bitmapscan: "off",
  jit: "off",
} as const

export const BY_INDEX: Car = [
  statement(
    "db.byIndex",
    `select ${Object.entries(INDEX_SETTINGS)
      .map(([name, value]) => `set_config('${name}', '${value}', true)`)
      .join(", ")}`,
  ),
  [],
]

/**
 * A question about whole tables reads each of them once and joins them by hash. A partitioned table has no statistics of its own,
 * so PostgreSQL takes a million groups for 200 and compares every row of one side with every row of the other: 55.7 million pairs
 * at 7,450 instances. It leaves the other cores to the engine.
 */
export const WHOLE: Car = [
  statement(
    "db.whole",
    `select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_nestloop', 'off', true),
      set_config('enable_mergejoin', 'off', true), set_config('jit', 'off', true), set_config('work_mem', '64MB', true),
      set_config('max_parallel_workers_per_gather', '0', true)`,
  ),
  [],
]

/** For a question that may be too much for a database in use: it changes nothing, and is given up after a minute. */
export const WITHIN_A_MINUTE: Car = [
  statement(
    "db.withinAMinute",
    "select set_config('transaction_read_only', 'on', true), set_config('statement_timeout', '1min', true)",
  ),
  [],
]
