// `millrace()`: the engine in your own process, on your database or on an embedded one.
import { resolve } from "node:path"
import { databaseAddress } from "./config/addresses.ts"
import { type CoreConfig, requirement } from "./config/core-config.ts"
import { type KafkaOptions, kafkaConfig } from "./config/kafka-config.ts"
import { type NamedDatabase, namedDatabase } from "./config/named-database.ts"
import { configOfOptions } from "./config/option-config.ts"
import { settings } from "./config/settings.ts"
import { type Core, openCore } from "./core.ts"
import { EmbeddedError, findEmbeddedDsn, startEmbedded } from "./db/embedded.ts"
import { checkKnown } from "./library/authoring/check-authoring.ts"
import { type Delay, delayMs } from "./library/authoring/delay.ts"
import { openInCatalogue } from "./library/running/catalogue-errors.ts"
import { Mill } from "./library/running/mill.ts"
import { topicsOf } from "./operations/events/consume/topics.ts"
import { badRequest } from "./support/errors.ts"
import { createLogger, type Logger } from "./support/log.ts"

const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const

export interface MillraceOptions {
  /**
   * A connection string, or "embedded" for a real PostgreSQL in `dataDir`. With neither the embedded one is opened as well, and a line
   * in the log says so; with NODE_ENV=production that is an error.
   */
  readonly database?: string | undefined
  /** ./.millrace */
  readonly dataDir?: string | undefined
  /** The schema of the tables, millrace: one schema is one engine. */
  readonly schema?: string | undefined
  /** Database connections of this process at most; 4 per CPU. */
  readonly maxConnections?: number | undefined
  /** What is logged on stderr, as JSON; warn. */
  readonly logLevel?: (typeof LOG_LEVELS)[number] | undefined
  /** Brokers from whose topics `mill.consume` reads; its client is loaded then: `npm install @platformatic/kafka`. */
  readonly kafka?: KafkaOptions | undefined
  /** How long consumers remember what they have processed, in milliseconds or as a duration: longer than topics keep it; 30 days. */
  readonly processedRetain?: Delay | undefined
}

const OPTIONS = ["database", "dataDir", "schema", "maxConnections", "logLevel", "kafka", "processedRetain"]

export async function millrace(options: MillraceOptions = {}): Promise<Mill> {
  checkOptions(options)
  const database = namedDatabase("millrace()", options.database, process.env)
  const config = configOf(database, options)
  const { dataDir = settings.dataDir.defaultOf({ cpus: 0 }), logLevel = "warn" } = options
  // Standard output belongs to the host.
  const log = createLogger({ level: logLevel, destination: process.stderr })
  const { postgresDsn: dsn } = config
  if (dsn !== undefined) return millOn(await openInCatalogue(openCore(config, log), databaseAddress(dsn)), options)
  const embedded = await openEmbedded(dataDir)
  tellEmbedded(log, database, resolve(dataDir))
  return onEmbedded(embedded, { config, log, options })
}

/** Work that lands in another database than was meant is found late: the line names the folder, and how to say that it is meant. */
function tellEmbedded(log: Logger, { isNamed }: NamedDatabase, dataDir: string): void {
  const opened = `the embedded PostgreSQL in ${dataDir} is open`
  if (isNamed) log.info({ dataDir }, opened)
  else
    log.warn(
      { dataDir },
      `no database was named: ${opened}; \`database: "embedded"\` says that it is meant, a URL names another`,
    )
}

interface Opening {
  readonly config: CoreConfig
  readonly log: Logger
  readonly options: MillraceOptions
}

async function onEmbedded(embedded: Embedded, { config, log, options }: Opening): Promise<Mill> {
  try {
    const core = await openInCatalogue(openCore({ ...config, postgresDsn: embedded.dsn }, log))
    return await millOn(core, options, () => embedded.stop())
  } catch (error) {
    await embedded.stop()
    throw error
  }
}

async function millOn(core: Core, { kafka }: MillraceOptions, afterwards = async () => {}): Promise<Mill> {
  if (kafka) {
    const { kafkaTopics } = await import("./transports/kafka/topic-source.ts")
    topicsOf(core.kernel).provide(kafkaTopics(kafkaConfig("millrace()", kafka)))
  }
  return new Mill(core.kernel, core.processId, async () => {
    await core.stop()
    await afterwards()
  })
}

interface Embedded {
  readonly dsn: string
  stop(): Promise<void>
}

/** One that runs already is joined, that of `millrace dev` for example: the process that started it stops it. */
async function openEmbedded(dataDir: string): Promise<Embedded> {
  try {
    return await startEmbedded({ dataDir })
  } catch (error) {
    const dsn = error instanceof EmbeddedError ? findEmbeddedDsn(dataDir) : undefined
    if (dsn === undefined) throw error instanceof EmbeddedError ? inOptions(error) : error
    return { dsn, stop: async () => {} }
  }
}

/** The library reads no environment: what a variable says to the server is an option here. */
const inOptions = ({ message, cause }: EmbeddedError): EmbeddedError =>
  new EmbeddedError(message.replaceAll(settings.dataDir.name, "dataDir"), cause)

const configOf = ({ dsn }: NamedDatabase, { schema, maxConnections, processedRetain }: MillraceOptions): CoreConfig =>
  configOfOptions("millrace()", {
    postgresDsn: dsn,
    schema,
    dbMaxConns: maxConnections,
    processedRetainMs: delayMs("processedRetain", processedRetain),
  })

function checkOptions(options: MillraceOptions): void {
  const { dataDir, logLevel, kafka } = options
  checkKnown("millrace()", options, OPTIONS)
  if (kafka !== undefined) kafkaConfig("millrace()", kafka)
  if (dataDir !== undefined && !settings.dataDir.accepts(dataDir))
    throw badRequest(`millrace(): dataDir ${requirement(settings.dataDir, dataDir)}`)
  if (logLevel !== undefined && !LOG_LEVELS.includes(logLevel))
    throw badRequest(`millrace(): logLevel must be one of ${LOG_LEVELS.join(", ")}, not ${JSON.stringify(logLevel)}`)
}
