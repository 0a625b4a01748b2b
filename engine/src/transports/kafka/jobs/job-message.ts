// A job as it goes into its topic.
import { JobDispatchEvent } from "@millrace/sdk/proto"
import { topicOf } from "../../../model/jobs/dispatch-topic.ts"
import type { JobMessage } from "../../../operations/jobs/dispatch/broker.ts"
import { isoTime } from "../../../support/iso-time.ts"
import type { KafkaRecord } from "../record.ts"

/** Existing workers compare it letter by letter. */
const CONTENT_TYPE = "application/x-protobuf; proto=workflow.v1.JobDispatchEvent"
const SCHEMA_VERSION = 1
const EMPTY = Buffer.from("{}")

/** Messages of an instance are in one partition, and so are those of a standalone job. */
export const recordOf = (message: JobMessage): KafkaRecord => ({
  topic: topicOf(message.job.jobType),
  key: message.job.instanceId || message.job.id,
  value: Buffer.from(JobDispatchEvent.encode(eventOf(message)).finish()),
  headers: { "content-type": CONTENT_TYPE, "dedup-id": message.dedupId },
})

const eventOf = ({ dedupId, job, createdAt, byReference }: JobMessage): JobDispatchEvent =>
  JobDispatchEvent.fromPartial({
    schemaVersion: SCHEMA_VERSION,
    dedupId,
    jobId: job.id,
    instanceId: job.instanceId,
    stepExecutionId: job.stepExecutionId,
    jobType: job.jobType,
    retriesRemaining: job.retriesRemaining,
    jobPayload: byReference ? EMPTY : Buffer.from(job.variables),
    createdAt: isoTime(createdAt),
    leaseToken: job.leaseToken,
    attempt: job.attempt,
    priority: job.priority,
    definitionId: job.definitionId,
    businessKey: job.businessKey ?? "",
    idempotencyKey: job.idempotencyKey,
    timeoutSeconds: (job.runMs ?? 0) / 1_000,
    traceparent: job.traceparent ?? "",
    tracestate: job.tracestate ?? "",
    stepId: job.stepId,
    payloadOmitted: byReference,
  })
