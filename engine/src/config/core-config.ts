// The configuration of the core from typed values, for the library and the test kit: defaults and checks are those of the settings.
import { availableParallelism } from "node:os"
import { safeText } from "../support/redact.ts"
import { ConfigError } from "./config-error.ts"
import type { Setting } from "./kinds.ts"
import { brokenRules } from "./rules.ts"
import { type SettingKey, type Settings, settings } from "./settings.ts"

const CORE_KEYS = [
  "postgresDsn",
  "schema",
  "dbMaxConns",
  "dbMinConns",
  "dbConnectTimeoutMs",
  "dbStatementTimeoutMs",
  "dbConnectionLifetimeMs",
  "auditLogEnabled",
  "leaseDefaultMs",
  "maxLostLeases",
  "packFrom",
  "retainMs",
  "processedRetainMs",
  "batchMax",
  "weights",
  "highWatermark",
  "lowWatermark",
  "totalHighWatermark",
  "totalLowWatermark",
  "backpressureRetryAfterMs",
  "jobRetries",
  "jobTimeoutMs",
  "maxWriteBytes",
  "maxVariablesBytes",
  "alertQueuedSteps",
  "alertWebhook",
] as const satisfies readonly SettingKey[]

/** What the engine without its doors runs with. The server's configuration has all of it. */
export type CoreConfig = Pick<Settings, (typeof CORE_KEYS)[number]>

/** What is not given, or is undefined, has its default. `nameOf`: what the caller calls a setting, for what is refused. */
export function coreConfig(
  given: { readonly [Key in keyof CoreConfig]?: CoreConfig[Key] | undefined },
  nameOf: (key: SettingKey) => string = String,
): CoreConfig {
  const machine = { cpus: availableParallelism() }
  const values = Object.fromEntries(CORE_KEYS.map((key) => [key, given[key] ?? settings[key].defaultOf(machine)]))
  const wrong = CORE_KEYS.filter((key) => given[key] !== undefined && !settings[key].accepts(given[key]))
  const problems = wrong.map((key) => `${nameOf(key)} ${requirement(settings[key], given[key])}`)
  for (const key of wrong) delete values[key]
  problems.push(...brokenRules(values, nameOf))
  if (problems.length > 0) throw new ConfigError(problems)
  return Object.freeze(values) as CoreConfig
}

/** What a value must be, and what it is unless it is a secret. */
export function requirement({ allowed, secret }: Pick<Setting<unknown>, "allowed" | "secret">, value: unknown): string {
  const shown = secret ? "" : `, not ${safeText(String(JSON.stringify(value)).slice(0, 100))}`
  return `must be ${allowed}${shown}`
}
