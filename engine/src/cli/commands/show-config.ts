// `millrace config`: every setting with its value and where it came from, secrets masked.
import { type Config, describeConfig } from "../../config.ts"
import { safeText } from "../../support/redact.ts"

export function showConfig(config: Config, asJson: boolean): string {
  const lines = describeConfig(config)
  if (asJson) return JSON.stringify({ settings: lines, warnings: config.warnings }, null, 2)
  const nameWidth = Math.max(...lines.map(({ name }) => name.length))
  const valueWidth = Math.min(40, Math.max(...lines.map(({ value }) => value.length)))
  const table = lines.map(({ name, value, source, doc }) => {
    const shown = value === "" ? "(none)" : safeText(value)
    return `${name.padEnd(nameWidth)}  ${shown.padEnd(valueWidth)}  ${source.padEnd(7)}  ${doc}`
  })
  return [...table, ...config.warnings.map((warning) => `warning: ${warning}`)].join("\n")
}
