// Bugs in the retries of steps, shares of priorities, replays and leaders.
import type { Mutant } from "../mutant.ts"

const STEP_RETRY_TEST = "engine/src/model/jobs/step-retry.test.ts"
const STEP_ATTEMPTS_TEST = "engine/src/model/jobs/step-attempts.test.ts"
const PRIORITY_SHARES_TEST = "engine/src/model/flow/priority-shares.test.ts"
const DEAD_JOBS_TEST = "engine/src/operations/dead-letters/dead-jobs.test.ts"
const PULSE_TEST = "engine/src/services/pulse.test.ts"

export const RETRIES_AND_LEADERS: readonly Mutant[] = [
  {
    id: "plain-error-retried",
    file: "engine/src/model/jobs/step-retry.ts",
    find: 'kind === "marked" || (kind === "plain" && errors === "all")',
    replace: 'kind === "marked" || kind === "plain"',
    breaks: "A step whose rule takes marked errors only is not tried again after another error.",
    tests: [STEP_RETRY_TEST],
  },
  {
    id: "final-error-retried",
    file: "engine/src/model/jobs/step-retry.ts",
    find: 'kind === "marked" || (kind === "plain" && errors === "all")',
    replace: 'kind === "marked" || errors === "all"',
    breaks: "An error that says that it is final ends the step.",
    tests: [STEP_RETRY_TEST],
  },
  {
    id: "step-spends-the-runs-retries",
    file: "engine/src/model/jobs/step-retry.ts",
    find: "own: { left: Math.max(0, most - failures), spent: failures }",
    replace: "own: { left: Math.max(0, most - failures + 1), spent: failures }",
    breaks: "A step is tried again as often as its own rule says.",
    tests: [STEP_RETRY_TEST],
  },
  {
    id: "rule-of-the-run-for-a-step",
    file: "engine/src/model/jobs/step-retry.ts",
    find: "return { ...shared, ...step }",
    replace: "return { ...step, ...shared }",
    breaks: "The rule of a step wins over that of its workflow.",
    tests: [STEP_RETRY_TEST],
  },
  {
    id: "lost-worker-counts-for-every-step",
    file: "engine/src/model/jobs/step-attempts.ts",
    find: "(step === null ? isFirst : names.includes(step))",
    replace: "(step === null || names.includes(step))",
    breaks: "An attempt whose worker was lost counts for the step that comes next, and no other.",
    tests: [STEP_ATTEMPTS_TEST],
  },
  {
    id: "empty-lane-keeps-its-debt",
    file: "engine/src/model/flow/priority-shares.ts",
    find: "share === undefined ? 0 : this.#owed[priority]",
    replace: "share === undefined ? this.#owed[priority] : this.#owed[priority]",
    breaks: "S22: a priority that has run empty is owed nothing.",
    tests: [PRIORITY_SHARES_TEST],
  },
  {
    id: "weights-by-order",
    file: "engine/src/model/flow/priority-shares.ts",
    find: "[priority, weights[priority] / sum]",
    replace: "[priority, 1 / weighty.length]",
    breaks: "S22: priorities get work by their weights.",
    tests: [PRIORITY_SHARES_TEST],
  },
  {
    id: "replay-without-lock",
    file: "engine/src/store/dead-letters/dead-letters.sql",
    find: `where o.instance_id = @id and o.execution = 0))
for update of d`,
    replace: "where o.instance_id = @id and o.execution = 0))",
    breaks: "S20: a dead letter is replayed once, however many ask for it at once.",
    tests: [DEAD_JOBS_TEST],
  },
  {
    id: "replayed-letter-stays",
    file: "engine/src/operations/dead-letters/replay-dead-letter.ts",
    find: `  deleteDeadLetter(tx, id)
`,
    replace: "",
    breaks: "S20: a dead letter that was replayed is gone.",
    tests: [DEAD_JOBS_TEST],
  },
  {
    id: "replay-without-link",
    file: "engine/src/operations/dead-letters/replay-dead-letter.ts",
    find: `  replayOf: letter.instance_id,
`,
    replace: "",
    breaks: "S20: a replay keeps a link to its ancestor.",
    tests: [DEAD_JOBS_TEST],
  },
  {
    id: "replay-refused-when-full",
    file: "engine/src/operations/dead-letters/replay-dead-letter.ts",
    find: `  whenFull: "absorb",
`,
    replace: `  whenFull: "refuse",
`,
    breaks: "S21: work that was accepted once is not refused by a gate.",
    tests: [DEAD_JOBS_TEST],
  },
  {
    id: "new-leader-in-the-old-term",
    file: "engine/src/store/upkeep/pulse.sql",
    find: "term = leaders.term + (leaders.holder <> excluded.holder)::integer",
    replace: "term = leaders.term",
    breaks: "S6: a new leader has a new term.",
    tests: [PULSE_TEST],
  },
  {
    id: "leader-replaced-too-soon",
    file: "engine/src/store/upkeep/pulse.sql",
    find: "where leaders.holder = excluded.holder or leaders.until < (select now from t) returning name, term)",
    replace: "where leaders.until is not null returning name, term)",
    breaks: "S6: a leader is replaced when its term is over, and not before.",
    tests: [PULSE_TEST],
  },
]
