// `millrace config`: every setting with its value and where it came from, secrets masked.
import type { Command } from "commander"
import { type Config, describeConfig, loadConfig } from "../../config.ts"
import { safeText } from "../../support/redact.ts"
import type { Surroundings } from "../terminal/surroundings.ts"

export function addConfig(program: Command, around: Surroundings): void {
  program
    .command("config")
    .description("Print every setting with its value and source; secrets are masked.")
    .option("--json", "as JSON")
    .action((options: { json?: boolean }) =>
      around.print(showConfig(loadConfig({ env: around.env }), options.json === true)),
    )
}

function showConfig(config: Config, asJson: boolean): string {
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
