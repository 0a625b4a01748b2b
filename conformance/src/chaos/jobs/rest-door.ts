// The door over REST.
import { askRest, type Request } from "../rest.ts"
import type { JobDoor } from "./door.ts"
import { type JobOrder, RETRY } from "./order.ts"

export function restDoor(port: number | undefined): JobDoor {
  const ask = <T>(request: Request, read: (body: never) => T) => askRest(port, request, read)
  const nothing = () => undefined
  return {
    enqueue: (order) => ask(enqueueOf(order), ({ id }: { id: string }) => id),
    cancel: (id) => ask({ method: "POST", path: `/jobs/${id}/cancel`, body: {} }, nothing),
    letters: () => ask({ method: "GET", path: "/queues/dlq?limit=50" }, lettersOf),
    replay: (letter, key) =>
      ask({ method: "POST", path: `/queues/dlq/${letter}/replay`, key }, (made: { job_id: string }) => made.job_id),
    replayAll: (type, key) =>
      ask({ method: "POST", path: "/queues/dlq/replay", body: { filter: { type } }, key }, nothing),
    setWeights: (shares) => ask({ method: "PATCH", path: "/queues/weights", body: shares }, nothing),
    pause: (lane) => ask({ method: "POST", path: `/queues/${lane}/pause`, body: {} }, nothing),
    resume: (lane) => ask({ method: "POST", path: `/queues/${lane}/resume`, body: {} }, nothing),
  }
}

const seconds = (ms: number): string => `PT${ms / 1_000}S`

function enqueueOf(order: JobOrder): Request {
  const { payload, keptBy, timeoutMs } = order
  const { ref, retries, delayMs } = payload
  const body = {
    type: order.type,
    payload,
    priority: order.lane,
    retries,
    retry: { base: seconds(RETRY.baseMs), factor: RETRY.factor, cap: seconds(RETRY.capMs), jitter: RETRY.jitter },
    ...(keptBy === "key" ? { key: ref } : {}),
    ...(delayMs > 0 ? { delay: seconds(delayMs) } : {}),
    ...(timeoutMs === undefined ? {} : { timeout: seconds(timeoutMs) }),
    ...(order.fairKey === undefined ? {} : { fair_key: order.fairKey }),
    ...(order.limit === undefined ? {} : { limit: order.limit }),
    ...(order.downstream === undefined ? {} : { downstream: order.downstream }),
  }
  return { method: "POST", path: "/jobs", body, key: keptBy === "request" ? ref : undefined }
}

const lettersOf = ({ items }: { items: readonly { id: string; source: string; job_id: string }[] }) =>
  items.flatMap(({ id, source, job_id }) => (source === "job" ? [{ id, job: job_id }] : []))
