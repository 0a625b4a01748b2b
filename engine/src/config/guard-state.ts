// When the guard stands at the doors, in words for operators, and what to warn about where it does.
import { isLoopback } from "./addresses.ts"
import type { Settings } from "./settings.ts"

type GuardConfig = Pick<Settings, "guard" | "bindAddress" | "trustedProxies">

/** Where only this machine can call there is no stranger to guard against, and nothing of the guard is to be seen. */
export const isGuardOn = ({ guard, bindAddress, trustedProxies }: GuardConfig): boolean =>
  guard === "on" || (guard === "auto" && (!isLoopback(bindAddress) || trustedProxies.length > 0))

/** One line for the banner and the doctor; undefined where it is off. */
export function tellGuard(
  config: GuardConfig & Pick<Settings, "guardRedisUrl" | "trustedProxies">,
): string | undefined {
  if (!isGuardOn(config)) return undefined
  const counters = config.guardRedisUrl === undefined ? "counters in this process" : "counters in Redis"
  const behind = config.trustedProxies.length === 0 ? "" : `, behind ${config.trustedProxies.join(", ")}`
  return `limits and abuse detection are on, ${counters}${behind} (WE_GUARD)`
}

/** Behind a proxy that is not named every caller has the proxy's address. */
export const guardWarnings = (config: GuardConfig & Pick<Settings, "behindTlsProxy">): readonly string[] =>
  isGuardOn(config) && config.behindTlsProxy && config.trustedProxies.length === 0
    ? [
        "WE_TRUSTED_PROXIES is not set: to the guard all callers behind the TLS proxy have one address; name the proxy's",
      ]
    : []
