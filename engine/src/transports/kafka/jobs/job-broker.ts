// Kafka as the engine pushes jobs through it: a topic for each job type, read by a group of its own.
import type { Admin } from "@platformatic/kafka"
import { jobTypeOf } from "../../../model/jobs/dispatch-topic.ts"
import type { JobBroker, Publication } from "../../../operations/jobs/dispatch/broker.ts"
import { probeKafka } from "../admin.ts"
import type { KafkaSettings } from "../client-options.ts"
import { KeptAdmin } from "../kept-admin.ts"
import { KafkaProducer } from "../producer.ts"
import type { Verdict } from "../record.ts"
import { readGroupProgress } from "./group-progress.ts"
import { recordOf } from "./job-message.ts"

/** Throws a KafkaError unless a broker answers: a producer would wait for one without an end. */
export async function openJobBroker(settings: KafkaSettings): Promise<JobBroker> {
  await probeKafka(settings)
  const producer = new KafkaProducer(settings)
  const admin = new KeptAdmin(settings)
  return {
    listTypes: () => admin.ask(listTypes),
    publish: async (messages) => (await producer.send(messages.map(recordOf))).map(toPublication),
    progressOf: (jobTypes) => admin.ask((client) => readGroupProgress(client, jobTypes)),
    close: async () => {
      admin.close()
      await producer.close()
    },
  }
}

const listTypes = async (admin: Admin): Promise<ReadonlySet<string>> =>
  new Set((await admin.listTopics()).flatMap((topic) => jobTypeOf(topic) ?? []))

function toPublication(verdict: Verdict): Publication {
  if (verdict.kind === "written")
    return { kind: "written", partition: verdict.partition, offset: Number(verdict.offset) }
  if (verdict.kind !== "refused") return verdict
  return { kind: verdict.fault ?? "refused", reason: verdict.reason }
}
