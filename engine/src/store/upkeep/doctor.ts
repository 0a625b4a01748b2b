// Typed access to the doctor's queries.
import type { Database } from "../../db/database.ts"
import { readSchemaObjects } from "../../db/schema-objects.ts"
import { statements } from "../../db/statements.ts"

export const CHECK_NAMES = [
  "missingObjects",
  "inBothTables",
  "withoutOpenStep",
  "stepsWithoutWork",
  "jobsWithoutStep",
  "jobsWithoutQueue",
  "timersWithoutStep",
  "userTasksWithoutStep",
  "businessKeys",
  "leaseShapes",
  "jobsInBoth",
  "brokenLimits",
  "attemptCounts",
  "forkTokens",
  "joinCounts",
  "executionCounts",
  "auditGaps",
  "auditVersions",
  "auditEnds",
  "pendingChains",
  "depthCounters",
  "overdueLeases",
  "overdueTimers",
  "overdueRetries",
  "overdueRequests",
  "failingTimers",
  "failingChains",
  "failingSchedules",
  "setAsideRequests",
  "oldTransactionIds",
] as const
/** The statements of these checks are in a file of their own. */
const EVENT_CHECK_NAMES = ["laggingSinks", "parkedEvents", "fullOutbox", "movedOutbox"] as const
const DEEP_CHECK_NAMES = [
  "trailBeginnings",
  "trailAfterEnd",
  "trailStatus",
  "firedTwice",
  "sharedTokens",
  "deadAndAlive",
  "missingVersions",
  "lostChildren",
  "lostTicks",
] as const
export type CheckName = (typeof CHECK_NAMES | typeof EVENT_CHECK_NAMES | typeof DEEP_CHECK_NAMES)[number]

const sql = {
  ...statements(import.meta.url, "doctor", CHECK_NAMES),
  ...statements(import.meta.url, "doctor-events", EVENT_CHECK_NAMES),
  ...statements(import.meta.url, "doctor-deep", DEEP_CHECK_NAMES),
}

export interface SymptomRow extends Record<string, unknown> {
  readonly instance_id: string
  readonly detail: string
}

export const listSymptoms = (db: Database, check: CheckName, fromId: string, limit: number): Promise<SymptomRow[]> =>
  db.ponder(sql[check], { fromId, limit, ...(check === "missingObjects" ? { objects: readSchemaObjects() } : {}) })
