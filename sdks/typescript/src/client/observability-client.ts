// The engine at a glance: how it stands, how it went, which of its parts are well, and who is asking.

import type { CallOptions } from "../calls/caller.ts"
import type { OperationCaller } from "../calls/operation-caller.ts"
import type { Health, Overview, Session, Stats } from "../generated/wire.ts"

export class ObservabilityClient {
  readonly #operations: OperationCaller

  constructor(operations: OperationCaller) {
    this.#operations = operations
  }

  /** Rates, lanes, leases, dead letters and the busiest downstreams, as of now. */
  overview(options?: CallOptions): Promise<Overview> {
    return this.#operations.call("getOverview", {}, options)
  }

  /** Counts and gauges over the last quarter of an hour, hour or day. */
  stats(window: Stats["window"] = "PT15M", options?: CallOptions): Promise<Stats> {
    return this.#operations.call("getStats", { query: { window } }, options)
  }

  /** Part by part; rejects with `http-503` where one of them is not well. */
  health(options?: CallOptions): Promise<Health> {
    return this.#operations.call("getComponents", {}, options)
  }

  /** Whether a key is needed, whose it is and what it may do. */
  session(options?: CallOptions): Promise<Session> {
    return this.#operations.call("getSession", {}, options)
  }
}
