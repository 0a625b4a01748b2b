// The browsers: send every submission at its time, the copies of one together, and again until it is accepted.
import { setTimeout as sleep } from "node:timers/promises"
import type { Mill } from "millrace"
import { onboarding } from "../onboarding.ts"
import type { PlannedSubmission } from "./submissions.ts"

/** When a submission comes, as a share of the whole time: `at` is its place among them, from 0 to 1. */
export type Shape = (at: number) => number

export const evenly: Shape = (at) => at

/** Rises steeply, falls slowly: the inverse of a triangular distribution with its peak after a fifth of the time. */
export const spike: Shape = (at) => (at < PEAK ? Math.sqrt(at * PEAK) : 1 - Math.sqrt((1 - at) * (1 - PEAK)))
const PEAK = 0.2

export interface Sent {
  /** Requests by second since the epoch. */
  readonly perSecond: Record<string, number>
  readonly latenciesMs: number[]
}

const TICK_MS = 10
const AGAIN_MS = 200

export async function sendAll(
  mill: Mill,
  submissions: readonly PlannedSubmission[],
  { overMs, shape, signal }: { overMs: number; shape: Shape; signal: AbortSignal },
): Promise<Sent> {
  const sent: Sent = { perSecond: {}, latenciesMs: [] }
  const answers: Promise<void>[] = []
  const startedAt = performance.now()
  for (const [at, submission] of submissions.entries()) {
    const dueAt = startedAt + shape(at / submissions.length) * overMs
    while (performance.now() < dueAt) await sleep(TICK_MS, undefined, { signal })
    for (let copy = 0; copy < submission.copies; copy++) answers.push(send(mill, submission, sent, signal))
  }
  await Promise.all(answers)
  return sent
}

async function send(mill: Mill, { payload }: PlannedSubmission, sent: Sent, signal: AbortSignal): Promise<void> {
  const second = Math.floor(Date.now() / 1000)
  sent.perSecond[second] = (sent.perSecond[second] ?? 0) + 1
  const startedAt = performance.now()
  while (!signal.aborted && !(await isAccepted(mill, payload))) await sleep(AGAIN_MS)
  sent.latenciesMs.push(performance.now() - startedAt)
}

const isAccepted = (mill: Mill, payload: PlannedSubmission["payload"]): Promise<boolean> =>
  mill.intake(onboarding, payload, { key: payload.submissionId }).then(
    () => true,
    () => false,
  )
