// The way to the engine: the transport that the scheme of the url names, over one address or several.
import { Addresses } from "../calls/addresses.ts"
import { Caller } from "../calls/caller.ts"
import { monotonicClock } from "../calls/clock.ts"
import { defaultLogger } from "../calls/logger.ts"
import { RestWire } from "../http/rest-wire.ts"
import type { EngineClientOptions } from "./engine-client-options.ts"

export interface Connection {
  readonly caller: Caller
  close(): void
}

export function connect(options: EngineClientOptions): Connection {
  const addresses = restAddresses(options, options.url)
  const caller = new Caller({
    addresses: () => addresses,
    timeoutMs: options.timeoutMs ?? 60_000,
    attemptTimeoutMs: options.attemptTimeoutMs ?? 30_000,
    maxAttempts: options.maxAttempts ?? 5,
    clock: options.clock ?? monotonicClock,
  })
  return { caller, close: () => addresses.close() }
}

function restAddresses(options: EngineClientOptions, urls: EngineClientOptions["url"]): Addresses {
  const { apiKey, maxSockets = 64, logger = defaultLogger } = options
  return new Addresses(split(urls).map((url) => new RestWire({ url: checked(url), apiKey, maxSockets, logger })))
}

const split = (urls: EngineClientOptions["url"]): string[] =>
  [urls].flat().flatMap((url) => url.split(",").map((one) => one.trim()))

function checked(url: string): string {
  const scheme = URL.canParse(url) ? new URL(url).protocol : ""
  if (scheme !== "http:" && scheme !== "https:")
    throw new TypeError(`url must be an http or https address, got "${url}"`)
  return url
}
