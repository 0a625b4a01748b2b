// The door within the process: the operations that the library and the transports call.

import { EVERYTHING } from "../../../../engine/dist/model/people/reach.js"
import { listDeadLetters } from "../../../../engine/dist/operations/dead-letters/read-dead-letters.js"
import { replayDeadLetter } from "../../../../engine/dist/operations/dead-letters/replay-dead-letter.js"
import { createDeadLetterBulk } from "../../../../engine/dist/operations/dead-letters/replay-dead-letters.js"
import { pause, resume } from "../../../../engine/dist/operations/flow/change-pauses.js"
import { setWeights } from "../../../../engine/dist/operations/flow/change-weights.js"
import { cancelJob } from "../../../../engine/dist/operations/jobs/end/cancel-job.js"
import { type EnqueueRequest, enqueueJob } from "../../../../engine/dist/operations/jobs/enqueue/enqueue-job.js"
import { digestOf } from "../../../../engine/dist/operations/kernel/idempotency.js"
import type { Kernel } from "../../../../engine/dist/operations/kernel/kernel.js"
import { asEngineError } from "../../../../engine/dist/operations/kernel/run-operation.js"
import { EngineError } from "../../../../engine/dist/support/errors.js"
import type { Answer, JobDoor } from "./door.ts"
import { type JobOrder, RETRY } from "./order.ts"

export function engineDoor(kernel: Kernel, actor: string): JobDoor {
  const operator = { actor }
  return {
    enqueue: (order) => ask(() => enqueue(kernel, { ...requestOf(order), actor })),
    cancel: (id) => ask(() => done(cancelJob(kernel, { id, reason: "changed my mind", actor }))),
    letters: () => ask(() => letters(kernel)),
    replay: (letter, key) => ask(() => replay(kernel, letter, key, actor)),
    replayAll: (type, key) => ask(() => done(replayAll(kernel, type, key, actor))),
    setWeights: (shares) => ask(() => done(setWeights(kernel, operator, shares))),
    pause: (name) => ask(() => done(pause(kernel, operator, { kind: "queue", name, reason: undefined }))),
    resume: (name) => ask(() => done(resume(kernel, operator, { kind: "queue", name }))),
  }
}

const done = async (work: Promise<unknown>): Promise<undefined> => void (await work)

async function ask<T>(work: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { is: "ok", value: await work() }
  } catch (error) {
    const known = asEngineError(error)
    if (!(known instanceof EngineError)) throw error
    if (known.code === "unavailable") return { is: "unknown" }
    if (known.code === "backpressure" && known.retryAfterSeconds !== undefined) return { is: "full" }
    if (known.code === "conflict" || known.code === "not-found") return { is: "no" }
    throw error
  }
}

const keyOf = (scope: string, key: string, body: unknown) => ({ scope, key, digest: digestOf(body) })

function requestOf(order: JobOrder): Omit<EnqueueRequest, "actor"> {
  const { payload, keptBy, lane } = order
  const { ref, retries, delayMs } = payload
  return {
    jobType: order.type,
    payload: { ...payload },
    priority: lane,
    key: keptBy === "key" ? ref : undefined,
    requestKey: keptBy === "request" ? keyOf("chaos-enqueue", ref, order) : undefined,
    delayMs: delayMs || undefined,
    timeoutMs: order.timeoutMs,
    retry: { retries, ...RETRY },
    fairKey: order.fairKey,
    limit: order.limit,
    downstream: order.downstream,
    whenFull: "refuse",
  }
}

const enqueue = async (kernel: Kernel, request: EnqueueRequest): Promise<string> =>
  (await enqueueJob(kernel, request)).job.id

async function letters(kernel: Kernel) {
  const { items } = await listDeadLetters(kernel, {}, { limit: 50 })
  return items.flatMap(({ id, source, jobId }) => (source === "job" ? [{ id, job: jobId }] : []))
}

async function replay(kernel: Kernel, id: string, key: string, actor: string): Promise<string> {
  const requestKey = keyOf("chaos-replay", key, id)
  const { jobId } = (await replayDeadLetter(kernel, { id, actor, reach: EVERYTHING, requestKey })).outcome
  if (jobId === undefined) throw new Error(`the replay of ${id} names no job`)
  return jobId
}

const replayAll = (kernel: Kernel, type: string, key: string, actor: string) =>
  createDeadLetterBulk(kernel, {
    action: "replay",
    filter: { type },
    dryRun: false,
    actor,
    reach: EVERYTHING,
    requestKey: keyOf("chaos-replay-all", key, type),
  })
