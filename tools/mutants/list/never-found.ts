// The bugs that were planted once from outside, and that no test of that time found.
import type { Mutant } from "../mutant.ts"

const STANDALONE = "engine/src/operations/jobs/end/report-standalone.test.ts"
const SWEEP = "engine/src/operations/jobs/end/sweep-leases.ts"
const DURABLE = "engine/src/operations/kernel/durable-commits.test.ts"
const GATES = "engine/src/operations/flow/gates-agree.test.ts"

const forStandaloneJobs: readonly Mutant[] = [
  {
    id: "completion-without-nonce",
    file: "engine/src/store/jobs/standalone-jobs.sql",
    find: "else j.epoch = x.epoch and j.nonce = x.nonce end",
    replace: "else j.epoch = x.epoch end",
    breaks:
      "S7: the completion of a standalone job counts by the whole token, not by the number of the delivery alone.",
    tests: [STANDALONE],
  },
  {
    id: "retry-keeps-token",
    file: "engine/src/operations/jobs/end/end-standalone.ts",
    find: 'after.kind === "retry" ? [{ ...after, key:',
    replace: 'after.kind === "retry" ? [{ ...after, keepsToken: true, key:',
    breaks: "S9: a failure of a standalone job that is sent four times spends one retry.",
    tests: [STANDALONE],
  },
  {
    id: "sweep-believes-its-list",
    file: SWEEP,
    find: "if (!job?.expired || job.epoch !== listed.epoch) return undefined",
    replace: "if (!job) return undefined",
    breaks: "S6: the sweep looks again under the lock, and leaves a lease alone that was extended since it was listed.",
    tests: [STANDALONE],
  },
  {
    id: "sweep-without-lock",
    file: "engine/src/store/jobs/jobs.sql",
    find: "for update of j skip locked\n\n-- name: lockJobs",
    replace: "\n-- name: lockJobs",
    breaks: "S6: a job whose lease has ended is locked before the sweep decides about it.",
    tests: [STANDALONE],
  },
  {
    id: "sweep-waits-for-a-caller",
    file: "engine/src/store/jobs/jobs.sql",
    find: "for update of j skip locked\n\n-- name: lockJobs",
    replace: "for update of j\n\n-- name: lockJobs",
    breaks: "L2: a caller's open transaction that holds one job keeps no other lease from being taken back.",
    tests: [STANDALONE],
  },
  {
    id: "standalone-end-without-lock",
    file: "engine/src/store/jobs/jobs.sql",
    find: "order by j.instance_id, j.execution\nfor update of j",
    replace: "order by j.instance_id, j.execution",
    breaks: "S7: a failure or a cancel of a standalone job locks it before it decides.",
    tests: [STANDALONE],
  },
  {
    id: "stale-in-the-winners-batch",
    file: "engine/src/operations/jobs/end/complete-standalone.ts",
    find: "counted.has(at) ? ACCEPTED : NOT_HOLDER",
    replace: "counted.size > 0 ? ACCEPTED : NOT_HOLDER",
    breaks: "C-66: a stale completion is told so, also in one batch with the completion that counts.",
    tests: [STANDALONE],
  },
]

const elsewhere: readonly Mutant[] = [
  {
    id: "gate-opens-at-low",
    file: "engine/migrations/0004_queue.sql",
    find: "else coalesce(g.high, case g.name when 'total' then total_high else lane_high end) end as is_full",
    replace:
      "else coalesce(g.high, case g.name when 'total' then total_high else lane_high end) end + g.shut::integer as is_full",
    breaks: "S21: the gate in SQL opens below the low mark, and not at it.",
    tests: [GATES],
  },
  {
    id: "claim-leaks-relaxed-commit",
    file: "engine/src/store/jobs/claims.sql",
    find: "case when @isEndless::boolean then current_setting('synchronous_commit') else 'off' end, true)) as relaxed\n),",
    replace:
      "case when @isEndless::boolean then current_setting('synchronous_commit') else 'off' end, false)) as relaxed\n),",
    breaks:
      "S1: what is accepted is on disk; only the claim itself does not wait, and not what its connection does next.",
    tests: [DURABLE],
  },
  {
    id: "advance-on-the-newest-version",
    file: "engine/src/operations/instances/plan-instances.ts",
    find: "definition: cachedFor(kernel, row) ?? (await readDefinition(kernel, row))",
    replace:
      "definition: (await definitionsOf(kernel).latest(row.definition_id)) ?? (await readDefinition(kernel, row))",
    breaks: "S24: an instance goes on with the version of its definition that it was started with.",
    tests: ["engine/src/operations/instances/pinned-version.test.ts"],
  },
]

export const NEVER_FOUND: readonly Mutant[] = [...forStandaloneJobs, ...elsewhere]
