// A run that waits for runs of other workflows: it is told of every end once, good or bad, and asks for each child once.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { type Step, step, workflow } from "../../index.ts"
import { explainWaiting } from "../../operations/instances/explain-waiting.ts"
import { runRequests } from "../../operations/instances/run-requests.ts"
import { holdLoops, noTerm } from "../../test-support/loops.ts"
import { type Mills, openMills } from "../../test-support/mills.ts"
import type { AnyWorkflow } from "../authoring/workflow.ts"
import type { Mill } from "./mill.ts"

let mills: Mills
let mill: Mill
let broken: boolean
let calls: string[]
beforeAll(async () => {
  mills = await openMills()
  mill = mills.mill
  await holdLoops(mills.kernel)
})
afterAll(() => mills.close())
beforeEach(() => {
  broken = false
  calls = []
})

const childOf = async (parentId: string): Promise<string> => {
  const rows = await mills.tables.script(
    `select id from millrace.instances where parent_id = '${parentId}'
     union all select id from millrace.finished_instances where parent_id = '${parentId}'`,
  )
  expect(rows).toHaveLength(1)
  return rows[0]?.id as string
}

/** Until nothing moves any more. */
async function settle(...flows: readonly AnyWorkflow[]): Promise<void> {
  for (let moved = 1; moved > 0; ) {
    const { processed } = await mill.drain(flows)
    moved = processed + (await runRequests(mills.kernel, noTerm))
  }
}

const ship = workflow("ship", {
  recover: "resume",
  steps: [
    function pack({ input }: Step<{ n: number }>) {
      calls.push("pack")
      return { packed: input.n }
    },
    function send() {
      calls.push("send")
      if (broken) throw new Error("no truck")
      return { sent: true }
    },
  ],
})
const order = workflow("order", async (run, input: { n: number }) => {
  await run.step("before", () => void calls.push("before"))
  const shipped = await run.child(ship, { n: input.n })
  await run.step("after", () => void calls.push("after"))
  return shipped
})

test("a child that nobody here works on is started all the same, and its result comes back when somebody has", async () => {
  const { id } = await mill.start(order, { n: 7 })
  await settle(order)
  expect(await mill.runs.get(id)).toMatchObject({ status: "WAITING" })
  const [why] = await explainWaiting(mills.kernel, id)
  const child = (await mill.runs.list({ workflow: ship })).items[0]?.id
  expect(why).toMatchObject({
    kind: "child",
    detail: { child: "ship", childId: child, message: `Waits for its child ship (${child}) to end.` },
  })
  await settle(order, ship)
  expect(await mill.runs.get(id)).toMatchObject({
    status: "COMPLETED",
    variables: { result: { packed: 7, sent: true } },
  })
  expect(calls).toEqual(["before", "pack", "send", "after"])
})

test("a parent that dies while it asks for its child asks for the same one again", async () => {
  const { id } = await mill.start(order, { n: 1 })
  const workers = mills.dying((place) => place === "reporting")
  await workers.drain([order], {})
  await workers.stop()
  await mills.endLeases()
  await settle(order, ship)
  expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
  expect(calls).toEqual(["before", "pack", "send", "after"])
  await childOf(id)
})

test("a child that ends before its parent has begun to wait is not missed", async () => {
  const { id } = await mill.start(order, { n: 1 })
  const workers = mills.dying((place) => place === "reporting")
  await workers.drain([order], {})
  await workers.stop()
  await settle(ship)
  await mills.endLeases()
  await settle(order)
  expect(await mill.runs.get(id)).toMatchObject({
    status: "COMPLETED",
    variables: { result: { packed: 1, sent: true } },
  })
})

describe("a child that fails fails its parent", () => {
  async function failed(): Promise<readonly [parent: string, child: string]> {
    broken = true
    const { id } = await mill.start(order, { n: 1 })
    await settle(order, ship)
    expect(await mill.runs.get(id)).toMatchObject({
      status: "FAILED",
      failureReason: "ship: ended FAILED: send: no truck",
    })
    broken = false
    calls = []
    return [id, await childOf(id)]
  }

  test("both are retried, the child first: the parent finds the end that it had missed", async () => {
    const [parent, child] = await failed()
    await mill.runs.handle(child).retry()
    await settle(order, ship)
    await mill.runs.handle(parent).retry()
    await settle(order, ship)
    expect(await mill.runs.get(parent)).toMatchObject({ status: "COMPLETED", variables: { result: { sent: true } } })
    expect(calls).toEqual(["send", "after"])
  })

  test("both are retried, the parent first: it waits for the child again", async () => {
    const [parent, child] = await failed()
    await mill.runs.handle(parent).retry()
    await settle(order, ship)
    expect(await mill.runs.get(parent)).toMatchObject({ status: "WAITING" })
    await mill.runs.handle(child).retry()
    await settle(order, ship)
    expect(await mill.runs.get(parent)).toMatchObject({ status: "COMPLETED", variables: { result: { sent: true } } })
    expect(calls).toEqual(["send", "after"])
  })

  test("unless the parent has caught it: then it goes on, and stays so", async () => {
    broken = true
    const careful = workflow("careful", async (run) => {
      try {
        await run.child(ship, { n: 1 })
      } catch (error) {
        await run.step("tell", () => void calls.push((error as Error).message))
      }
      await run.signal("go")
      return "done"
    })
    const { id } = await mill.start(careful, {})
    await settle(careful, ship)
    await mill.runs.handle(id).signal("go", {})
    await settle(careful, ship)
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: { result: "done" } })
    expect(calls).toEqual(["pack", "send", "ship: ended FAILED: send: no truck"])
  })
})

test("a child that is cancelled fails its parent, and a retry of the parent cannot bring it back", async () => {
  const { id } = await mill.start(order, { n: 1 })
  await settle(order)
  await mill.runs.handle(await childOf(id)).cancel({ reason: "lost interest" })
  await settle(order)
  const reason = { status: "FAILED", failureReason: "ship: ended CANCELLED: lost interest" }
  expect(await mill.runs.get(id)).toMatchObject(reason)
  await mill.runs.handle(id).retry()
  await settle(order)
  expect(await mill.runs.get(id)).toMatchObject(reason)
})

test("a parent that has ended is not disturbed by the end of its child", async () => {
  const { id } = await mill.start(order, { n: 1 })
  await settle(order)
  await mill.runs.handle(id).cancel()
  await settle(order, ship)
  expect(await mill.runs.get(id)).toMatchObject({ status: "CANCELLED" })
  expect(await mill.runs.get(await childOf(id))).toMatchObject({ status: "COMPLETED" })
  expect(await mills.tables.script("select * from millrace.requests")).toEqual([])
})

test("many children at once, of a loop, each with a key of its own; a child of a child; and a key with a line break is refused", async () => {
  const leaf = workflow("leaf", async (run, input: { n: number }) => run.step("double", () => input.n * 2))
  const branch = workflow("branch", async (run, input: { n: number }) => run.child(leaf, { n: input.n }))
  const tree = workflow("tree", async (run) => {
    const all = await run.all(
      Object.fromEntries([1, 2, 3].map((n) => [n, () => run.child(branch, { n }, { key: String(n) })])),
    )
    return Object.values(all)
  })
  const { id } = await mill.start(tree, {})
  await settle(tree, branch, leaf)
  expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: { result: [2, 4, 6] } })
  const broken = workflow("broken-key", async (run) => run.child(leaf, { n: 1 }, { key: "a\nb" }))
  const refused = await mill.start(broken, {})
  await settle(broken)
  expect((await mill.runs.get(refused.id)).failureReason).toMatch("has control characters")
})

test("F71: a child whose list another build has stored anew is started, also where its life is published", async () => {
  const child = (...names: readonly string[]) =>
    workflow("told-child", { events: true, steps: names.map((name) => step(name, () => void calls.push(name))) })
  const old = child("one")
  const parent = workflow("told-parent", async (run) => run.child(old, {}))
  await mill.start(old, {})
  await (await mills.another()).mill.start(child("one", "two"), {})
  const { id } = await mill.start(parent, {})
  await settle(parent, old)
  expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
})
