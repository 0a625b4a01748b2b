// Bugs in what follows an attempt: retries, lost leases, the sweep.
import type { Mutant } from "../mutant.ts"

const AFTER_ATTEMPT_TEST = "engine/src/model/jobs/after-attempt.test.ts"
const SWEEP_LEASES_TEST = "engine/src/operations/jobs/end/sweep-leases.test.ts"
const REPORT_JOBS_TEST = "engine/src/operations/jobs/end/report-jobs.test.ts"
const RETRY_DELAY_TEST = "engine/src/model/jobs/retry-delay.test.ts"
const RETRY_BUDGET_TEST = "engine/src/model/jobs/retry-budget.test.ts"
const DOWNTIME_TEST = "engine/src/operations/jobs/end/downtime.test.ts"
const REPORT_STANDALONE_TEST = "engine/src/operations/jobs/end/report-standalone.test.ts"

export const ATTEMPTS: readonly Mutant[] = [
  {
    id: "one-time-limit-for-all",
    file: "engine/src/library/running/time-limits.ts",
    find: "else this.watch(job)",
    replace: "else continue",
    breaks: "C-128: each of several attempts is ended when its own time is over.",
    tests: ["engine/src/library/running/time-limits.test.ts"],
  },
  {
    id: "one-lost-lease-less",
    file: "engine/src/model/jobs/after-attempt.ts",
    find: "if (lostLeases <= policy.maxLostLeases)",
    replace: "if (lostLeases < policy.maxLostLeases)",
    breaks: "S9: a job may lose as many leases as are configured.",
    tests: [AFTER_ATTEMPT_TEST],
  },
  {
    id: "lost-lease-not-counted",
    file: "engine/src/model/jobs/after-attempt.ts",
    find: "job.lostLeases + (counts ? 1 : 0)",
    replace: "job.lostLeases",
    breaks: "S9: a job that kills its workers is given up.",
    tests: [AFTER_ATTEMPT_TEST],
  },
  {
    id: "lost-lease-forgets-token",
    file: "engine/src/model/jobs/after-attempt.ts",
    find: "lostLeases, keepsToken: true }",
    replace: "lostLeases, keepsToken: false }",
    breaks: "C-65: a report after the sweep counts until the next claim.",
    tests: [SWEEP_LEASES_TEST],
  },
  {
    id: "failed-attempt-keeps-token",
    file: "engine/src/model/jobs/after-attempt.ts",
    find: "lostLeases, keepsToken: false }",
    replace: "lostLeases, keepsToken: true }",
    breaks: "C-69: a failure of a step that is sent again spends no second retry.",
    tests: [REPORT_JOBS_TEST],
  },
  {
    id: "one-retry-more",
    file: "engine/src/model/jobs/after-attempt.ts",
    find: "own ? own.left > 0 : retriesLeft > 0 ||",
    replace: "own ? own.left > 0 : retriesLeft >= 0 ||",
    breaks: "S9: a job is tried again as often as its retries say, and not once more.",
    tests: [AFTER_ATTEMPT_TEST],
  },
  {
    id: "retry-costs-nothing",
    file: "engine/src/model/jobs/after-attempt.ts",
    find: "Math.max(0, retriesLeft - 1)",
    replace: "retriesLeft",
    breaks: "S9: a retry is spent.",
    tests: [AFTER_ATTEMPT_TEST],
  },
  {
    id: "final-failure-retried",
    file: "engine/src/model/jobs/after-attempt.ts",
    find: "if (failure.retryable && mayRetry(job, failure)) {",
    replace: "if (mayRetry(job, failure)) {",
    breaks: "A failure that is not retryable ends the job.",
    tests: [AFTER_ATTEMPT_TEST],
  },
  {
    id: "wish-of-the-worker-ignored",
    file: "engine/src/model/jobs/after-attempt.ts",
    find: "const delayMs = wish ?? retryDelayMs(",
    replace: "const delayMs = retryDelayMs(",
    breaks: "The worker's own delay wins over the policy.",
    tests: [AFTER_ATTEMPT_TEST, REPORT_JOBS_TEST],
  },
  {
    id: "backoff-one-step-ahead",
    file: "engine/src/model/jobs/retry-delay.ts",
    find: "jitteredMs(policy, policy.retries - retriesLeft, random)",
    replace: "jitteredMs(policy, policy.retries - retriesLeft + 1, random)",
    breaks: "The first retry waits for the base delay.",
    tests: [RETRY_DELAY_TEST, AFTER_ATTEMPT_TEST],
  },
  {
    id: "backoff-without-cap",
    file: "engine/src/model/jobs/retry-delay.ts",
    find: "Math.max(0, retriesBefore), capMs, LONGEST_MS)",
    replace: "Math.max(0, retriesBefore), LONGEST_MS)",
    breaks: "No retry waits longer than the cap.",
    tests: [RETRY_DELAY_TEST],
  },
  {
    id: "partial-jitter-from-zero",
    file: "engine/src/model/jobs/retry-delay.ts",
    find: "Math.round(delay / 2 + (delay / 2) * random())",
    replace: "Math.round(delay * random())",
    breaks: "Partial jitter takes the upper half of the delay.",
    tests: [RETRY_DELAY_TEST],
  },
  {
    id: "retry-storm-unbounded",
    file: "engine/src/model/jobs/retry-budget.ts",
    find: "return Math.max(wantedMs, Math.round(at - nowMs))",
    replace: "return wantedMs",
    breaks: "No more retries come back at once than the budget has room for.",
    tests: [RETRY_BUDGET_TEST],
  },
  {
    id: "timeout-counts-as-lost",
    file: "engine/src/operations/jobs/end/sweep-leases.ts",
    find: 'return job.overran && counts ? { kind: "timed-out" } : { kind: "lost", counts }',
    replace: 'return { kind: "lost", counts }',
    breaks: "C-128: an attempt that ran for too long spends a retry.",
    tests: [SWEEP_LEASES_TEST],
  },
  {
    id: "downtime-held-against-workers",
    file: "engine/src/operations/jobs/end/sweep-leases.ts",
    find: "const counts = !downtimeOf(kernel).covers(listed.lease_until)",
    replace: "const counts = listed.lease_until > 0",
    breaks: "S9: a lease that ended while no engine ran does not count as lost.",
    tests: [DOWNTIME_TEST, SWEEP_LEASES_TEST],
  },
  {
    id: "full-sweep-never",
    file: "engine/src/operations/jobs/end/sweep-leases.ts",
    find: `      this.#sweptUntilMs = 0
      this.#fullSweepAt`,
    replace: "      this.#fullSweepAt",
    breaks: "L2: a lease that ended before the mark of the last sweep is found.",
    tests: [SWEEP_LEASES_TEST],
  },
  {
    id: "sweep-without-term",
    file: "engine/src/operations/jobs/end/sweep-leases.ts",
    find: `    await proveTerm(tx)
    const rows = await lockFreeJobs(tx, keys)`,
    replace: "    const rows = await lockFreeJobs(tx, keys)",
    breaks: "S6: a process that no longer leads the sweep takes back no lease.",
    tests: [REPORT_STANDALONE_TEST, SWEEP_LEASES_TEST],
  },
  {
    id: "lease-not-looked-at-again",
    file: "engine/src/store/jobs/jobs.sql",
    find: `-- name: lockFreeJobs
select j.instance_id, j.execution, j.status, j.retries_left, j.lost_leases,
  j.epoch, j.nonce, j.worker_id, j.seen_version, j.queue_id, j.limit_key, j.downstream, j.retry,
  j.status = 'leased' and j.lease_until <= (select millrace.clock()) as expired,`,
    replace: `-- name: lockFreeJobs
select j.instance_id, j.execution, j.status, j.retries_left, j.lost_leases,
  j.epoch, j.nonce, j.worker_id, j.seen_version, j.queue_id, j.limit_key, j.downstream, j.retry,
  j.status = 'leased' as expired,`,
    breaks: "S6: the lease of a step that was extended since it was listed is left alone.",
    tests: [SWEEP_LEASES_TEST],
  },
]
