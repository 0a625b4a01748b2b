// The transactions that can meet, each as one act on a step, and the scenes they meet in.
import { parseToken } from "../model/jobs/reports.ts"
import { cancelInstance, completeUserTask, signalWait } from "../operations/instances/change-instance.ts"
import { retryInstance } from "../operations/instances/retry-instance.ts"
import { fireTimers } from "../operations/instances/run-timers.ts"
import { type StartRequest, startInstance } from "../operations/instances/start/start-instance.ts"
import { claimJobs } from "../operations/jobs/claim/claim-jobs.ts"
import type { ClaimedJob } from "../operations/jobs/claim/claimed-job.ts"
import { heartbeatJob } from "../operations/jobs/claim/heartbeat-job.ts"
import { reportJob } from "../operations/jobs/end/report-jobs.ts"
import { LeaseSweeper } from "../operations/jobs/end/sweep-leases.ts"
import { digestOf, type RequestKey } from "../operations/kernel/idempotency.ts"
import type { Kernel } from "../operations/kernel/kernel.ts"
import type { JsonObject } from "../support/json.ts"
import { end, service, step, workflow } from "./definitions.ts"
import { drive } from "./drive.ts"
import type { Lane } from "./interleave-lane.ts"

export type StepKind = "service" | "user" | "wait"

/** The step an act is about. */
export interface Target {
  readonly instanceId: string
  readonly stepId: string
  /** Its first delivery. */
  readonly job: ClaimedJob | undefined
}

/** Where a step's timer leads: work in its place, work beside it, or an END beside it. */
export type TimerKind = "interrupting" | "beside" | "ending"

export interface Act {
  readonly name: string
  readonly on: readonly StepKind[]
  /** Spec rows that a race of this act is about. */
  readonly ids: readonly string[]
  /** The act skips what another transaction holds: it is then right to do nothing. */
  readonly maySkip?: boolean
  /** When it wins, the step is over: of two such acts on one step exactly one wins. */
  readonly ends?: boolean
  /** A loop's round: it leaves for its next round what another transaction holds for long. */
  readonly comesBack?: boolean
  /** Needs a boundary timer that is due. */
  readonly timer?: TimerKind
  /** `by` tells the racers apart. Answers what the caller is told; a refusal is thrown. */
  readonly run: (kernel: Kernel, target: Target, by: string) => Promise<string>
}

const WORKER = "w1"
const claimant = (job: ClaimedJob | undefined) => ({
  jobId: job?.id ?? "",
  workerId: WORKER,
  token: parseToken(job?.leaseToken ?? ""),
  actor: WORKER,
})
const noTerm = async () => {}

const fail =
  (retryable: boolean) =>
  (kernel: Kernel, { job }: Target, by: string) =>
    reportJob(kernel, {
      verb: "fail",
      ...claimant(job),
      retryable,
      message: `failed by ${by}`,
      retryAfterMs: undefined,
    })

const fire = async (kernel: Kernel) => {
  await fireTimers(kernel, noTerm)
  return "done"
}

export const acts = {
  complete: {
    name: "complete",
    on: ["service"],
    ids: ["S7", "C-66", "C-69"],
    ends: true,
    run: (kernel, { job }, by) => reportJob(kernel, { verb: "complete", ...claimant(job), variables: { [by]: true } }),
  },
  failRetryable: { name: "fail (retryable)", on: ["service"], ids: ["S7", "C-66", "C-69"], run: fail(true) },
  failFinal: { name: "fail (final)", on: ["service"], ids: ["S4", "S7", "C-69"], ends: true, run: fail(false) },
  timerInterrupting: {
    name: "timer (interrupting)",
    on: ["service", "user", "wait"],
    ids: ["S12", "C-78"],
    ends: true,
    timer: "interrupting",
    comesBack: true,
    run: fire,
  },
  timerBeside: {
    name: "timer (not interrupting)",
    on: ["service", "user", "wait"],
    ids: ["S12", "C-78"],
    timer: "beside",
    comesBack: true,
    run: fire,
  },
  timerEnding: {
    name: "timer (to an END)",
    on: ["service", "user", "wait"],
    ids: ["S12", "W-01"],
    ends: true,
    timer: "ending",
    comesBack: true,
    run: fire,
  },
  cancel: {
    name: "cancel",
    on: ["service", "user", "wait"],
    ids: ["S4", "S15"],
    ends: true,
    run: async (kernel, { instanceId }, by) => {
      await cancelInstance(kernel, { instanceId, reason: `cancelled by ${by}`, actor: by })
      return "done"
    },
  },
  signal: {
    name: "signal",
    on: ["wait"],
    ids: ["C-74"],
    ends: true,
    run: async (kernel, { instanceId, stepId }, by) => {
      await signalWait(kernel, { instanceId, stepId, variables: { [by]: true }, actor: by })
      return "done"
    },
  },
  userTask: {
    name: "user-task complete",
    on: ["user"],
    ids: ["S14", "C-73"],
    ends: true,
    run: async (kernel, { instanceId, stepId }, by) => {
      await completeUserTask(kernel, { instanceId, stepId, variables: { [by]: true }, completedBy: by, actor: by })
      return "done"
    },
  },
  sweep: {
    name: "sweep",
    on: ["service"],
    ids: ["S7", "C-66"],
    comesBack: true,
    run: async (kernel) => {
      await new LeaseSweeper(kernel).sweep(noTerm)
      return "done"
    },
  },
  retry: {
    name: "retry step",
    on: ["service"],
    ids: ["S4", "C-71"],
    run: async (kernel, { instanceId, stepId }, by) => {
      await retryInstance(kernel, { instanceId, stepId, variables: { [by]: "retried" }, actor: by })
      return "done"
    },
  },
  claim: {
    name: "claim",
    on: ["service"],
    ids: ["S7", "S15", "C-66"],
    maySkip: true,
    run: async (kernel, { stepId }, by) => {
      const jobs = await claimJobs(kernel, {
        workerId: by,
        jobTypes: [stepId],
        maxJobs: 1,
        leaseMs: 30_000,
        waitMs: 0,
      })
      return `claimed ${jobs.map((job) => `${job.stepId}#${job.attempt}`).join() || "nothing"}`
    },
  },
  heartbeat: {
    name: "heartbeat",
    on: ["service"],
    ids: ["S7", "C-66"],
    run: async (kernel, { job }) => {
      await heartbeatJob(kernel, { ...claimant(job), leaseMs: 60_000 })
      return "extended"
    },
  },
  startOnce: {
    name: "start (one Idempotency-Key)",
    on: ["wait"],
    ids: ["S2", "S3"],
    run: (kernel, { instanceId }) => start(kernel, instanceId, { requestKey: keyOf(instanceId) }),
  },
  startKeyed: {
    name: "start (one business key)",
    on: ["wait"],
    ids: ["S3", "C-80"],
    run: (kernel, { instanceId }) => start(kernel, instanceId, { businessKey: `of-${instanceId}` }),
  },
  cancelOnce: {
    name: "cancel (one Idempotency-Key)",
    on: ["wait"],
    ids: ["S3", "S15"],
    run: async (kernel, { instanceId }) => {
      await cancelInstance(kernel, { instanceId, reason: "once", actor: "local", requestKey: keyOf(instanceId) })
      return "done"
    },
  },
} as const satisfies Record<string, Act>

const keyOf = (instanceId: string): RequestKey => ({ scope: "race", key: instanceId, digest: digestOf(instanceId) })

async function start(kernel: Kernel, linkingId: string, keys: Partial<StartRequest>): Promise<string> {
  const { isRepeat } = await startInstance(kernel, {
    definitionId: "parked",
    variables: {},
    actor: "local",
    linkingId,
    ...keys,
  })
  return isRepeat ? "replayed" : "started"
}

export type ActName = keyof typeof acts
export const act = (name: ActName): Act => acts[name]

/** How the jobs stand when the race begins. */
export type JobsAre =
  /** The lease has ended, and no process has noticed it. */
  | "expired"
  /** The job is back in the queue after a lost lease: the old token is good until another worker claims it. */
  | "swept"
  /** The job was swept, and another worker has claimed it. */
  | "reclaimed"
  /** The instance has failed at step a. */
  | "failed"

export interface Scene {
  readonly definitionId: string
  readonly document: JsonObject
  readonly jobsAre: JobsAre
  readonly branches: readonly string[]
  /** Leases that still run. A sweep takes each lease for itself: with two to take, another act may come between them. */
  readonly beating?: readonly string[]
  /** A timer that has opened a path beside a step before the race. */
  readonly besideAfterMs?: number
}

interface Branch {
  readonly kind: StepKind
  readonly timers: readonly TimerKind[]
}

/** One step, or a fork with a branch each; a step's timers lead to work of their own. */
export function sceneOf(name: string, branches: readonly Branch[], jobsAre: JobsAre): Scene {
  const ids = branches.map((_, index) => "abc"[index] as string)
  const onward = branches.length > 1 ? "join" : "after"
  const fork = step("PARALLEL_GATEWAY", "fork", { parallelNextSteps: ids, joinStep: "join" })
  const document = workflow(name, [
    ...(branches.length > 1 ? [fork] : []),
    ...branches.flatMap((branch, index) => stepsOf(ids[index] as string, branch, onward)),
    ...(branches.length > 1 ? [step("JOIN_GATEWAY", "join", { nextStep: "after" })] : []),
    service("after", "end"),
    end(),
  ])
  return { definitionId: name, document, jobsAre, branches: ids }
}

const TYPES = { service: "SERVICE_TASK", user: "USER_TASK", wait: "WAIT" } as const

function stepsOf(id: string, { kind, timers }: Branch, onward: string): JsonObject[] {
  const boundaryEvents = timers.map((timer) => ({ type: "TIMER", ...boundaryOf(id, timer) }))
  const guarded = {
    ...(kind === "service" ? { jobType: id, retryCount: 2 } : {}),
    ...(timers.length > 0 ? { boundaryEvents } : {}),
    nextStep: onward,
  }
  return [
    step(TYPES[kind], id, guarded),
    ...(timers.includes("interrupting") ? [service(`${id}-rescue`, onward)] : []),
    ...(timers.includes("beside") ? [service(`${id}-remind`)] : []),
  ]
}

function boundaryOf(id: string, timer: TimerKind): JsonObject {
  if (timer === "interrupting") return { duration: "PT1M", interrupting: true, targetStepId: `${id}-rescue` }
  return { duration: "PT30S", interrupting: false, targetStepId: timer === "ending" ? "end" : `${id}-remind` }
}

/** The workflow that acts start: its instances wait, and so disturb no other act. */
export const parked = workflow("parked", [step("WAIT", "wait", { nextStep: "end" }), end()])

/** Starts an instance and brings it where the race begins. */
export async function prepare(lane: Lane, scene: Scene): Promise<readonly Target[]> {
  const worker = drive(lane.kernel, WORKER)
  // A business key alone keeps two retries apart: without one they have to do it themselves.
  const keys = scene.jobsAre === "failed" ? {} : { businessKey: "order-1" }
  const instanceId = await worker.start(scene.definitionId, {}, keys)
  if (scene.besideAfterMs !== undefined) {
    await lane.advanceClock(scene.besideAfterMs)
    await fire(lane.kernel)
  }
  const jobs = await worker.claim(["a", "b", "c"])
  await lane.advanceClock(120_000)
  for (const job of jobs) if (scene.beating?.includes(job.stepId)) await beat(lane.kernel, job, WORKER)
  if (scene.jobsAre === "swept" || scene.jobsAre === "reclaimed") await new LeaseSweeper(lane.kernel).sweep(noTerm)
  if (scene.jobsAre === "reclaimed") await drive(lane.kernel, "w2").claim(["a", "b", "c"])
  if (scene.jobsAre === "failed") await worker.fail(jobs.find((job) => job.stepId === "a") as ClaimedJob, "boom", false)
  return scene.branches.map((stepId) => ({ instanceId, stepId, job: jobs.find((job) => job.stepId === stepId) }))
}

const beat = (kernel: Lane["kernel"], { id, leaseToken }: ClaimedJob, workerId: string) =>
  heartbeatJob(kernel, { jobId: id, workerId, token: parseToken(leaseToken), leaseMs: 300_000 })
