// The door within the process: the operations that the library and the transports call.

import { listDeadLetters } from "../../../../engine/dist/operations/dead-letters/read-dead-letters.js"
import { replayDeadLetter } from "../../../../engine/dist/operations/dead-letters/replay-dead-letter.js"
import { createDeadLetterBulk } from "../../../../engine/dist/operations/dead-letters/replay-dead-letters.js"
import { pause, resume } from "../../../../engine/dist/operations/flow/change-pauses.js"
import { setWeights } from "../../../../engine/dist/operations/flow/change-weights.js"
import { cancelJob } from "../../../../engine/dist/operations/jobs/end/cancel-job.js"
import { type EnqueueRequest, enqueueJob } from "../../../../engine/dist/operations/jobs/enqueue/enqueue-job.js"
import type { Context } from "../../../../engine/dist/operations/kernel/context.js"
import { digestOf } from "../../../../engine/dist/operations/kernel/idempotency.js"
import { asEngineError } from "../../../../engine/dist/operations/kernel/run-operation.js"
import { EngineError } from "../../../../engine/dist/support/errors.js"
import type { Answer, JobDoor } from "./door.ts"
import { type JobOrder, RETRY } from "./order.ts"

export function engineDoor(ctx: Context, actor: string): JobDoor {
  const operator = { actor }
  return {
    enqueue: (order) => ask(() => enqueue(ctx, { ...requestOf(order), actor })),
    cancel: (id) => ask(() => done(cancelJob(ctx, { id, reason: "changed my mind", actor }))),
    letters: () => ask(() => letters(ctx)),
    replay: (letter, key) => ask(() => replay(ctx, letter, key, actor)),
    replayAll: (type, key) => ask(() => done(replayAll(ctx, type, key, actor))),
    setWeights: (shares) => ask(() => done(setWeights(ctx, operator, shares))),
    pause: (name) => ask(() => done(pause(ctx, operator, { kind: "queue", name, reason: undefined }, () => null))),
    resume: (name) => ask(() => done(resume(ctx, operator, { kind: "queue", name }, null))),
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

const idIn = (text: string | null): string => (JSON.parse(text ?? "{}") as { id: string }).id

async function enqueue(ctx: Context, request: EnqueueRequest): Promise<string> {
  const { job, replay } = await enqueueJob(ctx, request)
  return replay ? idIn(replay.body) : job.id
}

async function letters(ctx: Context) {
  const { items } = await listDeadLetters(ctx, {}, { limit: 50 })
  return items.flatMap(({ id, source, jobId }) => (source === "job" ? [{ id, job: jobId }] : []))
}

async function replay(ctx: Context, id: string, key: string, actor: string): Promise<string> {
  const made = await replayDeadLetter(ctx, { id, actor, requestKey: keyOf("chaos-replay", key, id) })
  const { jobId } = "result" in made ? made.result : (JSON.parse(made.replay.body ?? "{}") as { jobId?: string })
  if (jobId === undefined) throw new Error(`the replay of ${id} names no job`)
  return jobId
}

const replayAll = (ctx: Context, type: string, key: string, actor: string) =>
  createDeadLetterBulk(ctx, {
    action: "replay",
    filter: { type },
    dryRun: false,
    actor,
    requestKey: keyOf("chaos-replay-all", key, type),
  })
