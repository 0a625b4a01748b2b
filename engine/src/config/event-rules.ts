// Rules between the settings of events: a sink that is named has what it needs.
import type { Rule } from "./rule.ts"
import { type SettingKey, type Settings, settings } from "./settings.ts"

const needed = (sink: string, key: SettingKey): Rule => ({
  needs: ["eventSinks"],
  broken: (s, told) =>
    s.eventSinks.includes(sink) && isEmpty(s, key) ? `${told("eventSinks")} needs ${settings[key].name}` : undefined,
})

/** Empty, and not just refused for its value, which has been said already. */
const isEmpty = (s: Settings, key: SettingKey): boolean => key in s && (s[key] === undefined || `${s[key]}` === "")

const readFrom = (key: "intakeDefinitions" | "wakeupTopic"): Rule => ({
  needs: [key, "kafkaSeedBrokers"],
  broken: (s, told) =>
    !isEmpty(s, key) && s.kafkaSeedBrokers.length === 0 ? `${told(key)} needs WE_KAFKA_SEED_BROKERS` : undefined,
})

export const eventRules: readonly Rule[] = [
  readFrom("intakeDefinitions"),
  readFrom("wakeupTopic"),
  needed("kafka", "kafkaSeedBrokers"),
  needed("webhook", "eventWebhookUrl"),
  needed("webhook", "eventWebhookSecret"),
  {
    needs: ["eventSinks", "eventWebhookUrl"],
    broken: (s) =>
      s.eventSinks.includes("webhook")
        ? undefined
        : "WE_EVENT_WEBHOOK_URL is set, but not used: WE_EVENT_SINKS=webhook",
  },
]
