// Rules between settings: what is fine alone but not together.
import { isLoopback } from "./addresses.ts"
import type { SettingKey, Settings } from "./settings.ts"

interface Rule {
  /** The rule is asked only when all of these were readable: otherwise it would judge values nobody gave. */
  readonly needs: readonly SettingKey[]
  readonly broken: (s: Settings) => string | undefined
}

const beyond = (s: Settings): string => `WE_BIND_ADDRESS=${s.bindAddress} listens beyond this machine`

const rules: readonly Rule[] = [
  // SEC-01: an engine that strangers can reach must ask for keys and sit behind TLS, or not start at all.
  {
    needs: ["bindAddress", "auth"],
    broken: (s) =>
      !isLoopback(s.bindAddress) && s.auth === "off"
        ? `${beyond(s)}: WE_AUTH=off is refused there, use auto or required`
        : undefined,
  },
  {
    needs: ["bindAddress", "behindTlsProxy"],
    broken: (s) =>
      !isLoopback(s.bindAddress) && !s.behindTlsProxy
        ? `${beyond(s)}: put a TLS proxy in front and set WE_BEHIND_TLS_PROXY=true, or use 127.0.0.1`
        : undefined,
  },
  {
    needs: ["dbMinConns", "dbMaxConns"],
    broken: (s) =>
      s.dbMinConns > s.dbMaxConns
        ? `DB_MIN_CONNS=${s.dbMinConns} must be at most DB_MAX_CONNS=${s.dbMaxConns}`
        : undefined,
  },
  // A gate that opens where it shuts would flap.
  {
    needs: ["highWatermark", "lowWatermark"],
    broken: (s) =>
      s.lowWatermark >= s.highWatermark
        ? `WE_LOW_WATERMARK=${s.lowWatermark} must be below WE_HIGH_WATERMARK=${s.highWatermark}`
        : undefined,
  },
  {
    needs: ["totalHighWatermark", "totalLowWatermark"],
    broken: (s) =>
      s.totalLowWatermark >= s.totalHighWatermark
        ? `WE_TOTAL_LOW_WATERMARK=${s.totalLowWatermark} must be below WE_TOTAL_HIGH_WATERMARK=${s.totalHighWatermark}`
        : undefined,
  },
  {
    needs: ["restPort", "metricsPort"],
    broken: (s) =>
      s.restPort !== 0 && s.restPort === s.metricsPort
        ? `WE_METRICS_PORT=${s.metricsPort} is the same as WE_REST_PORT, metrics need a port of their own`
        : undefined,
  },
]

export const brokenRules = (s: Settings, refused: ReadonlySet<SettingKey>): string[] =>
  rules.filter((rule) => !rule.needs.some((key) => refused.has(key))).flatMap((rule) => rule.broken(s) ?? [])
