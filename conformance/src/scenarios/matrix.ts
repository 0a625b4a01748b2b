// Every combination that the scenarios are meant for: dispatch modes × transports × SDKs.
import type { ScenarioClient, ScenarioWorker } from "./scenario.ts"

const TRANSPORTS = ["REST", "gRPC"] as const
const DISPATCH_MODES = ["polling", "kafka_outbox"] as const
const SDKS = ["TypeScript", "Go", "Java", "Python"] as const

type Transport = (typeof TRANSPORTS)[number]
type DispatchMode = (typeof DISPATCH_MODES)[number]
type Sdk = (typeof SDKS)[number]

/** A running engine with a client of the cell's transport and a worker of its SDK. */
export interface OpenCell {
  readonly client: ScenarioClient
  readonly worker: ScenarioWorker
  /** Ends the worker, which must drain and exit with 0, then the engine. */
  close(): Promise<void>
}

export interface Cell {
  readonly name: string
  readonly transport: Transport
  readonly dispatch: DispatchMode
  readonly sdk: Sdk
  /** Why it is not run; a cell without a reason is run. */
  readonly notYet: string | undefined
}

/** The list is the documentation: whoever builds the missing part takes its line out and gives the cell a way to open. */
const MISSING: readonly (readonly [keyof Cell, string, string])[] = [
  ["transport", "gRPC", "the engine has no gRPC transport yet"],
  ["dispatch", "kafka_outbox", "the engine has no Kafka outbox yet"],
  ["sdk", "Go", "there is no Go SDK yet"],
  ["sdk", "Java", "there is no Java SDK yet"],
  ["sdk", "Python", "there is no Python SDK yet"],
]

export const cells: readonly Cell[] = TRANSPORTS.flatMap((transport) =>
  DISPATCH_MODES.flatMap((dispatch) => SDKS.map((sdk) => cellOf(transport, dispatch, sdk))),
)

function cellOf(transport: Transport, dispatch: DispatchMode, sdk: Sdk): Cell {
  const cell = { name: `${transport} × ${dispatch} × ${sdk}`, transport, dispatch, sdk }
  const reasons = MISSING.filter(([field, value]) => (cell as Partial<Cell>)[field] === value).map(([, , why]) => why)
  return { ...cell, notYet: reasons.length > 0 ? reasons.join("; ") : undefined }
}
