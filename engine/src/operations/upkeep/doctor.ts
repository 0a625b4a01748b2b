// The doctor: asks the database whether anything is there that must never be, and says what it means and what to do about it.
import { TAKE_UP_AGAIN } from "../../store/instances/requests.ts"
import { type CheckName, listSymptoms } from "../../store/upkeep/doctor.ts"
import type { Kernel } from "../kernel/kernel.ts"

export interface Check<Name extends string = string> {
  readonly name: Name
  /**
   * state: must hold at every commit. audit: only where the audit log was always on. progress: a loop is behind, or has no leader.
   * deep: as state and audit, but reads whole trails and histories, so it is asked only when it is asked for.
   */
  readonly kind: "state" | "audit" | "progress" | "deep"
  readonly meaning: string
  readonly advice: string
}

export interface Symptom {
  readonly instanceId: string
  readonly detail: string
}

export interface Finding extends Check {
  /** The first few; none where all is well. */
  readonly symptoms: readonly Symptom[]
  readonly more: boolean
}

/** A check that the database did not answer. */
export interface Unfinished extends Check {
  readonly failure: unknown
}

const REPORT = "a bug of ours: keep the database as it is and report the instance with its audit trail"
const RESTORE =
  "`millrace migrate` makes the views again, as every start does; for anything else restore a backup of the whole schema"
const CANCEL = `${REPORT}; cancelling the instance clears it`
const ASK_AGAIN = `mend what the error says, then \`${TAKE_UP_AGAIN}\`; or delete it`
const MEND = "mend what the error says; it is tried again once a minute until it works"
const RECOUNT = `${REPORT}; the leader of the meter counts anew each hour`
const LOWERED =
  "nothing, where the limit was lowered a moment ago: what runs may finish; else a bug of ours, please report it"
const FLOW =
  "end the transaction that holds it back, start a process that has the sink, or mend what the error says; nothing is lost meanwhile"
const UNPARK =
  "mend what the reason says, then set next_at of its row in millrace.parked_events, or delete the row to give it up"
const DRAIN =
  "mend the sink that is furthest behind, or delete its row in millrace.sinks where it is not used any more; WE_OUTBOX_HIGH_WATERMARK is the most"
const RENEW =
  "`millrace incarnation --new` where anything may have been lost, so that consumers are told; `millrace incarnation --keep` where nothing was"
const FREEZE =
  "end old transactions, prepared transactions and replication slots that are not used, then `vacuum (freeze)`; look why autovacuum does not"
const LOOP = "check that an engine process runs on this database and what it logs; it catches up by itself"

type SqlCheck = Check<CheckName>

const state = (name: CheckName, meaning: string, advice = REPORT): SqlCheck => ({
  name,
  kind: "state",
  meaning,
  advice,
})
const audit = (name: CheckName, meaning: string): SqlCheck => ({ name, kind: "audit", meaning, advice: REPORT })
const deep = (name: CheckName, meaning: string): SqlCheck => ({ name, kind: "deep", meaning, advice: REPORT })
const progress = (name: CheckName, meaning: string, advice = LOOP): SqlCheck => ({
  name,
  kind: "progress",
  meaning,
  advice,
})

export const CHECKS: readonly SqlCheck[] = [
  state("missingObjects", "something that the migrations have made is gone from the database", RESTORE),
  state("inBothTables", "an instance is live and finished at once (S4)"),
  state("withoutOpenStep", "an instance is live but stands at no step: nothing will ever move it (S10)", CANCEL),
  state("stepsWithoutWork", "an open step has no job or user task that could end it (S10)", CANCEL),
  state("jobsWithoutStep", "a job belongs to no open step: a worker could claim it for nothing (S15)"),
  state("jobsWithoutQueue", "a job is in a queue that does not exist: no worker can claim it (S10)"),
  state("timersWithoutStep", "a timer guards no open step: it would fire again and again for nothing (S12)"),
  state("userTasksWithoutStep", "a user task is open though its step is not: completing it does nothing (S14)"),
  state("businessKeys", "business keys and live instances disagree: a key is blocked, or free twice (S3)"),
  state("leaseShapes", "a job's status and its lease contradict each other (S6)"),
  state("jobsInBoth", "a job is live and ended at once (S20)"),
  state("brokenLimits", "more jobs of a limit key are handed out than it allows", LOWERED),
  state("attemptCounts", "deliveries of a job are not all accounted for (S6, S9)"),
  state("forkTokens", "live branches and arrivals of a fork do not add up to its branches (S11)", CANCEL),
  state("joinCounts", "a completed instance has more or fewer joins than forks (S11)"),
  state("executionCounts", "step executions are missing, doubled, or ended before they started (S5)"),
  audit("auditGaps", "the audit trail of an instance has a gap (S16)"),
  audit("auditVersions", "an instance's version is not its last audit number (S16)"),
  audit("auditEnds", "an instance ended more or less often than once and once per retry (S4)"),
  state("pendingChains", "a next workflow is due though its parent has not completed"),
  state(
    "depthCounters",
    "a depth counter is not the true count: a gate would shut or open at the wrong depth (S21)",
    RECOUNT,
  ),
  progress("overdueLeases", "a lease ended more than 30 s ago and no engine took the job back (L2)"),
  progress("overdueTimers", "a timer has been due for more than 30 s (L1)"),
  progress("overdueRetries", "a held job has been due for more than 30 s (L1)"),
  progress("overdueRequests", "a request made by an SQL function has been due for more than 30 s (L1)"),
  progress("failingTimers", "a timer could not fire three times or more: it is tried again within a minute", MEND),
  progress("failingChains", "the next workflow could not start three times or more", MEND),
  progress("failingSchedules", "a schedule could not be fired three times or more", MEND),
  progress("setAsideRequests", "a request made by an SQL function was given up after many tries", ASK_AGAIN),
  progress("oldTransactionIds", "transaction ids run out: at the end PostgreSQL takes no more writes", FREEZE),
  progress("laggingSinks", "an event was published more than 30 s ago and a sink has not had it", FLOW),
  progress("parkedEvents", "a sink did not take an event, and it is not tried again by itself", UNPARK),
  progress("fullOutbox", "so many events wait that publishing is refused, or soon will be", DRAIN),
  progress(
    "movedOutbox",
    "the database was restored, promoted or moved: it may lack events that were published",
    RENEW,
  ),
  deep("trailBeginnings", "the audit trail of an instance does not begin with its start (S16)"),
  deep("trailAfterEnd", "something happened to an instance after its end (S4, S5)"),
  deep("trailStatus", "an instance ended otherwise than its audit trail says (S5)"),
  deep("firedTwice", "timers of a step fired more often than the step was executed (S12)"),
  deep("sharedTokens", "two leases have one token: a worker could report on the job of another (S6)"),
  deep("deadAndAlive", "a job is a dead letter, and can be claimed all the same (S20)"),
  deep("missingVersions", "the version of the definition that an instance runs on is gone (S24)"),
  deep("lostChildren", "a next workflow was started, and is gone (S1)"),
  deep("lostTicks", "a schedule has started work that is not there (S1)"),
]

/** What a plain `millrace doctor` asks. */
export const PLAIN_KINDS: readonly Check["kind"][] = ["state", "audit", "progress"]
export const ALL_KINDS: readonly Check["kind"][] = [...PLAIN_KINDS, "deep"]

export interface Examination {
  /** Instances from this id on; ids are in order of start. */
  readonly fromId?: string
  readonly kinds?: readonly Check["kind"][]
}

const SHOWN = 10

/** What is wrong, in the order of the checks; empty is healthy. Throws where a check is not answered. */
export async function examine(kernel: Pick<Kernel, "db">, options: Examination = {}): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for await (const verdict of examineEach(kernel, options)) {
    if ("failure" in verdict) throw verdict.failure
    if (verdict.symptoms.length > 0) findings.push(verdict)
  }
  return findings
}

/**
 * One check after the other, so that a busy database has one question to answer at a time, and one that is not answered keeps none
 * of the others back. Reads only.
 */
export async function* examineEach(
  { db }: Pick<Kernel, "db">,
  { fromId = "", kinds = PLAIN_KINDS }: Examination = {},
): AsyncGenerator<Finding | Unfinished> {
  for (const check of CHECKS) {
    if (!kinds.includes(check.kind)) continue
    yield await examineOne(db, check, fromId).catch((failure: unknown) => ({ ...check, failure }))
  }
}

async function examineOne(db: Kernel["db"], check: SqlCheck, fromId: string): Promise<Finding> {
  const rows = await listSymptoms(db, check.name, fromId, SHOWN + 1)
  const symptoms = rows.slice(0, SHOWN).map((row) => ({ instanceId: row.instance_id, detail: row.detail }))
  return { ...check, symptoms, more: rows.length > SHOWN }
}
