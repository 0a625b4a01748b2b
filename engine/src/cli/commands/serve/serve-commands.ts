// `millrace dev` and `millrace start`: their options; the engine is loaded only when one of them runs.
import type { Command } from "commander"
import { loadConfig } from "../../../config.ts"
import { createLogger } from "../../../support/log.ts"
import { wantsColour } from "../../drawing/paint.ts"
import { type LogOptions, logSink, withLogFormat } from "../../terminal/pretty-log.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"
import { chosenServices, SERVICE_NAMES } from "./chosen-services.ts"
import { serve } from "./serve.ts"

export function addServe(program: Command, around: Surroundings): void {
  const run = async (mode: "dev" | "start", { services, ...log }: LogOptions & { readonly services?: string }) => {
    const chosen = services === undefined ? undefined : chosenServices(services)
    const config = loadConfig({ env: around.env, requireDsn: mode === "start" })
    // In production programs read the log, whatever it is written to.
    const destination = mode === "dev" ? { destination: logSink(around.screen, around.env, log) } : {}
    const { version, terminal, force } = around
    const { startEngine } = await import("../../../engine.ts")
    await serve({
      config,
      log: createLogger({ level: config.logLevel, ...destination }),
      version,
      mode,
      terminal,
      force,
      services: chosen,
      startEngine,
      colour: wantsColour(terminal, around.env),
    })
  }
  withLogFormat(
    program
      .command("dev")
      .description(
        "Run everything on this machine: an embedded PostgreSQL (unless a DSN is set), the engine and a sample.",
      ),
  ).action((options: LogOptions) => run("dev", options))
  program
    .command("start")
    .description("Run the engine for production on the database in WE_POSTGRES_DSN.")
    .option(
      "--services <names>",
      `only these, separated by commas (default: all): ${SERVICE_NAMES.join(", ")}; without rest it opens no REST port`,
    )
    .action((options: { services?: string }) => run("start", options))
}
