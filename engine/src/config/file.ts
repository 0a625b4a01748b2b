// The YAML settings file: flat, checked key by key, never a place for secrets.
import { parseDocument } from "yaml"
import { isObject } from "../support/json.ts"
import { nearest } from "./nearest.ts"
import { type SettingKey, settingKeys, settings } from "./settings.ts"

const DEFAULT_PATH = "/etc/workflow/engine.yaml"

interface FileSettings {
  /** Value of each setting as text, as an environment variable would give it. */
  readonly values: ReadonlyMap<SettingKey, string>
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

export function readSettingsFile(givenPath: string | undefined, readFile: (path: string) => string): FileSettings {
  const path = givenPath || DEFAULT_PATH
  let text: string
  try {
    text = readFile(path)
  } catch (error) {
    const missing = (error as { code?: string }).code === "ENOENT"
    if (missing && !givenPath) return { values: new Map(), problems: [], warnings: [] }
    const reason = missing ? "there is no such file" : (error as Error).message
    return {
      values: new Map(),
      problems: [`${givenPath ? "WE_CONFIG_FILE " : ""}${path}: cannot be read, ${reason}`],
      warnings: [],
    }
  }
  return parseSettingsFile(path, text)
}

function parseSettingsFile(path: string, text: string): FileSettings {
  const values = new Map<SettingKey, string>()
  const problems: string[] = []
  const warnings: string[] = []
  const document = parseYaml(path, text, problems)
  for (const [name, value] of Object.entries(document)) {
    const key = settingKeys.find((candidate) => candidate === name || settings[candidate].name === name)
    if (!key) problems.push(`${path}: ${unknownKey(name)}`)
    else if (settings[key].secret)
      warnings.push(`${path}: ${name} is ignored, secrets come from the environment only (${settings[key].name})`)
    else if (values.has(key)) problems.push(`${path}: ${name} is given twice, as ${key} and as ${settings[key].name}`)
    else if (value !== null)
      addValue(values, key, value, () => problems.push(`${path}: ${name} must be a plain value or a list`))
  }
  return { values, problems, warnings }
}

function parseYaml(path: string, text: string, problems: string[]): Record<string, unknown> {
  const document = parseDocument(text, { prettyErrors: true })
  const [error] = document.errors
  if (error) {
    problems.push(`${path}: not valid YAML, ${error.message.split("\n")[0]!.replace(/:$/, "")}`)
    return {}
  }
  const value: unknown = document.toJS()
  if (value === null || value === undefined) return {}
  if (isObject(value)) return value
  problems.push(`${path}: must hold settings as \`name: value\` lines`)
  return {}
}

function unknownKey(name: string): string {
  const near = nearest(name, [...settingKeys, ...settingKeys.map((key) => settings[key].name)])
  return `unknown key ${JSON.stringify(name.slice(0, 60))}${near ? `, did you mean ${near}?` : ", `millrace config` lists them all"}`
}

function addValue(values: Map<SettingKey, string>, key: SettingKey, value: unknown, refuse: () => void): void {
  const items: unknown[] = Array.isArray(value) ? value : [value]
  if (items.some((item) => typeof item === "object")) refuse()
  else values.set(key, items.map(String).join(","))
}
