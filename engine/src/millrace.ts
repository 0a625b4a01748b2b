// `millrace()`: the engine in your own process, on your database or on an embedded one.
import { loadConfig } from "./config.ts"
import { openCore } from "./core.ts"
import { EmbeddedError, findEmbeddedDsn, startEmbedded } from "./db/embedded.ts"
import { Mill } from "./library/running/mill.ts"
import { createLogger, type Logger } from "./support/log.ts"

export interface MillraceOptions {
  /** A connection string. Without one a real PostgreSQL is started in `dataDir`. */
  readonly database?: string | undefined
  readonly dataDir?: string
  readonly schema?: string
  readonly maxConnections?: number
  readonly logLevel?: "debug" | "info" | "warn" | "error" | "silent"
}

const DATA_DIR = ".millrace"

export async function millrace(options: MillraceOptions = {}): Promise<Mill> {
  const { dataDir = DATA_DIR, schema, maxConnections, logLevel = "warn" } = options
  // What the host prints is the host's: we speak on the other channel.
  const log = createLogger({ level: logLevel, destination: process.stderr })
  // A variable that is set to nothing is not set.
  const database = options.database || undefined
  const embedded = database === undefined ? await openEmbedded(dataDir) : undefined
  try {
    const core = await open(log, {
      WE_POSTGRES_DSN: database ?? embedded?.dsn ?? "",
      ...(schema ? { WE_SCHEMA: schema } : {}),
      ...(maxConnections ? { DB_MAX_CONNS: String(maxConnections) } : {}),
    })
    return new Mill(core.kernel, core.processId, async () => {
      await core.stop()
      await embedded?.stop()
    })
  } catch (error) {
    await embedded?.stop()
    throw error
  }
}

/** One that is running already is joined, `millrace dev` for example: whoever started it stops it. */
async function openEmbedded(dataDir: string): Promise<{ readonly dsn: string; stop(): Promise<void> }> {
  try {
    return await startEmbedded({ dataDir })
  } catch (error) {
    const dsn = error instanceof EmbeddedError ? findEmbeddedDsn(dataDir) : undefined
    if (dsn === undefined) throw error
    return { dsn, stop: async () => {} }
  }
}

/** The options are all there is: the settings file is the server's. */
const noFile = (): never => {
  throw Object.assign(new Error("no settings file"), { code: "ENOENT" })
}

const open = (log: Logger, env: Record<string, string>) => openCore(loadConfig({ env, readFile: noFile }), log)
