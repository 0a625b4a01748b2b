// User tasks as the inbox shows them, and what people do with them.
import type { JsonSchema } from "./definitions.ts"
import { get, post } from "./http.ts"

export interface UserTask {
  readonly id: string
  readonly instanceId: string
  readonly stepId: string
  readonly definitionId: string
  readonly name: string
  readonly status: "OPEN" | "COMPLETED" | "CANCELLED"
  readonly assignee?: string
  readonly assigneeGroup?: string
  readonly dueAt?: string
  readonly form?: JsonSchema
  readonly variables: Readonly<Record<string, unknown>>
  readonly createdAt: string
  readonly completedAt?: string
  readonly completedBy?: string
}

export interface UserTaskFilter {
  readonly status?: string
  readonly assignee?: string
  readonly group?: string
  readonly cursor?: string
}

interface UserTaskPage {
  readonly items: readonly UserTask[]
  readonly nextCursor?: string
}

export const userTasksQuery = ({ status = "OPEN", ...filter }: UserTaskFilter) => ({
  queryKey: ["user-tasks", status, filter],
  queryFn: () => get<UserTaskPage>("/v1/user-tasks", { status, ...filter, pageSize: 50 }),
})

export const userTaskQuery = (id: string) => ({
  queryKey: ["user-task", id],
  queryFn: () => get<UserTask>(`/v1/user-tasks/${encodeURIComponent(id)}`),
})

export const claimUserTask = (id: string, assignee: string): Promise<UserTask> =>
  post(`/v1/user-tasks/${encodeURIComponent(id)}/claim`, { assignee })

interface Completion {
  readonly completedBy?: string
  readonly variables: Readonly<Record<string, unknown>>
}

export const completeUserTask = (instanceId: string, stepId: string, completion: Completion): Promise<void> =>
  post(`/v1/instances/${instanceId}/user-tasks/${encodeURIComponent(stepId)}/complete`, completion)
