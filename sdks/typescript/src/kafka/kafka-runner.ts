// A worker whose jobs come through Kafka: for engines that dispatch with WE_DISPATCH_MODE=kafka_outbox.

import { RunnerBase } from "../worker/runner-base.ts"
import type { RunnerOptions } from "../worker/runner-options.ts"
import { readOptions } from "../worker/runner-options.ts"
import type { KafkaOptions } from "./kafka-connection.ts"
import { KafkaIntake } from "./kafka-intake.ts"
import { readKafkaOptions, topicOf } from "./kafka-options.ts"

/** What a worker handles, and the Kafka that brings it. */
export interface KafkaRunnerOptions extends Omit<RunnerOptions, "mode" | "polling"> {
  readonly kafka: KafkaOptions
}

/**
 * A worker of an engine that dispatches through Kafka: one consumer for each job type, outcomes reported by the client. A message counts
 * as handled when the engine has answered its report; it may be delivered again before that, so handlers are idempotent.
 */
export class KafkaRunner extends RunnerBase {
  constructor({ kafka, ...options }: KafkaRunnerOptions) {
    const settings = { ...readOptions(options), keepsReports: true }
    const kafkaSettings = readKafkaOptions(kafka, settings.workerId)
    for (const jobType of settings.handlers.jobTypes()) topicOf(jobType)
    super(options, settings, (tools) => new KafkaIntake(tools, kafkaSettings))
  }
}
