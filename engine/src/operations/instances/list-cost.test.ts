// What a page of instances costs the database: the same for the first and a late page, whatever it is filtered by.
import { afterAll, beforeAll, expect, test } from "vitest"
import { holdLoops } from "../../test-support/loops.ts"
import { pagesRead, storeStatement } from "../../test-support/store-statements.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"

const ROWS = 40_000
const PAGE = 20
/** Far below what reading the table takes, and above what a page takes: its own rows, and the way down an index per partition. */
const PAGES_READ_MAX = 200

let engine: TestEngine
beforeAll(async () => {
  engine = await createTestEngine()
  await holdLoops(engine.kernel)
  await engine.db.script(`insert into millrace.finished_instances (id, definition_id, definition_version, status, priority,
      business_key, input, version, reads_variables, started_at, completed_at, failure_reason, failure)
    select '01ARZ3NDEKTSV4RRFFQ' || lpad(n::text, 7, '0'), case when n % 100 = 0 then 'rare' else 'common' end, 1, status, 'normal',
      case when n % 3 = 0 then 'k-' || n end, jsonb_build_object('text', repeat('words ', 40)), 1, false, now(), now(),
      case when status = 'FAILED' then 'boom' end, case when status = 'FAILED' then 'f-' || n % 7 end
    from generate_series(1, ${ROWS}) n,
      -- Of the rare definition everything has failed but for a few that were cancelled, long ago.
      lateral (select case when n % 100 = 0 then (case when n < 500 then 'CANCELLED' else 'FAILED' end)
        when n % 2 = 0 then 'COMPLETED' when n % 4 = 1 then 'CANCELLED' else 'FAILED' end as status) s`)
  await engine.db.script("vacuum analyze millrace.finished_instances")
})
afterAll(() => engine.close())

const statement = storeStatement("instances/finished-instances", "listInstances")

interface Filter {
  readonly definitionId?: string
  readonly status?: string
  readonly businessKey?: string
  readonly failure?: string
}

/** The statement as it is sent, with its values in place: it is planned with them. */
function pagesReadBy(filter: Filter, beforeId: string): Promise<number> {
  const every = { definitionId: null, status: null, businessKey: null, failure: null, version: null }
  return pagesRead(engine.db, statement, { ...every, ...filter, afterId: "", beforeId, read: PAGE + 1, offset: 0 })
}

const STATUSES = ["ACTIVE", "WAITING", "COMPLETED", "FAILED", "CANCELLED"]
const filters: Filter[] = [
  {},
  ...STATUSES.map((status) => ({ status })),
  ...["common", "rare", "nobody"].flatMap((definitionId) => [
    { definitionId },
    // Nothing of the rare one has completed: nobody keeps an index of that, for everything would pay for it.
    ...STATUSES.filter((status) => definitionId !== "rare" || status !== "COMPLETED").map((status) => ({
      definitionId,
      status,
    })),
  ]),
  { businessKey: "k-300" },
  { businessKey: "none" },
  { failure: "f-3" },
  { failure: "none" },
]

test.each(filters)("F78, SEC-37, C-22: %j, on the first page and on a late one", async (filter) => {
  for (const beforeId of ["~", "01ARZ3NDEKTSV4RRFFQ0012345", "01ARZ3NDEKTSV4RRFFQ0000300"])
    expect(await pagesReadBy(filter, beforeId)).toBeLessThan(PAGES_READ_MAX)
})
