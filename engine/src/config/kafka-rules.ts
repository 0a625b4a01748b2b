// Rules between the settings of Kafka: a connection that is only half described is refused, and never made in plaintext instead.
import type { Rule } from "./rule.ts"
import type { SettingKey, Settings } from "./settings.ts"
import { settings } from "./settings.ts"

/** Is the setting empty, and not just refused for its value, which has been said already? */
const isMissing = (s: Settings, key: SettingKey): boolean => key in s && s[key] === undefined

const needed = (key: "kafkaSaslUsername" | "kafkaSaslPassword"): Rule => ({
  needs: ["kafkaTransport"],
  broken: (s, told) =>
    s.kafkaTransport === "sasl_scram_tls" && isMissing(s, key)
      ? `${told("kafkaTransport")} needs ${settings[key].name}`
      : undefined,
})

/** What would have no effect in plaintext was meant for a connection that is safe. */
const useless = (key: "kafkaSaslUsername" | "kafkaSaslPassword" | "kafkaTlsCaPath" | "kafkaTlsServerName"): Rule => ({
  needs: ["kafkaTransport", key],
  broken: (s, told) =>
    s.kafkaTransport === "plaintext"
      ? `${settings[key].name} is not used with ${told("kafkaTransport")}: choose sasl_scram_tls, or do not set it`
      : undefined,
})

export const kafkaRules: readonly Rule[] = [
  {
    needs: ["dispatchMode", "kafkaSeedBrokers"],
    broken: (s, told) =>
      s.dispatchMode === "kafka_outbox" && s.kafkaSeedBrokers.length === 0
        ? `${told("dispatchMode")} needs WE_KAFKA_SEED_BROKERS and WE_KAFKA_TRANSPORT`
        : undefined,
  },
  {
    needs: ["kafkaSeedBrokers"],
    broken: (s, told) =>
      s.kafkaSeedBrokers.length > 0 && isMissing(s, "kafkaTransport")
        ? `${told("kafkaSeedBrokers")} needs WE_KAFKA_TRANSPORT: sasl_scram_tls, or plaintext where the network is trusted`
        : undefined,
  },
  {
    needs: ["kafkaSeedBrokers", "kafkaTransport"],
    broken: (s, told) =>
      s.kafkaSeedBrokers.length === 0 ? `${told("kafkaTransport")} needs WE_KAFKA_SEED_BROKERS` : undefined,
  },
  needed("kafkaSaslUsername"),
  needed("kafkaSaslPassword"),
  useless("kafkaSaslUsername"),
  useless("kafkaSaslPassword"),
  useless("kafkaTlsCaPath"),
  useless("kafkaTlsServerName"),
]
