// Bugs in the planner: tokens, timers, errors, signals, ends.
import type { Mutant } from "../mutant.ts"

const PLAN_AFTER_TIMER_TEST = "engine/src/model/instances/plan-after-timer.test.ts"
const RUN_TIMERS_TEST = "engine/src/operations/instances/run-timers.test.ts"
const SET_ASIDE_TEST = "engine/src/operations/instances/set-aside.test.ts"
const INSTANCES_TEST = "engine/src/operations/instances/instances.test.ts"
const ERROR_EVENTS_TEST = "engine/src/model/instances/error-events.test.ts"
const CAUGHT_ERRORS_TEST = "engine/src/operations/instances/caught-errors.test.ts"
const PLAN_AFTER_JOB_TEST = "engine/src/model/instances/plan-after-job.test.ts"
const ENTER_STEP_TEST = "engine/src/model/instances/enter-step.test.ts"
const REPORT_JOBS_TEST = "engine/src/operations/jobs/end/report-jobs.test.ts"
const DEAD_STEPS_TEST = "engine/src/operations/dead-letters/dead-steps.test.ts"
const PLAN_HUMAN_TEST = "engine/src/model/instances/plan-human.test.ts"
const EARLY_SIGNALS_TEST = "engine/src/model/instances/early-signals.test.ts"
const USER_TASKS_TEST = "engine/src/operations/people/user-tasks.test.ts"
const INTERLEAVE_TEST = "engine/src/test-support/interleave.test.ts"
const INTERLEAVE_ENDS_TEST = "engine/src/test-support/interleave-ends.test.ts"
const PLAN_START_TEST = "engine/src/model/instances/plan-start.test.ts"

export const PLANS: readonly Mutant[] = [
  {
    id: "interrupted-step-goes-on",
    file: "engine/src/model/instances/plan-after-timer.ts",
    find: `    closeStep(draft, open, { status: "FAILED", reason: "interrupted by boundary timer" })
    withdrawWork(draft, open)
`,
    replace: `    closeStep(draft, open, { status: "FAILED", reason: "interrupted by boundary timer" })
`,
    breaks: "S12: an interrupting timer takes the job of its step back.",
    tests: [PLAN_AFTER_TIMER_TEST, RUN_TIMERS_TEST],
  },
  {
    id: "timer-beside-in-the-fork",
    file: "engine/src/model/instances/plan-after-timer.ts",
    find: "fork: interrupting ? open.fork : 0 }",
    replace: "fork: open.fork }",
    breaks: "S11: what a timer opens beside a step is no branch of its fork.",
    tests: [PLAN_AFTER_TIMER_TEST],
  },
  {
    id: "queue-timeout-of-a-claimed-job",
    file: "engine/src/model/instances/plan-after-timer.ts",
    find: 'return due.claimed ? undefined : timeOut(draft, open, "queue")',
    replace: 'return timeOut(draft, open, "queue")',
    breaks: "C-128: a job that was claimed has not waited for too long.",
    tests: [PLAN_AFTER_TIMER_TEST, RUN_TIMERS_TEST],
  },
  {
    id: "timer-fires-twice-in-a-draft",
    file: "engine/src/model/instances/plan-after-timer.ts",
    find: "if (draft.firedTimers.some((fired) => fired.execution === due.execution && fired.timer === due.timer)) return",
    replace: "if (draft.firedTimers.length > 1_000) return",
    breaks: "S12: a timer fires once, also when it comes twice in one batch.",
    tests: [PLAN_AFTER_TIMER_TEST],
  },
  {
    id: "timer-early",
    file: "engine/src/store/instances/timers.sql",
    find: `and t.timer = x.timer
where t.due_at <= (select millrace.clock())`,
    replace: "and t.timer = x.timer",
    breaks: "S12: no timer fires before it is due by the clock of the database.",
    tests: [RUN_TIMERS_TEST],
  },
  {
    id: "orphan-timers-of-the-living",
    file: "engine/src/store/instances/timers.sql",
    find: `  -- One that was retried meanwhile is live again, with timers of its own.
  and not exists (select from millrace.instances i where i.id = t.instance_id)`,
    replace: "  and t.instance_id is not null",
    breaks: "S12: the timers of an instance that is live again are kept.",
    tests: [RUN_TIMERS_TEST, SET_ASIDE_TEST],
  },
  {
    id: "ended-step-keeps-its-timers",
    file: "engine/src/store/instances/timers.sql",
    find: `using @steps as x (instance_id text, execution integer)
where t.instance_id = x.instance_id and t.execution = x.execution`,
    replace: `using @steps as x (instance_id text, execution integer)
where t.instance_id = x.instance_id and t.execution = x.execution and t.timer = 'duration'`,
    breaks: "S12: the timers of a step go with it.",
    tests: [RUN_TIMERS_TEST, INSTANCES_TEST],
  },
  {
    id: "error-caught-without-error",
    file: "engine/src/model/instances/leave-step.ts",
    find: "if (caught !== delta) mergeVariables(draft, error)",
    replace: "if (caught === delta) mergeVariables(draft, error)",
    breaks: "The target of an ERROR event finds the error among the variables.",
    tests: [ERROR_EVENTS_TEST, CAUGHT_ERRORS_TEST],
  },
  {
    id: "error-event-ignored",
    file: "engine/src/model/instances/leave-step.ts",
    find: "if (target === undefined) return failInstance(draft, reason, [open])",
    replace: "if (target === undefined || fault === undefined) return failInstance(draft, reason, [open])",
    breaks: "An ERROR event takes the token of the step that failed.",
    tests: [ERROR_EVENTS_TEST],
  },
  {
    id: "continue-fails",
    file: "engine/src/model/instances/leave-step.ts",
    find: 'if (!("onError" in step) || step.onError !== "continue") return leaveFailed',
    replace: 'if (!("onError" in step)) return leaveFailed',
    breaks: "A step with onError continue does not fail its instance, and any other does.",
    tests: [PLAN_AFTER_JOB_TEST, ERROR_EVENTS_TEST, ENTER_STEP_TEST],
  },
  {
    id: "late-failure-requeues",
    file: "engine/src/model/instances/plan-after-job.ts",
    find: "if (job.isLate) draft.spentRetries.push({ execution, retriesLeft })",
    replace: "if (job.isLate && retriesLeft < 0) draft.spentRetries.push({ execution, retriesLeft })",
    breaks: "W-03: a late failure takes the job from no other worker.",
    tests: [PLAN_AFTER_JOB_TEST, REPORT_JOBS_TEST],
  },
  {
    id: "output-schema-ignored",
    file: "engine/src/model/instances/plan-after-job.ts",
    find: "const fault = outputFault(draft.definition.step(open.stepId), delta) ?? tooLargeFault",
    replace: "const fault = tooLargeFault",
    breaks: "A result that does not fit the schema of its step fails the step.",
    tests: [PLAN_AFTER_JOB_TEST],
  },
  {
    id: "failed-step-without-dead-letter",
    file: "engine/src/model/instances/plan-after-job.ts",
    find: `    draft.deadJob = { execution: job.execution, reason, error, retryCount: retries }
`,
    replace: `    draft.deadJob = undefined
`,
    breaks: "S20: a step that fails its instance leaves a dead letter.",
    tests: [PLAN_AFTER_JOB_TEST, DEAD_STEPS_TEST],
  },
  {
    id: "endless-plan",
    file: "engine/src/model/instances/enter-step.ts",
    find: "if (moved >= MAX_STEPS_PER_PLAN)",
    replace: "if (moved > MAX_STEPS_PER_PLAN)",
    breaks: "C-127: a plan takes at most 1,000 steps.",
    tests: [ENTER_STEP_TEST],
  },
  {
    id: "cut-branch-lost",
    file: "engine/src/model/instances/enter-step.ts",
    find: "else if (draft.cut) keepWaiting(draft, draft.cut, waiting)",
    replace: "",
    breaks: "S11: a retry finds every branch that was on its way when the instance failed.",
    tests: [ENTER_STEP_TEST, PLAN_HUMAN_TEST],
  },
  {
    id: "early-signal-taken-twice",
    file: "engine/src/model/instances/enter-step.ts",
    find: `  draft.kept = draft.kept.filter((other) => other !== early)
`,
    replace: "",
    breaks: "S13: a signal that was kept is taken once.",
    tests: [EARLY_SIGNALS_TEST],
  },
  {
    id: "early-signal-for-a-passed-wait",
    file: "engine/src/model/instances/keep-early.ts",
    find: "if (!draft.open.some((open) => draft.definition.leadsTo(open.stepId, stepId)))",
    replace: "if (draft.open.length === 0)",
    breaks: "S13: a signal is accepted only where a token can still come to its wait.",
    tests: [EARLY_SIGNALS_TEST],
  },
  {
    id: "second-early-signal",
    file: "engine/src/model/instances/keep-early.ts",
    find: "if (!draft.definition.mayRepeat && draft.kept.some(",
    replace: "if (draft.definition.mayRepeat && draft.kept.some(",
    breaks: "S13: a signal that can never be taken is refused.",
    tests: [EARLY_SIGNALS_TEST],
  },
  {
    id: "task-completed-in-its-own-draft",
    file: "engine/src/model/instances/plan-human.ts",
    find: "if (!open || draft.newUserTasks.some((task) => task.execution === open.execution))",
    replace: "if (!open)",
    breaks: "S14: a user task is completed once; a second call does not complete the next one.",
    tests: [PLAN_HUMAN_TEST, USER_TASKS_TEST],
  },
  {
    id: "task-result-of-any-form",
    file: "engine/src/model/instances/plan-human.ts",
    find: "if (violations.length > 0) throw badRequest(`the result does not fit",
    replace: "if (violations.length > 100) throw badRequest(`the result does not fit",
    breaks: "The result of a user task fits its schema.",
    tests: [PLAN_HUMAN_TEST],
  },
  {
    id: "retry-of-any-step",
    file: "engine/src/model/instances/plan-human.ts",
    find: "if (named !== undefined && !failed.includes(named))",
    replace: "if (named !== undefined && failed.length === 0)",
    breaks: "Only the step that failed can be retried.",
    tests: [PLAN_HUMAN_TEST],
  },
  {
    id: "cancel-keeps-forks",
    file: "engine/src/model/instances/finish.ts",
    find: `  const stopped = draft.open
  skipAll(draft)
  draft.forks = []
  record(draft, "INSTANCE_CANCELLED"`,
    replace: `  const stopped = draft.open
  draft.forks = []
  record(draft, "INSTANCE_CANCELLED"`,
    breaks: "S15: a cancel takes back every job of the instance.",
    tests: [PLAN_HUMAN_TEST, INTERLEAVE_TEST],
  },
  {
    id: "end-leaves-other-paths",
    file: "engine/src/model/instances/finish.ts",
    find: `  const stopped = draft.open
  skipAll(draft)
  draft.forks = []
  record(draft, "INSTANCE_COMPLETED"`,
    replace: `  const stopped = draft.open
  draft.forks = []
  record(draft, "INSTANCE_COMPLETED"`,
    breaks: "An END stops the other paths of its instance.",
    tests: [ENTER_STEP_TEST, PLAN_AFTER_JOB_TEST, INTERLEAVE_ENDS_TEST],
  },
  {
    id: "deadline-outlives-its-instance",
    file: "engine/src/model/instances/finish.ts",
    find: `  draft.endedTimers.push(0)
`,
    replace: "",
    breaks: "S12: the deadline of an instance ends with it.",
    tests: [PLAN_START_TEST, PLAN_AFTER_TIMER_TEST, PLAN_AFTER_JOB_TEST],
  },
  {
    id: "waiting-instance-is-active",
    file: "engine/src/model/instances/finish.ts",
    find: 'draft.status = waits ? "WAITING" : "ACTIVE"',
    replace: 'draft.status = "ACTIVE"',
    breaks: "An instance that waits for a person or a signal is WAITING.",
    tests: [ENTER_STEP_TEST],
  },
]
