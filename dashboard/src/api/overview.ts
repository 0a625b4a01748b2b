// What the engine tells about itself once a second, over the live connection.
export type LaneName = "critical" | "high" | "normal"

export interface Gate {
  readonly depth: number
  readonly highWatermark: number
  readonly lowWatermark: number
  readonly shut: boolean
}

export interface Lane extends Gate {
  readonly name: LaneName
  readonly paused: boolean
  readonly weight: number
  /** Null where nobody waits. */
  readonly oldestWaitingSeconds: number | null
}

export interface DownstreamPace {
  readonly name: string
  readonly perSecond?: number
  readonly concurrency?: number
  readonly inFlight: number
  readonly startedPerSecond?: number
  readonly pushedBackUntil?: string
  readonly paused: boolean
}

export interface Rates {
  readonly started: number
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
  readonly steps: number
  readonly jobsEnqueued: number
  readonly jobsCompleted: number
  readonly jobsFailed: number
  readonly jobsDead: number
  readonly rejected: number
}

export interface Overview {
  readonly at: string
  readonly rates: Rates
  readonly lanes: readonly Lane[]
  readonly total: Gate
  readonly leases: number
  readonly leasesAreExact: boolean
  readonly workers: number
  readonly deadLetters: number
  readonly deadLettersAreExact: boolean
  readonly openUserTasks: number
  readonly openUserTasksAreExact: boolean
  readonly downstreams: readonly DownstreamPace[]
}
