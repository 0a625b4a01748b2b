// Instances as the engine gives them: one, a page of them, and what can be done to one or to many.
import type { wire } from "@millrace/sdk"
import type { Bulk } from "./bulk.ts"
import { atThisMoment, type InstanceFilter } from "./filters/instance-filter.ts"
import { get, post } from "./http.ts"

export type Instance = wire.Instance

/** Watched instances are read again as soon as they change: their keys begin with ["instance", id]. */
export const instanceQuery = (id: string) => ({
  queryKey: ["instance", id],
  queryFn: () => get<"getInstance">(`/v1/instances/${encodeURIComponent(id)}`),
})

const toWire = (filter: InstanceFilter): wire.InstanceFilter => withNumber(atThisMoment(filter))

const withNumber = ({ version, started: _, ...rest }: InstanceFilter): wire.InstanceFilter => ({
  ...rest,
  ...(version === undefined ? {} : { version: Number(version) }),
})

const PAGE_SIZE = 50
export const INSTANCES = ["instances"]

/** Newest first. */
export const instancesQuery = (filter: InstanceFilter, cursor?: string) => ({
  queryKey: [...INSTANCES, filter, cursor],
  queryFn: () => get<"listInstances">("/v1/instances", { ...toWire(filter), cursor, pageSize: PAGE_SIZE }),
})

export const startInstance = (start: wire.StartInstance) => post<"startInstance">("/v1/instances", start)

export const isLive = ({ status }: Pick<Instance, "status">): boolean => status === "ACTIVE" || status === "WAITING"

export const cancelInstance = (id: string, reason?: string) =>
  post<"cancelInstance">(`/v1/instances/${id}/cancel`, { reason })

export const retryStep = (id: string, stepId: string, variables?: wire.Variables) =>
  post<"retryStep">(`/v1/instances/${id}/steps/${encodeURIComponent(stepId)}/retry`, { variables })

/** At the step that failed it, which a list of instances does not tell. */
export const retryInstance = (id: string) => post<"retryInstance">(`/v1/instances/${id}/retry`)

/** A new instance in the place of one that has ended. */
export const restartInstance = (id: string, asked: wire.RestartInstance) =>
  post<"restartInstance">(`/v1/instances/${id}/restart`, asked)

interface InstanceBulk extends Omit<wire.BulkRequest, "filter"> {
  readonly filter: InstanceFilter
}

/** Cancels those that are live, or retries those that failed, of all that match. A dry run counts them. */
export const startInstanceBulk = ({ filter, ...request }: InstanceBulk): Promise<Bulk> =>
  post<"startBulk">("/v1/instances/bulk", { ...request, filter: toWire(filter) })
