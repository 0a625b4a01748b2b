// Configuration: environment over YAML file over default, checked as a whole before anything starts.
import { readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { ConfigError } from "./config/config-error.ts"
import { readSettingsFile } from "./config/file.ts"
import { guardWarnings } from "./config/guard-state.ts"
import type { Setting } from "./config/kinds.ts"
import { brokenRules } from "./config/rules.ts"
import { type Config, type SettingKey, type Settings, type Source, settingKeys, settings } from "./config/settings.ts"
import { unknownVariables } from "./config/unknown-variables.ts"
import { safeText } from "./support/redact.ts"

export { isLoopback } from "./config/addresses.ts"
export { ConfigError } from "./config/config-error.ts"
export { describeConfig } from "./config/describe.ts"
export { isGuardOn, tellGuard } from "./config/guard-state.ts"
export type { Config } from "./config/settings.ts"

interface ConfigInput {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly readFile?: (path: string) => string
  readonly cpus?: number
  /** `millrace start` cannot run without a database of its own. */
  readonly requireDsn?: boolean
}

export function loadConfig({
  env,
  readFile = readText,
  cpus = availableParallelism(),
  requireDsn,
}: ConfigInput): Config {
  const file = readSettingsFile(env.WE_CONFIG_FILE, readFile)
  const problems = [...file.problems]
  const values: Partial<Record<SettingKey, unknown>> = {}
  const sources: Partial<Record<SettingKey, Source>> = {}
  const variables: Partial<Record<SettingKey, string>> = {}
  for (const key of settingKeys) {
    const setting = settings[key] as Setting<unknown>
    const given = fromEnv(setting, env) ?? fromFile(key, file.values)
    sources[key] = given?.source ?? "default"
    variables[key] = given?.name ?? setting.name
    const value = given ? setting.read(given.text) : setting.defaultOf({ cpus })
    if (given && !setting.accepts(value)) problems.push(refusalLine(setting, given))
    else values[key] = value
  }
  if (requireDsn && sources.postgresDsn === "default") problems.push(MISSING_DSN)
  problems.push(...brokenRules(values as Partial<Settings>))
  if (problems.length > 0) throw new ConfigError(problems)
  const warnings = [...file.warnings, ...unknownVariables(env), ...guardWarnings(values as Settings)]
  const from = { sources: sources as Config["sources"], variables: variables as Config["variables"] }
  return freeze({ ...(values as Settings), ...from, warnings })
}

const MISSING_DSN =
  "WE_POSTGRES_DSN is not set: give a URL such as postgres://user@host:5432/database, or run `millrace dev` for an embedded database"

const readText = (path: string): string => readFileSync(path, "utf8")

interface Given {
  readonly name: string
  readonly text: string
  readonly source: Source
}

function fromEnv(setting: Setting<unknown>, env: ConfigInput["env"]): Given | undefined {
  const name = [setting.name, ...setting.aliases].find((candidate) => env[candidate]?.trim())
  return name ? { name, text: env[name]!.trim(), source: "env" } : undefined
}

function fromFile(key: SettingKey, values: ReadonlyMap<SettingKey, string>): Given | undefined {
  const text = values.get(key)?.trim()
  return text ? { name: settings[key].name, text, source: "yaml" } : undefined
}

function refusalLine(setting: Setting<unknown>, given: Given): string {
  const shown = setting.secret ? "(hidden)" : safeText(JSON.stringify(given.text.slice(0, 100)))
  const where = given.source === "yaml" ? " (from the YAML file)" : ""
  return `${given.name}=${shown}${where}: ${setting.refusal(given.text) ?? `must be ${setting.allowed}`}`
}

function freeze(config: Config): Config {
  for (const value of Object.values(config)) Object.freeze(value)
  return Object.freeze(config)
}
