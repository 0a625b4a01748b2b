// The list of live jobs on real PostgreSQL: what is in it, in which order, page by page, and what a page costs.

import { afterAll, beforeAll, expect, test } from "vitest"
import type { NamedValues } from "../../db/bind-values.ts"
import { service, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { holdLoops } from "../../test-support/loops.ts"
import { pagesRead, storeStatement } from "../../test-support/store-statements.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { queuesOf } from "../flow/queue-registry.ts"
import { type EnqueueRequest, enqueueJob } from "./enqueue/enqueue-job.ts"
import { type JobQuery, type ListedJobView, listJobs } from "./list-jobs.ts"

let engine: TestEngine

beforeAll(async () => {
  engine = await createTestEngine()
  await holdLoops(engine.kernel)
})
afterAll(() => engine.close())

const enqueue = async (jobType: string, more: Partial<EnqueueRequest> = {}): Promise<string> => {
  const request = { jobType, payload: {}, whenFull: "refuse" as const, actor: "local", ...more }
  return (await enqueueJob(engine.kernel, request)).job.id
}
const list = (query: Partial<JobQuery> = {}) => listJobs(engine.kernel, { status: "ready", pageSize: 20, ...query })
const idsOf = (items: readonly ListedJobView[]) => items.map(({ id }) => id)

/** Every page of a list, one after the other. */
async function pagesOf(query: Partial<JobQuery>): Promise<string[][]> {
  const pages: string[][] = []
  let cursor: string | undefined
  do {
    const page = await list({ ...query, cursor })
    pages.push(idsOf(page.items))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return pages
}

test("ready: who came into line first, of every queue that matches, and each on one page", async () => {
  const ids: string[] = []
  for (const priority of ["normal", "high", "normal", "critical", "normal"] as const)
    ids.push(await enqueue("mail", { priority }))
  await enqueue("other")
  expect(await pagesOf({ jobType: "mail", pageSize: 2 })).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)])
  expect(await pagesOf({ jobType: "mail", priority: "high" })).toEqual([[ids[1]]])
  expect(await pagesOf({ jobType: "nobody" })).toEqual([[]])
  expect((await list()).items).toHaveLength(6)
  expect((await list({ jobType: "mail", pageSize: 1 })).items).toEqual([
    {
      id: ids[0],
      jobType: "mail",
      priority: "normal",
      status: "ready",
      createdAt: expect.stringMatching(/Z$/),
      attempt: 0,
    },
  ])
})

test("the job of a step names its instance, a standalone one does not", async () => {
  await engine.upload(workflow("stepping", [service("walk")]))
  const instanceId = await drive(engine.kernel).start("stepping")
  const { items } = await list({ jobType: "walk" })
  expect(items).toMatchObject([{ instanceId, stepId: "walk", definitionId: "stepping", status: "ready" }])
  expect(items[0]?.id).toMatch(new RegExp(`^${instanceId}-`))
})

test("leased: whose lease ends first, with who has it; one batch ends at one moment and is paged through all the same", async () => {
  for (let n = 0; n < 5; n++) await enqueue("work")
  const worker = drive(engine.kernel, "ada")
  const long = await worker.claim(["work"], 3, 3_600_000)
  const brief = await worker.claim(["work"], 2, 30_000)
  await engine.db.script(
    "update millrace.jobs set lease_until = date_trunc('minute', now()) + lease_ms * interval '1 ms' where status = 'leased'",
  )
  const order = [...brief, ...long].map(({ id }) => id)
  const pages = await pagesOf({ status: "leased", pageSize: 2 })
  expect(pages.flat().slice(0, 2).sort()).toEqual(order.slice(0, 2).sort())
  expect(pages.flat().sort()).toEqual(order.toSorted())
  expect((await list({ status: "leased", jobType: "work", pageSize: 1 })).items).toMatchObject([
    { status: "leased", workerId: "ada", attempt: 1, lockExpiresAt: expect.stringMatching(/Z$/) },
  ])
  expect(await pagesOf({ status: "leased", jobType: "mail" })).toEqual([[]])
})

test("delayed: who is due first; held: who waits for a turn under a limit", async () => {
  const late = await enqueue("later", { delayMs: 7_200_000 })
  const soon = await enqueue("later", { delayMs: 3_600_000 })
  const limit = { key: "k", max: 1 }
  await enqueue("limited", { limit })
  const held = await enqueue("limited", { limit })
  expect(await pagesOf({ status: "delayed", pageSize: 1 })).toEqual([[soon], [late]])
  expect((await list({ status: "delayed", pageSize: 1 })).items).toMatchObject([
    { status: "delayed", visibleAt: expect.stringMatching(/Z$/) },
  ])
  // The first of them is let go soon after its commit.
  await expect.poll(() => pagesOf({ status: "held" })).toEqual([[held]])
  expect(await pagesOf({ status: "held", jobType: "mail" })).toEqual([[]])
})

test.each([
  ["nonsense", "x"],
  ["of another list", Buffer.from("leased 5 01ARZ3NDEKTSV4RRFFQ69G5FAV").toString("base64url")],
  ["without a place", Buffer.from("ready x 01ARZ3NDEKTSV4RRFFQ69G5FAV").toString("base64url")],
])("a cursor that is %s is refused", async (_, cursor) => {
  await expect(list({ cursor })).rejects.toMatchObject({ code: "bad-request" })
})

async function pagesReadBy(name: string, values: NamedValues): Promise<number> {
  await engine.db.script("vacuum analyze millrace.jobs")
  return pagesRead(engine.db, storeStatement("jobs/live-jobs", name), values)
}

test("F78, SEC-37: among very many a page is read by index, also the last one, and a filter that matches few looks at 10,000", async () => {
  const rare = await enqueue("rare", { delayMs: 86_400_000 })
  const [queue] = queuesOf(engine.kernel).ofTypes(["mail"])
  await engine.db.script(`insert into millrace.jobs (instance_id, execution, queue_id, status, seq, step_id, retries_left, created_at, visible_at)
    select '01ARZ3NDEKTSV4RRFFQ' || lpad(n::text, 7, '0'), 0, ${queue?.id}, case when n % 2 = 0 then 'ready' else 'held' end,
      nextval('millrace.job_seq'), 'mail', 3, now(), case when n % 2 = 1 then now() + n * interval '1 ms' end
    from generate_series(1, 30000) n`)
  const first = await list({ status: "delayed", jobType: "rare" })
  expect([first.items, first.nextCursor]).toEqual([[], expect.any(String)])
  expect(await pagesOf({ status: "delayed", jobType: "rare" })).toEqual([[], [rare]])
  const queueIds = queuesOf(engine.kernel).all.map(({ id }) => id)
  const ranges = { queueIds, after: queueIds.map(() => 0) }
  expect(await pagesReadBy("listReadyJobs", { ...ranges, place: 0, limit: 21 })).toBeLessThan(200)
  expect(await pagesReadBy("listReadyJobs", { ...ranges, place: 29_000, limit: 21 })).toBeLessThan(200)
  const first20 = { queueIds, place: 0, instance_id: "", execution: 0, lookAt: 21, limit: 22 }
  expect(await pagesReadBy("listDelayedJobs", first20)).toBeLessThan(200)
})
