// Whether a cell used the wire it is named after: the engine's own metrics tell, whatever the program says of itself.
import type { Cell } from "../matrix.ts"

interface Use {
  /** Series that must count something. */
  readonly used: readonly string[]
  /** Series that must not. */
  readonly unused: readonly string[]
}

const rest = (method: string, path: string): string =>
  `http_requests_duration_seconds_count{method="${method}",path="${path}"`
const rpc = (method: string): string => `grpc_requests_duration_seconds_count{method="${method}"`

const START = { rest: rest("POST", "/v1/instances"), grpc: rpc("StartInstance") }
const EXCHANGE = { rest: rest("POST", "/v1/jobs/exchange"), grpc: rpc("ExchangeJobs") }
const POLL = { rest: rest("POST", "/v1/jobs/poll"), grpc: rpc("PollJobs") }
const STREAM = 'grpc_streams_duration_seconds_count{method="StreamJobs"'
/** Earlier engines counted streams among the calls. */
const EARLIER_STREAM = rpc("StreamJobs")

function useOf({ transport, mode }: Cell): Use {
  const other = transport === "rest" ? "grpc" : "rest"
  const never = [START[other], EXCHANGE[other]]
  if (mode === "exchange") return { used: [START[transport], EXCHANGE[transport]], unused: [...never, STREAM] }
  if (mode === "kafka") return { used: [START[transport]], unused: [...never, POLL.rest, POLL.grpc, STREAM] }
  if (mode === "stream") return { used: [START.grpc, STREAM], unused: never }
  return { used: [START[transport]], unused: [...never, EXCHANGE[transport], STREAM] }
}

/** Throws when the cell went another way. */
export function checkWire(cell: Cell, metrics: string): void {
  const { used, unused } = useOf(cell)
  const lines = metrics.replaceAll(EARLIER_STREAM, STREAM).split("\n")
  const counted = (series: string) => lines.some((line) => line.startsWith(series) && !line.endsWith(" 0"))
  const missing = used.filter((series) => !counted(series))
  const strange = unused.filter(counted)
  if (missing.length > 0) throw new Error(`${cell.name} never used ${missing.join(", ")}`)
  if (strange.length > 0) throw new Error(`${cell.name} used ${strange.join(", ")}`)
}
