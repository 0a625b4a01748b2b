// What the doctor asks where jobs are dispatched through Kafka: whether the topics are there, and whether anyone publishes and reads.
import { groupOf, topicOf } from "../../model/jobs/dispatch-topic.ts"
import { listServiceTypes } from "../../store/definitions/definitions.ts"
import { listLate } from "../../store/jobs/dispatches.ts"
import { listPlaces } from "../../store/jobs/published-dispatches.ts"
import { isLed } from "../../store/upkeep/pulse.ts"
import { isoTime } from "../../support/iso-time.ts"
import type { JobBroker } from "../jobs/dispatch/broker.ts"
import type { Kernel } from "../kernel/kernel.ts"
import type { Check, Finding, Symptom, Unfinished } from "./doctor.ts"

interface Asked {
  readonly db: Kernel["db"]
  /** Fails where none answers: then what it is asked for is not known. */
  readonly broker: Promise<JobBroker>
}

interface DispatchCheck extends Check {
  readonly look: (asked: Asked) => Promise<readonly Symptom[]>
}

const SHOWN = 10
const RELAY = "dispatcher"
/** What is published later than this is late. */
const LATE_MS = 30_000

const CHECKS: readonly DispatchCheck[] = [
  {
    name: "missingTopics",
    kind: "progress",
    meaning: "a job type of a definition has no topic in Kafka: its jobs wait",
    advice: "`millrace kafka topics <topic> --create --partitions <workers>`; the jobs go by themselves then",
    look: findMissingTopics,
  },
  {
    name: "unledRelay",
    kind: "progress",
    meaning: "no process leads the relay: no job reaches Kafka",
    advice: "start an engine with WE_DISPATCH_MODE=kafka_outbox that has the service relay, and see what it logs",
    look: findUnledRelay,
  },
  {
    name: "lateDispatches",
    kind: "progress",
    meaning: "a job was to be published more than 30 s ago, and Kafka has not got it",
    advice: "mend what the leader of the relay logs; nothing is lost meanwhile",
    look: findLateDispatches,
  },
  {
    name: "unreadTopics",
    kind: "progress",
    meaning: "messages wait, and the group of the workers has never committed an offset",
    advice: "start workers that read the topic as that group (KafkaRunner does), or see why they cannot commit",
    look: findUnreadTopics,
  },
]

/** One after the other, as the other checks. Reads only. */
export async function* examineDispatch(asked: Asked): AsyncGenerator<Finding | Unfinished> {
  for (const { look, ...check } of CHECKS) {
    yield await look(asked).then(
      (found) => ({ ...check, symptoms: found.slice(0, SHOWN), more: found.length > SHOWN }),
      (failure: unknown) => ({ ...check, failure }),
    )
  }
}

async function findMissingTopics({ db, broker }: Asked): Promise<readonly Symptom[]> {
  const [jobTypes, known] = await Promise.all([listServiceTypes(db), broker.then((one) => one.listTypes())])
  return jobTypes
    .filter((jobType) => !known.has(jobType))
    .map((jobType) => ({ instanceId: `topic ${topicOf(jobType)}`, detail: "does not exist" }))
}

async function findUnledRelay({ db }: Asked): Promise<readonly Symptom[]> {
  const isRelayLed = await isLed(db, RELAY)
  return isRelayLed ? [] : [{ instanceId: "relay", detail: "no process holds its lease" }]
}

async function findLateDispatches({ db }: Asked): Promise<readonly Symptom[]> {
  const rows = await listLate(db, LATE_MS, SHOWN + 1)
  return rows.map(({ job_type, late, oldest_at }) => ({
    instanceId: `topic ${topicOf(job_type)}`,
    detail: `${late} are not published, the first since ${isoTime(oldest_at)}`,
  }))
}

async function findUnreadTopics({ db, broker }: Asked): Promise<readonly Symptom[]> {
  const places = await listPlaces(db)
  const jobTypes = [...new Set(places.map(({ job_type }) => job_type))]
  const progress = jobTypes.length > 0 ? await (await broker).progressOf(jobTypes) : []
  const isRead = (jobType: string) =>
    progress.some((one) => one.jobType === jobType && one.committed !== undefined) ||
    progress.every((one) => one.jobType !== jobType)
  return jobTypes
    .filter((jobType) => !isRead(jobType))
    .map((jobType) => ({
      instanceId: `topic ${topicOf(jobType)}`,
      detail: `the group ${groupOf(jobType)} has no offset`,
    }))
}
