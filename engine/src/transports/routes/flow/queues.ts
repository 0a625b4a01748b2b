// Routes of the priorities: how deep they are, how they share the claims, where admission stops, pauses, and why a job waits.
import type { wire } from "@millrace/sdk"
import type { Priority } from "../../../model/definitions/definition.ts"
import { isPriority } from "../../../model/flow/weights.ts"
import type { LastChange } from "../../../operations/flow/change-live.ts"
import { type PauseView, pause, resume } from "../../../operations/flow/change-pauses.ts"
import {
  GATES,
  getWatermarks,
  type MarksView,
  type NewMarks,
  resetWatermarks,
  setWatermarks,
} from "../../../operations/flow/change-watermarks.ts"
import { getWeights, resetWeights, setWeights } from "../../../operations/flow/change-weights.ts"
import { type QueueView, readQueues } from "../../../operations/flow/read-queues.ts"
import { explainJobWaiting } from "../../../operations/instances/explain-waiting.ts"
import { notFound, unprocessable } from "../../../support/errors.ts"
import { answerTo, json, ok } from "../../calls/answers.ts"
import { decodeQueue, objectOf } from "../../calls/decode.ts"
import type { Fields } from "../../calls/fields.ts"
import { MAX_REASON, operatorOf } from "../../calls/operator.ts"
import type { Answer, Call, Route } from "../../calls/route.ts"

export const queueRoutes: readonly Route[] = [
  { method: "GET", path: "/queues/metrics", permission: "jobs:read", quiet: true, handle: metrics },
  { method: "GET", path: "/queues/weights", permission: "jobs:read", quiet: true, handle: weights },
  { method: "PATCH", path: "/queues/weights", permission: "queues:write", handle: changeWeights },
  { method: "DELETE", path: "/queues/weights", permission: "queues:write", handle: dropWeights },
  { method: "GET", path: "/queues/watermarks", permission: "jobs:read", handle: watermarks },
  { method: "PUT", path: "/queues/watermarks", permission: "queues:write", handle: changeWatermarks },
  { method: "DELETE", path: "/queues/watermarks", permission: "queues:write", handle: dropWatermarks },
  { method: "POST", path: "/queues/{name}/pause", permission: "queues:write", handle: pausePriority },
  { method: "POST", path: "/queues/{name}/resume", permission: "queues:write", handle: resumePriority },
  { method: "GET", path: "/v1/jobs/{jobId}/waiting", permission: "jobs:read", handle: waiting },
]

async function metrics({ kernel }: Call): Promise<Answer> {
  const { highWatermark: high_watermark, lowWatermark: low_watermark } = kernel.settings
  return json<wire.QueueMetrics>(200, { ...showQueues(await readQueues(kernel)), high_watermark, low_watermark })
}

function showQueues({ gates, oldest, deadLetters, deadLettersAreExact }: QueueView) {
  const { total, ...priorities } = gates
  return {
    depths: { critical: gates.critical.depth, high: gates.high.depth, normal: gates.normal.depth },
    total: total.depth,
    accepting_jobs: !total.shut && Object.values(priorities).some(({ shut }) => !shut),
    backpressure_active: Object.values(gates).some(({ shut }) => shut),
    dlq_depth: deadLetters,
    dlq_depth_is_exact: deadLettersAreExact,
    gates: { ...showPriorities(gates, oldest), total: showGate(total) },
  }
}

function showPriorities(gates: QueueView["gates"], oldest: QueueView["oldest"]) {
  const show = (priority: Priority) => ({ ...showGate(gates[priority]), oldest_waiting_seconds: oldest[priority] })
  return { critical: show("critical"), high: show("high"), normal: show("normal") }
}

const showGate = ({ depth, high, low, shut }: QueueView["gates"]["total"]) => ({
  depth,
  high_watermark: high,
  low_watermark: low,
  shut,
})

async function weights({ kernel }: Call): Promise<Answer> {
  return json<wire.WeightsInForce>(200, showChange(await getWeights(kernel)))
}

const showChange = <View extends LastChange>({ changedAt, changedBy, ...view }: View) => ({
  ...view,
  ...(changedAt === undefined ? {} : { changed_at: changedAt }),
  ...(changedBy === undefined ? {} : { changed_by: changedBy }),
})

async function changeWeights(call: Call): Promise<Answer> {
  return answerTo(
    await setWeights(call.kernel, operatorOf(call), objectOf(call.body, unprocessable)),
    ok<wire.WeightsInForce>,
  )
}

async function dropWeights(call: Call): Promise<Answer> {
  return answerTo(await resetWeights(call.kernel, operatorOf(call)), ok<wire.ResetToConfig>)
}

async function watermarks({ kernel }: Call): Promise<Answer> {
  return sayMarks(await getWatermarks(kernel))
}

const sayMarks = ({ critical, high, normal, total }: MarksView): Answer =>
  json<wire.WatermarksInForce>(200, {
    critical: showChange(critical),
    high: showChange(high),
    normal: showChange(normal),
    total: showChange(total),
  })

async function changeWatermarks(call: Call): Promise<Answer> {
  const marks = decodeQueue(call, ({ body }) => readMarks(body))
  return answerTo(await setWatermarks(call.kernel, operatorOf(call), marks), sayMarks)
}

async function dropWatermarks(call: Call): Promise<Answer> {
  return answerTo(await resetWatermarks(call.kernel, operatorOf(call)), ok<wire.ResetToConfig>)
}

const DEPTHS = { min: 1, max: 1_000_000_000 }

function readMarks(body: Fields): NewMarks {
  const given = GATES.flatMap((name) => {
    const within = body.within(name)
    return within ? [[name, { high: readDepth(within, "high"), low: readDepth(within, "low") }]] : []
  })
  if (given.length === 0) body.require("normal", `name at least one of ${GATES.join(", ")}`)
  return Object.fromEntries(given)
}

function readDepth(fields: Fields, name: string): number {
  const depth = fields.wholeNumber(name, DEPTHS)
  if (depth === undefined) fields.require(name, "send high and low together")
  return depth ?? 0
}

async function pausePriority(call: Call): Promise<Answer> {
  const priority = readPriority(call)
  return answerTo(await pause(call.kernel, operatorOf(call), priority), (view) =>
    ok<wire.PausedQueue>({ name: priority.name, ...showPause(view) }),
  )
}

async function resumePriority(call: Call): Promise<Answer> {
  const priority = readPriority(call)
  return answerTo(await resume(call.kernel, operatorOf(call), priority), () =>
    ok<wire.ResumedQueue>({ name: priority.name, paused: false }),
  )
}

function readPriority(call: Call) {
  const { name = "" } = call.params
  if (!isPriority(name)) throw notFound(`there is no queue ${name.slice(0, 64)}; there are critical, high and normal`)
  const reason = decodeQueue(call, ({ body }) => body.orAbsent((from) => from.optionalProse("reason", MAX_REASON)))
  return { kind: "queue", name, reason } as const
}

const showPause = ({ reason, pausedBy, pausedAt }: PauseView) => ({
  paused: true as const,
  ...(reason === undefined ? {} : { reason }),
  paused_by: pausedBy,
  paused_at: pausedAt,
})

async function waiting({ kernel, params }: Call): Promise<Answer> {
  return json<wire.Waiting>(200, { reasons: await explainJobWaiting(kernel, params.jobId ?? "") })
}
