// Definitions as the engine gives them: documents, versions, where their instances stand; and what is sent to make or start them.
import { get, post } from "./http.ts"
import type { Instance } from "./instances.ts"

export interface BoundaryEvent {
  readonly type: "TIMER"
  readonly duration: string
  readonly interrupting: boolean
  readonly targetStepId: string
}

/** A step with the fields that are drawn; the others are there too, and shown as JSON. */
export interface Step {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly description?: string
  readonly jobType?: string
  readonly nextStep?: string
  readonly conditionalNextSteps?: Readonly<Record<string, string>>
  readonly parallelNextSteps?: readonly string[]
  readonly joinStep?: string
  readonly boundaryEvents?: readonly BoundaryEvent[]
  readonly form?: JsonSchema
  readonly assignee?: string
  readonly assigneeGroup?: string
}

/** The part of JSON Schema that the engine knows. */
export type JsonSchema = Readonly<Record<string, unknown>>

export interface Definition {
  readonly id: string
  readonly version: number
  readonly name: string
  readonly description?: string
  readonly steps: readonly Step[]
  readonly inputSchema?: JsonSchema
  readonly execution?: "graph" | "steplist"
  readonly uploadedAt?: string
}

export interface DefinitionSummary {
  readonly id: string
  readonly version: number
  readonly name: string
  readonly description?: string
  readonly uploadedAt: string
}

export interface DefinitionVersion {
  readonly version: number
  readonly name: string
  readonly description?: string
  readonly uploadedAt: string
  readonly uploadedBy: string
}

/** Where the live instances stand: steps that are open, and how many of them for longer than asked for. */
export interface Activity {
  readonly items: readonly {
    readonly version: number
    readonly stepId: string
    readonly open: number
    readonly older: number
  }[]
  readonly instances: number
  /** False where only the oldest were looked at. */
  readonly isExact: boolean
}

const at = (id: string): string => `/v1/definitions/${encodeURIComponent(id)}`

/** A version never changes: once read it is good for ever. The latest is read again. */
export const definitionQuery = (id: string, version?: number) => ({
  queryKey: ["definition", id, version ?? "latest"],
  queryFn: () => get<Definition>(version === undefined ? at(id) : `${at(id)}/versions/${version}`),
  ...(version === undefined ? {} : { staleTime: Number.POSITIVE_INFINITY, refetchInterval: false as const }),
})

export const PAGE_SIZE = 20

interface DefinitionPage {
  readonly items: readonly DefinitionSummary[]
  readonly total: number
}

/** Pages count from 0. */
export const definitionsQuery = (keyword: string | undefined, page: number) => ({
  queryKey: ["definitions", keyword ?? "", page],
  queryFn: () => get<DefinitionPage>("/v1/definitions", { keyword, page, pageSize: PAGE_SIZE }),
})

export const versionsQuery = (id: string) => ({
  queryKey: ["definition", id, "versions"],
  queryFn: () => get<{ items: readonly DefinitionVersion[] }>(`${at(id)}/versions`),
})

export const OLDER_THAN = { duration: "PT30M", words: "30 min" } as const

/** The engine looks at thousands of instances for it: it is asked now and then, not whenever something happens. */
export const activityQuery = (id: string) => ({
  queryKey: ["definition", id, "activity"],
  queryFn: () => get<Activity>(`${at(id)}/activity`, { olderThan: OLDER_THAN.duration }),
  refetchInterval: 5_000,
})

export const uploadDefinition = (document: unknown): Promise<DefinitionSummary> => post("/v1/definitions", document)

export interface StartInstance {
  readonly definitionId: string
  /** The latest when it is absent. */
  readonly definitionVersion?: number
  readonly variables: Readonly<Record<string, unknown>>
  readonly businessKey?: string
  readonly priority?: string
}

export const startInstance = (start: StartInstance): Promise<Instance> => post("/v1/instances", start)
