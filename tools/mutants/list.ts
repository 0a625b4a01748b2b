// Every mutant, by the part of Millrace that it is planted in.
import { ATTEMPTS } from "./list/attempts.ts"
import { EVENTS } from "./list/events.ts"
import { FLOW } from "./list/flow.ts"
import { GUARD } from "./list/guard.ts"
import { INSTANCES } from "./list/instances.ts"
import { JOB_ROWS } from "./list/job-rows.ts"
import { KERNEL } from "./list/kernel.ts"
import { NEVER_FOUND } from "./list/never-found.ts"
import { PACKS } from "./list/packs.ts"
import { PEOPLE_AND_SCHEDULES } from "./list/people-and-schedules.ts"
import { PLANS } from "./list/plans.ts"
import { REPORTS } from "./list/reports.ts"
import { RETRIES_AND_LEADERS } from "./list/retries-and-leaders.ts"
import { RUNS } from "./list/runs.ts"
import { WAITS } from "./list/waits.ts"
import type { Mutant } from "./mutant.ts"

export const AREAS: Readonly<Record<string, readonly Mutant[]>> = {
  "Once found by no test": NEVER_FOUND,
  "Reports of workers": REPORTS,
  "Attempts and leases": ATTEMPTS,
  "Rows of jobs": JOB_ROWS,
  "Packs of jobs": PACKS,
  Instances: INSTANCES,
  Plans: PLANS,
  "Step lists, undo and restart": RUNS,
  "Waits of step lists": WAITS,
  "User tasks and schedules": PEOPLE_AND_SCHEDULES,
  "Outbox, relay, consumers and dispatch": EVENTS,
  Flow: FLOW,
  "Retries of steps, replays and leaders": RETRIES_AND_LEADERS,
  "Keys, transactions and batches": KERNEL,
  "Guard, gateway and users": GUARD,
}

export const MUTANTS: readonly Mutant[] = Object.values(AREAS).flat()
