// Instances as the engine gives them: one, a page of them, and what can be done to one or to many.
import type { Bulk } from "./bulk.ts"
import { get, post } from "./http.ts"

export type InstanceStatus = "ACTIVE" | "WAITING" | "COMPLETED" | "FAILED" | "CANCELLED"

export interface Instance {
  readonly id: string
  readonly definitionId: string
  readonly definitionVersion: number
  readonly status: InstanceStatus
  readonly currentStepIds: readonly string[]
  readonly variables: Readonly<Record<string, unknown>>
  /** What it was started with; only where one instance is read. */
  readonly input?: Readonly<Record<string, unknown>>
  readonly startedAt: string
  readonly completedAt?: string
  readonly failureReason?: string
  readonly businessKey?: string
  readonly parentId?: string
  readonly priority: string
}

/** Watched instances are read again as soon as they change: their keys begin with ["instance", id]. */
export const instanceQuery = (id: string) => ({
  queryKey: ["instance", id],
  queryFn: () => get<Instance>(`/v1/instances/${encodeURIComponent(id)}`),
})

/** Joined by "and". */
export interface InstanceFilter {
  readonly definitionId?: string
  readonly version?: string
  readonly status?: InstanceStatus
  readonly businessKey?: string
  readonly startedAfter?: string
  readonly startedBefore?: string
  /** Fingerprint of an error. */
  readonly failure?: string
}

interface InstancePage {
  readonly items: readonly Instance[]
  readonly total: number
  readonly totalIsExact: boolean
  readonly nextCursor?: string
}

const PAGE_SIZE = 50
export const INSTANCES = ["instances"]

/** Newest first. */
export const instancesQuery = (filter: InstanceFilter, cursor?: string) => ({
  queryKey: [...INSTANCES, filter, cursor],
  queryFn: () => get<InstancePage>("/v1/instances", { ...filter, cursor, pageSize: PAGE_SIZE }),
})

export const isLive = ({ status }: Pick<Instance, "status">): boolean => status === "ACTIVE" || status === "WAITING"

export const cancelInstance = (id: string, reason?: string): Promise<Instance> =>
  post(`/v1/instances/${id}/cancel`, { reason })

export const retryStep = (id: string, stepId: string, variables?: Readonly<Record<string, unknown>>) =>
  post<Instance>(`/v1/instances/${id}/steps/${encodeURIComponent(stepId)}/retry`, { variables })

interface StepRecord {
  readonly id: string
  readonly stepId: string
  readonly status: string
  readonly endedAt?: string
}

/** At the step that failed it: a list of instances does not tell which one that was. */
export async function retryInstance(id: string): Promise<Instance> {
  const { items } = await get<{ items: readonly StepRecord[] }>(`/v1/instances/${id}/history`)
  const stepId = failedStepOf(id, items)
  if (stepId === undefined) throw new Error("It has no failed step to retry.")
  return retryStep(id, stepId)
}

/** The last that failed: one that failed before let the instance go on. What a run recorded by itself has no execution. */
export function failedStepOf(id: string, history: readonly StepRecord[]): string | undefined {
  const failed = history.filter((step) => step.status === "FAILED" && !step.id.startsWith(`${id}/`))
  return failed.sort((a, b) => (a.endedAt ?? "").localeCompare(b.endedAt ?? "")).at(-1)?.stepId
}

export interface InstanceBulkRequest {
  readonly action: "cancel" | "retry"
  readonly filter: InstanceFilter
  readonly dryRun: boolean
  readonly reason?: string
}

/** Cancels those that are live, or retries those that failed, of all that match. A dry run counts them. */
export function startInstanceBulk({ filter, ...request }: InstanceBulkRequest): Promise<Bulk> {
  const { version, ...rest } = filter
  return post("/v1/instances/bulk", {
    ...request,
    filter: { ...rest, ...(version === undefined ? {} : { version: Number(version) }) },
  })
}
