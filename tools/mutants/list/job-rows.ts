// Bugs in the statements of jobs: claims, heartbeats, limits, the intake.
import type { Mutant } from "../mutant.ts"

const SWEEP_LEASES_TEST = "engine/src/operations/jobs/end/sweep-leases.test.ts"
const SWITCHING_TEST = "engine/src/operations/jobs/dispatch/switching.test.ts"
const REPORT_STANDALONE_TEST = "engine/src/operations/jobs/end/report-standalone.test.ts"
const FILL_LIMITS = "engine/migrations/0029_limits_by_priority.sql"
const LIMITS_TEST = "engine/src/operations/flow/limits.test.ts"
const CLAIM_JOBS_TEST = "engine/src/operations/jobs/claim/claim-jobs.test.ts"
const QUEUE_FAULTS_TEST = "engine/src/operations/jobs/enqueue/queue-faults.test.ts"
const HAND_OVER_TEST = "engine/src/operations/jobs/claim/hand-over.test.ts"
const BACKPRESSURE_TEST = "engine/src/operations/jobs/enqueue/backpressure.test.ts"
const STANDALONE_JOBS_TEST = "engine/src/operations/jobs/enqueue/standalone-jobs.test.ts"

export const JOB_ROWS: readonly Mutant[] = [
  {
    id: "heartbeat-without-nonce",
    file: "engine/src/store/jobs/jobs.sql",
    find: `else j.epoch = x.epoch and j.nonce = x.nonce end
returning`,
    replace: `else j.epoch = x.epoch end
returning`,
    breaks: "S7: a heartbeat with another token extends no lease.",
    tests: [SWEEP_LEASES_TEST],
  },
  {
    id: "heartbeat-beyond-the-run",
    file: "engine/src/store/jobs/jobs.sql",
    find: "else least((select millrace.clock()) + coalesce(x.lease_ms, j.lease_ms) * interval '1 ms', j.run_until) end",
    replace: "else (select millrace.clock()) + coalesce(x.lease_ms, j.lease_ms) * interval '1 ms' end",
    breaks: "C-128: no heartbeat extends a lease beyond the time that the attempt may run.",
    tests: [SWEEP_LEASES_TEST],
  },
  {
    id: "heartbeat-revives-a-swept-lease",
    file: "engine/src/store/jobs/jobs.sql",
    find: `and j.execution = x.execution and j.status = 'leased'
  and case`,
    replace: `and j.execution = x.execution
  and case`,
    breaks: "S6: after the sweep a heartbeat is told that the lease is lost.",
    tests: [SWEEP_LEASES_TEST],
  },
  {
    id: "heartbeat-shortens-kafkas-lease",
    file: "engine/src/store/jobs/jobs.sql",
    find: `set lease_until = case when j.lease_until = millrace.endless() then j.lease_until
  else`,
    replace: `set lease_until = case when false then j.lease_until
  else`,
    breaks: "A heartbeat does not shorten the lease of a job that is on its way through Kafka.",
    tests: [SWITCHING_TEST],
  },
  {
    id: "released-a-second-early",
    file: "engine/src/store/jobs/jobs.sql",
    find: "where status = 'held' and visible_at <= (select millrace.clock())",
    replace: "where status = 'held' and visible_at <= (select millrace.clock()) + interval '1 s'",
    breaks: "A delayed job is not ready before its time.",
    tests: [REPORT_STANDALONE_TEST],
  },
  {
    id: "retry-passes-its-limit",
    file: "engine/src/store/jobs/jobs.sql",
    find: "set status = case when x.is_due and j.limit_key is null then 'ready' else 'held' end,",
    replace: "set status = case when x.is_due then 'ready' else 'held' end,",
    breaks: "A job that is tried again waits for room under its limit.",
    tests: [LIMITS_TEST],
  },
  {
    id: "delayed-job-passes-its-limit",
    file: "engine/src/store/jobs/jobs.sql",
    find: `set status = case when j.limit_key is null then 'ready' else 'held' end,
  seq`,
    replace: `set status = 'ready',
  seq`,
    breaks: "A job whose delay has passed waits for room under its limit.",
    tests: [LIMITS_TEST],
  },
  {
    id: "requeue-keeps-its-place",
    file: "engine/src/store/jobs/jobs.sql",
    find: `else 'held' end,
  seq = nextval('millrace.job_seq'),
  visible_at = case`,
    replace: `else 'held' end,
  visible_at = case`,
    breaks: "A job that is tried again goes behind those that wait.",
    tests: [REPORT_STANDALONE_TEST],
  },
  {
    id: "deleted-job-keeps-depth",
    file: "engine/src/store/jobs/jobs.sql",
    find: "select queue_id, -count(*) from gone group by queue_id",
    replace: "select queue_id, 0 from gone group by queue_id",
    breaks: "S20: the job of a step that has ended is counted out of its queue.",
    tests: [SWEEP_LEASES_TEST],
  },
  {
    id: "claim-keeps-epoch",
    file: "engine/src/store/jobs/claims.sql",
    find: `epoch = j.epoch + 1, nonce = (@nonces::uuid[])[p.slot], worker_id = (@workerIds::text[])[p.slot],
  seen_version`,
    replace: `epoch = greatest(1, j.epoch), nonce = (@nonces::uuid[])[p.slot], worker_id = (@workerIds::text[])[p.slot],
  seen_version`,
    breaks: "S6: every claim of a job has the next number.",
    tests: [CLAIM_JOBS_TEST, SWEEP_LEASES_TEST],
  },
  {
    id: "fair-claim-keeps-epoch",
    file: "engine/src/store/jobs/claims.sql",
    find: `epoch = j.epoch + 1, nonce = (@nonces::uuid[])[p.slot], worker_id = (@workerIds::text[])[p.slot],
  claimed_at`,
    replace: `epoch = greatest(1, j.epoch), nonce = (@nonces::uuid[])[p.slot], worker_id = (@workerIds::text[])[p.slot],
  claimed_at`,
    breaks: "S6: every claim of a job with a fair key has the next number.",
    tests: [REPORT_STANDALONE_TEST],
  },
  {
    id: "newest-job-first",
    file: "engine/src/store/jobs/claims.sql",
    find: "order by j.seq limit w.quota for update skip locked",
    replace: "order by j.seq desc limit w.quota for update skip locked",
    breaks: "Of one queue the oldest job is claimed first.",
    tests: [CLAIM_JOBS_TEST],
  },
  {
    id: "claim-waits-for-locks",
    file: "engine/src/store/jobs/claims.sql",
    find: "order by j.seq limit w.quota for update skip locked",
    replace: "order by j.seq limit w.quota for update",
    breaks: "S22: a claim passes over a job that another transaction holds.",
    tests: [CLAIM_JOBS_TEST, QUEUE_FAULTS_TEST],
  },
  {
    id: "lease-beyond-the-run",
    file: "engine/src/store/jobs/claims.sql",
    find: "then millrace.endless() else t.now + least(p.granted_ms, p.run_ms) * interval '1 ms' end",
    replace: "then millrace.endless() else t.now + p.granted_ms * interval '1 ms' end",
    breaks: "C-128: no lease is longer than the time that the attempt may run.",
    tests: [REPORT_STANDALONE_TEST],
  },
  {
    id: "fair-lease-beyond-the-run",
    file: "engine/src/store/jobs/claims.sql",
    find: "* least(coalesce((@slotLeaseMs::integer[])[p.slot], @leaseMs::integer), coalesce(j.run_ms, @runMs::integer)) end",
    replace: "* coalesce((@slotLeaseMs::integer[])[p.slot], @leaseMs::integer) end",
    breaks: "C-128: no lease of a job with a fair key is longer than the time that the attempt may run.",
    tests: [REPORT_STANDALONE_TEST],
  },
  {
    id: "given-back-without-nonce",
    file: "engine/src/store/jobs/claims.sql",
    find: `and j.status = 'leased' and j.epoch = x.epoch and j.nonce = x.nonce

-- name: anyHeld`,
    replace: `and j.status = 'leased' and j.epoch = x.epoch

-- name: anyHeld`,
    breaks: "S6: a claim is given back by its own token: the next one has the same number.",
    tests: [HAND_OVER_TEST, CLAIM_JOBS_TEST],
  },
  {
    id: "given-back-counts",
    file: "engine/src/store/jobs/claims.sql",
    find: "seq = nextval('millrace.job_seq'), epoch = j.epoch - 1,",
    replace: "seq = nextval('millrace.job_seq'), epoch = j.epoch,",
    breaks: "S9: a delivery that reached no handler does not count.",
    tests: [HAND_OVER_TEST, CLAIM_JOBS_TEST],
  },
  {
    id: "handed-over-without-depth",
    file: "engine/src/store/jobs/claims.sql",
    find: "select queue_id, count(*) from made group by queue_id)",
    replace: "select queue_id, 0 from made group by queue_id)",
    breaks: "S20: a job that is leased when it is made is counted into its queue.",
    tests: [HAND_OVER_TEST],
  },
  {
    id: "gate-of-the-total-ignored",
    file: "engine/src/store/jobs/enqueue.sql",
    find: "where not (x.is_gated and gate.shut && array[x.priority, 'total'])",
    replace: "where not (x.is_gated and gate.shut && array[x.priority])",
    breaks: "D-X12: the gate of the total refuses every priority.",
    tests: [BACKPRESSURE_TEST],
  },
  {
    id: "gate-ignored-by-a-flood",
    file: "engine/src/store/jobs/enqueue.sql",
    find: "where not (@isGated::boolean and gate.shut && array[@priority::text, 'total'])",
    replace: "where not (@isGated::boolean and gate.shut && array['total'])",
    breaks: "D-12: jobs that are all alike are refused at a shut gate too.",
    tests: [BACKPRESSURE_TEST],
  },
  {
    id: "second-job-of-a-key",
    file: "engine/src/store/jobs/enqueue.sql",
    find: "where x.key is null or x.id in (select job_id from fresh) returning instance_id",
    replace: "where x.key is null or x.id is not null returning instance_id",
    breaks: "S3: there is one job per type and key.",
    tests: [STANDALONE_JOBS_TEST],
  },
  {
    id: "delay-without-limit",
    file: "engine/src/store/jobs/enqueue.sql",
    find: "when x.limit_key is not null then 'limit' end as held_reason",
    replace: "end as held_reason",
    breaks: "A new job waits for room under its limit.",
    tests: [LIMITS_TEST],
  },
  {
    id: "limit-plus-one",
    file: FILL_LIMITS,
    find: "select l.max - count(*) as places",
    replace: "select l.max + 1 - count(*) as places",
    breaks: "No more jobs of a key run at once than its limit says.",
    tests: [LIMITS_TEST],
  },
  {
    id: "limit-counts-leased-only",
    file: FILL_LIMITS,
    find: "a.limit_key = l.key and a.status in ('ready', 'leased')",
    replace: "a.limit_key = l.key and a.status in ('leased')",
    breaks: "Ready jobs take room under their limit too.",
    tests: [LIMITS_TEST],
  },
  {
    id: "limit-without-lock",
    file: FILL_LIMITS,
    find: "perform pg_advisory_xact_lock(x.lock) from (",
    replace: "perform from (",
    breaks: "Two transactions that free room at once let one job go, not two.",
    tests: [LIMITS_TEST],
  },
  {
    id: "limit-locks-its-row",
    file: FILL_LIMITS,
    find: "  perform pg_advisory_xact_lock(x.lock) from (",
    replace: `  perform from millrace.limits l where l.key = any(keys) order by l.key for update;
  perform pg_advisory_xact_lock(x.lock) from (`,
    breaks: "A caller's open transaction that has set a limit does not hold up its places.",
    tests: [LIMITS_TEST],
  },
  {
    id: "limit-waits-for-held-job",
    file: FILL_LIMITS,
    find: "            for update skip locked",
    replace: "            for update",
    breaks: "A waiting job that another transaction holds is passed over.",
    tests: [LIMITS_TEST],
  },
  {
    id: "limit-newest-first",
    file: FILL_LIMITS,
    find: `            order by c.seq
`,
    replace: `            order by c.seq desc
`,
    breaks: "Jobs of a limit go in the order in which they came.",
    tests: [LIMITS_TEST],
  },
  {
    id: "limit-without-weights",
    file: "engine/src/operations/flow/fill-limits.ts",
    find: "PRIORITIES.map((priority) => weights[priority])",
    replace: "PRIORITIES.map((priority) => weights[priority] * 0 + 1)",
    breaks: "The places of a limit go by the weights of the priorities.",
    tests: [LIMITS_TEST],
  },
  {
    id: "limit-draws-the-same",
    file: "engine/src/operations/flow/fill-limits.ts",
    find: "draws: PRIORITIES.map(() => 1 - kernel.random()),",
    replace: "draws: PRIORITIES.map(() => 0.5),",
    breaks: "Each priority has its share of single places: none of them starves.",
    tests: [LIMITS_TEST],
  },
  {
    id: "limit-set-by-conflict",
    file: "engine/src/store/jobs/standalone-jobs.sql",
    find: "  where not exists (select from millrace.limits l where l.key = w.key) order by key on conflict do nothing",
    replace: "  order by key on conflict do nothing",
    breaks: "An enqueue that does not change a limit does not wait for a transaction that does.",
    tests: [LIMITS_TEST],
  },
]
