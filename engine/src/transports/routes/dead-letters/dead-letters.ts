// Routes of the dead letters: look at them, replay or discard one, or all that match.
import type { wire } from "@millrace/sdk"
import { PRIORITIES } from "../../../model/definitions/definition.ts"
import { discardDeadLetter } from "../../../operations/dead-letters/discard-dead-letter.ts"
import {
  type DeadGroupView,
  type DeadSourceView,
  groupDeadLetters,
} from "../../../operations/dead-letters/group-dead-letters.ts"
import {
  type DeadAttemptView,
  type DeadLetterView,
  getDeadLetter,
  letterWithin,
  listDeadLetters,
} from "../../../operations/dead-letters/read-dead-letters.ts"
import { type Replayed, replayDeadLetter } from "../../../operations/dead-letters/replay-dead-letter.ts"
import { createDeadLetterBulk, type DeadLetterBulkView } from "../../../operations/dead-letters/replay-dead-letters.ts"
import { unprocessable } from "../../../support/errors.ts"
import { accepted, answerTo, json, nothing } from "../../calls/answers.ts"
import { decodeQueue } from "../../calls/decode.ts"
import type { Fields } from "../../calls/fields.ts"
import { requestKeyOf } from "../../calls/idempotency-key.ts"
import { type Answer, actorOf, type Call, type Route } from "../../calls/route.ts"

export const deadLetterRoutes: readonly Route[] = [
  { method: "GET", path: "/queues/dlq", permission: "jobs:read", handle: list },
  { method: "GET", path: "/queues/dlq/groups", permission: "jobs:read", handle: groups },
  { method: "GET", path: "/queues/dlq/{deadLetterId}", permission: "jobs:read", handle: get },
  { method: "POST", path: "/queues/dlq/replay", permission: "jobs:write", handle: (call) => start(call, "replay") },
  { method: "POST", path: "/queues/dlq/discard", permission: "jobs:write", handle: (call) => start(call, "discard") },
  { method: "POST", path: "/queues/dlq/{deadLetterId}/replay", permission: "jobs:write", handle: replay },
  { method: "DELETE", path: "/queues/dlq/{deadLetterId}", permission: "jobs:write", handle: discard },
]

const readRange = (from: Fields) => ({ since: from.moment("since"), before: from.moment("before") })

const readFilter = (from: Fields) => ({
  type: from.optionalText("type"),
  priority: from.optionalOneOf("priority", PRIORITIES),
  definitionId: from.optionalText("definition_id", 256),
  error: from.optionalText("error", 64),
  ...readRange(from),
})

async function list(call: Call): Promise<Answer> {
  const { filter, page } = decodeQueue(call, ({ query }) => ({
    filter: readFilter(query),
    page: {
      limit: query.wholeNumber("limit", { min: 1, max: 200 }) ?? 20,
      cursor: query.optionalText("cursor", 512),
    },
  }))
  const { items, nextCursor } = await listDeadLetters(call.kernel, filter, page)
  return json<wire.DeadLetterPage>(200, {
    items: items.map((letter) => letterJson(call, letter)),
    ...(nextCursor === undefined ? {} : { next_cursor: nextCursor }),
  })
}

async function groups(call: Call): Promise<Answer> {
  const range = decodeQueue(call, ({ query }) => readRange(query))
  const { items, isComplete, period } = await groupDeadLetters(call.kernel, range)
  return json<wire.DeadLetterGroups>(200, {
    items: items.map(groupJson),
    is_complete: isComplete,
    ...(period === undefined ? {} : { period }),
  })
}

const byOf = (call: Call) => ({ actor: actorOf(call), reach: call.reach, requestKey: requestKeyOf(call) })

const idOf = ({ params }: Call): string => params.deadLetterId ?? ""

async function get(call: Call): Promise<Answer> {
  const { history, ...letter } = await getDeadLetter(call.kernel, idOf(call))
  return json<wire.DeadLetterDetail>(200, { ...letterJson(call, letter), history: history.map(attemptJson) })
}

async function replay(call: Call): Promise<Answer> {
  const request = { id: idOf(call), ...byOf(call) }
  return answerTo(await replayDeadLetter(call.kernel, request), (replayed) =>
    accepted<wire.ReplayedDeadLetter>(replayJson(replayed)),
  )
}

async function discard(call: Call): Promise<Answer> {
  const request = { id: idOf(call), ...byOf(call) }
  return answerTo(await discardDeadLetter(call.kernel, request), nothing)
}

async function start(call: Call, action: "replay" | "discard"): Promise<Answer> {
  const { sent, filter, dryRun } = decodeQueue(call, ({ body }) => {
    const within = body.within("filter")
    if (!within) body.require("filter", "send an object; an empty one matches every entry")
    const dryRun = body.optionalFlag("dryRun") ?? false
    return { sent: body.object("filter") ?? {}, filter: within ? readFilter(within) : {}, dryRun }
  })
  const namesNothing = Object.values(filter).every((value) => value === undefined)
  if (namesNothing && (Object.keys(sent).length > 0 || (action === "discard" && !dryRun))) throw tooWide()
  const request = { action, filter, dryRun, ...byOf(call) }
  return answerTo(await createDeadLetterBulk(call.kernel, request), (bulk) =>
    accepted<wire.DeadLetterBulk>(bulkJson(call, bulk)),
  )
}

/** A filter that is misspelt must not match everything. And what is discarded by mistake is gone. */
function tooWide() {
  const violation = {
    path: "$.filter",
    message: "must name at least one filter",
    hint: "such as type, error or before; a time in the future matches everything",
  }
  return unprocessable(`${violation.path} ${violation.message}`, [violation])
}

const letterJson = ({ reach }: Call, letter: DeadLetterView) => {
  const shown = letterWithin(reach, letter)
  const { jobId, retryCount, deadAt, instanceId, definitionId, stepId, businessKey, linkingId, payload, ...rest } =
    shown
  return {
    ...rest,
    job_id: jobId,
    retry_count: retryCount,
    dead_at: deadAt,
    ...(instanceId === undefined ? {} : { instance_id: instanceId, definition_id: definitionId, step_id: stepId }),
    ...(businessKey === undefined ? {} : { business_key: businessKey }),
    ...(linkingId === undefined ? {} : { linking_id: linkingId }),
    ...(payload === undefined ? {} : { payload }),
  }
}

const attemptJson = ({ workerId, endedAt, ...attempt }: DeadAttemptView) => ({
  ...attempt,
  ...(workerId === undefined ? {} : { worker_id: workerId }),
  ended_at: endedAt,
})

const groupJson = ({ countIsExact, firstAt, lastAt, sources, sourceCount, overTime, ...group }: DeadGroupView) => ({
  ...group,
  count_is_exact: countIsExact,
  first_at: firstAt,
  last_at: lastAt,
  ...(sources && { sources: sources.map(sourceJson) }),
  ...(sourceCount === undefined ? {} : { source_count: sourceCount }),
  ...(overTime && { over_time: [...overTime] }),
})

const sourceJson = ({ definitionId, ...source }: DeadSourceView) => ({
  ...(definitionId === undefined ? {} : { definition_id: definitionId }),
  ...source,
})

/** Two names of one id: the routes of the queue promise a new message id, everything else here speaks of jobs. */
const replayJson = ({ replayed, jobId }: Replayed) => ({
  replayed,
  ...(jobId === undefined ? {} : { job_id: jobId, new_message_id: jobId }),
})

/** The form of GET /v1/bulk. A dry run adds examples for a caller that may read dead letters. */
const bulkJson = (call: Call, { examples, ...bulk }: DeadLetterBulkView) => ({
  ...bulk,
  ...(examples === undefined || !call.reach.may("read", "job")
    ? {}
    : { examples: examples.map((letter) => letterJson(call, letter)) }),
})
