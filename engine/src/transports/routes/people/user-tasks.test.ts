import { afterAll, beforeAll, expect, test } from "vitest"
import { service, step, workflow } from "../../../test-support/definitions.ts"
import { createTestServer, type TestServer } from "../../rest/test-support/test-server.ts"

let server: TestServer
const call: TestServer["call"] = (route, options) => server.call(route, options)

async function startTask(definitionId = "loan"): Promise<string> {
  const { body } = await call("POST /v1/instances", { body: { definitionId, variables: { amount: 5 } } })
  return body.id
}

async function openTaskOf(instanceId: string): Promise<string> {
  const { body } = await call("GET /v1/user-tasks?pageSize=200")
  return body.items.find((task: { instanceId: string }) => task.instanceId === instanceId).id
}

const form = { properties: { approved: { type: "boolean" } }, required: ["approved"] }

beforeAll(async () => {
  server = await createTestServer()
  const ask = step("USER_TASK", "approve", { nextStep: "a", assigneeGroup: "credit", dueIn: "P1D", form })
  await server.engine.upload(workflow("loan", [{ ...ask, name: "Approve the loan" }, service("a")]))
  await server.engine.upload(workflow("named", [step("USER_TASK", "sign", { assignee: "otto" })]))
})
afterAll(() => server.close())

test("C-73: the inbox shows what waits for people, and only that", async () => {
  const id = await startTask()
  const { status, body } = await call("GET /v1/user-tasks?group=credit")
  expect(status).toBe(200)
  expect(body.items).toContainEqual({
    id: expect.any(String),
    instanceId: id,
    stepId: "approve",
    definitionId: "loan",
    name: "Approve the loan",
    status: "OPEN",
    assigneeGroup: "credit",
    dueAt: expect.any(String),
    form,
    variables: { amount: 5 },
    createdAt: expect.any(String),
  })
  await call(`POST /v1/instances/${id}/user-tasks/approve/complete`, {
    body: { completedBy: "maria", result: { approved: true } },
  })
  const open = (await call("GET /v1/user-tasks")).body.items
  expect(open.filter((task: { instanceId: string }) => task.instanceId === id)).toEqual([])
  const done = (await call("GET /v1/user-tasks?status=COMPLETED")).body.items
  expect(done).toContainEqual(expect.objectContaining({ instanceId: id, status: "COMPLETED", completedBy: "maria" }))
})

test("C-73: filters and pages", async () => {
  await startTask("named")
  expect((await call("GET /v1/user-tasks?assignee=otto")).body.items).toMatchObject([{ stepId: "sign" }])
  expect((await call("GET /v1/user-tasks?assignee=nobody")).body.items).toEqual([])
  for (let n = 0; n < 3; n++) await startTask()
  const first = (await call("GET /v1/user-tasks?pageSize=2")).body
  const second = (await call(`GET /v1/user-tasks?pageSize=2&cursor=${first.nextCursor}`)).body
  const ids = [...first.items, ...second.items].map(({ id }) => id)
  expect(new Set(ids).size).toBe(4)
})

test.each(["status=DONE", "status=OPEN&status=OPEN", "cursor=x", `assignee=${"x".repeat(201)}`, "group=%00"])(
  "C-73: ?%s is 400",
  async (query) => {
    expect((await call(`GET /v1/user-tasks?${query}`)).status).toBe(400)
  },
)

test("C-73: a task is claimed once; again for the same person changes nothing", async () => {
  const id = await openTaskOf(await startTask())
  const claim = (assignee: unknown) => call(`POST /v1/user-tasks/${id}/claim`, { body: { assignee } })
  const claimed = await claim("maria")
  expect([claimed.status, claimed.body.assignee]).toEqual([200, "maria"])
  expect((await claim("maria")).status).toBe(200)
  expect((await claim("otto")).body.error).toBe("conflict")
  expect((await call(`GET /v1/user-tasks/${id}`)).body).toMatchObject({ id, assignee: "maria" })
  for (const assignee of [undefined, "", 7, "x".repeat(201)]) expect((await claim(assignee)).status).toBe(400)
})

test("C-73: a finished task cannot be claimed, an unknown one is not found", async () => {
  const instanceId = await startTask()
  const id = await openTaskOf(instanceId)
  await call(`POST /v1/instances/${instanceId}/cancel`)
  expect((await call(`POST /v1/user-tasks/${id}/claim`, { body: { assignee: "maria" } })).status).toBe(409)
  expect((await call(`GET /v1/user-tasks/${id}`)).body.status).toBe("CANCELLED")
  for (const unknown of ["x", "y".repeat(10_000), "01JN8Z3V5E8Q2R7W4Y6T9A1B3C-0001"]) {
    expect((await call(`GET /v1/user-tasks/${unknown}`)).status).toBe(404)
    expect((await call(`POST /v1/user-tasks/${unknown}/claim`, { body: { assignee: "maria" } })).status).toBe(404)
  }
})
