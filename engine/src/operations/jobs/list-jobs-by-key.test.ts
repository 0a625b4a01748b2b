// Standalone jobs by the beginning of their key, on real PostgreSQL: live and ended, page by page, and what a page costs.
import { afterAll, beforeAll, expect, test } from "vitest"
import { drive } from "../../test-support/drive.ts"
import { holdLoops } from "../../test-support/loops.ts"
import { pagesRead, storeStatement } from "../../test-support/store-statements.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { beginningWith } from "../kernel/beginning-with.ts"
import { type EnqueueRequest, enqueueJob } from "./enqueue/enqueue-job.ts"
import { type EndedJobQuery, listEndedJobs } from "./list-ended-jobs.ts"
import { type JobQuery, listJobs } from "./list-jobs.ts"

let engine: TestEngine
let worker: ReturnType<typeof drive>
beforeAll(async () => {
  engine = await createTestEngine()
  await holdLoops(engine.kernel)
  worker = drive(engine.kernel, "w-1")
})
afterAll(() => engine.close())

const enqueue = async (jobType: string, key: string | undefined, more: Partial<EnqueueRequest> = {}) => {
  const request = { jobType, payload: {}, retries: 0, whenFull: "refuse" as const, actor: "local", ...more }
  return (await enqueueJob(engine.kernel, { ...request, ...(key === undefined ? {} : { key }) })).job.id
}

interface Keyed {
  readonly key?: string
}
interface KeyedPage {
  readonly items: readonly Keyed[]
  readonly nextCursor?: string
}

async function pagesOf(read: (cursor: string | undefined) => Promise<KeyedPage>): Promise<(string | undefined)[][]> {
  const pages: (string | undefined)[][] = []
  let cursor: string | undefined
  do {
    const page = await read(cursor)
    pages.push(page.items.map(({ key }) => key))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return pages
}
const live = (query: Partial<JobQuery>) =>
  pagesOf((cursor) => listJobs(engine.kernel, { status: "ready", pageSize: 20, ...query, cursor }))
const ended = (query: Partial<EndedJobQuery>) =>
  pagesOf((cursor) => listEndedJobs(engine.kernel, { pageSize: 20, ...query, cursor }))

test("live ones in the order of their types and keys, over pages, and none whose key begins otherwise", async () => {
  for (const key of ["import-2", "import-10", "export-1", undefined, "import-1"]) await enqueue("load", key)
  await enqueue("archive", "import-7", { priority: "high" })
  await enqueue("zip", "import-8", { delayMs: 3_600_000 })
  expect(await live({ keyPrefix: "import-" })).toEqual([["import-7", "import-1", "import-10", "import-2"]])
  expect(await live({ keyPrefix: "import-", pageSize: 2 })).toEqual([
    ["import-7", "import-1"],
    ["import-10", "import-2"],
  ])
  expect(await live({ keyPrefix: "import-1", jobType: "load" })).toEqual([["import-1", "import-10"]])
  expect(await live({ keyPrefix: "import-", jobType: "load", pageSize: 2 })).toEqual([
    ["import-1", "import-10"],
    ["import-2"],
  ])
  expect(await live({ keyPrefix: "import-", priority: "high" })).toEqual([["import-7"]])
  expect(await live({ keyPrefix: "import-", status: "delayed" })).toEqual([["import-8"]])
  expect(await live({ keyPrefix: "mport" })).toEqual([[]])
  expect(await live({ keyPrefix: "import-", jobType: "nobody" })).toEqual([[]])
})

test("each live status has its own: with workers, and held back for a turn under a limit", async () => {
  const limit = { key: "one", max: 1 }
  await enqueue("turns", "turn-1", { limit })
  await enqueue("turns", "turn-2", { limit })
  expect([await live({ keyPrefix: "turn-" }), await live({ keyPrefix: "turn-", status: "held" })]).toEqual([
    [["turn-1"]],
    [["turn-2"]],
  ])
  await worker.claimOne("turns")
  expect(await live({ keyPrefix: "turn-", status: "leased" })).toEqual([["turn-1"]])
})

test("ended ones, with how they ended, and nothing of those under way", async () => {
  await enqueue("print", "doc-1")
  await worker.complete(await worker.claimOne("print"), {})
  await enqueue("print", "doc-2")
  await worker.fail(await worker.claimOne("print"), "no paper", false)
  await enqueue("print", "doc-3")
  expect(await ended({ keyPrefix: "doc-" })).toEqual([["doc-1", "doc-2"]])
  expect(await ended({ keyPrefix: "doc-", status: "FAILED" })).toEqual([["doc-2"]])
  expect(await ended({ keyPrefix: "doc-", priority: "high" })).toEqual([[]])
  const { items } = await listEndedJobs(engine.kernel, { keyPrefix: "doc-2", pageSize: 20 })
  expect(items).toMatchObject([{ jobType: "print", status: "FAILED", error: "no paper", attempts: 1 }])
})

test.each(["", "null", "{}", "[1,2]"])("a cursor of another list is refused: %j", async (text) => {
  const cursor = Buffer.from(text).toString("base64url")
  const refused = { code: "bad-request" }
  await expect(listJobs(engine.kernel, { status: "ready", keyPrefix: "a", pageSize: 2, cursor })).rejects.toMatchObject(
    refused,
  )
})

test("SEC-37: of very many keys 1,000 are read for a page, those of other beginnings by none, and the pages come to the one that matches", async () => {
  const id = await enqueue("last", "a-1")
  await engine.db.script(`insert into millrace.job_keys (job_type, key, job_id, digest)
    select 'bulk-' || n % 10, 'b-' || n, '01ARZ3NDEKTSV4RRFFQ69G5FAV', '' from generate_series(1, 20000) n`)
  await engine.db.script(`insert into millrace.job_keys (job_type, key, job_id, digest)
    select 'early', 'a-' || n, '01ARZ3NDEKTSV4RRFFQ69G5FAV', '' from generate_series(1, 2500) n`)
  await engine.db.script("vacuum analyze millrace.job_keys")
  const values = { jobType: null, afterType: "", afterKey: "", ...beginningWith("a-"), lookAt: 1_000 }
  expect(await pagesRead(engine.db, storeStatement("jobs/job-keys", "listKeysFrom"), values)).toBeLessThan(10_000)
  expect(await live({ keyPrefix: "a-" })).toEqual([[], [], ["a-1"]])
  expect(
    (await listJobs(engine.kernel, { status: "ready", keyPrefix: "a-1", jobType: "last", pageSize: 5 })).items,
  ).toMatchObject([{ id, key: "a-1" }])
})
