// Routes of the inbox: list, read, claim, give back, delegate, due date. Completing goes by instance and step.
import type { wire } from "@millrace/sdk"
import type { Done } from "../../../operations/kernel/idempotency.ts"
import {
  claimUserTask,
  delegateUserTask,
  setUserTaskDue,
  unclaimUserTask,
} from "../../../operations/people/change-user-task.ts"
import { getUserTask, listUserTasks, type UserTaskView, userTaskWithin } from "../../../operations/people/user-tasks.ts"
import { answerTo, json, ok } from "../../calls/answers.ts"
import { decode, readCursorPage } from "../../calls/decode.ts"
import { requestKeyOf } from "../../calls/idempotency-key.ts"
import type { Answer, Call, Route } from "../../calls/route.ts"

export const userTaskRoutes: readonly Route[] = [
  { method: "GET", path: "/v1/user-tasks", permission: "tasks:read", handle: list },
  { method: "GET", path: "/v1/user-tasks/{userTaskId}", permission: "tasks:read", handle: get },
  { method: "POST", path: "/v1/user-tasks/{userTaskId}/claim", permission: "tasks:write", handle: claim },
  { method: "POST", path: "/v1/user-tasks/{userTaskId}/unclaim", permission: "tasks:write", handle: unclaim },
  { method: "POST", path: "/v1/user-tasks/{userTaskId}/delegate", permission: "tasks:write", handle: delegate },
  { method: "POST", path: "/v1/user-tasks/{userTaskId}/due", permission: "tasks:write", handle: setDue },
]

const STATUSES = ["OPEN", "COMPLETED", "CANCELLED"] as const

async function list(call: Call): Promise<Answer> {
  const query = decode(call, ({ query }) => ({
    // An inbox is what is left to do, unless the caller asks for the rest.
    status: query.orAbsent((from) => from.optionalOneOf("status", STATUSES)) ?? "OPEN",
    assignee: query.optionalText("assignee"),
    group: query.optionalText("group"),
    ...readCursorPage(query),
  }))
  return json<wire.UserTaskPage>(200, await listUserTasks(call.kernel, query))
}

const taskIdOf = ({ params }: Call): string => params.userTaskId ?? ""

async function get(call: Call): Promise<Answer> {
  return json<wire.UserTask>(200, await getUserTask(call.kernel, taskIdOf(call)))
}

async function claim(call: Call): Promise<Answer> {
  const assignee = decode(call, ({ body }) => body.text("assignee"))
  return say(call, await claimUserTask(call.kernel, { ...namedBy(call), assignee }))
}

async function unclaim(call: Call): Promise<Answer> {
  const assignee = decode(call, ({ body }) => body.orAbsent((from) => from.optionalText("assignee")))
  return say(call, await unclaimUserTask(call.kernel, { ...namedBy(call), assignee }))
}

async function delegate(call: Call): Promise<Answer> {
  const asked = decode(call, ({ body }) => ({
    assignee: body.text("assignee"),
    from: body.orAbsent((from) => from.optionalText("from")),
  }))
  return say(call, await delegateUserTask(call.kernel, { ...namedBy(call), ...asked }))
}

async function setDue(call: Call): Promise<Answer> {
  const dueAt = decode(call, ({ body }) => body.moment("dueAt"))
  return say(call, await setUserTaskDue(call.kernel, { ...namedBy(call), dueAt }))
}

const namedBy = (call: Call) => ({ id: taskIdOf(call), requestKey: requestKeyOf(call) })

const say = (call: Call, done: Done<UserTaskView>): Answer =>
  answerTo(done, (task) => ok<wire.UserTask>(userTaskWithin(call.reach, task)))
