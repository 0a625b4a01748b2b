// `millrace instances watch`: one run until it ends, drawn in place at a terminal and line by line anywhere else.
import type { Command } from "commander"
import { CommandError, type ExitCode } from "../../command-error.ts"
import { cellText, jsonText } from "../../drawing/cell-text.ts"
import { painterFor } from "../../drawing/paint.ts"
import { changeTeller, drawRun } from "../../drawing/run-picture.ts"
import type { ShownRun } from "../../drawing/run-steps.ts"
import { RemoteEngine } from "../../remote-engine.ts"
import { canvasOf, type ShowOptions } from "../../terminal/show.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"
import { watch } from "../../terminal/watch.ts"
import { findInstance, isLive, type WhichOptions, withWhich } from "./find-instance.ts"
import { readRun } from "./read-run.ts"

export function addInstanceWatch(group: Command, around: Surroundings): void {
  withWhich(
    group
      .command("watch <id|key>")
      .description("Follow a run until it ends: steps, tries, times. Exit code 0 COMPLETED, 3 FAILED, 4 CANCELLED.")
      .option("--json", "one JSON document a line, whenever something has changed"),
  ).action(async (word: string, options: ShowOptions & WhichOptions) => {
    const engine = new RemoteEngine(around.env)
    await watchRun(around, engine, { id: await findInstance(engine, word, options), json: options.json === true })
  })
}

interface Watched {
  readonly id: string
  readonly json: boolean
}

/** Returns when the run has completed; any other end is a CommandError with its exit code. */
export async function watchRun(around: Surroundings, engine: RemoteEngine, { id, json }: Watched): Promise<void> {
  const { screen, signals = process, redrawMs } = around
  let run = await readRun(engine, id)
  const lines = json ? documents() : screen.isTTY ? picture(around) : changeTeller(painterFor(screen, around.env))
  const ahead = [run]
  const hasEnded = await watch({
    screen: json ? { write: (text) => screen.write(text) } : screen,
    signals,
    everyMs: redrawMs,
    isOver: () => !isLive(run),
    draw: async () => {
      try {
        run = ahead.pop() ?? (await readRun(engine, id))
        return lines(run)
      } catch (error) {
        const away = awayOf(error)
        return json ? [jsonText({ error: away })] : away.split("\n")
      }
    },
  })
  if (!hasEnded) throw new CommandError(`${id} has not ended: it is ${run.status}`, 130)
  expectCompleted(run)
}

/** An engine that restarts is no reason to stop watching; one that refuses is. */
function awayOf(error: unknown): string {
  const isAway = error instanceof CommandError && (error.refusal === undefined || error.refusal === "unavailable")
  if (!isAway) throw error
  return error.message
}

const picture = (around: Surroundings) => (run: ShownRun) => drawRun(run, canvasOf(around))

function documents(): (run: ShownRun) => readonly string[] {
  let last = ""
  return (run) => {
    const document = jsonText(run)
    const lines = document === last ? [] : [document]
    last = document
    return lines
  }
}

const CODES: Readonly<Record<string, ExitCode>> = { FAILED: 3, CANCELLED: 4 }

function expectCompleted({ id, status, failureReason }: ShownRun): void {
  if (status === "COMPLETED") return
  const why = failureReason === undefined ? "" : `: ${cellText(failureReason)}`
  throw new CommandError(`${id} ${status === "FAILED" ? "has failed" : "was cancelled"}${why}`, CODES[status] ?? 1)
}
