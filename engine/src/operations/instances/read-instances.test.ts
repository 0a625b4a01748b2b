// Reading instances on a real database: lists with their filters and pages, histories, and why one is not moving.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { end, service, step, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { holdLoops } from "../../test-support/loops.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { cancelInstance } from "./change-instance.ts"
import { explainWaiting } from "./explain-waiting.ts"
import { getHistory } from "./read-history.ts"
import { getInstance, type ListRequest, listInstances } from "./read-instances.ts"

let engine: TestEngine
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  engine = await createTestEngine()
  worker = drive(engine.kernel)
  await holdLoops(engine.kernel)
})
afterAll(() => engine.close())

const list = (request: Partial<ListRequest>) => listInstances(engine.kernel, { page: 0, pageSize: 20, ...request })
const idsOf = async (request: Partial<ListRequest>) => (await list(request)).items.map(({ id }) => id)
const define = (id: string) => engine.upload(workflow(id, [service(id, "end"), end()]))

async function startMany(id: string, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.push(await worker.start(id))
  return ids
}

describe("a list of instances", () => {
  test("C-22: newest first, live and finished together, with the total", async () => {
    await define("mixed")
    const ids = await startMany("mixed", 5)
    await worker.complete(await worker.claimOne("mixed"))
    await worker.fail(await worker.claimOne("mixed"), "broken", false)
    const page = await list({ definitionId: "mixed" })
    expect(page).toMatchObject({ total: 5, totalIsExact: true })
    expect(page.nextCursor).toBeUndefined()
    expect(page.items.map(({ id }) => id)).toEqual(ids.toReversed())
    expect(page.items.map(({ status }) => status)).toEqual(["ACTIVE", "ACTIVE", "ACTIVE", "FAILED", "COMPLETED"])
    expect({ ...page.items[4], input: {} }).toEqual(await getInstance(engine.kernel, ids[0] as string))
  })

  test("C-22: filters are ANDed", async () => {
    await define("anded")
    const first = await worker.start("anded", {}, { businessKey: "k1" })
    await worker.complete(await worker.claimOne("anded"))
    const second = await worker.start("anded", {}, { businessKey: "k1" })
    const third = await worker.start("anded", {}, { businessKey: "k2" })
    await define("anded-too")
    await worker.start("anded-too", {}, { businessKey: "k1" })
    expect(await idsOf({ definitionId: "anded", businessKey: "k1" })).toEqual([second, first])
    expect(await idsOf({ definitionId: "anded", businessKey: "k1", status: "COMPLETED" })).toEqual([first])
    expect(await idsOf({ definitionId: "anded", businessKey: "k2", status: "COMPLETED" })).toEqual([])
    expect(await idsOf({ definitionId: "anded", version: 2 })).toEqual([])
    expect(await idsOf({ definitionId: "anded", version: 1, status: "ACTIVE" })).toEqual([third, second])
    expect(await list({ businessKey: "k1" })).toMatchObject({ total: 3 })
  })

  test("C-22: pages by number and by cursor tell the same, and a cursor's pages stay stable while instances come and end", async () => {
    await define("paged")
    const ids = (await startMany("paged", 11)).toReversed()
    expect(await idsOf({ definitionId: "paged", page: 1, pageSize: 4 })).toEqual(ids.slice(4, 8))
    expect(await list({ definitionId: "paged", page: 9, pageSize: 4 })).toMatchObject({ items: [], total: 11 })
    const first = await list({ definitionId: "paged", pageSize: 4 })
    const seen = first.items.map(({ id }) => id)
    for (let cursor = first.nextCursor; cursor; ) {
      await worker.start("paged")
      await worker.complete(await worker.claimOne("paged"))
      const page = await list({ definitionId: "paged", pageSize: 4, cursor })
      seen.push(...page.items.map(({ id }) => id))
      cursor = page.nextCursor
    }
    expect(seen).toEqual(ids)
    await expect(list({ cursor: "nonsense" })).rejects.toMatchObject({ code: "bad-request" })
    await expect(list({ page: 1_000, pageSize: 200 })).rejects.toMatchObject({ code: "bad-request" })
  })

  test("C-22: a total beyond 10,000 says that it is not exact", async () => {
    await engine.db.script(`insert into millrace.finished_instances
      (id, definition_id, definition_version, status, priority, input, version, reads_variables, started_at, completed_at)
      select '01ARZ3NDEKTSV4RRFFQ' || lpad(n::text, 7, '0'), 'crowd', 1, 'COMPLETED', 'normal', '{}', 1, false, now(), now()
      from generate_series(1, 10001) n`)
    expect(await list({ definitionId: "crowd", pageSize: 1 })).toMatchObject({ total: 10_000, totalIsExact: false })
  })

  test("startedAfter and startedBefore take a range of time", async () => {
    await define("timed")
    const early = await worker.start("timed")
    await engine.advanceClock(3_600_000)
    const late = await worker.start("timed")
    const between = Date.parse((await worker.get(late)).startedAt) - 1_800_000
    expect(await idsOf({ definitionId: "timed", startedBefore: between })).toEqual([early])
    expect(await idsOf({ definitionId: "timed", startedAfter: between })).toEqual([late])
    expect(await list({ definitionId: "timed", startedAfter: between, startedBefore: between + 1 })).toMatchObject({
      items: [],
      total: 0,
    })
    const { nextCursor } = await list({ definitionId: "timed", pageSize: 1 })
    expect(
      await idsOf({ definitionId: "timed", startedAfter: between, ...(nextCursor ? { cursor: nextCursor } : {}) }),
    ).toEqual([])
  })

  test("like failures share a fingerprint, but for the numbers and ids in them", async () => {
    await define("failing")
    const ids = await startMany("failing", 3)
    const reasons = ["order 17 of a1b2c3d4e5 is gone", "order 4711 of ffffffff00 is gone", "no such colour"]
    for (const reason of reasons) await worker.fail(await worker.claimOne("failing"), reason, false)
    const rows = await engine.db.script(
      `select id, failure from millrace.finished_instances where definition_id = 'failing' order by id`,
    )
    expect(await idsOf({ failure: rows[0]?.failure as string })).toEqual([ids[1], ids[0]])
    expect(await idsOf({ failure: rows[2]?.failure as string })).toEqual([ids[2]])
  })
})

test("C-23, C-24: unknown instances are not found, whatever their id looks like", async () => {
  for (const id of ["01ARZ3NDEKTSV4RRFFQ69G5FAV", "nonsense", "", "x".repeat(10_000)]) {
    await expect(getInstance(engine.kernel, id)).rejects.toMatchObject({ code: "not-found" })
    await expect(getHistory(engine.kernel, id)).rejects.toMatchObject({ code: "not-found" })
    await expect(explainWaiting(engine.kernel, id)).rejects.toMatchObject({ code: "not-found" })
  }
})

describe("why an instance is not moving", () => {
  const kindsOf = async (id: string) =>
    (await explainWaiting(engine.kernel, id)).map(({ kind, stepId }) => [kind, stepId])

  test("a person, a signal and the timers beside them", async () => {
    await engine.upload(
      workflow(
        "forks",
        [
          step("PARALLEL_GATEWAY", "fork", { parallelNextSteps: ["ask", "park"], joinStep: "join" }),
          step("USER_TASK", "ask", {
            nextStep: "join",
            boundaryEvents: [{ type: "TIMER", duration: "PT1H", interrupting: false, targetStepId: "remind" }],
          }),
          step("WAIT", "park", { nextStep: "join" }),
          step("JOIN_GATEWAY", "join", { nextStep: "end" }),
          service("remind", "end"),
          end(),
        ],
        { deadline: "P1D" },
      ),
    )
    const id = await worker.start("forks")
    expect(await kindsOf(id)).toEqual([
      ["user-task", "ask"],
      ["signal", "park"],
      ["timer", "ask"],
      ["timer", undefined],
    ])
    await cancelInstance(engine.kernel, { instanceId: id, reason: undefined, actor: "local" })
    expect(await explainWaiting(engine.kernel, id)).toEqual([])
  })

  test("a job that is queued, then leased, then due again later", async () => {
    await engine.upload(workflow("stuck", [service("stuck", "end", { retryCount: 1 }), end()]))
    const [ahead, id] = await startMany("stuck", 2)
    const [queued] = await explainWaiting(engine.kernel, id as string)
    expect(queued).toMatchObject({ kind: "job-queued", stepId: "stuck" })
    expect(JSON.stringify(queued?.detail)).toMatch(
      /No worker has ever asked for stuck: start one that does. 1 job is before it/,
    )
    expect((await worker.claimOne("stuck")).instanceId).toBe(ahead)
    const job = await worker.claimOne("stuck")
    const [leased] = await explainWaiting(engine.kernel, id as string)
    expect(leased?.kind).toBe("job-leased")
    expect(JSON.stringify(leased?.detail)).toContain(new Date(job.lockExpiresAt).toISOString())
    await worker.fail(job, "later", true, 60_000)
    expect(await kindsOf(id as string)).toEqual([["retry", "stuck"]])
  })
})
