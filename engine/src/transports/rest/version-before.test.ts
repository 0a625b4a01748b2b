// Two versions on one database while one replaces the other: keys that either has written, met by the other.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { statement } from "../../db/statements.ts"
import { digestOf } from "../../operations/kernel/idempotency.ts"
import { linear, service, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { countRows } from "../../test-support/rows.ts"
import { createTestServer, type TestServer } from "./test-support/test-server.ts"

// As the version before has them.
const INSERT = statement(
  "before.insertIdempotencyKeys",
  `insert into millrace.idempotency_keys (scope, key, digest, status, answer, created_at)
select x.scope, x.key, x.digest, x.status, x.answer, (select millrace.clock())
from @keys as x (scope text, key text, digest bytea, status integer, answer json)
order by 1, 2
on conflict do nothing
returning scope, key`,
)
const FIND = statement(
  "before.findIdempotencyKeys",
  `select k.scope, k.key, k.digest, k.status, k.answer
from @keys as x (scope text, key text)
join millrace.idempotency_keys k on k.scope = x.scope and k.key = x.key`,
)
const ANSWER = statement(
  "before.answerIdempotencyKey",
  "update millrace.idempotency_keys set status = @status, answer = @body where scope = @scope and key = @key",
)
const RELEASE = statement(
  "before.deleteIdempotencyKeys",
  `delete from millrace.idempotency_keys k using @keys as x (scope text, key text)
where k.scope = x.scope and k.key = x.key`,
)

/** As a request of this version has it until it ends. */
const UNDER_WAY = statement(
  "now.insertRequestKey",
  `insert into millrace.request_keys (scope, key, digest, created_at)
values (@scope, @key, @digest, (select millrace.clock()))`,
)

let server: TestServer
beforeAll(async () => {
  server = await createTestServer()
  await server.engine.upload(linear())
  await server.engine.upload(workflow("fails", [service("f")]))
})
afterAll(() => server.close())

interface Kept {
  readonly route: string
  readonly key: string
  readonly body?: unknown
}

const scopeOf = (route: string): string => `${route} local`

const send = ({ route, key, body }: Kept) => server.call(route, { body, headers: { "idempotency-key": key } })

/** What the version before does with a key: undefined where the request is new, and goes ahead. */
async function claimBefore({ route, key, body }: Kept): Promise<"first" | "503" | Record<string, unknown>> {
  const name = { scope: scopeOf(route), key }
  return server.engine.db.transaction(async (tx) => {
    const row = { ...name, digest: digestOf(body), status: 0, answer: null }
    if ((await tx.read(INSERT, { keys: [row] })).length > 0) return "first"
    const [found] = await tx.read(FIND, { keys: [name] })
    return found ?? "503"
  })
}

const answerBefore = ({ route, key }: Kept, status: number, body: string | null) =>
  server.engine.db.transaction(async (tx) => tx.write(ANSWER, { scope: scopeOf(route), key, status, body }))

describe("S3: a key that the new version has written", () => {
  test("is no new request to the version before, and it finds no answer: it says 503 and does nothing", async () => {
    const kept = { route: "POST /v1/instances", key: "new-1", body: { definitionId: "linear" } }
    const first = await send(kept)
    expect(await claimBefore(kept)).toBe("503")
    await server.engine.db.transaction(async (tx) => {
      await tx.read(RELEASE, { keys: [{ scope: scopeOf(kept.route), key: kept.key }] })
    })
    expect((await send(kept)).text).toBe(first.text)
    expect(await countRows(server.engine.db, "request_keys", "key = 'new-1'")).toBe(1)
  })

  test("makes the version before wait for the request that is under way", async () => {
    const kept = { route: "POST /x", key: "race", body: {} }
    const { before } = await server.engine.db.transaction(async (tx) => {
      await tx.read(UNDER_WAY, { scope: scopeOf(kept.route), key: kept.key, digest: digestOf(kept.body) })
      return { before: claimBefore(kept) }
    })
    expect(await before).toBe("503")
  })
})

describe("a key that the version before has written is read until it expires", () => {
  test("S3: an answer with a body is given word for word, with its status", async () => {
    const body = { definitionId: "linear" }
    const kept = { route: "POST /v1/instances", key: "old-1", body }
    expect(await claimBefore(kept)).toBe("first")
    const { body: instance } = await server.call("POST /v1/instances", { body })
    await answerBefore(kept, 201, JSON.stringify(instance))
    const before = await countRows(server.engine.db, "instances")
    const again = await send(kept)
    expect([again.status, again.body, again.headers.get("idempotent-replayed")]).toEqual([201, instance, "true"])
    expect(await countRows(server.engine.db, "instances")).toBe(before)
  })

  test("S3: one without a body is answered as that version did, with what is so now", async () => {
    const worker = drive(server.engine.kernel)
    const { id } = (await server.call("POST /v1/instances", { body: { definitionId: "fails" } })).body
    await worker.fail(await worker.claimOne("f"), "no", false)
    const kept = { route: `POST /v1/instances/${id}/steps/f/retry`, key: "old-2", body: {} }
    expect(await claimBefore(kept)).toBe("first")
    await answerBefore(kept, 200, null)
    const again = await send(kept)
    expect([again.status, again.body.status]).toEqual([200, "FAILED"])
  })

  test("S3: a schedule that was made is still 201, one that was replaced 200; a paused queue in its own words", async () => {
    const spec = { cron: "@daily", jobType: "t" }
    const { body: schedule } = await server.call("PUT /v1/schedules/old", { body: spec })
    for (const status of [201, 200]) {
      const kept = { route: "PUT /v1/schedules/old", key: `old-${status}`, body: spec }
      await claimBefore(kept)
      await answerBefore(kept, status, JSON.stringify(schedule))
      const again = await send(kept)
      expect([again.status, again.body]).toEqual([status, schedule])
    }
    const paused = {
      name: "high",
      paused: true,
      reason: "x",
      paused_by: "local",
      paused_at: "2025-03-01T09:31:00.000Z",
    }
    const kept = { route: "POST /queues/high/pause", key: "old-pause", body: { reason: "x" } }
    await claimBefore(kept)
    await answerBefore(kept, 200, JSON.stringify(paused))
    expect((await send(kept)).body).toEqual(paused)
    expect(await countRows(server.engine.db, "pauses")).toBe(0)
  })
})
