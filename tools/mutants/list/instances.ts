// Bugs in what advances, starts and retries instances.
import type { Mutant } from "../mutant.ts"

const INTERLEAVE_TEST = "engine/src/test-support/interleave.test.ts"
const INSTANCES_TEST = "engine/src/operations/instances/instances.test.ts"
const LARGE_VARIABLES_TEST = "engine/src/operations/instances/large-variables.test.ts"
const REPORT_JOBS_TEST = "engine/src/operations/jobs/end/report-jobs.test.ts"
const SWEEP_LEASES_TEST = "engine/src/operations/jobs/end/sweep-leases.test.ts"
const RUN_TIMERS_TEST = "engine/src/operations/instances/run-timers.test.ts"
const ADVANCE_TEST = "engine/src/operations/instances/advance.test.ts"
const IDEMPOTENCY_TEST = "engine/src/operations/kernel/idempotency.test.ts"
const INSTANCES_DOOR_TEST = "engine/src/transports/routes/instances/instances.test.ts"
const INTAKE_TEST = "engine/src/transports/routes/instances/intake.test.ts"
const INTAKE_RACE_TEST = "engine/src/transports/routes/instances/intake-race.test.ts"
const UPLOAD_DEFINITION_TEST = "engine/src/operations/definitions/upload-definition.test.ts"
const DEFINITION_CACHE_TEST = "engine/src/operations/definitions/definition-cache.test.ts"
const START_ALIKE_TEST = "engine/src/operations/instances/start/start-alike.test.ts"
const READ_TRAIL_TEST = "engine/src/operations/instances/read-trail.test.ts"
const UNDO_TEST = "engine/src/library/running/undo.test.ts"
const UNDO_RACES_TEST = "engine/src/library/running/undo-races.test.ts"
const RESTART_INSTANCE_TEST = "engine/src/operations/instances/restart-instance.test.ts"
const DEAD_STEPS_TEST = "engine/src/operations/dead-letters/dead-steps.test.ts"
const INSTANCE_CHANGES_TEST = "engine/src/transports/routes/instances/instance-changes.test.ts"

export const INSTANCES: readonly Mutant[] = [
  {
    id: "instance-without-lock",
    file: "engine/src/store/instances/instances.sql",
    find: `where i.id = any(@ids::text[])
  order by i.id
  for update skip locked`,
    replace: `where i.id = any(@ids::text[])
  order by i.id`,
    breaks: "S4: an instance is advanced under its lock.",
    tests: [INTERLEAVE_TEST, INSTANCES_TEST],
  },
  {
    id: "lone-instance-without-lock",
    file: "engine/src/store/instances/instances.sql",
    find: `where i.id = @id
for update`,
    replace: "where i.id = @id",
    breaks: "S4: an instance that another transaction holds is waited for.",
    tests: [INTERLEAVE_TEST, INSTANCES_TEST],
  },
  {
    id: "old-input-wins",
    file: "engine/src/store/instances/instances.sql",
    find: `set status = x.status, state = x.state, version = x.version,
  variables = case when x.delta is null then i.variables else coalesce(i.variables, i.input) || x.delta end`,
    replace: `set status = x.status, state = x.state, version = x.version,
  variables = case when x.delta is null then i.variables else x.delta || coalesce(i.variables, i.input) end`,
    breaks: "S25: what a step returns replaces what was there.",
    tests: [INSTANCES_TEST, LARGE_VARIABLES_TEST, REPORT_JOBS_TEST],
  },
  {
    id: "last-delta-lost",
    file: "engine/src/store/instances/instances.sql",
    find: `i.linking_id, i.parent_id, i.input,
    case when x.delta is null then i.variables else coalesce(i.variables, i.input) || x.delta end,`,
    replace: `i.linking_id, i.parent_id, i.input,
    i.variables,`,
    breaks: "S25: what the last step returns is in the result.",
    tests: [REPORT_JOBS_TEST, INSTANCES_TEST],
  },
  {
    id: "held-instance-is-not-live",
    file: "engine/src/operations/instances/lock-instances.ts",
    find: "return { instances, ...work, apart: await listHeld(tx, missing, jobless) }",
    replace: "return { instances, ...work, apart: await listHeld(tx, [], jobless) }",
    breaks: "S2: a report on an instance that is held elsewhere is not told that the job is unknown.",
    tests: [INSTANCES_TEST, INTERLEAVE_TEST, REPORT_JOBS_TEST, SWEEP_LEASES_TEST],
  },
  {
    id: "leader-proves-nothing",
    file: "engine/src/operations/instances/advance.ts",
    find: `    await proveTerms(tx, items)
`,
    replace: "",
    breaks: "S12: a process that no longer leads fires no timer.",
    tests: [RUN_TIMERS_TEST, SWEEP_LEASES_TEST],
  },
  {
    id: "faulty-draft-written",
    file: "engine/src/operations/instances/plan-instances.ts",
    find: 'const isChanged = decided === "all" && (',
    replace: "const isChanged = (",
    breaks: "S5: of an event that broke off halfway nothing is written.",
    tests: [ADVANCE_TEST],
  },
  {
    id: "finished-draft-goes-on",
    file: "engine/src/operations/instances/plan-instances.ts",
    find: `    if (draft.finish) return { value: NOT_LIVE }
`,
    replace: "",
    breaks: "S4: an event after the one that ended the instance changes nothing.",
    tests: [ADVANCE_TEST],
  },
  {
    id: "business-key-taken-twice",
    file: "engine/src/operations/instances/start/take-keys.ts",
    find: `  for (const [at, start] of lost.entries())
    settled.set(start, { error: businessKeyTaken(businessKeyOf(start), holders[at]) })`,
    replace: "  for (const start of lost) settled.delete(start)",
    breaks: "S3: a business key belongs to one unfinished instance.",
    tests: [INSTANCES_TEST],
  },
  {
    id: "refused-start-keeps-its-key",
    file: "engine/src/operations/instances/start/take-keys.ts",
    find: `  await releaseKeysOf(tx, lost, settled)
`,
    replace: "",
    breaks: "S3: a start that was refused leaves no answer behind for its key.",
    tests: [INSTANCES_TEST, IDEMPOTENCY_TEST, INSTANCES_DOOR_TEST],
  },
  {
    id: "intake-key-starts-twice",
    file: "engine/src/operations/instances/start/take-keys.ts",
    find: "if (!fresh.has(start.row.id)) settled.set(start, { value: { instance: viewOf(start), isRepeat: true } })",
    replace: "if (fresh.size === 0) settled.set(start, { value: { instance: viewOf(start), isRepeat: true } })",
    breaks: "S3: an intake key belongs to one run, also within one batch.",
    tests: [INTAKE_TEST, INTAKE_RACE_TEST],
  },
  {
    id: "trail-of-first-entries",
    file: "engine/src/store/instances/audit.ts",
    find: "more: others.length > 0 ? JSON.stringify(others) : null",
    replace: "more: null",
    breaks: "S16: the trail has every entry, also where one transaction makes several.",
    tests: [READ_TRAIL_TEST],
  },
  {
    id: "trail-entries-share-a-number",
    file: "engine/migrations/0032_trail.sql",
    find: "select $1 + m.place::integer",
    replace: "select $1 + m.place::integer - 1",
    breaks: "S16: the entries of a row are numbered on from its first.",
    tests: [READ_TRAIL_TEST],
  },
  {
    id: "trail-page-skips-the-rest-of-a-row",
    file: "engine/src/store/instances/audit.sql",
    find: "and b.seq <= @afterSeq), 0",
    replace: "and b.seq > @afterSeq), 0",
    breaks: "S16: a page of the trail begins where the last one has ended, also in the middle of a row.",
    tests: [READ_TRAIL_TEST],
  },
  {
    id: "alike-starts-are-decided-as-one",
    file: "engine/src/model/instances/plan.ts",
    find: "EFFECTS.every((name) => isNothing(plan[name]))",
    replace: "EFFECTS.length > 0",
    breaks: "S25: where a plan looks at the variables, each start is planned with its own.",
    tests: [START_ALIKE_TEST, INSTANCES_TEST],
  },
  {
    id: "alike-starts-without-their-keys",
    file: "engine/src/operations/instances/start/start-alike.ts",
    find: "intakeKey === undefined && OWN.every((name) => request[name] === undefined)",
    replace: "intakeKey === undefined",
    breaks: "S3: a start with a key takes it, whoever starts beside it.",
    tests: [INSTANCES_TEST, IDEMPOTENCY_TEST],
  },
  {
    id: "alike-starts-share-an-actor",
    file: "engine/src/operations/instances/start/start-alike.ts",
    find: "definition === first.definition && COMMON.every((name) => request[name] === first.request[name])",
    replace: "definition === first.definition",
    breaks: "S16: the audit says who started an instance, also in a batch.",
    tests: [START_ALIKE_TEST],
  },
  {
    id: "alike-starts-bounded-by-the-smallest",
    file: "engine/src/operations/instances/start/start-alike.ts",
    find: "Math.max(...sizes)",
    replace: "Math.min(...sizes)",
    breaks: "SEC-32: the size that an instance carries is a bound of its variables.",
    tests: [START_ALIKE_TEST],
  },
  {
    id: "alike-start-overlooks-a-waiting-worker",
    file: "engine/src/operations/instances/start/start-alike.ts",
    find: `  if (wakeupsOf(kernel).isWaited(job.jobType)) return undefined
`,
    replace: "",
    breaks: "C-35: the claim that waits for a job is handed it at the commit.",
    tests: [START_ALIKE_TEST],
  },
  {
    id: "alike-starts-of-an-old-version",
    file: "engine/src/operations/instances/start/start-alike.ts",
    find: "isLatest: tx.isOurs && model.prepared.request.definitionVersion === undefined",
    replace: "isLatest: false",
    breaks: "S24: starts that share a statement take the latest version of their definition.",
    tests: [UPLOAD_DEFINITION_TEST, DEFINITION_CACHE_TEST, INSTANCES_TEST],
  },
  {
    id: "start-of-an-old-version",
    file: "engine/migrations/0001_engine.sql",
    find: "and newer.version > expected.version",
    replace: "and newer.version > expected.version + 1",
    breaks: "S24: a start takes the latest version of its definition.",
    tests: [UPLOAD_DEFINITION_TEST, DEFINITION_CACHE_TEST, INSTANCES_TEST],
  },
  {
    id: "retry-of-an-undone-run",
    file: "engine/src/operations/instances/retry-instance.ts",
    find: `  if (row.undone_by !== null) throw isUndone(row)
`,
    replace: "",
    breaks: "A run that is being undone cannot go on.",
    tests: [UNDO_TEST, UNDO_RACES_TEST, RESTART_INSTANCE_TEST],
  },
  {
    id: "retry-leaves-dead-letter",
    file: "engine/src/operations/instances/retry-instance.ts",
    find: `  deleteDeadSteps(tx, row.id)
`,
    replace: "",
    breaks: "S20: the dead letter of a step goes with its retry.",
    tests: [DEAD_STEPS_TEST],
  },
  {
    id: "retry-takes-no-business-key",
    file: "engine/src/operations/instances/retry-instance.ts",
    find: `  await takeBusinessKey(tx, planned)
`,
    replace: "",
    breaks: "S3: a retry takes its business key again, or is refused.",
    tests: [INSTANCES_TEST, INSTANCE_CHANGES_TEST, DEAD_STEPS_TEST],
  },
]
