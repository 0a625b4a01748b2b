// What must hold after every event, whatever came before it. Each check carries the id of its invariant.
import type { JsonObject } from "../../../support/json.ts"
import { mayMove } from "../../kernel/machine.ts"
import { type InstanceStatus, instanceMachine, isTerminal } from "../instance-machine.ts"
import type { ClosedStep } from "../plan.ts"
import { stepMachine } from "../step-machine.ts"
import { must } from "./must.ts"
import { timerKey } from "./tables.ts"
import { MAX_LOST_LEASES, sorted, type World } from "./world.ts"

export function checkInvariants(world: World): void {
  checkStatus(world)
  checkWork(world)
  checkTimers(world)
  checkForks(world)
  checkExecutions(world)
  checkEnds(world)
  checkSignals(world)
  if (isTerminal(world.tables.instance.status)) checkEnd(world)
}

/** Between two looks at the same instance. */
export function checkMove(from: InstanceStatus, to: InstanceStatus, byRetry: boolean): void {
  const isAllowed = from === to ? !byRetry || to === "FAILED" : mayMove(instanceMachine, from, to)
  must("S5", isAllowed, () => `${from} became ${to}`)
  must(
    "S4",
    !isTerminal(from) || from === to || (byRetry && from === "FAILED"),
    () => `${from} became ${to} without a retry`,
  )
}

/** The audit trail agrees with the row, and whether a live instance waits agrees with its open steps. */
function checkStatus({ tables, definition }: World): void {
  const { status, version, state } = tables.instance
  must("S16", tables.audit.length === version, () => `${tables.audit.length} audit rows at version ${version}`)
  must("S16", tables.audit[0]?.kind === "INSTANCE_STARTED", () => "the trail does not begin with the start")
  let told: string = "LIVE"
  let [ends, retries] = [0, 0]
  for (const { kind } of tables.audit) {
    if (kind === "STEP_RETRIED") {
      must("S5", told === "FAILED", () => `a retry while ${told}`)
      told = "LIVE"
      retries += 1
      continue
    }
    must("S4", told === "LIVE", () => `${kind} is recorded after the end, which was ${told}`)
    if (kind === "INSTANCE_COMPLETED") told = "COMPLETED"
    if (kind === "INSTANCE_FAILED") told = "FAILED"
    if (kind === "INSTANCE_CANCELLED") told = "CANCELLED"
    if (told !== "LIVE") ends += 1
  }
  must("S5", told === (isTerminal(status) ? status : "LIVE"), () => `the trail says ${told}, the row ${status}`)
  must("S4", ends === retries + (isTerminal(status) ? 1 : 0), () => `${ends} ends with ${retries} retries`)
  if (isTerminal(status)) return
  must("S10", state.open.length > 0, () => "nothing is open and the instance has not ended")
  const waits = state.open.some(({ stepId }) => ["USER_TASK", "WAIT"].includes(definition.step(stepId).type))
  must("C-56", (status === "WAITING") === waits, () => `${status} while ${waits ? "" : "not "}waiting`)
}

/** Each open step has what moves it, and nothing else has. */
function checkWork({ tables, definition }: World): void {
  const { open } = tables.instance.state
  const ofType = (type: string) => open.filter((step) => definition.step(step.stepId).type === type)
  const services = ofType("SERVICE_TASK")
  for (const { execution, stepId } of services)
    must("S10", tables.jobs.get(execution)?.stepId === stepId, () => `${stepId} (${execution}) has no job`)
  must("C-81", tables.jobs.size === services.length, () => `${tables.jobs.size} jobs for ${services.length} open tasks`)
  const users = ofType("USER_TASK")
  for (const { execution, stepId } of users)
    must(
      "S10",
      tables.userTasks.get(execution)?.status === "OPEN",
      () => `${stepId} (${execution}) has no open user task`,
    )
  const tasks = [...tables.userTasks.values()].filter((task) => task.status === "OPEN")
  must("C-81", tasks.length === users.length, () => `${tasks.length} open user tasks for ${users.length} open steps`)
  for (const { execution, stepId, stepType, status } of tables.history.values()) {
    const done =
      stepType !== "USER_TASK" || status !== "COMPLETED" || tables.userTasks.get(execution)?.status === status
    must(
      "C-73",
      done,
      () => `${stepId} (${execution}) is done, its user task is ${tables.userTasks.get(execution)?.status}`,
    )
  }
  for (const job of tables.jobs.values()) {
    const step = definition.step(job.stepId)
    const most = definition.retryPolicy(step).retries + 1 + MAX_LOST_LEASES
    must("S9", job.epoch <= most, () => `${job.stepId} was delivered ${job.epoch} times, at most ${most} are allowed`)
    must("S7", job.status !== "leased" || job.nonce !== null, () => `job ${job.execution} is leased without a token`)
  }
}

function checkTimers({ tables, definition }: World): void {
  const { state } = tables.instance
  const wanted = new Set<string>()
  for (const { execution, stepId } of state.open) {
    for (const { timer } of definition.timers(definition.step(stepId))) wanted.add(timerKey({ execution, timer }))
  }
  if (!isTerminal(tables.instance.status) && definition.deadlineMs !== undefined) wanted.add("0/deadline")
  for (const key of tables.timers.keys()) must("C-81", wanted.has(key), () => `timer ${key} belongs to no open step`)
  for (const key of wanted) {
    const fired = tables.firings.get(key) ?? 0
    must("C-77", fired > 0 || tables.timers.has(key), () => `timer ${key} is missing`)
    must(
      "S12",
      fired === 0 || key === "0/deadline" || !tables.timers.has(key),
      () => `timer ${key} is back after it fired`,
    )
  }
  for (const [key, count] of tables.firings)
    must("S12", count <= 1 || key === "0/deadline", () => `timer ${key} fired ${count} times`)
}

/** Live tokens + arrivals = branches, also among the tokens that a failure has cut; every activation joins once. */
function checkForks({ tables, definition }: World): void {
  const { state, status } = tables.instance
  const tokens = status === "FAILED" ? (state.cut ?? []) : state.open
  const known = new Set([0, ...state.forks.map((fork) => fork.id)])
  for (const token of tokens)
    must("S11", known.has(token.fork), () => `${token.stepId} is in fork ${token.fork}, which is gone`)
  for (const fork of state.forks) {
    must("S11", known.has(fork.parent), () => `fork ${fork.id} is in fork ${fork.parent}, which is gone`)
    const live = tokens.filter((token) => token.fork === fork.id).length
    const inner = state.forks.filter((other) => other.parent === fork.id).length
    const all = live + inner + fork.arrived
    must(
      "S11",
      all === fork.branches,
      () => `fork ${fork.id}: ${live} live + ${inner} inner + ${fork.arrived} arrived of ${fork.branches}`,
    )
    must("S11", fork.arrived < fork.branches, () => `fork ${fork.id} is full and has not fired`)
  }
  if (status === "CANCELLED" || wasEnded(tables)) return
  let [forked, joined] = [0, 0]
  for (const { stepId } of tables.history.values()) {
    const { type } = definition.step(stepId)
    if (type === "PARALLEL_GATEWAY") forked += 1
    if (type === "JOIN_GATEWAY") joined += 1
  }
  must(
    "S11",
    forked === joined + state.forks.length,
    () => `${forked} forks, ${joined} joins, ${state.forks.length} still open`,
  )
}

/** The first END is the end of the instance. */
function checkEnds({ tables: { history, instance } }: World): void {
  const ends = [...history.values()].filter((step) => step.stepType === "END").length
  const isRight = ends === 0 || (ends === 1 && instance.status === "COMPLETED")
  must("W-01", isRight, () => `${ends} ENDs and the instance is ${instance.status}`)
}

/** Every accepted signal has ended one wait, or is still kept; the other waits that completed had lasted long enough. */
function checkSignals({ tables, definition }: World): void {
  const { status, state } = tables.instance
  if (status === "COMPLETED" || status === "CANCELLED") return
  for (const { id, type } of definition.definition.steps) {
    if (type !== "WAIT") continue
    const ended = [...tables.history.values()].filter((step) => step.stepId === id && step.status === "COMPLETED")
    const told = tables.audit.filter(({ kind, detail }) => detail.stepId === id && endsWait(kind, detail))
    const kept = (state.kept ?? []).filter((signal) => signal.stepId === id)
    const isRight = told.length === ended.length + kept.length
    must("S13", isRight, () => `${id}: ${told.length} told, ${ended.length} ended, ${kept.length} kept`)
  }
}

const endsWait = (kind: string, { duration }: JsonObject): boolean =>
  kind === "WAIT_SIGNALLED" || (kind === "TIMER_FIRED" && duration === true)

/** By an END, which may leave the branches of a fork behind. */
const wasEnded = ({ history }: World["tables"]): boolean => [...history.values()].some((s) => s.stepType === "END")

/** Executions are numbered without gaps, each is open or closed once, attempts count the entries of a step. */
function checkExecutions({ tables, definition }: World): void {
  const { state, status } = tables.instance
  const entries = new Map<string, number>()
  const openOnes = new Map(state.open.map((open) => [open.execution, open]))
  const last = status === "COMPLETED" || status === "CANCELLED" ? tables.history.size : state.executions
  for (let execution = 1; execution <= last; execution++) {
    const closed = tables.history.get(execution)
    const step = closed ?? openOnes.get(execution)
    must(
      "C-T1",
      step && !(closed && openOnes.has(execution)),
      () => `execution ${execution} is not either open or closed`,
    )
    must("C-T1", definition.hasStep(step.stepId), () => `the history has ${step.stepId}, the definition has not`)
    const attempt = (entries.get(step.stepId) ?? 0) + 1
    entries.set(step.stepId, attempt)
    const isExact = step.attempt === attempt
    must("C-57", isExact, () => `${step.stepId} (${execution}) is attempt ${step.attempt}, not ${attempt}`)
  }
  const closed = [...tables.history.values()]
  must(
    "C-T1",
    closed.length + openOnes.size === last,
    () => `${closed.length} closed + ${openOnes.size} open, of ${last}`,
  )
  for (const step of closed) checkClosed(step)
}

function checkClosed({ execution, status, failureReason }: ClosedStep): void {
  must("C-T1", mayMove(stepMachine, "RUNNING", status), () => `execution ${execution} ended as ${status}`)
  must("C-70", status !== "FAILED" || failureReason, () => `execution ${execution} failed without a reason`)
}

function checkEnd({ tables, definition }: World): void {
  const { status, state, failureReason, variables, version } = tables.instance
  must("C-T1", state.open.length === 0, () => `${status} with open steps`)
  const left = [
    tables.jobs.size,
    tables.timers.size,
    [...tables.userTasks.values()].filter((t) => t.status === "OPEN").length,
  ]
  must(
    "C-81",
    left.every((count) => count === 0),
    () => `${status} leaves jobs, timers, user tasks: ${left}`,
  )
  must("C-70", status !== "FAILED" || failureReason, () => "FAILED without a reason")
  must(
    "C-71",
    status !== "FAILED" || state.cut?.some((step) => step.failed),
    () => "FAILED, and no step can be retried",
  )
  const skipped = [...tables.history.values()].some((step) => step.status === "SKIPPED" && step.seq === version - 1)
  must(
    "W-01",
    status !== "COMPLETED" || wasEnded(tables) || !skipped,
    () => "COMPLETED without an END, and a step was stopped",
  )
  must("W-01", status !== "COMPLETED" || state.forks.length === 0, () => "COMPLETED with a fork that waits")
  const { autoStartNextWorkflow, nextWorkflowId } = definition.definition
  const chained = status === "COMPLETED" && autoStartNextWorkflow === true
  must("C-79", tables.chains.length === (chained ? 1 : 0), () => `${status}, ${tables.chains.length} next workflows`)
  for (const next of tables.chains) {
    must("C-79", next.definitionId === nextWorkflowId, () => `chained to ${next.definitionId}`)
    must("C-79", same(next.variables, variables), () => "the next workflow got other variables")
  }
}

/** The variables are the input with every delta folded over it, in the order of the audit trail. */
export function checkFold({ tables, input }: World): void {
  const steps = [...tables.history.values()].sort((a, b) => a.seq - b.seq || a.execution - b.execution)
  let folded: JsonObject = input
  let [at, patched] = [0, 0]
  const patchUpTo = (seq: number) => {
    for (; patched < seq; patched++) {
      const { kind, detail } = tables.audit[patched] ?? {}
      if (kind === "STEP_RETRIED") folded = { ...folded, ...(detail?.variables as JsonObject | undefined) }
    }
  }
  for (; at < steps.length; at++) {
    const { seq, delta } = steps[at] as ClosedStep
    patchUpTo(seq)
    folded = { ...folded, ...delta }
  }
  patchUpTo(tables.audit.length)
  must(
    "S25",
    same(folded, tables.instance.variables),
    () => `folded ${JSON.stringify(folded)}, stored ${JSON.stringify(tables.instance.variables)}`,
  )
}

const same = (a: JsonObject, b: JsonObject): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))
