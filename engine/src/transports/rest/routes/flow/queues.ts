// Routes of the priorities: how deep they are, how they share the claims, where admission stops, pauses, and why a job waits.
import { PRIORITIES } from "../../../../model/definitions/definition.ts"
import { isPriority } from "../../../../model/flow/weights.ts"
import type { LastChange } from "../../../../operations/flow/change-live.ts"
import { type PauseView, pause, resume } from "../../../../operations/flow/change-pauses.ts"
import {
  GATES,
  getWatermarks,
  type MarksView,
  type NewMarks,
  resetWatermarks,
  setWatermarks,
} from "../../../../operations/flow/change-watermarks.ts"
import { getWeights, resetWeights, setWeights } from "../../../../operations/flow/change-weights.ts"
import { type QueueView, readQueues } from "../../../../operations/flow/read-queues.ts"
import { explainJobWaiting } from "../../../../operations/instances/explain-waiting.ts"
import { notFound, unprocessable } from "../../../../support/errors.ts"
import { answerTo, json, ok } from "../../plumbing/answers.ts"
import { decodeQueue, objectOf } from "../../plumbing/decode.ts"
import type { Fields } from "../../plumbing/fields.ts"
import { MAX_REASON, operatorOf } from "../../plumbing/operator.ts"
import type { Answer, Call, Route } from "../../plumbing/route.ts"

export const queueRoutes: readonly Route[] = [
  { method: "GET", path: "/queues/metrics", permission: "jobs:read", quiet: true, handle: metrics },
  { method: "GET", path: "/queues/weights", permission: "jobs:read", quiet: true, handle: weights },
  { method: "PATCH", path: "/queues/weights", permission: "queues:write", handle: changeWeights },
  { method: "DELETE", path: "/queues/weights", permission: "queues:write", handle: dropWeights },
  { method: "GET", path: "/queues/watermarks", permission: "jobs:read", handle: watermarks },
  { method: "PUT", path: "/queues/watermarks", permission: "queues:write", handle: changeWatermarks },
  { method: "DELETE", path: "/queues/watermarks", permission: "queues:write", handle: dropWatermarks },
  { method: "POST", path: "/queues/{name}/pause", permission: "queues:write", handle: pauseLane },
  { method: "POST", path: "/queues/{name}/resume", permission: "queues:write", handle: resumeLane },
  { method: "GET", path: "/v1/jobs/{jobId}/waiting", permission: "jobs:read", handle: waiting },
]

async function metrics({ kernel }: Call): Promise<Answer> {
  const { highWatermark: high_watermark, lowWatermark: low_watermark } = kernel.settings
  return json(200, { ...showQueues(await readQueues(kernel)), high_watermark, low_watermark })
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
    gates: {
      ...Object.fromEntries(
        PRIORITIES.map((priority) => [
          priority,
          { ...showGate(gates[priority]), oldest_waiting_seconds: oldest[priority] },
        ]),
      ),
      total: showGate(total),
    },
  }
}

const showGate = ({ depth, high, low, shut }: QueueView["gates"]["total"]) => ({
  depth,
  high_watermark: high,
  low_watermark: low,
  shut,
})

async function weights({ kernel }: Call): Promise<Answer> {
  return json(200, showChange(await getWeights(kernel)))
}

const showChange = ({ changedAt, changedBy, ...view }: LastChange) => ({
  ...view,
  changed_at: changedAt,
  changed_by: changedBy,
})

async function changeWeights(call: Call): Promise<Answer> {
  return answerTo(await setWeights(call.kernel, operatorOf(call), objectOf(call.body, unprocessable)), ok)
}

async function dropWeights(call: Call): Promise<Answer> {
  return answerTo(await resetWeights(call.kernel, operatorOf(call)), ok)
}

async function watermarks({ kernel }: Call): Promise<Answer> {
  return sayMarks(await getWatermarks(kernel))
}

const sayMarks = (marks: MarksView): Answer =>
  json(200, Object.fromEntries(GATES.map((name) => [name, showChange(marks[name])])))

async function changeWatermarks(call: Call): Promise<Answer> {
  const marks = decodeQueue(call, ({ body }) => readMarks(body))
  return answerTo(await setWatermarks(call.kernel, operatorOf(call), marks), sayMarks)
}

async function dropWatermarks(call: Call): Promise<Answer> {
  return answerTo(await resetWatermarks(call.kernel, operatorOf(call)), ok)
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

async function pauseLane(call: Call): Promise<Answer> {
  return answerTo(await pause(call.kernel, operatorOf(call), readLane(call)), (view) => ok(showPause(view)))
}

async function resumeLane(call: Call): Promise<Answer> {
  const priority = readLane(call)
  return answerTo(await resume(call.kernel, operatorOf(call), priority), () =>
    ok({ name: priority.name, paused: false }),
  )
}

function readLane(call: Call) {
  const { name = "" } = call.params
  if (!isPriority(name)) throw notFound(`there is no queue ${name.slice(0, 64)}; there are critical, high and normal`)
  const reason = decodeQueue(call, ({ body }) => body.optionalText("reason", MAX_REASON))
  return { kind: "queue", name, reason } as const
}

const showPause = ({ name, reason, pausedBy, pausedAt }: PauseView) => ({
  name,
  paused: true,
  ...(reason === undefined ? {} : { reason }),
  paused_by: pausedBy,
  paused_at: pausedAt,
})

async function waiting({ kernel, params }: Call): Promise<Answer> {
  return json(200, { reasons: await explainJobWaiting(kernel, params.jobId ?? "") })
}
