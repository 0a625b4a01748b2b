// `millrace migrate`, `doctor` and `keys`: commands that visit the database; what they do there is loaded when one runs.
import type { Command } from "commander"
import { loadConfig } from "../../../config.ts"
import { SCOPE_HINT } from "../../../model/people/scopes.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"
import { afterMistake } from "../group.ts"

export function addDatabase(program: Command, around: Surroundings): void {
  program
    .command("migrate")
    .description("Bring the database schema up to date and leave; `start` and `dev` do it by themselves.")
    .action(async () => {
      const { runMigrate } = await import("./visit-database.ts")
      await runMigrate(loadConfig({ env: around.env }), around.print)
    })
  program
    .command("doctor")
    .description("Look for anything that must never be in the database, and say what to do about it. Reads only.")
    .option("--deep", "also read whole audit trails and histories; a minute at most for each of these checks")
    .option("--json", "every check and what it found, as JSON")
    .action(async (options: { deep?: boolean; json?: boolean }) => {
      const { runDoctorCommand } = await import("./visit-database.ts")
      process.exitCode = await runDoctorCommand(loadConfig({ env: around.env }), around.print, options)
    })
  program
    .command("incarnation")
    .description("Show what the ids of events end with; after a restore that lost events, give them a new one.")
    .option("--new", "a new one, and an event workflow.incarnation that tells consumers")
    .option("--keep", "nothing was lost when the database was moved: the doctor need not ask any more")
    .action(async (options: { new?: boolean; keep?: boolean }) => {
      const { runIncarnation } = await import("./incarnation.ts")
      await runIncarnation(loadConfig({ env: around.env }), options, around.print)
    })
}

interface KeyOptions {
  readonly scope?: string[]
  readonly json?: boolean
  readonly expires?: string
  readonly limit?: string
}

export function addKeys(program: Command, around: Surroundings): void {
  const { print, env } = around
  const keys = program.command("keys").description("Make, list and revoke API keys.").helpCommand(false)
  afterMistake(keys.command("create <name>"), "millrace keys create billing --scope jobs:work")
    .description("Make a key. It is shown once; only its digest is stored.")
    .option(
      "--scope <scope...>",
      `what it may do, several with commas or blanks between: ${SCOPE_HINT}; admin is everything (default: admin)`,
    )
    .option("--expires <duration>", "how long it is valid, such as 90d")
    .option("--limit <calls/window>", "how often it may call, such as 600/60s; unlimited where the class of a route is")
    .option("--json", "one JSON document with the key, for programs")
    .action(async (name: string, { scope, ...options }: KeyOptions) => {
      const { runKeysCreate } = await import("./change-keys.ts")
      const scopes = scope?.flatMap((words) => words.split(",")).map((one) => one.trim())
      await runKeysCreate(loadConfig({ env }), { name, ...options, ...(scopes && { scope: scopes }) }, print)
    })
  keys
    .command("list")
    .description("List the keys: id, name, scopes, validity, last use.")
    .action(async () => {
      const { runKeysList } = await import("./change-keys.ts")
      await runKeysList(loadConfig({ env }), around)
    })
  afterMistake(keys.command("revoke <id>"), "millrace keys revoke 9f2c41d07be8a356")
    .description("Refuse a key from now on.")
    .action(async (id: string) => {
      const { runKeysRevoke } = await import("./change-keys.ts")
      await runKeysRevoke(loadConfig({ env }), id, print)
    })
}
