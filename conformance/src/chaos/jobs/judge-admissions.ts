// Whether the queue kept its word at the door: what was accepted is there once, and of what was refused there is nothing.
import type { Line } from "../journal.ts"
import type { EndedJob, FinalState } from "./final-state.ts"
import { ofOp } from "./lines.ts"
import type { JobOrder } from "./order.ts"

/** What became of the requests for one job. */
interface Request {
  readonly order: JobOrder
  sent: number
  refused: number
  readonly ids: Set<string>
}

function requestsOf(lines: readonly Line[]): Map<string, Request> {
  const requests = new Map<string, Request>()
  for (const { ref, order } of ofOp(lines, "enqueue")) {
    const found = requests.get(ref)
    if (found) found.sent += 1
    else requests.set(ref, { order, sent: 1, refused: 0, ids: new Set() })
  }
  for (const { ref } of ofOp(lines, "refused")) requests.get(ref)!.refused += 1
  for (const { ref, id } of ofOp(lines, "accepted")) requests.get(ref)!.ids.add(id)
  return requests
}

/** An accepted job is there once, as it was sent; an unanswered one at most once; of a refused one nothing. */
export function judgeAdmissions(lines: readonly Line[], { ended, live, traces }: FinalState): string[] {
  const requests = requestsOf(lines)
  const endedIds = new Map<string, EndedJob[]>()
  for (const job of ended) if (job.replayOf === null) endedIds.set(job.ref, [...(endedIds.get(job.ref) ?? []), job])
  const isRefused = (ref: string) => {
    const request = requests.get(ref)
    return request !== undefined && request.refused === request.sent
  }
  return [
    ...[...requests].flatMap(([ref, request]) => judgeRequest(ref, request, endedIds.get(ref) ?? [])),
    ...[...ended, ...live].flatMap(({ id, ref }) =>
      requests.has(ref) ? [] : [`S20: job ${id} is there, but nobody sent ${ref}`],
    ),
    ...[...ended, ...live].flatMap(({ id, ref }) =>
      isRefused(ref) ? [`S21: ${ref} was refused, and is there as job ${id}`] : [],
    ),
    ...traces.flatMap(({ ref, what }) => (isRefused(ref) ? [`S21: ${ref} was refused, and left ${what} behind`] : [])),
  ]
}

function judgeRequest(ref: string, { order, ids }: Request, jobs: readonly EndedJob[]): string[] {
  const [job] = jobs
  const violations = jobs.flatMap(({ id, amount, lane }) =>
    amount === order.payload.amount && lane === order.lane ? [] : [`S1: job ${id} is not what ${ref} was sent as`],
  )
  if (jobs.length > 1) violations.push(`S3: ${ref} was enqueued ${jobs.length} times`)
  if (ids.size > 1) violations.push(`S3: ${ref} was answered with ${[...ids].join(" and ")}`)
  for (const id of ids) {
    if (!job) violations.push(`S1, S20: ${ref} was accepted as ${id} and has come to no end`)
    else if (jobs.every((other) => other.id !== id))
      violations.push(`S3: ${ref} was answered with ${id}, but is ${job.id}`)
  }
  return violations
}
