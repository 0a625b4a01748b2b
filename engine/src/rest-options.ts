// The options of every HTTP server of a process, as the settings say it.
import { readTlsFiles } from "./config/tls-files.ts"
import { type Config, describeConfig, isLoopback } from "./config.ts"
import type { Core } from "./core.ts"
import { openPeople } from "./open-people.ts"
import { KeyRing } from "./operations/people/api-keys.ts"
import type { Sessions } from "./operations/people/sessions.ts"
import { addressBehind } from "./transports/calls/guard/client-address.ts"
import { watchWith } from "./transports/calls/guard/credential-watch.ts"
import type { RestOptions } from "./transports/calls/options.ts"
import { trustNetworks } from "./transports/calls/trusted-networks.ts"

interface Parts extends Pick<RestOptions, "log" | "draining" | "guarding" | "metricsOfAll"> {
  readonly config: Config
  readonly core: Core
  /** Run by a developer: `GET /debug/config` shows the settings, where only this machine can ask. */
  readonly development?: boolean
  readonly sessions: Sessions
}

/** Secrets are masked; the names of hosts and files are not, and are no business of other machines. */
const shownSettings = (config: Config) => () =>
  describeConfig(config).map(({ name, value, source }) => ({ name, value, source }))

export function restOptions(parts: Parts): RestOptions {
  const { config, log, core, draining, development = false, metricsOfAll, sessions, guarding } = parts
  const keys = new KeyRing(core.kernel.db)
  return {
    auth: config.auth,
    bindIsLoopback: isLoopback(config.bindAddress),
    allowedHosts: config.allowedHosts,
    corsOrigins: config.corsOrigins,
    timeouts: {
      readMs: config.httpReadTimeoutMs,
      writeMs: config.httpWriteTimeoutMs,
      idleMs: config.httpIdleTimeoutMs,
      handlerMs: config.httpHandlerTimeoutMs,
      shutdownMs: config.shutdownTimeoutMs,
    },
    tls: readTlsFiles(config),
    log,
    draining,
    ready: () => core.healthy() && !draining(),
    findTrusted: trustNetworks(config.trustedNetworks, config.trustedScopes),
    findKey: (key, digest) => keys.find(key, digest),
    people: openPeople(config, core.kernel),
    sessions,
    findAddress:
      config.trustedProxies.length === 0 ? undefined : addressBehind(config.trustedProxies, config.trustedProxyHeader),
    metricsOfAll,
    shownSettings: development && isLoopback(config.bindAddress) ? shownSettings(config) : undefined,
    ...(guarding ? { guarding, credentialWatch: watchWith(guarding) } : {}),
  }
}
