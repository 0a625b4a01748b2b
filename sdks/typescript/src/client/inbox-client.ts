// What comes in from outside: submissions that are saved for later, events, and the inbox of user tasks.

import type { CallOptions } from "../calls/caller.ts"
import type { ChangeOptions } from "../calls/operation-caller.ts"
import { followCursor } from "../calls/pages.ts"
import type * as wire from "../generated/wire.ts"
import type { TakenIn, Variables, Woken } from "../generated/wire.ts"
import { InstanceClient } from "./instance-client.ts"
import type { Instance, UserTask, UserTaskFilter, UserTaskPage } from "./instance-types.ts"

/** How a submission is taken in. */
export interface IntakeOptions extends CallOptions {
  /** The submission's own name, the same for every repeat; it holds as long as the instance lives. */
  readonly key: string
  /** An event the run may have to wait for; see `wake`. */
  readonly linkingId?: string | undefined
}

export class InboxClient extends InstanceClient {
  /** Saves a submission for later, once per key: a repeat is answered alike, whatever its payload. `submit` goes on until it is taken. */
  intake(definitionId: string, payload: object, { key, linkingId, ...options }: IntakeOptions): Promise<TakenIn> {
    const query = linkingId === undefined ? {} : { linkingId }
    const asked = { path: { definitionId }, query, body: payload as Variables }
    return this.operations.call("takeIntake", asked, { ...options, idempotencyKey: key })
  }

  /** The instance that works on a submission. */
  getIntake<V extends object = Variables>(
    definitionId: string,
    key: string,
    options?: CallOptions,
  ): Promise<Instance<V>> {
    const path = { definitionId, key }
    return this.operations.call("getIntake", { path }, options) as Promise<Instance<V>>
  }

  /** Runs that wait for this event need not sit out their delay. */
  wake(linkingId: string, options?: ChangeOptions): Promise<Woken> {
    return this.operations.call("wakeRuns", { body: { linkingId } }, options)
  }

  /** One page of the inbox. */
  listUserTasks<V extends object = Variables>(
    query: wire.ListUserTasksQuery = {},
    options?: CallOptions,
  ): Promise<UserTaskPage<V>> {
    return this.operations.call("listUserTasks", { query }, options) as Promise<UserTaskPage<V>>
  }

  /** Every user task that matches, page after page. */
  userTasks<V extends object = Variables>(
    filter: UserTaskFilter & { readonly pageSize?: number } = {},
    options?: CallOptions,
  ): AsyncGenerator<UserTask<V>, void, undefined> {
    return followCursor((cursor) => this.listUserTasks<V>({ ...filter, ...cursor }, options))
  }

  getUserTask<V extends object = Variables>(id: string, options?: CallOptions): Promise<UserTask<V>> {
    const path = { userTaskId: id }
    return this.operations.call("getUserTask", { path }, options) as Promise<UserTask<V>>
  }

  claimUserTask<V extends object = Variables>(
    id: string,
    assignee: string,
    options?: ChangeOptions,
  ): Promise<UserTask<V>> {
    const asked = { path: { userTaskId: id }, body: { assignee } }
    return this.operations.call("claimUserTask", asked, options) as Promise<UserTask<V>>
  }

  /** Anyone of its group may claim it then. With a name only if that person has it. */
  unclaimUserTask<V extends object = Variables>(
    id: string,
    assignee?: string,
    options?: ChangeOptions,
  ): Promise<UserTask<V>> {
    const asked = { path: { userTaskId: id }, body: assignee === undefined ? {} : { assignee } }
    return this.operations.call("unclaimUserTask", asked, options) as Promise<UserTask<V>>
  }

  /** Makes it the task of another person. With `from` only if that person has it. */
  delegateUserTask<V extends object = Variables>(
    id: string,
    to: wire.DelegateUserTask,
    options?: ChangeOptions,
  ): Promise<UserTask<V>> {
    const asked = { path: { userTaskId: id }, body: to }
    return this.operations.call("delegateUserTask", asked, options) as Promise<UserTask<V>>
  }

  /** Takes a time as RFC 3339. Without a time the task has no due date. */
  setUserTaskDue<V extends object = Variables>(
    id: string,
    dueAt?: string,
    options?: ChangeOptions,
  ): Promise<UserTask<V>> {
    const asked = { path: { userTaskId: id }, body: dueAt === undefined ? {} : { dueAt } }
    return this.operations.call("setUserTaskDue", asked, options) as Promise<UserTask<V>>
  }
}
