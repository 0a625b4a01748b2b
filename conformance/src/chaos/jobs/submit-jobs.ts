// The clients of the queue: they send jobs, send again what got no answer, and change their minds about some.
import { setTimeout as sleep } from "node:timers/promises"
import type { Journal, Line } from "../journal.ts"
import type { Random } from "../random.ts"
import type { JobDoor } from "./door.ts"
import { ofOp } from "./lines.ts"
import { drawOrder, type JobOrder } from "./order.ts"

export interface LoadMeans {
  /** The name of the process in its present life. */
  readonly name: string
  readonly door: JobDoor
  readonly journal: Journal
  readonly random: Random
  /** Nothing new when it drains; when it is stopped, nothing is sent again either. */
  readonly phase: { readonly draining: boolean; readonly stopped: boolean }
  readonly bug: (what: string, error: unknown) => void
}

const AT_ONCE = 8
const AGAIN_MS = 200
const WHEN_FULL_MS = 1_000

export async function submitJobs(means: LoadMeans): Promise<void> {
  const { name, random, phase } = means
  for (let n = 0; !phase.draining; n++) {
    await sleep(random.between(40, 160))
    const orders = Array.from({ length: AT_ONCE }, (_, i) => drawOrder(`${name}-job-${n}-${i}`, random))
    const wasTaken = await Promise.all(orders.map((order) => submit(means, order)))
    if (wasTaken.includes(false)) await sleep(WHEN_FULL_MS)
  }
}

/** Two callers with one key are one job. */
async function submit(means: LoadMeans, order: JobOrder): Promise<boolean> {
  const isTwice = order.keptBy !== "nothing" && means.random.chance(0.1)
  const sent = [send(means, order, false), ...(isTwice ? [send(means, order, false)] : [])]
  const [first] = await Promise.all(sent)
  return first ?? false
}

/** Jobs of the lives before this one that may or may not be in the queue: the same key again, until there is an answer. */
export async function resubmitJobs(means: LoadMeans, lines: readonly Line[]): Promise<void> {
  await Promise.all(unanswered(lines).map((order) => send(means, order, true)))
}

export function unanswered(lines: readonly Line[]): JobOrder[] {
  const open = new Map<string, { order: JobOrder; requests: number }>()
  for (const { ref, order } of ofOp(lines, "enqueue"))
    open.set(ref, { order, requests: (open.get(ref)?.requests ?? 0) + 1 })
  for (const { ref } of ofOp(lines, "refused")) {
    const found = open.get(ref)
    if (found) found.requests -= 1
  }
  for (const { ref } of ofOp(lines, "accepted")) open.delete(ref)
  return [...open.values()].flatMap(({ order, requests }) =>
    requests > 0 && order.keptBy !== "nothing" ? [order] : [],
  )
}

/** False when a gate was shut. Once an answer is missing, only an acceptance settles it. */
async function send(means: LoadMeans, order: JobOrder, wasSentBefore: boolean): Promise<boolean> {
  const { door, journal, phase, random, bug } = means
  const { ref } = order.payload
  let mayBeThere = wasSentBefore
  while (!phase.stopped) {
    journal.write({ op: "enqueue", ref, order })
    const answer = await door.enqueue(order).catch((error: unknown) => bug("enqueue", error))
    if (!answer) return false
    if (answer.is === "ok") {
      journal.write({ op: "accepted", ref, id: answer.value })
      if (random.chance(0.08)) void cancelLater(means, answer.value)
      return true
    }
    if (answer.is === "no") bug("enqueue", new Error(`${ref} was refused with a conflict`))
    if (answer.is === "full") journal.write({ op: "refused", ref })
    mayBeThere ||= answer.is === "unknown"
    const givesUp = answer.is !== "unknown" && !mayBeThere && (phase.draining || random.chance(0.7))
    if (givesUp || order.keptBy === "nothing") return answer.is !== "full"
    await sleep(AGAIN_MS)
  }
  return false
}

async function cancelLater({ door, journal, random, phase, bug }: LoadMeans, id: string): Promise<void> {
  await sleep(random.between(0, 1_200))
  if (phase.stopped) return
  journal.write({ op: "cancel", id })
  const answer = await door.cancel(id).catch((error: unknown) => bug("cancel", error))
  if (answer?.is === "ok") journal.write({ op: "cancelled", id })
}
