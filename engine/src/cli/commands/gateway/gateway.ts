// `millrace gateway`: its options, and the settings that a gateway has of its own.
import type { Command } from "commander"
import { type Config, loadConfig } from "../../../config.ts"
import { createLogger } from "../../../support/log.ts"
import { wantsColour } from "../../drawing/paint.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"
import { runGateway } from "./run-gateway.ts"

const EXAMPLES = `
Examples:
  millrace gateway --upstream http://127.0.0.1:3000              /gateway/* on port 8080 goes to port 3000
  millrace gateway --config gateway.yaml --port 8090             several upstreams by path
  WE_POSTGRES_DSN=postgres://… millrace gateway --upstream …     users and blocks in your own PostgreSQL

The file has a list of upstreams; the longest path that fits is taken:
  upstreams:
    - path: /orders            # also /orders/7, but not /ordersx
      to: http://orders:3000
      public: false            # true: no credential is asked for
      strip: false             # true: /orders is not sent to the upstream
      timeouts: { connect: 5s, headers: 30s, idle: 60s }
      retries: 1               # GET, HEAD and OPTIONS without a body, where nothing came back
      websockets: { perCaller: 100, total: 1000 }

A caller needs a token of POST /auth/login (WE_JWT_SECRET), or a key with the scope gateway:
  millrace users add ada --email ada@example.com
  millrace keys create shop --scope gateway
`

interface Chosen {
  readonly upstream?: string
  readonly config?: string
  readonly port?: string
}

export function addGateway(program: Command, around: Surroundings): void {
  program
    .command("gateway")
    .description("Run a gateway in front of your own services: credentials, limits and abuse detection, then forward.")
    .option("--upstream <url>", "where everything under /gateway/ goes (WE_GATEWAY_UPSTREAM)")
    .option("--config <file>", "a YAML file of upstreams by path (WE_GATEWAY_CONFIG_FILE)")
    .option("--port <number>", "the port to listen on (WE_REST_PORT)")
    .addHelpText("after", EXAMPLES)
    .action(async (chosen: Chosen) => {
      const config = configOf(chosen, around.env)
      const { version, terminal, force } = around
      const { startEngine } = await import("../../../engine.ts")
      await runGateway({
        config,
        log: createLogger({ level: config.logLevel }),
        version,
        terminal,
        force,
        startEngine,
        colour: wantsColour(terminal, around.env),
      })
    })
}

/** What is given on the command line goes before the environment. Credentials and the guard are what a gateway is for. */
export function configOf({ upstream, config: file, port }: Chosen, env: NodeJS.ProcessEnv): Config {
  return loadConfig({
    env: {
      WE_AUTH: "required",
      WE_GUARD: "on",
      ...env,
      ...(upstream === undefined ? {} : { WE_GATEWAY_UPSTREAM: upstream }),
      ...(file === undefined ? {} : { WE_GATEWAY_CONFIG_FILE: file }),
      ...(port === undefined ? {} : { WE_REST_PORT: port }),
    },
  })
}
