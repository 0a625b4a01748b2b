// Requests with a key on a real database: done once, answered alike ever after.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { end, linear, service, step, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { countRows } from "../../test-support/rows.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { uploadDefinition } from "../definitions/upload-definition.ts"
import { createBulk } from "../instances/bulk-instances.ts"
import { cancelInstance, completeUserTask, signalWait } from "../instances/change-instance.ts"
import { getAudit } from "../instances/read-instances.ts"
import { retryInstance } from "../instances/retry-instance.ts"
import { startInstance } from "../instances/start/start-instance.ts"
import { claimUserTask } from "../people/change-user-task.ts"
import { listUserTasks } from "../people/user-tasks.ts"
import { type Done, digestOf, type RequestKey } from "./idempotency.ts"

let engine: TestEngine
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  engine = await createTestEngine()
  worker = drive(engine.kernel)
  await engine.upload(linear())
  await engine.upload(
    workflow("human", [
      step("USER_TASK", "ask", { nextStep: "wait" }),
      step("WAIT", "wait", { nextStep: "end" }),
      end(),
    ]),
  )
  await engine.upload(workflow("fails", [service("fails", "end"), end()]))
})
afterAll(() => engine.close())

let keys = 0
const keyOf = (body: unknown, key = `key-${++keys}`): RequestKey => ({ scope: "POST /x", key, digest: digestOf(body) })
const local = "local"

const start = (requestKey: RequestKey, more: { businessKey?: string; variables?: { n?: number } } = {}) =>
  startInstance(engine.kernel, { definitionId: "linear", variables: {}, actor: local, requestKey, ...more })

describe("a start with a key", () => {
  test("C-21, S3: the repeat is given the first answer and starts nothing, though the instance has moved on", async () => {
    const key = keyOf({ n: 1 })
    const first = await start(key, { variables: { n: 1 } })
    expect(first.isRepeat).toBe(false)
    const before = await countRows(engine.db, "instances")
    await cancelInstance(engine.kernel, { instanceId: first.instance.id, reason: undefined, actor: local })
    const again = await start(key, { variables: { n: 1 } })
    expect(again).toEqual({ instance: first.instance, isRepeat: true })
    expect(await countRows(engine.db, "instances")).toBe(before - 1)
  })

  test("C-21, S3: the same key with another body is refused, and starts nothing", async () => {
    const key = keyOf({ n: 1 })
    await start(key)
    const before = await countRows(engine.db, "instances")
    const other = { ...key, digest: digestOf({ n: 2 }) }
    await expect(start(other)).rejects.toMatchObject({ code: "idempotency-mismatch" })
    expect(await countRows(engine.db, "instances")).toBe(before)
  })

  test("bodies are compared with their keys sorted, however deep", () => {
    expect(digestOf({ a: 1, b: [{ c: 2, d: 3 }] })).toEqual(digestOf({ b: [{ d: 3, c: 2 }], a: 1 }))
    expect(digestOf({ a: [1, 2] })).not.toEqual(digestOf({ a: [2, 1] }))
    expect(digestOf(undefined)).toEqual(digestOf(undefined))
    expect(digestOf({})).not.toEqual(digestOf(undefined))
  })

  test("the same key in another scope is another request", async () => {
    const key = keyOf({})
    const [one, two] = [await start(key), await start({ ...key, scope: "POST /y" })]
    expect(one.instance.id).not.toBe(two.instance.id)
  })

  test("F30, F68, S3: 200 parallel starts with one key make one instance and give 200 equal answers", async () => {
    const key = keyOf({})
    const before = await countRows(engine.db, "instances")
    const started = await Promise.all(Array.from({ length: 200 }, () => start(key)))
    const answers = new Set(started.map((one) => JSON.stringify(one.instance)))
    expect(answers.size).toBe(1)
    expect(started.filter((one) => !one.isRepeat)).toHaveLength(1)
    expect(await countRows(engine.db, "instances")).toBe(before + 1)
    expect((await worker.get(started[0]?.instance.id ?? "")).status).toBe("ACTIVE")
  })

  test("F68: with one key and different bodies at once, one body wins and the others are refused", async () => {
    const name = `key-${++keys}`
    const before = await countRows(engine.db, "instances")
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => start(keyOf({ n: n % 2 }, name), { variables: { n: n % 2 } })),
    )
    const answers = results.flatMap((r) => (r.status === "fulfilled" ? [r.value.instance] : []))
    expect(answers).toHaveLength(10)
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    for (const r of results)
      if (r.status === "rejected") expect(r.reason).toMatchObject({ code: "idempotency-mismatch" })
    expect(await countRows(engine.db, "instances")).toBe(before + 1)
  })

  test("C-80: a refusal for a taken business key leaves no key behind, and may be sent again", async () => {
    const holder = await worker.start("linear", {}, { businessKey: "taken" })
    const key = keyOf({ businessKey: "taken" })
    const refused = await Promise.allSettled(Array.from({ length: 5 }, () => start(key, { businessKey: "taken" })))
    for (const result of refused) expect(result).toMatchObject({ status: "rejected", reason: { code: "conflict" } })
    expect(await countRows(engine.db, "request_keys", `key = '${key.key}'`)).toBe(0)
    await cancelInstance(engine.kernel, { instanceId: holder, reason: undefined, actor: local })
    const { instance } = await start(key, { businessKey: "taken" })
    expect((await worker.get(instance.id)).status).toBe("ACTIVE")
  })

  test("an invalid request leaves no key behind", async () => {
    const key = keyOf({})
    const wrong = { definitionId: "nobody", variables: {}, actor: local, requestKey: key }
    await expect(startInstance(engine.kernel, wrong)).rejects.toMatchObject({ code: "not-found" })
    expect((await start(key)).isRepeat).toBe(false)
  })
})

describe("other requests with a key", () => {
  /** The same request three times after another, then the same key with another body. */
  async function expectOnce(
    run: (key: RequestKey) => Promise<Done<unknown>>,
    changed: () => Promise<unknown>,
  ): Promise<void> {
    const key = keyOf({ a: 1 })
    const first = await run(key)
    const state = await changed()
    expect(first.isRepeat).toBe(false)
    for (const again of [await run(key), await run(key)]) expect(again).toEqual({ ...first, isRepeat: true })
    await expect(run({ ...key, digest: digestOf({ a: 2 }) })).rejects.toMatchObject({ code: "idempotency-mismatch" })
    expect(await changed()).toEqual(state)
  }

  const trail = (id: string) => () => getAudit(engine.kernel, id, 0)
  const change = (instanceId: string, requestKey: RequestKey) => ({ instanceId, actor: local, requestKey })

  test("S3: cancel", async () => {
    const id = await worker.start("linear")
    await expectOnce((key) => cancelInstance(engine.kernel, { ...change(id, key), reason: "x" }), trail(id))
  })

  test("S3: user-task completion and signal", async () => {
    const id = await worker.start("human")
    const done = { stepId: "ask", variables: {}, completedBy: "ann" }
    await expectOnce((key) => completeUserTask(engine.kernel, { ...change(id, key), ...done }), trail(id))
    await expectOnce(
      (key) => signalWait(engine.kernel, { ...change(id, key), stepId: "wait", variables: {} }),
      trail(id),
    )
    expect((await worker.get(id)).status).toBe("COMPLETED")
  })

  test("S3: taking a user task", async () => {
    const instanceId = await worker.start("human")
    const { items } = await listUserTasks(engine.kernel, { status: "OPEN", pageSize: 200 })
    const task = items.find((item) => item.instanceId === instanceId)
    await expectOnce(
      (requestKey) => claimUserTask(engine.kernel, { id: task?.id as string, assignee: "ann", requestKey }),
      () => engine.db.script(`select assignee from millrace.user_tasks where instance_id = '${instanceId}'`),
    )
  })

  test("S3: manual retry", async () => {
    const id = await worker.start("fails")
    await worker.fail(await worker.claimOne("fails"))
    await expectOnce(
      (key) => retryInstance(engine.kernel, { ...change(id, key), stepId: "fails", variables: undefined }),
      trail(id),
    )
  })

  test("S3: upload", async () => {
    const document = workflow("uploaded", [service("a")])
    await expectOnce(
      (requestKey) => uploadDefinition(engine.kernel, { document, actor: local, requestKey }),
      () => engine.db.script("select id, version from millrace.definitions where id = 'uploaded'"),
    )
  })

  test("S3: bulk", async () => {
    const request = {
      action: "cancel",
      filter: { definitionId: "none" },
      dryRun: true,
      reason: "x",
      actor: local,
    } as const
    await expectOnce(
      (requestKey) => createBulk(engine.kernel, { ...request, requestKey }),
      async () => countRows(engine.db, "bulk_operations"),
    )
  })

  test("a refused request leaves no key behind", async () => {
    const id = await worker.start("human")
    const key = keyOf({})
    const signal = () => signalWait(engine.kernel, { ...change(id, key), stepId: "wait", variables: {} })
    await expect(signal()).rejects.toMatchObject({ code: "conflict" })
    expect(await countRows(engine.db, "request_keys", `key = '${key.key}'`)).toBe(0)
    await completeUserTask(engine.kernel, {
      ...change(id, keyOf({})),
      stepId: "ask",
      variables: {},
      completedBy: "ann",
    })
    expect(await signal()).toMatchObject({ isRepeat: false })
  })

  test("F30, F72, S3: 30 parallel cancels with one key are one cancel, and all are told it was done", async () => {
    const id = await worker.start("linear")
    const key = keyOf({})
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => cancelInstance(engine.kernel, { ...change(id, key), reason: "x" })),
    )
    expect(answers.filter(({ isRepeat }) => !isRepeat)).toHaveLength(1)
    const kinds = (await trail(id)()).map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === "INSTANCE_CANCELLED")).toHaveLength(1)
  })

  test("30 parallel requests with one key that are all refused do not wait for each other's connections", async () => {
    const id = await worker.start("linear")
    await cancelInstance(engine.kernel, { instanceId: id, reason: "x", actor: local })
    const key = keyOf({})
    const results = await Promise.allSettled(
      Array.from({ length: 30 }, () => cancelInstance(engine.kernel, { ...change(id, key), reason: "x" })),
    )
    for (const result of results) expect(result).toMatchObject({ status: "rejected", reason: { code: "conflict" } })
  })
})
