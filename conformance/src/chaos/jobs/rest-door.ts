// The door over REST: plain requests, so that no client repeats or hides an answer.
import type { Answer, JobDoor } from "./door.ts"
import { type JobOrder, RETRY } from "./order.ts"

const PATIENCE_MS = 10_000

interface Request {
  readonly method: "GET" | "POST" | "PATCH"
  readonly path: string
  readonly body?: object
  readonly key?: string | undefined
}

export function restDoor(port: number | undefined): JobDoor {
  const ask = <T>(request: Request, read: (body: never) => T) => answerOf(port, request, read)
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

/** A server that is being killed breaks off, refuses the connection, or says nothing: all of that is unknown. */
async function answerOf<T>(port: number | undefined, request: Request, read: (body: never) => T): Promise<Answer<T>> {
  let answer: Response
  let text: string
  try {
    answer = await send(port, request)
    text = await answer.text()
  } catch {
    return { is: "unknown" }
  }
  if (answer.ok) return { is: "ok", value: read(JSON.parse(text) as never) }
  return refusalOf(request, answer, text)
}

const send = (port: number | undefined, { method, path, body, key }: Request): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      ...(body ? { "content-type": "application/json" } : {}),
      ...(key === undefined ? {} : { "idempotency-key": key }),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(PATIENCE_MS),
  })

function refusalOf({ method, path }: Request, answer: Response, text: string): Answer<never> {
  const { error } = JSON.parse(text) as { error: string }
  if (answer.status === 503 && answer.headers.get("retry-after") !== null)
    return { is: error === "backpressure" ? "full" : "unknown" }
  if (answer.status === 409 || answer.status === 404) return { is: "no" }
  throw new Error(`${method} ${path} was answered with ${answer.status}: ${text}`)
}
