// Why an instance or a job is not moving: each reason with its facts, and in words an operator can act on.

import type { InstanceState } from "../../model/instances/instance.ts"
import type { Waiting, WaitingReason } from "../../model/observability/waiting.ts"
import { waitingMessage } from "../../model/observability/waiting-words.ts"
import {
  type FailingFacts,
  type InstanceFacts,
  whyInstanceWaits,
} from "../../model/observability/why-instance-waits.ts"
import { listFailing } from "../../store/instances/failing-work.ts"
import type { OneInstanceRow } from "../../store/instances/instances.ts"
import { listTimers } from "../../store/instances/timers.ts"
import { listOpenTasks } from "../../store/people/user-tasks.ts"
import { listRunSteps } from "../../store/runs/run-steps.ts"
import { notFound } from "../../support/errors.ts"
import { parseJobId } from "../../support/job-key.ts"
import { definitionsOf } from "../definitions/definition-cache.ts"
import { explainJobs } from "../jobs/explain-job.ts"
import { getJob } from "../jobs/read-jobs.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { childrenOf } from "../runs/children-of.ts"
import { getInstanceRow } from "./read-instances.ts"

export type { WaitingReason } from "../../model/observability/waiting.ts"

/** For an instance that has ended, the only reasons are what the engine could not do about its end. */
export async function explainWaiting(kernel: Kernel, instanceId: string): Promise<readonly WaitingReason[]> {
  const row = await getInstanceRow(kernel.db, instanceId)
  const { completed_at, state, started_at: startedAt } = row
  const failing = await failingOf(kernel, instanceId)
  const hasEnded = completed_at !== null || state === null
  const facts = hasEnded ? { ...ENDED, startedAt, failing } : await factsOf(kernel, row, { state, failing })
  return inWords(kernel, await withChildIds(kernel, instanceId, whyInstanceWaits(facts)))
}

/** Names the children that a run waits for: what each of them waits for is said of it. */
async function withChildIds(kernel: Kernel, id: string, reasons: readonly Waiting[]): Promise<readonly Waiting[]> {
  if (!reasons.some(({ kind }) => kind === "child")) return reasons
  const children = await childrenOf(kernel, id, await listRunSteps(kernel.db, id))
  return reasons.map((reason) => {
    const childId = reason.kind === "child" ? children.get(reason.detail.child) : undefined
    return reason.kind === "child" && childId !== undefined
      ? { ...reason, detail: { ...reason.detail, childId } }
      : reason
  })
}

/** One job, of a step or standing alone. Nothing for one that has ended. */
export async function explainJobWaiting(kernel: Kernel, jobId: string): Promise<readonly WaitingReason[]> {
  const key = parseJobId(jobId)
  if (!key) throw notFound(`there is no job ${jobId.slice(0, 64)}`)
  if (key.kind === "standalone") return explainStandalone(kernel, key.id)
  const row = await getInstanceRow(kernel.db, key.instanceId)
  const definition = await definitionOf(kernel, row)
  return inWords(kernel, await explainJobs(kernel, { id: row.id, execution: key.execution, definition }))
}

async function explainStandalone(kernel: Kernel, id: string): Promise<readonly WaitingReason[]> {
  const reasons = await explainJobs(kernel, { id })
  if (reasons.length === 0) await getJob(kernel, id)
  return inWords(kernel, reasons)
}

const definitionOf = (kernel: Kernel, { definition_id, definition_version }: OneInstanceRow) =>
  definitionsOf(kernel).version(definition_id, definition_version)

const ENDED = { definition: undefined, open: [], tasks: [], jobs: [], timers: [] }

const failingOf = async (kernel: Kernel, instanceId: string): Promise<readonly FailingFacts[]> =>
  (await listFailing(kernel.db, instanceId)).map(({ due_at: dueAt, ...row }) => ({ ...row, dueAt }))

interface Live {
  readonly state: string
  readonly failing: readonly FailingFacts[]
}

async function factsOf(kernel: Kernel, row: OneInstanceRow, { state, failing }: Live): Promise<InstanceFacts> {
  const { id, started_at: startedAt } = row
  const definition = await definitionOf(kernel, row)
  const [jobs, tasks, timers] = await Promise.all([
    explainJobs(kernel, { id, definition }),
    listOpenTasks(kernel.db, id),
    listTimers(kernel.db, id),
  ])
  return {
    definition,
    startedAt,
    open: (JSON.parse(state) as InstanceState).open,
    jobs,
    tasks: tasks.map((task) => ({
      stepId: task.step_id,
      name: task.name,
      assignee: task.assignee,
      assigneeGroup: task.assignee_group,
      dueAt: task.due_at,
      createdAt: task.created_at,
    })),
    timers: timers.map(({ due_at, last_error: lastError, retry_at, ...timer }) => ({
      ...timer,
      dueAt: Math.max(due_at, retry_at ?? 0),
      lastError,
    })),
    failing,
  }
}

function inWords(kernel: Kernel, reasons: readonly Waiting[]): readonly WaitingReason[] {
  const reader = { now: kernel.clock.nowMs(), at: (time: string) => time }
  return reasons.map(
    (reason) => ({ ...reason, detail: { message: waitingMessage(reason, reader), ...reason.detail } }) as WaitingReason,
  )
}
