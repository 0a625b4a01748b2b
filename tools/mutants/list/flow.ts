// Bugs in gates, depths, paces and turns.
import type { Mutant } from "../mutant.ts"

const GATE_TEST = "engine/src/model/flow/gate.test.ts"
const FOLD_DEPTHS_TEST = "engine/src/operations/flow/fold-depths.test.ts"
const PACE_TEST = "engine/src/model/flow/pace.test.ts"
const PACE_AGREES_TEST = "engine/src/operations/flow/pace-agrees.test.ts"
const CLAIM_BY_PRIORITY_TEST = "engine/src/operations/jobs/claim/claim-by-priority.test.ts"

export const FLOW: readonly Mutant[] = [
  {
    id: "gate-shuts-above-high",
    file: "engine/src/model/flow/gate.ts",
    find: "isShut ? depth >= Math.min(low, high) : depth >= high",
    replace: "isShut ? depth >= Math.min(low, high) : depth > high",
    breaks: "S21: a gate shuts at its high mark.",
    tests: [GATE_TEST],
  },
  {
    id: "fold-with-some-gates",
    file: "engine/src/operations/flow/fold-depths.ts",
    find: "return gates.length === GATES ? gates : undefined",
    replace: "return gates",
    breaks: "S20: nothing is folded while another transaction holds a gate.",
    tests: [FOLD_DEPTHS_TEST],
  },
  {
    id: "fold-by-an-old-leader",
    file: "engine/src/operations/flow/fold-depths.ts",
    find: "const [, gates] = await Promise.all([proveTerm(tx), lockGates(tx)])",
    replace: "const [, gates] = await Promise.all([undefined, lockGates(tx)])",
    breaks: "S20: a process that no longer leads folds nothing.",
    tests: [FOLD_DEPTHS_TEST],
  },
  {
    id: "fold-passes-late-commits",
    file: "engine/src/operations/flow/fold-depths.ts",
    find: `    return this.#mark.safe
`,
    replace: `    return this.#mark.after
`,
    breaks: "S20: the deltas of a transaction that commits late are counted.",
    tests: [FOLD_DEPTHS_TEST],
  },
  {
    id: "depths-without-fresh-deltas",
    file: "engine/src/store/flow/depths.sql",
    find: `where d.id > (select f.after from millrace.depth_fold f)
  group by d.queue_id, d.lane`,
    replace: `where d.id > (select f.after + 1 from millrace.depth_fold f)
  group by d.queue_id, d.lane`,
    breaks: "S20: every replica reads the depth with the deltas that are not folded yet.",
    tests: [FOLD_DEPTHS_TEST],
  },
  {
    id: "pace-without-slice",
    file: "engine/src/model/flow/pace.ts",
    find: "const saved = Math.min(savedMs, sliceMs)",
    replace: "const saved = savedMs",
    breaks: "No burst to a downstream is larger than one slice of its rate.",
    tests: [PACE_TEST],
  },
  {
    id: "one-in-flight-more",
    file: "engine/src/model/flow/pace.ts",
    find: "Math.max(1, Math.floor(concurrency * share)) - inFlight",
    replace: "Math.max(1, Math.floor(concurrency * share)) + 1 - inFlight",
    breaks: "A downstream is given no more jobs at once than it can take.",
    tests: [PACE_TEST],
  },
  {
    id: "closed-downstream-is-given-work",
    file: "engine/src/model/flow/pace.ts",
    find: "if (pace.closedMs > 0) return { ...bucket, count: 0, againMs: pace.closedMs }",
    replace: "if (pace.closedMs > 60_000) return { ...bucket, count: 0, againMs: pace.closedMs }",
    breaks: "A downstream that asked to be left alone is left alone.",
    tests: [PACE_TEST],
  },
  {
    id: "pace-without-lock",
    file: "engine/src/store/jobs/claims.sql",
    find: "where d.name = any(@names::text[]) order by d.name for update of d",
    replace: "where d.name = any(@names::text[]) order by d.name",
    breaks: "Two processes that claim at once spend one rate, not two.",
    tests: [PACE_AGREES_TEST],
  },
  {
    id: "pace-never-spent",
    file: "engine/src/store/jobs/claims.sql",
    find: `  + x.spent_ms * interval '1 ms'
from @spendings`,
    replace: `
from @spendings`,
    breaks: "Each job that is claimed spends its share of the rate.",
    tests: [PACE_AGREES_TEST],
  },
  {
    id: "push-back-counted-each-time",
    file: "engine/src/store/jobs/claims.sql",
    find: "set share = case when d.slowed_at < t.now - interval '1 s' then greatest(",
    replace: "set share = case when d.slowed_at < t.now + interval '1 s' then greatest(",
    breaks: "A hundred jobs that are told the same at once slow their downstream down once.",
    tests: [PACE_AGREES_TEST],
  },
  {
    id: "fair-turns-by-age",
    file: "engine/migrations/0004_queue.sql",
    find: "select p.at, row_number() over (order by p.round, p.turn) from picked p order by p.round, p.turn limit quota;",
    replace:
      "select p.at, row_number() over (order by p.turn, p.round) from picked p order by p.turn, p.round limit quota;",
    breaks: "S22: keys are served in turn.",
    tests: [CLAIM_BY_PRIORITY_TEST],
  },
]
