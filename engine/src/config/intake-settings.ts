// The settings of what the engine reads from Kafka: submissions, and events that wake waiting runs. Empty reads nothing.
import { isIntakeDefinition } from "../model/events/intake-topic.ts"
import { isTopicName } from "../model/events/topic-name.ts"
import { list, text } from "./kinds.ts"

export const intakeSettings = {
  intakeDefinitions: list({
    name: "WE_INTAKE_DEFINITIONS",
    default: [],
    allowed:
      "ids of definitions that can stand in the name of a topic (letters, digits, `.`, `_`, `-`), separated by commas",
    accepts: isIntakeDefinition,
    doc: "Definitions whose topic workflow.intake.<id> is read: each message is a submission. Needs WE_KAFKA_SEED_BROKERS.",
  }),
  wakeupTopic: text<string | undefined>({
    name: "WE_WAKEUP_TOPIC",
    default: undefined,
    allowed: "the name of a topic",
    accepts: isTopicName,
    doc: 'Topic whose messages {"linkingId": "…"} wake the runs that wait for that id. Needs WE_KAFKA_SEED_BROKERS.',
  }),
  intakeGroup: text<string>({
    name: "WE_INTAKE_GROUP",
    default: "millrace",
    allowed: "letters, digits, `.`, `_` and `-`",
    accepts: isTopicName,
    doc: "Consumer group in which the engine reads both; engines on one database share it, one on another database has another.",
  }),
} as const
