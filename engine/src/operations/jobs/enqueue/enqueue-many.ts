// Takes in many standalone jobs: a thousand to a statement, two statements at a time, each of them whole or not at all.
import { enqueueJobsNow } from "../../../store/jobs/enqueue.ts"
import { setLimits } from "../../../store/jobs/standalone-jobs.ts"
import { isTracing } from "../../../support/spans.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { producing } from "../../observability/producer-span.ts"
import { announceReady, countEnqueued, hearGates, limitsOf } from "./announce-jobs.ts"
import { enqueueUntraced } from "./enqueue-job.ts"
import { accepted, type Enqueued, type EnqueueRequest, type PreparedJob, refuseFull } from "./enqueue-request.ts"
import { prepareJob } from "./prepare-job.ts"

const CHUNK = 1_000
const CHUNK_BYTES = 4_194_304
const AT_ONCE = 2

/** All in one trace: that of the first. */
export function enqueueMany(kernel: Kernel, requests: readonly EnqueueRequest[]): Promise<readonly Enqueued[]> {
  if (!isTracing()) return enqueueInChunks(kernel, requests)
  return producing<{ trace?: string | undefined }, readonly Enqueued[]>(
    { trace: requests[0]?.trace },
    {
      name: "enqueue-jobs",
      attributes: { "messaging.batch.message_count": requests.length },
      work: ({ trace }) =>
        enqueueInChunks(
          kernel,
          requests.map((request) => ({ ...request, trace })),
        ),
      made: () => ({}),
    },
  )
}

/** Those with keys are decided one by one, in batches with others. */
async function enqueueInChunks(kernel: Kernel, requests: readonly EnqueueRequest[]): Promise<readonly Enqueued[]> {
  const isPlain = requests.every(({ key, unique, requestKey }) => key === undefined && !unique && !requestKey)
  if (!isPlain) return Promise.all(requests.map((request) => enqueueUntraced(kernel, request)))
  const items: PreparedJob[] = []
  for (const request of requests) items.push(await prepareJob(kernel, request))
  const chunks = chunksOf(items)
  const enqueued: (readonly Enqueued[])[] = []
  let next = 0
  const work = async () => {
    while (next < chunks.length) {
      const at = next++
      enqueued[at] = await enqueueChunk(kernel, chunks[at] as PreparedJob[])
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return enqueued.flat()
}

function chunksOf(items: readonly PreparedJob[]): PreparedJob[][] {
  const chunks: PreparedJob[][] = []
  let bytes = CHUNK_BYTES
  for (const item of items) {
    const last = chunks.at(-1)
    if (last && last.length < CHUNK && bytes < CHUNK_BYTES) last.push(item)
    else chunks.push([item])
    bytes = (last === chunks.at(-1) ? bytes : 0) + item.row.payload.length
  }
  return chunks
}

async function enqueueChunk(kernel: Kernel, items: readonly PreparedJob[]): Promise<readonly Enqueued[]> {
  const rows = items.map(({ row }) => row)
  await kernel.db.transaction(async (tx) => {
    const answer = await enqueueJobsNow(tx, rows, kernel.settings)
    hearGates(kernel, answer)
    if (answer.ids.length < rows.length) throw refuse(kernel, items, answer.ids)
    const limits = limitsOf(items)
    if (limits.length > 0) setLimits(tx, limits)
    countEnqueued(kernel, tx, items)
    tx.afterCommit(() => announceReady(kernel, rows))
  })
  return items.map(accepted)
}

/** The whole chunk is refused, for the first that found no room. */
function refuse(kernel: Kernel, items: readonly PreparedJob[], ids: readonly string[]) {
  const made = new Set(ids)
  const refused = items.find(({ row }) => !made.has(row.id))
  return refuseFull(kernel, refused?.row.priority ?? "normal", refused?.request.door)
}
