// `millrace work <module>`: runs the workflows and jobs that a module exports, until it is stopped or until nothing is ready.
import type { Command } from "commander"
import { positiveWhole } from "../../options/numbers.ts"
import { withLogFormat } from "../../terminal/pretty-log.ts"
import { withJson } from "../../terminal/show.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"
import { afterMistake } from "../group.ts"
import type { WorkOptions } from "./run-work.ts"

const EXAMPLES = `
The module exports what workflow(…) and job(…) return, or an array of them:
  export const sendEmail = job("send_email", async ({ payload }) => …)
  export const onboarding = workflow("onboarding", { steps: […] })

Examples:
  millrace work ./flows.js                        until Ctrl-C or SIGTERM
  millrace work ./flows.js --concurrency 16       as many at a time
  millrace work @acme/flows --once                what is ready, then exit: cron
  millrace work ./flows.js --once --deadline 5m   stop 30 s before it is ended

The database is the one in WE_POSTGRES_DSN, or the embedded one in WE_DATA_DIR.
Handlers that fail are logged on stderr, a line each: WE_LOG_LEVEL=warn leaves
out those that are tried again, WE_LOG_LEVEL=debug adds the stacks.

No engine's /metrics counts what it does. Where WE_METRICS_PORT is set it serves
/metrics, /healthz and /readyz there, except with --once. Each process on one
machine needs a port of its own; 0 takes a free one.
`

const CONCURRENCY = 4

export function addWork(program: Command, around: Surroundings): void {
  withLogFormat(
    withJson(
      afterMistake(program.command("work <module>"), "millrace work ./flows.js")
        .description("Run the workflows and jobs that a module exports, until stopped; with --once what is ready now.")
        .option("--once", "run what is ready, then exit and say how much it was")
        .option("--deadline <duration>", "with --once: when the process will be ended, counted from its start")
        .option("--reserve <duration>", "with --deadline: begin nothing new when less than this is left (default: 30s)")
        .option("--concurrency <n>", "jobs at a time", positiveWhole, CONCURRENCY),
    ),
  )
    .addHelpText("after", EXAMPLES)
    .action(async (module: string, options: WorkOptions) => {
      const { runWork } = await import("./run-work.ts")
      await runWork(around, module, options)
    })
}
