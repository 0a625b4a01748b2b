// Whose user task it is: claimed by one person, given back to all, or delegated to another. And when it is due.
import type { Transaction } from "../../db/transaction.ts"
import type { RequestKey } from "../../store/kernel/request-keys.ts"
import { type Assignment, assignUserTask, setUserTaskDue as writeDue } from "../../store/people/user-tasks.ts"
import { conflict } from "../../support/errors.ts"
import { type ExecutionKey, parseExecutionId } from "../../support/ids.ts"
import { type Done, once } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { getRow, type UserTaskView, viewOf } from "./user-tasks.ts"

interface TaskRequest {
  readonly id: string
  readonly requestKey?: RequestKey | undefined
}

export interface ClaimTaskRequest extends TaskRequest {
  readonly assignee: string
}

/** Claiming a task that is one's own already is fine; another's is a conflict. The task as it is then. */
export const claimUserTask = (kernel: Kernel, request: ClaimTaskRequest): Promise<Done<UserTaskView>> =>
  assign(kernel, request, { to: request.assignee, holder: request.assignee })

export interface UnclaimTaskRequest extends TaskRequest {
  /** Who gives it back; absent where that does not matter. */
  readonly assignee?: string | undefined
}

/** Giving back a task that no person has is fine; what another person has is a conflict. */
export const unclaimUserTask = (kernel: Kernel, request: UnclaimTaskRequest): Promise<Done<UserTaskView>> =>
  assign(kernel, request, { to: null, holder: request.assignee ?? null })

export interface DelegateTaskRequest extends TaskRequest {
  readonly assignee: string
  /** Who has it now; absent where that does not matter. */
  readonly from?: string | undefined
}

/** A repeat finds it with the new person, which is fine. */
export const delegateUserTask = (kernel: Kernel, request: DelegateTaskRequest): Promise<Done<UserTaskView>> =>
  assign(kernel, request, { to: request.assignee, holder: request.from ?? null })

export interface TaskDueRequest extends TaskRequest {
  /** Undefined: not due at any time. */
  readonly dueAt: number | undefined
}

/** The due time is only shown. No timer depends on it. */
export const setUserTaskDue = (kernel: Kernel, { dueAt, ...request }: TaskDueRequest): Promise<Done<UserTaskView>> =>
  change(kernel, request, (tx, key) => writeDue(tx, key, dueAt ?? null))

const assign = (kernel: Kernel, request: TaskRequest, assignment: Assignment) =>
  change(kernel, request, (tx, key) => assignUserTask(tx, key, assignment))

/** False where the task is closed, or with another person. */
type Change = (tx: Transaction, key: ExecutionKey) => Promise<boolean>

const change = (kernel: Kernel, { id, requestKey }: TaskRequest, write: Change) =>
  kernel.db.transaction((tx) =>
    once(tx, requestKey, {
      work: () => changeWithin(kernel, tx, { id, write }),
      readOld: async () => viewOf(kernel, await getRow(tx, id)),
    }),
  )

async function changeWithin(
  kernel: Kernel,
  tx: Transaction,
  { id, write }: { readonly id: string; readonly write: Change },
): Promise<UserTaskView> {
  const key = parseExecutionId(id)
  const isDone = key !== undefined && (await write(tx, key))
  const row = await getRow(tx, id)
  if (row.status !== "OPEN") throw conflict(`the user task is ${row.status} already`)
  if (!isDone) throw conflict(`the user task is with ${row.assignee ?? "another person"}`)
  return viewOf(kernel, row)
}
