// Routes of the inbox: list, read, claim. Completing goes by instance and step.
import type { wire } from "@millrace/sdk"
import { claimUserTask, getUserTask, listUserTasks, userTaskWithin } from "../../../operations/people/user-tasks.ts"
import { answerTo, json, ok } from "../../calls/answers.ts"
import { decode, readCursorPage } from "../../calls/decode.ts"
import { requestKeyOf } from "../../calls/idempotency-key.ts"
import type { Answer, Call, Route } from "../../calls/route.ts"

export const userTaskRoutes: readonly Route[] = [
  { method: "GET", path: "/v1/user-tasks", permission: "tasks:read", handle: list },
  { method: "GET", path: "/v1/user-tasks/{userTaskId}", permission: "tasks:read", handle: get },
  { method: "POST", path: "/v1/user-tasks/{userTaskId}/claim", permission: "tasks:write", handle: claim },
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
  const request = { id: taskIdOf(call), assignee, requestKey: requestKeyOf(call) }
  return answerTo(await claimUserTask(call.kernel, request), (task) =>
    ok<wire.UserTask>(userTaskWithin(call.reach, task)),
  )
}
