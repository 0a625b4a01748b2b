// The inbox on a real database: who sees which task, who may take it, and that each is completed once.
import { afterAll, beforeAll, expect, test } from "vitest"
import { end, step, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { cancelInstance, completeUserTask } from "../instances/change-instance.ts"
import { claimUserTask, delegateUserTask, setUserTaskDue, unclaimUserTask } from "./change-user-task.ts"
import { getUserTask, listUserTasks, type UserTaskQuery } from "./user-tasks.ts"

let engine: TestEngine
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  engine = await createTestEngine()
  worker = drive(engine.kernel)
  const form = { properties: { ok: { type: "boolean" } } }
  const outputSchema = { required: ["by"] }
  await engine.upload(
    workflow("ask", [
      step("USER_TASK", "ask", { nextStep: "end", assigneeGroup: "clerks", dueIn: "PT1H", form, outputSchema }),
      end(),
    ]),
  )
  await engine.upload(workflow("tell", [step("USER_TASK", "tell", { nextStep: "end", assignee: "bob" }), end()]))
})
afterAll(() => engine.close())

const list = (query: Partial<UserTaskQuery> = {}) =>
  listUserTasks(engine.kernel, { status: "OPEN", pageSize: 200, ...query })
const complete = (instanceId: string, stepId: string, by = "ann") =>
  completeUserTask(engine.kernel, { instanceId, stepId, variables: { by }, completedBy: by, actor: by })
const cancel = (instanceId: string) => cancelInstance(engine.kernel, { instanceId, reason: undefined, actor: "local" })

async function taskOf(instanceId: string) {
  const task = (await list()).items.find((item) => item.instanceId === instanceId)
  if (!task) throw new Error("no open task")
  return task
}

test("C-73: an open task is in the inbox at once, with all a person needs, and leaves it when it is completed", async () => {
  const id = await worker.start("ask", { amount: 3 })
  const task = await taskOf(id)
  expect(task).toMatchObject({
    stepId: "ask",
    definitionId: "ask",
    name: "ask",
    status: "OPEN",
    assigneeGroup: "clerks",
    variables: { amount: 3 },
    form: { properties: { ok: { type: "boolean" } } },
    outputSchema: { required: ["by"] },
  })
  expect(Date.parse(task.dueAt as string) - Date.parse(task.createdAt)).toBe(3_600_000)
  await complete(id, "ask")
  expect((await list()).items.map((item) => item.instanceId)).not.toContain(id)
  expect(await getUserTask(engine.kernel, task.id)).toMatchObject({
    status: "COMPLETED",
    completedBy: "ann",
    completedAt: expect.any(String),
  })
  expect((await list({ status: "COMPLETED" })).items.map((item) => item.id)).toContain(task.id)
})

test("C-81: a cancelled instance's task is CANCELLED, and cannot be taken or completed", async () => {
  const id = await worker.start("ask")
  const task = await taskOf(id)
  await cancel(id)
  expect((await list({ status: "CANCELLED" })).items.map((item) => item.id)).toContain(task.id)
  await expect(claimUserTask(engine.kernel, { id: task.id, assignee: "ann" })).rejects.toMatchObject({
    code: "conflict",
  })
  await expect(complete(id, "ask")).rejects.toMatchObject({ code: "conflict" })
})

test("C-29: a completion says what is wrong: no instance, no such step, another kind of step, none open", async () => {
  const id = await worker.start("ask")
  await expect(complete("01ARZ3NDEKTSV4RRFFQ69G5FAV", "ask")).rejects.toMatchObject({ code: "not-found" })
  await expect(complete("nonsense", "ask")).rejects.toMatchObject({ code: "not-found" })
  await expect(complete(id, "nowhere")).rejects.toMatchObject({ code: "not-found" })
  await expect(complete(id, "end")).rejects.toMatchObject({ code: "bad-request" })
  await complete(id, "ask")
  await expect(complete(id, "ask")).rejects.toMatchObject({ code: "conflict" })
  await expect(complete(id, "end")).rejects.toMatchObject({ code: "bad-request" })
})

test("S14, F72: of 8 completions at once one counts, and its result is the one that is kept", async () => {
  const id = await worker.start("ask")
  const people = Array.from({ length: 8 }, (_, n) => `p${n}`)
  const results = await Promise.allSettled(people.map((by) => complete(id, "ask", by)))
  const winners = people.filter((_, n) => results[n]?.status === "fulfilled")
  expect(winners).toHaveLength(1)
  expect((await worker.get(id)).variables).toEqual({ by: winners[0] })
})

test("taking a task: one's own again is fine, another's is a conflict, and of two at once one gets it", async () => {
  const id = await worker.start("ask")
  const task = await taskOf(id)
  const take = (assignee: string) => claimUserTask(engine.kernel, { id: task.id, assignee })
  const results = await Promise.allSettled(["ann", "eve"].map(take))
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
  const { assignee } = await getUserTask(engine.kernel, task.id)
  await take(assignee as string)
  await expect(take("mallory")).rejects.toMatchObject({ code: "conflict" })
  expect((await getUserTask(engine.kernel, task.id)).assignee).toBe(assignee)
  await expect(claimUserTask(engine.kernel, { id: "nonsense", assignee: "ann" })).rejects.toMatchObject({
    code: "not-found",
  })
  await cancel(id)
})

test("giving a task back: anyone may claim it then; another's is a conflict, and what nobody has is fine", async () => {
  const id = await worker.start("ask")
  const task = await taskOf(id)
  const giveBack = (assignee?: string) => unclaimUserTask(engine.kernel, { id: task.id, assignee })
  await claimUserTask(engine.kernel, { id: task.id, assignee: "ann" })
  await expect(giveBack("eve")).rejects.toMatchObject({ code: "conflict", message: "the user task is with ann" })
  expect((await giveBack("ann")).outcome).not.toHaveProperty("assignee")
  expect((await giveBack("ann")).outcome).toMatchObject({ status: "OPEN", assigneeGroup: "clerks" })
  await claimUserTask(engine.kernel, { id: task.id, assignee: "eve" })
  // Without a name it is an operator who takes it from a person who is away.
  expect((await giveBack()).outcome).not.toHaveProperty("assignee")
  await complete(id, "ask")
  await expect(giveBack()).rejects.toMatchObject({ code: "conflict", message: "the user task is COMPLETED already" })
})

test("delegating a task: from its holder, once; of two at once one counts", async () => {
  const id = await worker.start("tell")
  const task = await taskOf(id)
  const give = (assignee: string, from?: string) => delegateUserTask(engine.kernel, { id: task.id, assignee, from })
  const results = await Promise.allSettled(["ann", "eve"].map((name) => give(name, "bob")))
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
  const { assignee = "" } = await getUserTask(engine.kernel, task.id)
  // A repeat finds what it asked for.
  expect((await give(assignee, "bob")).outcome.assignee).toBe(assignee)
  await expect(give("zoe", "bob")).rejects.toMatchObject({ code: "conflict" })
  expect((await give("zoe")).outcome.assignee).toBe("zoe")
  await cancel(id)
})

test("the due date of an open task is set, moved and taken away; one that has ended keeps it", async () => {
  const id = await worker.start("ask")
  const task = await taskOf(id)
  const due = (dueAt?: number) => setUserTaskDue(engine.kernel, { id: task.id, dueAt })
  const [early, late] = ["2030-01-01T08:00:00.000Z", "2030-02-01T08:00:00.000Z"] as const
  expect((await due(Date.parse(early))).outcome.dueAt).toBe(early)
  await claimUserTask(engine.kernel, { id: task.id, assignee: "ann" })
  expect((await due(Date.parse(late))).outcome).toMatchObject({ dueAt: late, assignee: "ann" })
  expect((await due()).outcome).not.toHaveProperty("dueAt")
  await due(Date.parse(early))
  await complete(id, "ask")
  await expect(due()).rejects.toMatchObject({ code: "conflict", message: "the user task is COMPLETED already" })
  expect((await getUserTask(engine.kernel, task.id)).dueAt).toBe(early)
  await expect(setUserTaskDue(engine.kernel, { id: "nonsense", dueAt: 0 })).rejects.toMatchObject({ code: "not-found" })
})

test("a task tells the business key of its instance, open and closed", async () => {
  const id = await worker.start("ask", {}, { businessKey: "order-17" })
  const task = await taskOf(id)
  expect(task.businessKey).toBe("order-17")
  await complete(id, "ask")
  expect((await getUserTask(engine.kernel, task.id)).businessKey).toBe("order-17")
})

test("filters by assignee and by group, together and alone", async () => {
  const [asked, told, taken] = [await worker.start("ask"), await worker.start("tell"), await worker.start("ask")]
  await claimUserTask(engine.kernel, { id: (await taskOf(taken)).id, assignee: "bob" })
  const found = async (query: Partial<UserTaskQuery>) => (await list(query)).items.map((item) => item.instanceId)
  expect(await found({ assignee: "bob" })).toEqual([told, taken])
  expect(await found({ group: "clerks" })).toEqual([asked, taken])
  expect(await found({ assignee: "bob", group: "clerks" })).toEqual([taken])
  expect(await found({ assignee: "nobody" })).toEqual([])
  for (const id of [asked, told, taken]) await cancel(id)
})

test("pages are oldest first and miss nothing while tasks come and go", async () => {
  const ids: string[] = []
  for (let n = 0; n < 7; n++) ids.push(await worker.start("ask"))
  const first = await list({ pageSize: 3 })
  expect(first.items.map((item) => item.instanceId)).toEqual(ids.slice(0, 3))
  await complete(ids[0] as string, "ask")
  await complete(ids[3] as string, "ask")
  const late = await worker.start("ask")
  const seen: string[] = []
  for (let cursor = first.nextCursor; cursor; ) {
    const page = await list({ pageSize: 2, cursor })
    seen.push(...page.items.map((item) => item.instanceId))
    cursor = page.nextCursor
  }
  expect(seen).toEqual([...ids.slice(4), late])
  await expect(list({ cursor: "bm9uc2Vuc2U" })).rejects.toMatchObject({ code: "bad-request" })
})

test("a step that is open twice: the oldest answers, then the other", async () => {
  await engine.upload(
    workflow("doubled", [
      step("PARALLEL_GATEWAY", "fork", { parallelNextSteps: ["left", "right"], joinStep: "join" }),
      step("TRANSFORMATION", "left", { transformations: { l: 1 }, nextStep: "sign" }),
      step("TRANSFORMATION", "right", { transformations: { r: 1 }, nextStep: "sign" }),
      step("USER_TASK", "sign", { nextStep: "join" }),
      step("JOIN_GATEWAY", "join", { nextStep: "end" }),
      end(),
    ]),
  )
  const id = await worker.start("doubled")
  const tasks = (await list()).items.filter((item) => item.instanceId === id)
  expect(tasks).toHaveLength(2)
  // A page may end between the two.
  const before = Buffer.from(tasks[0]?.id as string).toString("base64url")
  expect((await list({ cursor: before })).items.map((item) => item.id)).toEqual([tasks[1]?.id])
  await complete(id, "sign", "ann")
  const states = await Promise.all(tasks.map((task) => getUserTask(engine.kernel, task.id)))
  expect(states.map(({ status }) => status)).toEqual(["COMPLETED", "OPEN"])
  await complete(id, "sign", "bob")
  expect((await worker.get(id)).status).toBe("COMPLETED")
  await expect(complete(id, "sign", "eve")).rejects.toMatchObject({ code: "conflict" })
})
