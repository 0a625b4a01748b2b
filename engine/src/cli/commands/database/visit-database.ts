// Short visits to the database: what `millrace migrate` and `millrace doctor` do there.
import { type Config, ConfigError, tellGuard } from "../../../config.ts"
import { Database } from "../../../db/database.ts"
import { findEmbeddedDsn } from "../../../db/embedded.ts"
import { migrate } from "../../../db/migrate.ts"
import type { JobBroker } from "../../../operations/jobs/dispatch/broker.ts"
import { type DoctorOptions, runDoctor } from "./doctor.ts"

export type Print = (text: string) => void

export const runMigrate = (config: Config, print: Print): Promise<void> =>
  withDatabase(config, async (db) => {
    let restored: readonly string[] = []
    const applied = await migrate(db, undefined, (views) => {
      restored = views
    })
    if (restored.length > 0) print(`Made missing views again: ${restored.join(", ")}.`)
    if (applied.length > 0) print(`Applied ${applied.join(", ")}.`)
    else if (restored.length === 0) print("Nothing to do: the schema is up to date.")
  })

export async function runDoctorCommand(config: Config, print: Print, options: DoctorOptions = {}): Promise<number> {
  if (!options.json) for (const line of [...tellTrusted(config), ...tellGuarded(config)]) print(line)
  const broker = config.dispatchMode === "polling" ? undefined : openBroker(config)
  // The checks that need it tell of the failure; until then it has to wait.
  broker?.catch(() => {})
  try {
    return await withDatabase(config, (db) => runDoctor(db, print, { ...options, broker }))
  } finally {
    await broker?.then(
      (one) => one.close(),
      () => {},
    )
  }
}

/** Loaded here: where jobs are polled, no client of Kafka is needed. */
async function openBroker(config: Config): Promise<JobBroker> {
  const { openJobBroker } = await import("../../../transports/kafka/jobs/job-broker.ts")
  return openJobBroker(config)
}

/** No fault, but the first thing to know where a caller without a key did something. */
const tellTrusted = ({ trustedNetworks: networks, trustedScopes: scopes }: Config): readonly string[] =>
  networks.length === 0 ? [] : [`Callers from ${networks.join(", ")} need no key; they have ${scopes.join(", ")}.`]

const tellGuarded = (config: Config): readonly string[] => {
  const told = tellGuard(config)
  return told === undefined ? [] : [`Guard: ${told}.`]
}

export async function withDatabase<T>(config: Config, work: (db: Database) => Promise<T>): Promise<T> {
  const db = new Database({
    dsn: dsnOf(config),
    schema: config.schema,
    maxConnections: 1,
    applicationName: "millrace-cli",
  })
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

/** Without a DSN these commands mean the database of the `millrace dev` that runs here. */
function dsnOf({ postgresDsn, dataDir }: Config): string {
  const dsn = postgresDsn ?? findEmbeddedDsn(dataDir)
  if (dsn) return dsn
  throw new ConfigError([
    `WE_POSTGRES_DSN is not set, and no embedded database runs in ${dataDir}: set it, or start \`millrace dev\` first`,
  ])
}
