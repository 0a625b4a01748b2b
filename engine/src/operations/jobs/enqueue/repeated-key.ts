// What tells the repeat of a job's key from another job: what the caller has said of it, and nothing that its type has by default.
import { EngineError } from "../../../support/errors.ts"
import { digestOf } from "../../kernel/idempotency.ts"
import type { JobView } from "../job-view.ts"
import type { EnqueueRequest, PreparedJob, SaidOfJob } from "./enqueue-request.ts"

export const saidOf = ({ priority, timeoutMs, retries, retry, downstream }: EnqueueRequest): SaidOfJob => ({
  priority,
  timeoutMs,
  retries,
  retry,
  downstream,
})

export const digestOfSaid = (request: EnqueueRequest): Buffer => digestOf(identityOf({ ...request, ...request.said }))

/** Keys of version 0.1 were kept with what the type had then: they are repeated for as long as it has the same. */
export const isRepeatOf = ({ request, row }: PreparedJob, digest: Buffer): boolean =>
  row.digest?.equals(digest) || digestOf(identityOf(request)).equals(digest)

/** What two requests with one key must have in common. */
function identityOf({
  jobType,
  payload,
  priority = "normal",
  delayMs,
  timeoutMs,
  retries,
  retry,
  fairKey,
  limit,
  downstream,
}: EnqueueRequest) {
  const content = contentOf(payload)
  return { jobType, content, priority, delayMs, timeoutMs, retries, retry, fairKey, limit, downstream }
}

const contentOf = (payload: EnqueueRequest["payload"]) => (typeof payload === "string" ? JSON.parse(payload) : payload)

/** Says what differs, by the job that has the key; its record may be gone. */
export function otherJob({ request, row }: PreparedJob, earlier: JobView | undefined): EngineError {
  const other = `key ${row.key} was used for another job of this type`
  return new EngineError(
    "idempotency-mismatch",
    earlier ? `${other}: ${earlier.id}, ${differs(request, earlier)}` : other,
  )
}

const differs = ({ payload }: EnqueueRequest, earlier: JobView): string =>
  digestOf(contentOf(payload)).equals(digestOf(contentOf(earlier.payload)))
    ? "which has the same payload, and was enqueued with other options"
    : "which has another payload"
