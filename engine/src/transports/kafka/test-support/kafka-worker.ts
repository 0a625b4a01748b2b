// A worker as they exist: it reads the topic of a job type, looks at fields below 100 only, and reports over REST without a token.
import { JobDispatchEvent } from "@millrace/sdk/proto"
import { createLogger } from "../../../support/log.ts"
import type { KafkaSettings } from "../client-options.ts"
import { type GroupConsumer, type GroupMessage, startReading } from "../group-consumer.ts"

export interface Delivery {
  readonly event: JobDispatchEvent
  readonly message: GroupMessage
  readonly complete: (variables?: object) => Promise<number>
  readonly fail: (retryable: boolean) => Promise<number>
}

interface KafkaWorkerOptions {
  readonly settings: KafkaSettings
  readonly restUrl: () => string
  readonly jobType: string
  /** When it resolves the offset is committed. */
  readonly handle: (delivery: Delivery) => Promise<unknown>
}

export const startKafkaWorker = ({ settings, restUrl, jobType, handle }: KafkaWorkerOptions): GroupConsumer =>
  startReading({
    settings,
    groupId: `workflow.workers.${jobType}`,
    topics: [`workflow.jobs.${jobType}`],
    handle: async (message) => {
      const event = JobDispatchEvent.decode(message.value)
      const report = async (verb: string, body: object) => {
        const answer = await fetch(`${restUrl()}/v1/jobs/${event.jobId}/${verb}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ workerId: `${jobType}-worker`, ...body }),
        })
        return answer.status
      }
      await handle({
        event,
        message,
        complete: (variables = {}) => report("complete", { variables }),
        fail: (retryable) => report("fail", { retryable, errorMessage: "boom" }),
      })
    },
    log: createLogger({ level: "silent" }),
  })
