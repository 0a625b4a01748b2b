// The commands of `millrace` and the help that explains them.

import { Command } from "commander"
import { loadConfig } from "../../config.ts"
import { SCOPES } from "../../model/people/scopes.ts"
import { createLogger } from "../../support/log.ts"
import { wantsColour } from "../drawing/paint.ts"
import type { Surroundings } from "../surroundings.ts"
import { chosenServices, SERVICE_NAMES } from "./chosen-services.ts"
import { afterMistake } from "./group.ts"
import { loadEngine } from "./load-engine.ts"
import { addOperatorGroups } from "./operator-groups.ts"
import { serve } from "./serve.ts"
import { showConfig } from "./show-config.ts"
import { addWork } from "./work-command.ts"

const EXAMPLES = `
Examples:
  millrace dev                                     everything on this machine, nothing to install
  WE_REST_PORT=8081 millrace dev                   the same beside another program on port 8080
  WE_POSTGRES_DSN=postgres://… millrace start      production, on your PostgreSQL (15 or later)
  millrace work ./flows.js                         run the workflows and jobs that a module exports
  millrace queues --watch                          how full the lanes are, once a second
  millrace keys create billing --scope jobs:work   a key for a worker; shown once
  millrace config                                  every setting, its value and where it came from

Settings come from the environment, then from /etc/workflow/engine.yaml (or the file in WE_CONFIG_FILE):
  WE_POSTGRES_DSN   database URL (DATABASE_URL works too)      WE_REST_PORT      8080
  WE_BIND_ADDRESS   127.0.0.1: this machine only               WE_METRICS_PORT   9091
  WE_AUTH           auto: keys are needed beyond loopback      WE_DATA_DIR       ./.millrace
Commands that operate an engine call it over REST:
  WE_URL            http://127.0.0.1:8080                      WE_API_KEY        sent as a bearer token
`

/** `argv` are the words after the program's name: only the commands they call for are loaded. */
export async function createProgram(around: Surroundings, argv: readonly string[]): Promise<Command> {
  const program = new Command("millrace")
    .description("Millrace: a durable workflow engine and job queue on PostgreSQL.")
    .version(around.version, "-v, --version")
    .helpCommand(false)
    .configureHelp({ sortSubcommands: false, showGlobalOptions: false })
    // Whoever calls decides how the process ends: a wrong call is 2, whatever else fails is 1.
    .exitOverride()
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error: /, "millrace: ")),
      writeOut: (text) => around.screen.write(text),
      writeErr: (text) => around.terminal.write(text),
    })
    .addHelpText("after", EXAMPLES)
  addServe(program, around)
  addWork(program, around)
  await addOperatorGroups(program, around, argv)
  addConfig(program, around)
  addDatabase(program, around)
  addKeys(program, around)
  return program
}

function addServe(program: Command, around: Surroundings): void {
  const run = async (mode: "dev" | "start", services?: string) => {
    const chosen = services === undefined ? undefined : chosenServices(services)
    const config = loadConfig({ env: around.env, requireDsn: mode === "start" })
    const log = createLogger({ level: config.logLevel })
    const { version, terminal, force } = around
    const startEngine = await loadEngine()
    await serve({
      config,
      log,
      version,
      mode,
      terminal,
      force,
      services: chosen,
      startEngine,
      colour: wantsColour(terminal, around.env),
    })
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
    .option(
      "--services <names>",
      `only these, separated by commas (default: all): ${SERVICE_NAMES.join(", ")}; without rest it opens no REST port`,
    )
    .action(({ services }: { services?: string }) => run("start", services))
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
  afterMistake(keys.command("create <name>"), "millrace keys create billing --scope jobs:work")
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
  afterMistake(keys.command("revoke <id>"), "millrace keys revoke 9f2c41d07be8a356")
    .description("Refuse a key from now on.")
    .action(async (id: string) => {
      const { runKeysRevoke } = await import("./database-commands.ts")
      await runKeysRevoke(loadConfig({ env }), id, print)
    })
}
