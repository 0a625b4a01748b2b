// A service that requests are forwarded to. It comes from the configuration, and nothing in a request can name another.

export interface UpstreamTimeouts {
  readonly connectMs: number
  /** Until the head of the answer. */
  readonly headersMs: number
  /** Between two pieces of an answer; a stream of events may be silent for longer. */
  readonly idleMs: number
}

export interface WebsocketLimits {
  /** Open at once, by one client, or by one address where callers need no credential. */
  readonly perCaller: number
  readonly total: number
}

export interface Upstream {
  /** `/`, or a prefix of whole segments such as `/orders`. The longest that fits is taken. */
  readonly path: string
  /** `http://orders:3000`, with a path that is put in front where it has one. */
  readonly to: string
  /** Callers need no credential. */
  readonly public: boolean
  /** The prefix is not sent to the upstream. */
  readonly strip: boolean
  readonly timeouts: UpstreamTimeouts
  /** How often a request that is safe to repeat is sent again, where nothing came back. */
  readonly retries: number
  /** The limits for each gateway process. */
  readonly websockets: WebsocketLimits
}

export const UPSTREAM_DEFAULTS = {
  public: false,
  strip: false,
  timeouts: { connectMs: 5_000, headersMs: 30_000, idleMs: 60_000 },
  retries: 1,
  websockets: { perCaller: 100, total: 1_000 },
} as const satisfies Partial<Upstream>
