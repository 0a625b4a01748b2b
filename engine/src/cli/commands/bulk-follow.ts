// Follows a bulk operation to its end: a bar on a terminal, nothing but the last line elsewhere.
import type { ApiClient } from "../api-client.ts"
import { painterFor } from "../drawing/paint.ts"
import { type Progress, progressLine } from "../drawing/progress-bar.ts"
import { plural } from "../drawing/times.ts"
import type { Surroundings } from "../surroundings.ts"
import { segment } from "./group.ts"

export interface BulkAnswer extends Progress {
  readonly id: string
  readonly finished: boolean
}

const FIRST_LOOK_MS = 50
const LOOK_EVERY_MS = 500
const CLEAR_LINE = "\r\u001b[K"

/** The engine works it off by itself: Ctrl-C ends the following, not the work. */
export async function followBulk(
  around: Surroundings,
  api: ApiClient,
  verb: string,
  started: BulkAnswer,
): Promise<BulkAnswer> {
  const { terminal, env } = around
  const paint = painterFor(terminal, env)
  const draw = (bulk: BulkAnswer) => {
    if (terminal.isTTY) terminal.write(`${CLEAR_LINE}${progressLine(verb, bulk, terminal.columns ?? 80, paint)}`)
  }
  let bulk = started
  draw(bulk)
  for (let waitMs = FIRST_LOOK_MS; !bulk.finished; waitMs = Math.min(2 * waitMs, LOOK_EVERY_MS)) {
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    bulk = await api.get<BulkAnswer>(`/v1/bulk/${segment(bulk.id)}`)
    draw(bulk)
  }
  if (terminal.isTTY) terminal.write("\n")
  return bulk
}

export const bulkOutcome = (done: string, bulk: BulkAnswer): string =>
  `${done} ${plural(bulk.done, "dead letter")}${bulk.failed > 0 ? `; ${plural(bulk.failed, "was", "were")} left, see the engine's log` : ""}.`
