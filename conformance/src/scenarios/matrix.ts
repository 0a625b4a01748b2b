// Every combination that the scenarios are meant for: SDK × transport × the way in which jobs reach the worker.

export const SDKS = ["typescript", "go", "java", "python"] as const
/** Clients made from the first numbers of the contract alone: no token, key, deadline or heartbeat. */
export const LEGACY = ["legacy-go", "legacy-python"] as const
export const TRANSPORTS = ["rest", "grpc"] as const
export const MODES = ["poll", "exchange", "stream", "kafka"] as const

export type Sdk = (typeof SDKS)[number] | (typeof LEGACY)[number]
export type Transport = (typeof TRANSPORTS)[number]
export type Mode = (typeof MODES)[number]

export interface Cell {
  /** Such as `go grpc stream`. */
  readonly name: string
  readonly sdk: Sdk
  readonly transport: Transport
  readonly mode: Mode
  /** Why it is not run; a cell without a reason is run. */
  readonly open: string | undefined
}

const MODES_OF: Readonly<Record<Transport, readonly Mode[]>> = {
  rest: ["poll", "exchange", "kafka"],
  grpc: ["poll", "exchange", "stream", "kafka"],
}

/** One of them also has a runner of Kafka. */
const LEGACY_MODES: Readonly<Record<(typeof LEGACY)[number], readonly Mode[]>> = {
  "legacy-go": ["poll"],
  "legacy-python": ["poll", "kafka"],
}

/** The list is the documentation: the change that builds the missing part takes its line out. */
const MISSING: readonly (readonly [keyof Cell, string, string])[] = []

export const cells: readonly Cell[] = [
  ...SDKS.flatMap((sdk) =>
    TRANSPORTS.flatMap((transport) => MODES_OF[transport].map((mode) => cellOf(sdk, transport, mode))),
  ),
  ...LEGACY.flatMap((sdk) =>
    TRANSPORTS.flatMap((transport) => LEGACY_MODES[sdk].map((mode) => cellOf(sdk, transport, mode))),
  ),
]

export const isLegacy = ({ sdk }: Pick<Cell, "sdk">): boolean => sdk.startsWith("legacy-")

function cellOf(sdk: Sdk, transport: Transport, mode: Mode): Cell {
  const cell = { name: `${sdk} ${transport} ${mode}`, sdk, transport, mode }
  const reasons = MISSING.filter(([field, value]) => (cell as Partial<Cell>)[field] === value).map(([, , why]) => why)
  return { ...cell, open: reasons.length > 0 ? reasons.join("; ") : undefined }
}
