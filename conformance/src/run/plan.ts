// Which scenarios run in which cell.
import { type Cell, cells, isLegacy, type Sdk, type Transport } from "../scenarios/matrix.ts"
import { type Scenario, scenarios } from "../scenarios/scenario.ts"
import type { ConformanceOptions } from "./options.ts"

/** Which side is of an earlier commit. */
export type Direction = "earlier SDK" | "earlier engine"

export interface Plan {
  readonly cell: Cell
  readonly scenarios: readonly Scenario[]
  /** A program instead of that of the SDK. */
  readonly program?: string
  /** The command line of an engine instead of this one's. */
  readonly engine?: string
  readonly direction?: Direction
}

/** The cells that were asked for, each with its scenarios; one that is open has none. */
export const planRun = (options: ConformanceOptions): Plan[] =>
  cells
    .filter((cell) => asked(options.sdk, cell.sdk) && asked(options.transport, cell.transport))
    .filter((cell) => asked(options.mode, cell.mode) && !(options.short && isLeftOut(cell)))
    .map((cell, at) => ({ cell, scenarios: cell.open ? [] : scenariosOf(cell, options, at) }))

const asked = (wanted: readonly string[], value: string): boolean => wanted.length === 0 || wanted.includes(value)

/** A short run has one cell of Kafka for each SDK, over either transport in turn: each has a broker to start. */
const SHORT_KAFKA: Readonly<Partial<Record<Sdk, Transport>>> = {
  typescript: "rest",
  go: "grpc",
  java: "rest",
  python: "grpc",
  "legacy-python": "rest",
}

const isLeftOut = ({ mode, sdk, transport }: Cell): boolean => mode === "kafka" && SHORT_KAFKA[sdk] !== transport

/** Which of a cell's scenarios a short run takes: every fourth, beginning elsewhere in each cell, so that together they are all. */
const SHORT_SHARE = 4

function scenariosOf(cell: Cell, { scenario, short }: ConformanceOptions, at: number): Scenario[] {
  const able = scenarios.filter((one) => canRun(cell, one) && asked(scenario, one.id))
  const whole = !short || (cell.sdk === "typescript" && cell.transport === "rest" && cell.mode !== "kafka")
  return whole ? able : able.filter((_, index) => index % SHORT_SHARE === at % SHORT_SHARE)
}

/** Whether the clients of a cell can say what the scenario needs, and the engine does what it proves. */
export const canRun = (cell: Cell, { needs, open, notInKafka }: Scenario): boolean =>
  open === undefined && !(isLegacy(cell) && needs !== undefined) && !(cell.mode === "kafka" && notInKafka !== undefined)
