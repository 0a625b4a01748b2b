// Instances and user tasks as the wire has them, with the caller's own type of variables in them.
import type * as wire from "../generated/wire.ts"
import type { Variables } from "../generated/wire.ts"

/** Which workflow to start, and with what. */
export interface StartInstance<V extends object = Variables> extends Omit<wire.StartInstance, "variables"> {
  readonly variables?: V
}

/** A running or ended workflow. */
export interface Instance<V extends object = Variables> extends Omit<wire.Instance, "variables"> {
  readonly variables: V
}

/** A page of instances, newest first. */
export interface InstancePage<V extends object = Variables> extends Omit<wire.InstancePage, "items"> {
  readonly items: readonly Instance<V>[]
}

/** A task that waits for a person. */
export interface UserTask<V extends object = Variables> extends Omit<wire.UserTask, "variables"> {
  readonly variables: V
}

/** A page of user tasks, oldest first. */
export interface UserTaskPage<V extends object = Variables> extends Omit<wire.UserTaskPage, "items"> {
  readonly items: readonly UserTask<V>[]
}

/** Which user tasks to list. */
export type UserTaskFilter = Omit<wire.ListUserTasksQuery, "pageSize" | "cursor">
