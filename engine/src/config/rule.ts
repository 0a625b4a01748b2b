// A rule between settings: what is fine alone but not together.
import type { SettingKey, Settings } from "./settings.ts"

export interface Rule {
  /** The rule is asked only when all of these are there: a value that was refused is not judged again. */
  readonly needs: readonly SettingKey[]
  /** `told` writes a setting and its value. */
  readonly broken: (s: Settings, told: (key: SettingKey) => string) => string | undefined
}
