// The commands of `millrace` and the help that explains them.

import { Command } from "commander"
import { loadConfig } from "../config.ts"
import { SCOPES } from "../model/scopes.ts"
import { createLogger } from "../support/log.ts"
import { loadEngine } from "./load-engine.ts"
import { serve } from "./serve.ts"
import { showConfig } from "./show-config.ts"

interface Surroundings {
  readonly version: string
  readonly env: NodeJS.ProcessEnv
  readonly print: (text: string) => void
  readonly terminal: NodeJS.WriteStream
  readonly force: () => void
}

const EXAMPLES = `
Examples:
  millrace dev                                     everything on this machine, nothing to install
  WE_REST_PORT=8081 millrace dev                   the same beside another program on port 8080
  WE_POSTGRES_DSN=postgres://… millrace start      production, on your PostgreSQL (15 or later)
  millrace keys create billing --scope jobs:work   a key for a worker; shown once
  millrace config                                  every setting, its value and where it came from

Settings come from the environment, then from /etc/workflow/engine.yaml (or the file in WE_CONFIG_FILE):
  WE_POSTGRES_DSN   database URL (DATABASE_URL works too)      WE_REST_PORT      8080
  WE_BIND_ADDRESS   127.0.0.1: this machine only               WE_METRICS_PORT   9091
  WE_AUTH           auto: keys are needed beyond loopback      WE_DATA_DIR       ./.millrace
`

export function createProgram(around: Surroundings): Command {
  const program = new Command("millrace")
    .description("Millrace: a durable workflow engine and job queue on PostgreSQL.")
    .version(around.version, "-v, --version")
    .helpCommand(false)
    .configureHelp({ sortSubcommands: false, showGlobalOptions: false })
    .addHelpText("after", EXAMPLES)
  addServe(program, around)
  addConfig(program, around)
  addDatabase(program, around)
  addKeys(program, around)
  return program
}

function addServe(program: Command, around: Surroundings): void {
  const run = async (mode: "dev" | "start") => {
    const config = loadConfig({ env: around.env, requireDsn: mode === "start" })
    const log = createLogger({ level: config.logLevel })
    const { version, terminal, force } = around
    await serve({ config, log, version, mode, terminal, force, startEngine: await loadEngine() })
  }
  program.commandsGroup("Run:")
  program
    .command("dev")
    .description(
      "Run everything on this machine: an embedded PostgreSQL (unless a DSN is set), the engine and a sample.",
    )
    .action(() => run("dev"))
  program
    .command("start")
    .description("Run the engine for production on the database in WE_POSTGRES_DSN.")
    .action(() => run("start"))
}

function addConfig(program: Command, around: Surroundings): void {
  program.commandsGroup("Look and prepare:")
  program
    .command("config")
    .description("Print every setting with its value and source; secrets are masked.")
    .option("--json", "as JSON")
    .action((options: { json?: boolean }) =>
      around.print(showConfig(loadConfig({ env: around.env }), options.json === true)),
    )
}

function addDatabase(program: Command, around: Surroundings): void {
  program
    .command("migrate")
    .description("Bring the database schema up to date and leave; `start` and `dev` do it by themselves.")
    .action(async () => {
      const { runMigrate } = await import("./database-commands.ts")
      await runMigrate(loadConfig({ env: around.env }), around.print)
    })
  program
    .command("doctor")
    .description("Look for anything that must never be in the database, and say what to do about it. Reads only.")
    .action(async () => {
      const { runDoctorCommand } = await import("./database-commands.ts")
      if (!(await runDoctorCommand(loadConfig({ env: around.env }), around.print))) process.exitCode = 1
    })
}

function addKeys(program: Command, around: Surroundings): void {
  const { print, env } = around
  const keys = program.command("keys").description("Make, list and revoke API keys.")
  keys
    .command("create <name>")
    .description("Make a key. It is shown once; only its digest is stored.")
    .option(
      "--scope <scope...>",
      `what it may do: ${SCOPES.join(", ")}, or jobs:work:<job type>; admin is everything`,
      ["admin"],
    )
    .option("--expires <duration>", "how long it is valid, such as 90d")
    .action(async (name: string, options: { scope: string[]; expires?: string }) => {
      const { runKeysCreate } = await import("./database-commands.ts")
      await runKeysCreate(loadConfig({ env }), { name, ...options }, print)
    })
  keys
    .command("list")
    .description("List the keys: id, name, scopes, validity, last use.")
    .action(async () => {
      const { runKeysList } = await import("./database-commands.ts")
      await runKeysList(loadConfig({ env }), print)
    })
  keys
    .command("revoke <id>")
    .description("Refuse a key from now on.")
    .action(async (id: string) => {
      const { runKeysRevoke } = await import("./database-commands.ts")
      await runKeysRevoke(loadConfig({ env }), id, print)
    })
}
