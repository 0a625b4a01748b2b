// The commands of `millrace` and the help that explains them.
import { Command } from "commander"
import { addConfig } from "./commands/config.ts"
import { addDatabase, addKeys } from "./commands/database/database.ts"
import { addKafka } from "./commands/kafka/kafka.ts"
import { addServe } from "./commands/serve/serve-commands.ts"
import { addWork } from "./commands/work/work.ts"
import { addOperatorGroups } from "./operator-groups.ts"
import type { Surroundings } from "./terminal/surroundings.ts"

const EXAMPLES = `
Examples:
  millrace dev                                     everything on this machine, nothing to install
  WE_REST_PORT=8081 millrace dev                   the same beside another program on port 8080
  WE_POSTGRES_DSN=postgres://… millrace start      production, on your PostgreSQL (15 or later)
  millrace work ./flows.js                         run the workflows and jobs that a module exports
  millrace queues --watch                          how many jobs wait, once a second
  millrace keys create billing --scope jobs:work   a key for a worker; shown once
  millrace config                                  every setting, its value and where it came from

Settings come from the environment, then from /etc/workflow/engine.yaml (or the file in WE_CONFIG_FILE):
  WE_POSTGRES_DSN   database URL (DATABASE_URL works too)      WE_REST_PORT      8080
  WE_BIND_ADDRESS   127.0.0.1: this machine only               WE_METRICS_PORT   9091
  WE_AUTH           auto: keys are needed beyond loopback      WE_GRPC_PORT      9090
  WE_DATA_DIR       ./.millrace: the embedded database
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
    // The caller ends the process: with 2 after a wrong call, with 1 after any other failure.
    .exitOverride()
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error: /, "millrace: ")),
      writeOut: (text) => around.screen.write(text),
      writeErr: (text) => around.terminal.write(text),
    })
    .addHelpText("after", EXAMPLES)
  program.commandsGroup("Run:")
  addServe(program, around)
  addWork(program, around)
  program.commandsGroup("Operate a running engine (WE_URL, WE_API_KEY):")
  await addOperatorGroups(program, around, argv)
  program.commandsGroup("Look and prepare:")
  addConfig(program, around)
  addDatabase(program, around)
  addKeys(program, around)
  addKafka(program, around)
  return program
}
