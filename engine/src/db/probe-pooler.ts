// Looks at start whether a pooler stands between us and PostgreSQL, and whether it keeps what we prepare. One that does not answers
// readiness and fails, or worse, runs a statement that another client has prepared under the same name.
import type pg from "pg"
import { badRequest } from "../support/errors.ts"
import type { Database } from "./database.ts"
import { fromDatabase, hasSqlState } from "./errors.ts"
import { statement } from "./statements.ts"
import type { Car } from "./train.ts"
import { sendTransaction } from "./transaction.ts"

export interface Pooler {
  /** False when a transaction may run on another server connection than the one before: then LISTEN hears nothing. */
  readonly keepsSessions: boolean
}

/** One name, two texts: each client has prepared its own. */
const probe = (client: string): Car => [
  statement("db.probe", `select '${client}' as client, pg_backend_pid() as pid`),
  [],
]
/** Neither turn by turn nor all of one first: whichever server connection a pooler takes next, some transaction gets another's. */
const TURNS = ["a", "b", "a", "b", "b", "a"] as const

export async function probePooler(db: Database): Promise<Pooler> {
  const clients = { a: await db.dedicated(), b: await db.aside.dedicated() }
  let broken: Error | undefined
  try {
    return { keepsSessions: keepsSessions(await askInTurns(clients)) }
  } catch (error) {
    broken = error as Error
    throw error
  } finally {
    for (const client of Object.values(clients)) client.release(broken)
  }
}

type Name = (typeof TURNS)[number]
type Pids = Readonly<Record<Name, Set<unknown>>>

async function askInTurns(clients: Readonly<Record<Name, pg.PoolClient>>): Promise<Pids> {
  const pids: Pids = { a: new Set(), b: new Set() }
  for (const name of TURNS) pids[name].add(await askOnce(clients[name], name))
  return pids
}

const keepsSessions = ({ a, b }: Pids): boolean => a.size === 1 && b.size === 1 && new Set([...a, ...b]).size === 2

/** The process of the server that answered. */
async function askOnce(client: pg.PoolClient, name: string): Promise<unknown> {
  const [answer] = await sendTransaction(client, [probe(name)]).catch((error: unknown) => {
    throw isLost(error) ? losesStatements() : fromDatabase(error)
  })
  const row = answer?.rows[0]
  if (row?.client !== name) throw losesStatements()
  return row.pid
}

const isLost = (error: unknown): boolean => hasSqlState(error, "26000") || hasSqlState(error, "42P05")

const losesStatements = () =>
  badRequest(
    "the pooler in front of PostgreSQL loses prepared statements between transactions: use PgBouncer 1.21 or newer with max_prepared_statements above 0 (200 is plenty), or pool_mode = session, or a DSN that goes straight to PostgreSQL",
  )
