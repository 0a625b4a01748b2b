// Which database is meant. The embedded one is never opened in production because a name was left out: work that is accepted there
// would lie in a private folder, and the database that everything else uses would stay empty.
import { badRequest } from "../support/errors.ts"
import { requirement } from "./core-config.ts"
import { settings } from "./settings.ts"

/** The word for the embedded PostgreSQL, where a DSN could stand. */
const EMBEDDED = "embedded"

export interface NamedDatabase {
  /** Undefined: the embedded one. */
  readonly dsn: string | undefined
  /** False when nothing was said, and the embedded one is only what is left. */
  readonly isNamed: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

export const isProduction = (env: Environment): boolean => env.NODE_ENV?.trim() === "production"

/** `what`: the function that was called, for the message. A variable that is set to nothing is not set. */
export function namedDatabase(what: string, database: unknown, env: Environment): NamedDatabase {
  if (database === EMBEDDED) return { dsn: undefined, isNamed: true }
  const dsn = typeof database === "string" ? database.trim() || undefined : database
  const { accepts, allowed } = settings.postgresDsn
  if (dsn === undefined && isProduction(env)) throw badRequest(`${what}: ${MISSING}`)
  if (dsn === undefined) return { dsn, isNamed: false }
  if (typeof dsn === "string" && accepts(dsn)) return { dsn, isNamed: true }
  throw badRequest(`${what}: database ${requirement({ secret: true, allowed: `${allowed}, or "${EMBEDDED}"` }, dsn)}`)
}

const MISSING =
  'database is not set, and NODE_ENV is production: give a URL such as postgres://user@host:5432/database, or say `database: "embedded"` for a PostgreSQL in `dataDir`'
