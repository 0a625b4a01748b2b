// Rules between settings: what is fine alone but not together.
import { isLoopback } from "./addresses.ts"
import { eventRules } from "./event-rules.ts"
import { kafkaRules } from "./kafka-rules.ts"
import { peopleRules } from "./people-rules.ts"
import type { Rule } from "./rule.ts"
import { type SettingKey, type Settings, settings } from "./settings.ts"

const beyond = (told: string): string => `${told} listens beyond this machine`

const rules: readonly Rule[] = [
  // An engine that strangers can reach must ask for keys and sit behind TLS, or not start at all.
  {
    needs: ["bindAddress", "auth"],
    broken: (s, told) =>
      !isLoopback(s.bindAddress) && s.auth === "off"
        ? `${beyond(told("bindAddress"))}: WE_AUTH=off is refused there, use auto or required`
        : undefined,
  },
  {
    needs: ["bindAddress", "behindTlsProxy"],
    broken: (s, told) =>
      !isLoopback(s.bindAddress) && !s.behindTlsProxy && s.tlsCertFile === undefined
        ? `${beyond(told("bindAddress"))}: put a TLS proxy in front and set WE_BEHIND_TLS_PROXY=true, or use 127.0.0.1`
        : undefined,
  },
  {
    needs: [],
    broken: (s) =>
      (s.tlsCertFile === undefined) !== (s.tlsKeyFile === undefined)
        ? "WE_TLS_CERT_FILE and WE_TLS_KEY_FILE go together: set both, or neither"
        : undefined,
  },
  {
    needs: ["dbMinConns", "dbMaxConns"],
    broken: (s, told) =>
      s.dbMinConns > s.dbMaxConns ? `${told("dbMinConns")} must be at most ${told("dbMaxConns")}` : undefined,
  },
  // A gate that opens where it shuts would flap.
  {
    needs: ["highWatermark", "lowWatermark"],
    broken: (s, told) =>
      s.lowWatermark >= s.highWatermark ? `${told("lowWatermark")} must be below ${told("highWatermark")}` : undefined,
  },
  {
    needs: ["totalHighWatermark", "totalLowWatermark"],
    broken: (s, told) =>
      s.totalLowWatermark >= s.totalHighWatermark
        ? `${told("totalLowWatermark")} must be below ${told("totalHighWatermark")}`
        : undefined,
  },
  {
    needs: ["maxWriteBytes", "maxVariablesBytes"],
    broken: (s, told) =>
      s.maxWriteBytes > s.maxVariablesBytes
        ? `${told("maxWriteBytes")} must be at most ${told("maxVariablesBytes")}`
        : undefined,
  },
  {
    needs: ["restPort", "metricsPort"],
    broken: (s, told) =>
      s.restPort !== 0 && s.restPort === s.metricsPort
        ? `${told("metricsPort")} is the same as ${told("restPort")}: metrics need a port of their own`
        : undefined,
  },
  {
    needs: ["restPort", "grpcPort", "metricsPort"],
    broken: (s, told) =>
      s.grpcPort !== 0 && (s.grpcPort === s.restPort || s.grpcPort === s.metricsPort)
        ? `${told("grpcPort")} is taken by another of the ports: gRPC needs one of its own`
        : undefined,
  },
  ...eventRules,
  ...kafkaRules,
  ...peopleRules,
]

/** `nameOf`: what a setting is called where the values came from; the environment variable unless said. */
export function brokenRules(
  values: Partial<Settings>,
  nameOf: (key: SettingKey) => string = (key) => settings[key].name,
): string[] {
  const told = (key: SettingKey) => `${nameOf(key)}=${values[key]}`
  const asked = rules.filter(({ needs }) => needs.every((key) => values[key] !== undefined))
  return asked.flatMap(({ broken }) => broken(values as Settings, told) ?? [])
}
