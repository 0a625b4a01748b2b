// The core's configuration from the options of a function of the library: what is wrong is refused by the names of the options.
import { badRequest } from "../support/errors.ts"
import { ConfigError } from "./config-error.ts"
import { type CoreConfig, coreConfig } from "./core-config.ts"
import type { SettingKey } from "./settings.ts"

/** Options that are not called as their settings. */
const NAMES: Partial<Record<SettingKey, string>> = {
  postgresDsn: "database",
  dbMaxConns: "maxConnections",
  processedRetainMs: "processedRetain",
}

/** `what`: the function that was called, for the message. */
export function configOfOptions(what: string, given: Parameters<typeof coreConfig>[0]): CoreConfig {
  try {
    return coreConfig(given, (key) => NAMES[key] ?? key)
  } catch (error) {
    if (error instanceof ConfigError) throw badRequest(`${what}: ${error.problems.join("; ")}`)
    throw error
  }
}
