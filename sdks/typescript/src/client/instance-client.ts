// Instances: started, looked at, moved on, cancelled and retried, one by one or all that match.

import type { CallOptions } from "../calls/caller.ts"
import type { ChangeOptions } from "../calls/operation-caller.ts"
import { followCursor } from "../calls/pages.ts"
import type * as wire from "../generated/wire.ts"
import type {
  AuditEntry,
  Bulk,
  BulkRequest,
  InstanceFilter,
  StepExecution,
  Variables,
  WaitingReason,
} from "../generated/wire.ts"
import { DefinitionClient } from "./definition-client.ts"
import type { Instance, InstancePage, StartInstance } from "./instance-types.ts"

export class InstanceClient extends DefinitionClient {
  startInstance<V extends object = Variables>(
    request: StartInstance<V>,
    options?: ChangeOptions,
  ): Promise<Instance<V>> {
    const body = request as wire.StartInstance
    return this.operations.call("startInstance", { body }, options) as Promise<Instance<V>>
  }

  getInstance<V extends object = Variables>(id: string, options?: CallOptions): Promise<Instance<V>> {
    const path = { instanceId: id }
    return this.operations.call("getInstance", { path }, options) as Promise<Instance<V>>
  }

  /** One page, newest first. */
  listInstances<V extends object = Variables>(
    query: wire.ListInstancesQuery = {},
    options?: CallOptions,
  ): Promise<InstancePage<V>> {
    return this.operations.call("listInstances", { query }, options) as Promise<InstancePage<V>>
  }

  /** Every instance that matches, newest first, page after page. */
  instances<V extends object = Variables>(
    filter: InstanceFilter & { readonly pageSize?: number } = {},
    options?: CallOptions,
  ): AsyncGenerator<Instance<V>, void, undefined> {
    return followCursor((cursor) => this.listInstances<V>({ ...filter, ...cursor }, options))
  }

  async getHistory(instanceId: string, options?: CallOptions): Promise<readonly StepExecution[]> {
    return (await this.operations.call("getInstanceHistory", { path: { instanceId } }, options)).items
  }

  async getAudit(
    instanceId: string,
    query: wire.GetInstanceAuditQuery = {},
    options?: CallOptions,
  ): Promise<readonly AuditEntry[]> {
    return (await this.operations.call("getInstanceAudit", { path: { instanceId }, query }, options)).items
  }

  /** Its steps with their attempts, errors and waits, alike for a list, a function and a graph. */
  getSteps(instanceId: string, options?: CallOptions): Promise<wire.RunSteps> {
    return this.operations.call("getInstanceSteps", { path: { instanceId } }, options)
  }

  /** Instances by the beginning of a key, a business key or an id. */
  async searchInstances(
    query: wire.SearchInstancesQuery,
    options?: CallOptions,
  ): Promise<readonly wire.FoundInstance[]> {
    return (await this.operations.call("searchInstances", { query }, options)).items
  }

  /** Why the instance is not moving. */
  async getWaiting(instanceId: string, options?: CallOptions): Promise<readonly WaitingReason[]> {
    return (await this.operations.call("getInstanceWaiting", { path: { instanceId } }, options)).reasons
  }

  cancelInstance<V extends object = Variables>(
    instanceId: string,
    request: wire.CancelInstance = {},
    options?: ChangeOptions,
  ): Promise<Instance<V>> {
    const asked = { path: { instanceId }, body: request }
    return this.operations.call("cancelInstance", asked, options) as Promise<Instance<V>>
  }

  completeUserTask(
    instanceId: string,
    stepId: string,
    request: { readonly completedBy?: string; readonly variables?: object } = {},
    options?: ChangeOptions,
  ): Promise<void> {
    const asked = { path: { instanceId, stepId }, body: request as wire.CompleteUserTask }
    return this.operations.call("completeUserTask", asked, options)
  }

  signal(instanceId: string, stepId: string, variables: object = {}, options?: ChangeOptions): Promise<void> {
    const asked = { path: { instanceId, stepId }, body: variables as Variables }
    return this.operations.call("signalInstance", asked, options)
  }

  retryStep<V extends object = Variables>(
    instanceId: string,
    stepId: string,
    request: { readonly variables?: object } = {},
    options?: ChangeOptions,
  ): Promise<Instance<V>> {
    const asked = { path: { instanceId, stepId }, body: request as wire.RetryStep }
    return this.operations.call("retryStep", asked, options) as Promise<Instance<V>>
  }

  /** Retries the instance at the step that failed it. */
  retryInstance<V extends object = Variables>(
    instanceId: string,
    request: { readonly variables?: object } = {},
    options?: ChangeOptions,
  ): Promise<Instance<V>> {
    const asked = { path: { instanceId }, body: request as wire.RetryStep }
    return this.operations.call("retryInstance", asked, options) as Promise<Instance<V>>
  }

  /** A new instance in the place of one that has ended, which stays as it is. */
  restartInstance<V extends object = Variables>(
    instanceId: string,
    request: Omit<wire.RestartInstance, "variables"> & { readonly variables?: object } = {},
    options?: ChangeOptions,
  ): Promise<Instance<V>> {
    const asked = { path: { instanceId }, body: request as wire.RestartInstance }
    return this.operations.call("restartInstance", asked, options) as Promise<Instance<V>>
  }

  /** Cancels or retries every instance that matches; follow it with `getBulk`. */
  startBulk(request: BulkRequest, options?: ChangeOptions): Promise<Bulk> {
    return this.operations.call("startBulk", { body: request }, options)
  }

  getBulk(id: string, options?: CallOptions): Promise<Bulk> {
    return this.operations.call("getBulk", { path: { bulkId: id } }, options)
  }
}
