// Bugs in step lists: records, signals, undo, restart.
import type { Mutant } from "../mutant.ts"

const LOST_LEASE_TEST = "engine/src/library/running/lost-lease.test.ts"
const RESUME_TEST = "engine/src/library/running/resume.test.ts"
const WAIT_RACES_TEST = "engine/src/library/running/wait-races.test.ts"
const WAITS_TEST = "engine/src/library/running/waits.test.ts"
const HELD_RUNS_TEST = "engine/src/operations/runs/held-runs.test.ts"
const UNDO_TEST = "engine/src/model/instances/undo.test.ts"
const UNDO_DOOR_TEST = "engine/src/library/running/undo.test.ts"
const UNDO_RACES_TEST = "engine/src/library/running/undo-races.test.ts"
const RESTART_TEST = "engine/src/model/instances/restart.test.ts"
const RESTART_INSTANCE_TEST = "engine/src/operations/instances/restart-instance.test.ts"

export const RUNS: readonly Mutant[] = [
  {
    id: "record-without-lease",
    file: "engine/src/store/runs/run-steps.sql",
    find: `where j.status = 'leased' and j.epoch = x.epoch and j.nonce = x.nonce
  order by x.instance_id`,
    replace: `where j.status = 'leased' and j.epoch = x.epoch
  order by x.instance_id`,
    breaks: "S7: a worker that has lost its run records no step.",
    tests: [LOST_LEASE_TEST, RESUME_TEST],
  },
  {
    id: "record-of-an-earlier-lease",
    file: "engine/src/store/runs/run-steps.sql",
    find: `where j.status = 'leased' and j.epoch = x.epoch and j.nonce = x.nonce
  order by x.instance_id`,
    replace: `where j.status = 'leased'
  order by x.instance_id`,
    breaks: "S7: a step is recorded under the lease of this delivery.",
    tests: [LOST_LEASE_TEST, RESUME_TEST],
  },
  {
    id: "signal-without-lease",
    file: "engine/src/store/runs/signals.sql",
    find: `and j.status = 'leased' and j.epoch = @epoch and j.nonce = @nonce::uuid
  for update`,
    replace: `and j.status = 'leased' and (j.epoch = @epoch and j.nonce = @nonce::uuid or j.nonce is not null)
  for update`,
    breaks: "S13: a signal is taken under the lease of the run.",
    tests: [HELD_RUNS_TEST],
  },
  {
    id: "signal-taken-again",
    file: "engine/src/store/runs/signals.sql",
    find: `where s.instance_id = @instanceId and s.name = @name and s.taken_by is null
  order by s.seq`,
    replace: `where s.instance_id = @instanceId and s.name = @name
  order by s.seq`,
    breaks: "S13: a signal is taken once.",
    tests: [WAITS_TEST, WAIT_RACES_TEST],
  },
  {
    id: "newest-signal-first",
    file: "engine/src/store/runs/signals.sql",
    find: `and s.taken_by is null
  order by s.seq
`,
    replace: `and s.taken_by is null
  order by s.seq desc
`,
    breaks: "S13: signals are taken in the order in which they came.",
    tests: [WAITS_TEST, WAIT_RACES_TEST],
  },
  {
    id: "signal-wakes-nothing",
    file: "engine/src/store/runs/signals.sql",
    find: "j.status = 'held' and x.name = any(string_to_array(j.waits_for, E'\\n'))",
    replace: "j.status = 'held' and x.name = j.waits_for",
    breaks: "L1: a signal wakes a run that waits for one of several.",
    tests: [HELD_RUNS_TEST],
  },
  {
    id: "parked-past-its-signal",
    file: "engine/src/store/jobs/jobs.sql",
    find: "s.name = any(string_to_array(w.waits_for, E'\\n')) and s.taken_by is null",
    replace: "s.name = w.waits_for and s.taken_by is not null",
    breaks: "L1: a signal that came while the run was on its way to wait is not missed.",
    tests: [WAIT_RACES_TEST, WAITS_TEST],
  },
  {
    id: "lease-of-a-step-transaction",
    file: "engine/src/store/runs/run-lease.sql",
    find: "and status = 'leased' and epoch = @epoch and nonce = @nonce",
    replace: "and status = 'leased' and (epoch = @epoch and nonce = @nonce or nonce is not null)",
    breaks: "S8: what a step writes in its transaction is committed under its lease, or not at all.",
    tests: [HELD_RUNS_TEST],
  },
  {
    id: "step-transaction-unlocked",
    file: "engine/src/store/runs/run-lease.sql",
    find: "select from millrace.instances where id = @instanceId for update",
    replace: "select from millrace.instances where id = @instanceId",
    breaks: "S8: the end of a run waits for the transaction of its step.",
    tests: [HELD_RUNS_TEST],
  },
  {
    id: "undo-in-order-of-doing",
    file: "engine/src/model/instances/undo.ts",
    find: "steps.filter(isToBeUndone).reverse()",
    replace: "steps.filter(isToBeUndone)",
    breaks: "The last step is undone first.",
    tests: [UNDO_TEST],
  },
  {
    id: "undo-of-what-failed",
    file: "engine/src/model/instances/undo.ts",
    find: 'undo && status === "COMPLETED"',
    replace: 'undo && status !== "WAITING"',
    breaks: "A step that failed is not undone.",
    tests: [UNDO_TEST],
  },
  {
    id: "cancelled-run-not-undone",
    file: "engine/src/operations/runs/undo-runs.ts",
    find: 'definition.mayUndo && (plan.finish?.status === "FAILED" || plan.finish?.status === "CANCELLED")',
    replace: 'definition.mayUndo && plan.finish?.status === "FAILED"',
    breaks: "A run that is cancelled is undone too.",
    tests: [UNDO_DOOR_TEST],
  },
  {
    id: "undo-beside-a-running-step",
    file: "engine/src/operations/runs/undo-runs.ts",
    find: `  await lockRunJobs(tx, id)
`,
    replace: "",
    breaks: "A step that is being recorded while its run ends is undone.",
    tests: [UNDO_RACES_TEST, UNDO_DOOR_TEST],
  },
  {
    id: "late-step-not-undone",
    file: "engine/src/operations/runs/undo-runs.ts",
    find: 'if (known.some((one) => one.name === name && one.status === "COMPLETED")) return false',
    replace: "if (known.length > 0) return false",
    breaks: "A step that was done after the end of its run is undone by a run of its own.",
    tests: [UNDO_RACES_TEST, UNDO_DOOR_TEST],
  },
  {
    id: "undone-step-undone-again",
    file: "engine/src/operations/runs/undo-runs.ts",
    find: "[...known.map(toCarried).map(asDone), late]",
    replace: "[...known.map(toCarried), late]",
    breaks: "The undo of a late step undoes no other step.",
    tests: [UNDO_RACES_TEST, UNDO_DOOR_TEST],
  },
  {
    id: "restart-inside-a-fork",
    file: "engine/src/model/instances/restart.ts",
    find: 'if (type !== "JOIN_GATEWAY" && !definition.isInFork(stepId)) return undefined',
    replace: 'if (type !== "JOIN_GATEWAY") return undefined',
    breaks: "A restart inside a fork is refused: its other branches would be missing.",
    tests: [RESTART_TEST, RESTART_INSTANCE_TEST],
  },
  {
    id: "restart-takes-over-too-much",
    file: "engine/src/model/instances/restart.ts",
    find: "const before = new Set(recorded.slice(0, at).map(({ name }) => name))",
    replace: "const before = new Set(recorded.slice(0, at + 1).map(({ name }) => name))",
    breaks: "The step that a restart begins with is done again.",
    tests: [RESTART_TEST, RESTART_INSTANCE_TEST],
  },
  {
    id: "restart-takes-over-waits",
    file: "engine/src/model/instances/restart.ts",
    find: 'recorded.filter(({ status }) => status !== "WAITING")',
    replace: 'recorded.filter(({ status }) => status !== "FAILED")',
    breaks: "What a run waited for is not taken over as done.",
    tests: [RESTART_TEST, RESTART_INSTANCE_TEST],
  },
]
