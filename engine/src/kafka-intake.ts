// What a server reads from Kafka: submissions to its definitions, and events that wake waiting runs.
import type { Config } from "./config.ts"
import { handlerFailure } from "./library/authoring/handler-failure.ts"
import { startRetries } from "./library/running/consume/retries.ts"
import { intakeKey, intakeTopic, readLinkingId } from "./model/events/intake-topic.ts"
import { type Message, placeId, readRecord, type TopicRecord } from "./model/events/message.ts"
import { CONSUMER_RETRY, consumerName } from "./model/events/retried-message.ts"
import type { Consumer } from "./operations/events/consume/consumer.ts"
import { failMessage, takeMessage } from "./operations/events/consume/take-message.ts"
import { takeIntake } from "./operations/instances/start/take-intake.ts"
import type { Kernel } from "./operations/kernel/kernel.ts"
import { wakeRuns } from "./operations/runs/wake-runs.ts"
import { assert } from "./support/assert.ts"
import { EngineError, errorCatalogue } from "./support/errors.ts"
import type { KafkaSettings } from "./transports/kafka/client-options.ts"
import { type HandleMessage, startReading } from "./transports/kafka/group-consumer.ts"

type Stop = () => Promise<void>
type Settings = Pick<Config, "intakeDefinitions" | "intakeGroup" | "wakeupTopic"> & KafkaSettings

/** How many messages of a partition go into one batch of the operation. */
const AT_ONCE = 500
const ACTOR = "kafka"

/** Returns what ends it. */
export function readFromKafka(config: Settings, kernel: Kernel): Stop {
  const stops = config.intakeDefinitions.map((id) => readIntake(config, kernel, id))
  if (config.wakeupTopic !== undefined) stops.push(readWakeups(config, kernel, config.wakeupTopic))
  return async () => void (await Promise.all(stops.map((stop) => stop())))
}

function readIntake(config: Settings, kernel: Kernel, definitionId: string): Stop {
  const consumer = intakeConsumer(kernel, config.intakeGroup, definitionId)
  const handle: HandleMessage = (record, signal) => submit(kernel, consumer, { record, definitionId, signal })
  const reader = read(config, kernel, { topic: intakeTopic(definitionId), handle })
  const stopRetries = startRetries(kernel, consumer)
  return async () => {
    await reader.stop()
    await stopRetries()
  }
}

/** A group for each topic: one that is missing holds up no other. */
const read = (settings: Settings, { log }: Kernel, { topic, handle }: { topic: string; handle: HandleMessage }) =>
  startReading({
    settings,
    groupId: `${settings.intakeGroup}.${topic}`,
    topics: [topic],
    atOnce: AT_ONCE,
    handle,
    log,
  })

interface Submission {
  readonly record: TopicRecord
  readonly definitionId: string
  readonly signal: AbortSignal
}

/** Resolves once the submission is stored, or is a dead letter with the reason. */
async function submit(kernel: Kernel, consumer: Consumer, { record, definitionId, signal }: Submission): Promise<void> {
  const message = messageOf(record, definitionId)
  if ("fault" in message.content) return void (await takeMessage(kernel, consumer, { message, signal }))
  try {
    await takeIntake(kernel, requestOf(message, definitionId))
  } catch (error) {
    if (!isRefused(error)) throw error
    kernel.log.warn({ err: error, at: message.at, definitionId }, "a submission from Kafka was refused")
    await failMessage(kernel, consumer, { message, failure: handlerFailure(error) })
  }
}

const KEY = "idempotency-key"

/**
 * Known by its place: of two different messages under one key, both may be refused, and each is a dead letter then. The key of the
 * submission goes with it, so that a replay of the dead letter is the same submission.
 */
function messageOf(record: TopicRecord, definitionId: string): Message {
  const message = readRecord(record, definitionId)
  return { ...message, id: placeId(record), key: null, headers: { ...message.headers, [KEY]: intakeKey(record) } }
}

function requestOf({ content, headers }: Message, definitionId: string) {
  assert("payload" in content, "only what can be read is submitted")
  const { [KEY]: key, "linking-id": linkingId } = headers
  assert(key !== undefined, "a submission has its key with it")
  return { definitionId, key, payload: content.payload, linkingId, door: "kafka", actor: ACTOR } as const
}

/** A repeat of the request would be refused again. The messages behind it must not wait for it. */
const isRefused = (error: unknown): boolean => error instanceof EngineError && !errorCatalogue[error.code].retryable

/** For replays of dead letters. */
const intakeConsumer = (kernel: Kernel, group: string, definitionId: string): Consumer => ({
  group: `${group}.intake`,
  name: consumerName(`${group}.intake`, definitionId),
  retry: CONSUMER_RETRY,
  timeoutMs: undefined,
  deadType: undefined,
  transaction: (work) => kernel.db.transaction((tx) => work({ within: (inside) => inside(tx) })),
  handle: (unit, { messages }) =>
    unit.within(async (tx) => {
      for (const message of messages) await takeIntake(kernel, requestOf(message, definitionId), tx)
    }),
  judge: handlerFailure,
})

function readWakeups(config: Settings, kernel: Kernel, topic: string): Stop {
  const reader = read(config, kernel, { topic, handle: (record) => wake(kernel, record) })
  return () => reader.stop()
}

/** What cannot be read is not kept: without its event a run only waits out its delay. */
async function wake(kernel: Kernel, { topic, partition, offset, value }: TopicRecord): Promise<void> {
  let linkingId: string
  try {
    linkingId = readLinkingId(value)
  } catch (error) {
    kernel.log.warn(
      { err: error, at: `${topic}/${partition}/${offset}` },
      "an event that should wake runs cannot be read",
    )
    return
  }
  await wakeRuns(kernel, linkingId)
}
