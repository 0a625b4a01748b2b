// Follows a bulk operation to its end: a bar on a terminal, nothing but the last line elsewhere.
import type { wire } from "@millrace/sdk"
import { painterFor } from "../../drawing/paint.ts"
import { progressLine } from "../../drawing/progress-bar.ts"
import { plural } from "../../drawing/times.ts"
import type { RemoteEngine } from "../../remote-engine.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"

const FIRST_LOOK_MS = 50
const LOOK_EVERY_MS = 500
const CLEAR_LINE = "\r\u001b[K"

/** The engine works it off by itself: Ctrl-C ends the following, not the work. */
export async function followBulk(
  { terminal, env }: Surroundings,
  engine: RemoteEngine,
  { verb, started }: { readonly verb: string; readonly started: wire.Bulk },
): Promise<wire.Bulk> {
  const paint = painterFor(terminal, env)
  const draw = (bulk: wire.Bulk) => {
    if (terminal.isTTY) terminal.write(`${CLEAR_LINE}${progressLine(verb, bulk, terminal.columns ?? 80, paint)}`)
  }
  let bulk = started
  draw(bulk)
  for (let waitMs = FIRST_LOOK_MS; !bulk.finished; waitMs = Math.min(2 * waitMs, LOOK_EVERY_MS)) {
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    bulk = await engine.call("getBulk", { path: { bulkId: bulk.id } })
    draw(bulk)
  }
  if (terminal.isTTY) terminal.write("\n")
  return bulk
}

export const bulkOutcome = (done: string, bulk: wire.Bulk): string => `${done} ${plural(bulk.done, "dead letter")}.`
