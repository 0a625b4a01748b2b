// The commands of `millrace` and the help that explains them.
import { Command } from "commander"
import { addCompletion } from "./commands/completion/completion.ts"
import { addConfig } from "./commands/config.ts"
import { addDatabase, addKeys } from "./commands/database/database.ts"
import { addUsers } from "./commands/database/users.ts"
import { addGateway } from "./commands/gateway/gateway.ts"
import { addKafka } from "./commands/kafka/kafka.ts"
import { addServe } from "./commands/serve/serve-commands.ts"
import { addWork } from "./commands/work/work.ts"
import { addOperatorGroups, EVERY_COMMAND } from "./operator-groups.ts"
import type { Surroundings } from "./terminal/surroundings.ts"

const EXAMPLES = `
Examples:
  millrace dev                         everything here, nothing to install
  WE_REST_PORT=8081 millrace dev       beside another program on port 8080
  WE_POSTGRES_DSN=postgres://… millrace start     on your own PostgreSQL
  millrace gateway --upstream http://…            in front of your own service
  millrace work ./flows.js             run what a module exports
  millrace queues --watch              how many jobs wait, once a second
  millrace instances watch order-17    one run, step by step, until it ends
  millrace keys create billing --scope jobs:work  a key for a worker
  millrace users add ada --email a@b.c --admin    an administrator
  millrace config                      every setting, and where it came from

Settings come from the environment, then from /etc/workflow/engine.yaml (or the
file in WE_CONFIG_FILE):
  WE_POSTGRES_DSN   database URL of PostgreSQL 15 or later (or DATABASE_URL)
  WE_DATA_DIR       ./.millrace: the embedded database
  WE_BIND_ADDRESS   127.0.0.1: this machine only
  WE_AUTH           auto: keys are needed beyond loopback
  WE_REST_PORT      8080
  WE_GRPC_PORT      9090
  WE_METRICS_PORT   9091
Commands that operate an engine call it over REST:
  WE_URL            http://127.0.0.1:8080
  WE_API_KEY        sent as a bearer token
`

/** `argv` are the words after the program's name: only the commands they call for are loaded. */
export async function createProgram(
  around: Surroundings,
  argv: readonly string[] | typeof EVERY_COMMAND,
): Promise<Command> {
  const program = new Command("millrace")
    .description("Millrace: a durable workflow engine and job queue on PostgreSQL.")
    .version(around.version, "-v, --version")
    // Without this, the `--version` of `definitions show loan --version 2` would print the version of millrace.
    .enablePositionalOptions()
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
  addGateway(program, around)
  addWork(program, around)
  program.commandsGroup("Operate a running engine (WE_URL, WE_API_KEY):")
  await addOperatorGroups(program, around, argv)
  program.commandsGroup("Look and prepare:")
  addConfig(program, around)
  addDatabase(program, around)
  addKeys(program, around)
  addUsers(program, around)
  addKafka(program, around)
  addCompletion(program, around, () => createProgram(around, EVERY_COMMAND))
  return program
}
