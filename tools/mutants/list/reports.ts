// Bugs in the reports of workers: which one counts, and what it leaves.
import type { Mutant } from "../mutant.ts"

const REPORT_JOBS_TEST = "engine/src/operations/jobs/end/report-jobs.test.ts"
const REPORTS_TEST = "engine/src/model/jobs/reports.test.ts"
const REPORT_STANDALONE_TEST = "engine/src/operations/jobs/end/report-standalone.test.ts"
const DEAD_JOBS_TEST = "engine/src/operations/dead-letters/dead-jobs.test.ts"
const STANDALONE_JOBS_TEST = "engine/src/operations/jobs/enqueue/standalone-jobs.test.ts"
const STANDALONE_JOBS_DOOR_TEST = "engine/src/transports/routes/jobs/standalone-jobs.test.ts"

export const REPORTS: readonly Mutant[] = [
  {
    id: "report-without-nonce",
    file: "engine/src/model/jobs/reports.ts",
    find: "return lease.epoch === claimant.token.epoch && sameSecret(lease.nonce, claimant.token.nonce)",
    replace: "return lease.epoch === claimant.token.epoch",
    breaks: "S7: a report on a step's job counts by the whole token.",
    tests: [REPORT_JOBS_TEST],
  },
  {
    id: "used-lease-holds",
    file: "engine/src/model/jobs/reports.ts",
    find: "if (lease.nonce === null) return false",
    replace: "if (lease.nonce === null) return lease.epoch === claimant.token?.epoch",
    breaks: "S7: a token that was used up by a failure holds nothing any more.",
    tests: [REPORT_JOBS_TEST],
  },
  {
    id: "late-word-with-token",
    file: "engine/src/model/jobs/reports.ts",
    find: 'if (report.token !== undefined || report.verb === "park") return false',
    replace: 'if (report.verb === "park") return false',
    breaks: "C-66: only a worker without a token may still speak after another one has the job.",
    tests: [REPORTS_TEST, REPORT_JOBS_TEST],
  },
  {
    id: "repeat-of-another-verb",
    file: "engine/src/model/jobs/reports.ts",
    find: "if (holds(report, last)) return last.verb === report.verb",
    replace: "if (holds(report, last)) return true",
    breaks: "C-69: a failure that follows an accepted completion is stale, not accepted.",
    tests: [REPORT_JOBS_TEST],
  },
  {
    id: "second-report-of-a-batch",
    file: "engine/src/operations/jobs/end/report-jobs.ts",
    find: 'if (!job || isDecided(draft, job.execution)) return "not-holder"',
    replace: 'if (!job) return "not-holder"',
    breaks: "S7: of two reports on one job in one batch one is planned.",
    tests: [REPORT_JOBS_TEST],
  },
  {
    id: "result-of-any-size",
    file: "engine/src/operations/jobs/end/report-jobs.ts",
    find: "const report = result ? failIfTooLarge(kernel, given, result) : given",
    replace: "const report = given",
    breaks: "A result that is too large fails its job.",
    tests: [REPORT_STANDALONE_TEST],
  },
  {
    id: "two-failures-in-a-batch",
    file: "engine/src/operations/jobs/end/fail-standalone.ts",
    find: `      live.delete(id)
`,
    replace: "",
    breaks: "S9: a failure that is twice in one batch ends one attempt.",
    tests: [REPORT_STANDALONE_TEST],
    equivalent: "insertAttempts refuses two ends of one attempt: the batch is run one by one, and the second is stale.",
  },
  {
    id: "failure-of-a-stranger",
    file: "engine/src/operations/jobs/end/fail-standalone.ts",
    find: 'if (!row || !isHolder(report, row)) return { value: "not-holder" }',
    replace: 'if (!row) return { value: "not-holder" }',
    breaks: "S7: a failure of a standalone job counts only from its holder.",
    tests: [REPORT_STANDALONE_TEST],
  },
  {
    id: "completion-after-failure-by-name",
    file: "engine/src/store/jobs/standalone-jobs.sql",
    find: "where j.instance_id = x.id and j.execution = 0 and j.nonce is not null",
    replace: "where j.instance_id = x.id and j.execution = 0",
    breaks: "S7: a worker that has failed a job cannot complete it afterwards by its name alone.",
    tests: [REPORT_STANDALONE_TEST],
  },
  {
    id: "completion-adds-depth",
    file: "engine/src/store/jobs/standalone-jobs.sql",
    find: `select m.queue_id, q.priority, -m.n
  from (select queue_id, count(*) as n from gone group by queue_id) m join millrace.queues q on q.id = m.queue_id
)
-- Of`,
    replace: `select m.queue_id, q.priority, m.n
  from (select queue_id, count(*) as n from gone group by queue_id) m join millrace.queues q on q.id = m.queue_id
)
-- Of`,
    breaks: "S20: a job that has ended is counted out of its queue.",
    tests: [REPORT_STANDALONE_TEST],
  },
  {
    id: "end-of-ended-job-keeps-depth",
    file: "engine/src/store/jobs/standalone-jobs.sql",
    find: `insert into millrace.depth_deltas (queue_id, lane, delta)
select m.queue_id, q.priority, -m.n`,
    replace: `insert into millrace.depth_deltas (queue_id, lane, delta)
select m.queue_id, q.priority, 0 * m.n`,
    breaks: "S20: a job that is dead or cancelled is counted out of its queue.",
    tests: [REPORT_STANDALONE_TEST],
  },
  {
    id: "dead-only-if-exhausted",
    file: "engine/src/store/jobs/standalone-jobs.sql",
    find: "from gone g where g.reason is not null",
    replace: "from gone g where g.reason = 'exhausted'",
    breaks: "A job that failed for good has a dead letter, whatever the reason.",
    tests: [DEAD_JOBS_TEST, STANDALONE_JOBS_TEST],
  },
  {
    id: "dead-without-delay-key",
    file: "engine/src/store/jobs/standalone-jobs.sql",
    find: "'fairKey', g.fair_key,",
    replace: "'fairKey', null,",
    breaks: "The replay of a dead letter keeps the fair key of its job.",
    tests: [DEAD_JOBS_TEST],
  },
  {
    id: "cancel-of-an-ended-job",
    file: "engine/src/operations/jobs/end/cancel-job.ts",
    find: `if (job.status === "CANCELLED") return job
`,
    replace: `if (job.status !== "PENDING") return job
`,
    breaks: "S4: a job that has ended otherwise cannot be cancelled.",
    tests: [STANDALONE_JOBS_TEST, STANDALONE_JOBS_DOOR_TEST],
  },
  {
    id: "cancel-without-history",
    file: "engine/src/operations/jobs/end/cancel-job.ts",
    find: 'standalone: [{ id, status: "CANCELLED", error, verb: null, endedAt }]',
    replace: 'standalone: [{ id, status: "FAILED", error, verb: null, endedAt }]',
    breaks: "S4: a cancelled job is CANCELLED in its record too.",
    tests: [STANDALONE_JOBS_TEST, STANDALONE_JOBS_DOOR_TEST],
  },
]
