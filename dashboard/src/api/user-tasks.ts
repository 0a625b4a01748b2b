// User tasks as the inbox shows them, and what people do with them.
import type { wire } from "@millrace/sdk"
import { get, post } from "./http.ts"

export type UserTask = wire.UserTask
export type UserTaskFilter = Omit<wire.ListUserTasksQuery, "pageSize">

export const userTasksQuery = ({ status = "OPEN", ...filter }: UserTaskFilter) => ({
  queryKey: ["user-tasks", status, filter],
  queryFn: () => get<"listUserTasks">("/v1/user-tasks", { status, ...filter, pageSize: 50 }),
})

export const userTaskQuery = (id: string) => ({
  queryKey: ["user-task", id],
  queryFn: () => get<"getUserTask">(`/v1/user-tasks/${encodeURIComponent(id)}`),
})

export const claimUserTask = (id: string, assignee: string) =>
  post<"claimUserTask">(`/v1/user-tasks/${encodeURIComponent(id)}/claim`, { assignee })

/** With a name only if that person has it. */
export const unclaimUserTask = (id: string, assignee: string | undefined) =>
  post<"unclaimUserTask">(
    `/v1/user-tasks/${encodeURIComponent(id)}/unclaim`,
    assignee === undefined ? {} : { assignee },
  )

export const delegateUserTask = (id: string, to: wire.DelegateUserTask) =>
  post<"delegateUserTask">(`/v1/user-tasks/${encodeURIComponent(id)}/delegate`, to)

/** Without a time it is not due at any time. */
export const setUserTaskDue = (id: string, dueAt: string | undefined) =>
  post<"setUserTaskDue">(`/v1/user-tasks/${encodeURIComponent(id)}/due`, dueAt === undefined ? {} : { dueAt })

export const completeUserTask = (instanceId: string, stepId: string, completion: wire.CompleteUserTask) =>
  post<"completeUserTask">(`/v1/instances/${instanceId}/user-tasks/${encodeURIComponent(stepId)}/complete`, completion)
