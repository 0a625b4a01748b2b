// One more process on a database of a test: its clock follows that of the database, also when a test moves it.
import { loadConfig } from "../config.ts"
import { type Core, openCore } from "../core.ts"
import { createLogger } from "../support/log.ts"
import { byNearestDoor } from "./nearest-door.ts"
import { StoppableClock } from "./stoppable-clock.ts"

/** `env` are settings of the engine, as the environment would give them. A connection is waited for longer than a busy machine takes. */
export const openTestCore = (dsn: string, env: Record<string, string> = {}): Promise<Core> =>
  openCore(
    loadConfig({ env: { WE_POSTGRES_DSN: byNearestDoor(dsn), DB_MAX_CONNS: "4", DB_CONNECT_TIMEOUT: "30s", ...env } }),
    createLogger({ level: "silent" }),
    { clock: new StoppableClock() },
  )
