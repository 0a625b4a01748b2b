// Takes in many standalone jobs: a thousand to a statement, two statements at a time, each of them whole or not at all. The first
// decides whether there is room. Within a caller's transaction one statement follows the other.
import type { Transaction } from "../../../db/transaction.ts"
import type { Priority } from "../../../model/definitions/definition.ts"
import { areAlike, type EnqueueRow, enqueueJobs, enqueueJobsNow } from "../../../store/jobs/enqueue.ts"
import { EngineError } from "../../../support/errors.ts"
import { isTracing } from "../../../support/spans.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { producing } from "../../observability/producer-span.ts"
import { announceReady, countTakenIn, hearAnswer, setLimitsOf } from "./announce-jobs.ts"
import { enqueueUntraced, enqueueWithin } from "./enqueue-job.ts"
import {
  accepted,
  type Enqueued,
  type EnqueueRequest,
  hasKey,
  type PreparedJob,
  refuseFull,
} from "./enqueue-request.ts"
import { judgeJobs, prepareJobs } from "./prepare-job.ts"

const CHUNK = 1_000
const CHUNK_BYTES = 4_194_304
const AT_ONCE = 2

/** All in one trace: that of the first. */
export function enqueueMany(
  kernel: Kernel,
  requests: readonly EnqueueRequest[],
  tx?: Transaction,
): Promise<readonly Enqueued[]> {
  const enqueue = (all: readonly EnqueueRequest[]) =>
    tx ? enqueueInTransaction(kernel, all, tx) : enqueueInChunks(kernel, all)
  if (!isTracing()) return enqueue(requests)
  return producing<{ trace?: string | undefined }, readonly Enqueued[]>(
    { trace: requests[0]?.trace },
    {
      name: "enqueue-jobs",
      attributes: { "messaging.batch.message_count": requests.length },
      work: ({ trace }) => enqueue(requests.map((request) => ({ ...request, trace }))),
      made: () => ({}),
    },
  )
}

/** One statement for many where none can be refused. Otherwise one by one: what comes after a refused job must not be stored. */
async function enqueueInTransaction(
  kernel: Kernel,
  requests: readonly EnqueueRequest[],
  tx: Transaction,
): Promise<readonly Enqueued[]> {
  const items = await prepareJobs(kernel, requests)
  const chunks = requests.every(cannotBeRefused) ? chunksOf(items) : items.map((item) => [item])
  const enqueued: Enqueued[] = []
  for (const chunk of chunks) enqueued.push(...(await enqueueWithin(kernel, tx, chunk)))
  return enqueued
}

const cannotBeRefused = (request: EnqueueRequest): boolean => !hasKey(request) && request.whenFull === "absorb"

/** Jobs with keys are decided one by one, in batches with others. */
async function enqueueInChunks(kernel: Kernel, requests: readonly EnqueueRequest[]): Promise<readonly Enqueued[]> {
  if (requests.some(hasKey)) return enqueueEach(kernel, requests)
  const items = await prepareJobs(kernel, requests)
  const [first, ...others] = chunksOf(decidingFirst(items))
  if (!first) return []
  await enqueueChunk(kernel, first)
  if (others.length > 0) await enqueueOthers(kernel, others, { stored: first.length, all: items.length })
  return items.map(accepted)
}

/** One job of each priority: their gates decide about all. */
function decidingFirst(items: readonly PreparedJob[]): readonly PreparedJob[] {
  if (items.length <= CHUNK) return items
  const deciding = new Map<Priority, PreparedJob>()
  for (const item of items) if (!deciding.has(item.row.priority)) deciding.set(item.row.priority, item)
  const first = new Set(deciding.values())
  return [...first, ...items.filter((item) => !first.has(item))]
}

interface Progress {
  stored: number
  readonly all: number
}

/** The first chunk found room, and the others belong to it: a bulk that began below the mark is not left half done. */
async function enqueueOthers(kernel: Kernel, chunks: readonly PreparedJob[][], progress: Progress): Promise<void> {
  let next = 0
  const work = async () => {
    while (next < chunks.length) {
      const chunk = (chunks[next++] as PreparedJob[]).map(withRoom)
      await enqueueChunk(kernel, chunk)
      progress.stored += chunk.length
    }
  }
  const outcomes = await Promise.allSettled(Array.from({ length: AT_ONCE }, work))
  const failed = outcomes.find((outcome) => outcome.status === "rejected")
  if (failed) throw storedInPart(failed.reason, progress)
}

const withRoom = ({ request, row }: PreparedJob): PreparedJob => ({ request, row: { ...row, isGated: false } })

/** All are asked for, whatever becomes of one of them; what is refused is told when the others are through. */
async function enqueueEach(kernel: Kernel, requests: readonly EnqueueRequest[]): Promise<readonly Enqueued[]> {
  await judgeJobs(kernel, requests)
  const outcomes = await Promise.allSettled(requests.map((request) => enqueueUntraced(kernel, request)))
  const enqueued = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []))
  const failed = outcomes.find((outcome) => outcome.status === "rejected")
  if (failed) throw storedInPart(failed.reason, { stored: enqueued.length, all: requests.length })
  return enqueued
}

/** A caller that asks again for all of them must know that some would be there twice. */
function storedInPart(error: unknown, { stored, all }: Progress): unknown {
  if (!(error instanceof EngineError) || stored === 0) return error
  const { code, message, details, retryAfterSeconds, isDuplicate } = error
  const part = `${stored} of the ${all} jobs are stored. The first that is not: ${message}`
  return new EngineError(code, part, { details, retryAfterSeconds, isDuplicate, cause: error })
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

async function enqueueChunk(kernel: Kernel, items: readonly PreparedJob[]): Promise<void> {
  const rows = items.map(({ row }) => row)
  const written: { answer?: EnqueueRow } = {}
  await kernel.db.transaction(async (tx) => {
    // Alike ones are stored together or not at all: nothing hangs on the answer before the commit.
    if (areAlike(rows))
      return enqueueJobs(tx, rows, kernel.settings, (answer) => {
        written.answer = answer
      })
    expectAll(kernel, items, await enqueueJobsNow(tx, rows, kernel.settings))
    setLimitsOf(tx, items)
  })
  if (written.answer) expectAll(kernel, items, written.answer)
  countTakenIn(kernel, items)
  announceReady(kernel, rows)
}

/** Where one job finds no room, the whole chunk is refused for it. */
function expectAll(kernel: Kernel, items: readonly PreparedJob[], answer: EnqueueRow): void {
  const made = hearAnswer(kernel, items, answer)
  if (made.length === items.length) return
  const refused = items.find((item, at) => item !== made[at])
  throw refuseFull(kernel, refused?.row.priority ?? "normal", refused?.request.door)
}
