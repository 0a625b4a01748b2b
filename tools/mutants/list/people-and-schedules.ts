// Bugs in user tasks and schedules.
import type { Mutant } from "../mutant.ts"

const USER_TASKS_TEST = "engine/src/operations/people/user-tasks.test.ts"
const INSTANCES_TEST = "engine/src/operations/instances/instances.test.ts"
const INTERLEAVE_TEST = "engine/src/test-support/interleave.test.ts"
const USER_TASKS_DOOR_TEST = "engine/src/transports/routes/people/user-tasks.test.ts"
const FIRE_SCHEDULES_TEST = "engine/src/operations/schedules/fire-schedules.test.ts"
const RUN_SCHEDULE_TEST = "engine/src/operations/schedules/run-schedule.test.ts"
const SCHEDULE_TICKS_TEST = "engine/src/model/schedules/schedule-ticks.test.ts"

export const PEOPLE_AND_SCHEDULES: readonly Mutant[] = [
  {
    id: "task-completed-twice",
    file: "engine/src/store/people/user-tasks.sql",
    find: "where u.instance_id = x.instance_id and u.execution = x.execution and u.status = 'OPEN'",
    replace: "where u.instance_id = x.instance_id and u.execution = x.execution",
    breaks: "S14: a user task that is closed stays as it was closed.",
    tests: [USER_TASKS_TEST, INSTANCES_TEST, INTERLEAVE_TEST],
    equivalent: "A step is closed once, under the lock of its instance, and its task with it: the row is OPEN by then.",
  },
  {
    id: "task-taken-from-anyone",
    file: "engine/src/store/people/user-tasks.sql",
    find: "and (@holder::text is null or assignee is null or assignee in (@holder, @to))",
    replace: "and (@holder::text is null or assignee is null or assignee <> '')",
    breaks: "S14: a task goes to another person only from the one who is named.",
    tests: [USER_TASKS_TEST, USER_TASKS_DOOR_TEST],
  },
  {
    id: "closed-task-assigned",
    file: "engine/src/store/people/user-tasks.sql",
    find: `where instance_id = @instanceId and execution = @execution and status = 'OPEN'
  and`,
    replace: `where instance_id = @instanceId and execution = @execution
  and`,
    breaks: "S14: a task that is done is given to nobody else.",
    tests: [USER_TASKS_TEST, USER_TASKS_DOOR_TEST],
    equivalent: "The operation then refuses a task that is not OPEN: the update is rolled back with it.",
  },
  {
    id: "tick-before-its-time",
    file: "engine/src/operations/schedules/fire-schedules.ts",
    find: "if (firstAt === null || firstAt > line.now) return false",
    replace: "if (firstAt === null) return false",
    breaks: "S12: a tick that is not due under the lock is not fired.",
    tests: [FIRE_SCHEDULES_TEST],
  },
  {
    id: "schedule-without-lock",
    file: "engine/src/store/schedules/schedules.sql",
    find: "select * from millrace.schedules where id = @id for update",
    replace: "select * from millrace.schedules where id = @id",
    breaks: "S12: a schedule is fired under its lock.",
    tests: [FIRE_SCHEDULES_TEST, RUN_SCHEDULE_TEST],
  },
  {
    id: "tick-fired-twice",
    file: "engine/src/operations/schedules/fire-ticks.ts",
    find: "planned.filter((tick) => fresh.has(tick.dueAt))",
    replace: "planned.filter((tick) => fresh.size >= 0 || tick.dueAt > 0)",
    breaks: "S12: a tick that has a run already starts nothing.",
    tests: [FIRE_SCHEDULES_TEST, RUN_SCHEDULE_TEST],
  },
  {
    id: "schedule-of-another-leader",
    file: "engine/src/operations/schedules/fire-schedules.ts",
    find: `    await proveTerm(tx)
    const locked = await lockWithLine(tx, id)`,
    replace: "    const locked = await lockWithLine(tx, id)",
    breaks: "S12: a process that no longer leads fires no schedule.",
    tests: [FIRE_SCHEDULES_TEST],
  },
  {
    id: "next-run-beside-the-last",
    file: "engine/src/operations/schedules/fire-ticks.ts",
    find: "if (firing.line.live_as !== null) return false",
    replace: "if (firing.line.waiting < 0) return false",
    breaks: "A run that waits starts when the one before it has ended.",
    tests: [FIRE_SCHEDULES_TEST],
  },
  {
    id: "last-run-not-cancelled",
    file: "engine/src/operations/schedules/fire-ticks.ts",
    find: `  if (line.live_as !== null) await cancelLast(firing)
`,
    replace: "",
    breaks: "With overlap cancel the next run takes the place of the last.",
    tests: [FIRE_SCHEDULES_TEST],
  },
  {
    id: "missed-tick-fired",
    file: "engine/src/model/schedules/schedule-ticks.ts",
    find: "const most = makesUpAll ? MOST_MADE_UP : makesUpLast ? 1 : 0",
    replace: "const most = makesUpAll ? MOST_MADE_UP : 1",
    breaks: "With catchUp none a missed tick is not made up for.",
    tests: [SCHEDULE_TICKS_TEST],
  },
  {
    id: "queue-of-one-too-long",
    file: "engine/src/model/schedules/schedule-ticks.ts",
    find: "if (waiting >= room)",
    replace: "if (waiting > room)",
    breaks: "No more runs wait than there is room for.",
    tests: [SCHEDULE_TICKS_TEST],
  },
  {
    id: "two-ticks-start",
    file: "engine/src/model/schedules/schedule-ticks.ts",
    find: `      isFree = false
`,
    replace: "",
    breaks: "Of several ticks at most one starts.",
    tests: [SCHEDULE_TICKS_TEST],
  },
]
