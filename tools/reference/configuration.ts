// docs/reference/configuration.md: every setting with its default, bounds and meaning, from the table the engine reads.
import type { Setting } from "../../engine/src/config/kinds.ts"
import { settingKeys, settings } from "../../engine/src/config/settings.ts"
import { code, page, table } from "./table.ts"

/** A machine like most: a default that depends on it is shown for this many CPUs and said so in its meaning. */
const MACHINE = { cpus: 2 }

export function configurationPage(): string {
  const rows = settingKeys.map((key) => {
    const setting = settings[key] as Setting<unknown>
    const names = [setting.name, ...setting.aliases].map(code).join(" or ")
    const fallback = setting.show(setting.defaultOf(MACHINE))
    return [names, code(fallback) || "(none)", setting.allowed, `${setting.doc}${setting.secret ? " Secret." : ""}`]
  })
  return page("Configuration", "engine/src/config/settings.ts", [
    "Environment variables, checked as a whole before anything starts: every mistake is reported at once, and a name that is nearly a setting is a warning. `millrace config` prints what is in force, where it came from, and secrets masked.",
    `The environment wins over the YAML file, the file over the default. The file is \`/etc/workflow/engine.yaml\`, or the one named in \`WE_CONFIG_FILE\`; secrets are never read from it. Defaults that depend on the machine are shown for ${MACHINE.cpus} CPUs.`,
    table(["setting", "default", "allowed", "meaning"], rows),
  ])
}
