// The settings as a table for people: `millrace config`, with secrets masked.
import { maskSecrets } from "../support/redact.ts"
import type { Setting } from "./kinds.ts"
import { type Config, type SettingKey, type Source, settingKeys, settings } from "./settings.ts"

interface SettingLine {
  readonly name: string
  readonly key: SettingKey
  readonly value: string
  readonly source: Source
  readonly unit: string
  readonly allowed: string
  readonly doc: string
}

export const describeConfig = (config: Config): SettingLine[] => settingKeys.map((key) => describeSetting(config, key))

function describeSetting(config: Config, key: SettingKey): SettingLine {
  const setting = settings[key] as Setting<unknown>
  const { name, unit, allowed, doc } = setting
  return { name, key, value: maskSecrets(setting.show(config[key])), source: config.sources[key], unit, allowed, doc }
}
