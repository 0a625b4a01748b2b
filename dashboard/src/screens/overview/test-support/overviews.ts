// Overviews as the engine tells them, for tests without an engine: one that does nothing, and parts to change.
import type { DownstreamPace, Overview, PriorityInView } from "../../../api/overview.ts"

const gate = { depth: 0, highWatermark: 10_000, lowWatermark: 2_000, shut: false }

export const lane = (name: PriorityInView["name"], more: Partial<PriorityInView> = {}): PriorityInView => ({
  ...gate,
  name,
  paused: false,
  weight: { critical: 60, high: 30, normal: 10 }[name],
  claimedPerSecond: 0,
  steps: 0,
  oldestWaitingSeconds: null,
  ...more,
})

export const downstream = (name: string, more: Partial<DownstreamPace> = {}): DownstreamPace => ({
  name,
  inFlight: 0,
  waiting: 0,
  startedPerSecond: 0,
  paused: false,
  ...more,
})

const NO_RATES: Overview["rates"] = {
  started: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
  steps: 0,
  jobsEnqueued: 0,
  jobsCompleted: 0,
  jobsFailed: 0,
  jobsDead: 0,
  rejected: 0,
}

interface Changes extends Partial<Omit<Overview, "rates">> {
  readonly rates?: Partial<Overview["rates"]>
}

export const overviewOf = ({ rates, ...more }: Changes = {}): Overview => ({
  at: "2026-03-01T09:31:05.000Z",
  rates: { ...NO_RATES, ...rates },
  intake: (["rest", "grpc", "library", "kafka", "schedule", "sql"] as const).map((door) => ({
    door,
    acceptedPerSecond: 0,
    refusedPerSecond: 0,
  })),
  lanes: [lane("critical"), lane("high"), lane("normal")],
  total: { ...gate, highWatermark: 30_000, lowWatermark: 6_000 },
  leases: 0,
  leasesAreExact: true,
  workers: 0,
  busyWorkers: 0,
  deadLetters: 0,
  deadLettersAreExact: true,
  openUserTasks: 0,
  openUserTasksAreExact: true,
  overdueUserTasks: 0,
  downstreams: [],
  ...more,
})
