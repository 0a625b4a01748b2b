// What callers are told of each SQLSTATE, raised by PostgreSQL itself or sent in its place: by reads, by single and batched writes, at
// every route and in the library.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { EngineError, type Mill, millrace } from "../../index.ts"
import { callers } from "../../test-support/callers.ts"
import { linear } from "../../test-support/definitions.ts"
import { createTestDatabase, createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { createWireProxy, type WireError, type WireProxy } from "../../test-support/wire-proxy.ts"
import { everyRoute, requestFor } from "./test-support/every-route.ts"
import { createTestServer, type Reply, type TestServer } from "./test-support/test-server.ts"

/** Caused by a pooler, a time-out, a fail-over, a full disk or an administrator. */
const RETRYABLE = [
  ...["08000", "08001", "08003", "08004", "08006", "08007", "08P01"],
  ...["25006", "25P03", "25P04", "26000", "42P05"],
  ...["28000", "28P01", "3D000", "42501"],
  ...["40000", "40001", "40003", "40P01"],
  ...["53000", "53100", "53200", "53300", "53400"],
  ...["55000", "55006", "55P02", "55P03", "55P04"],
  ...["57000", "57014", "57P01", "57P02", "57P03", "57P04", "57P05"],
  ...["58000", "58030", "58P01", "58P02", "58P03", "72000", "XX000"],
]
/** A statement or a row that should not have been: a fault of ours. No retry mends a broken index either. */
const OURS = [
  ...["0A000", "21000", "23502", "23503", "23505", "23514", "25P01", "25P02", "2F005", "34000"],
  ...["3F000", "42601", "42703", "42804", "42P01", "54000", "P0001", "XX001", "XX002"],
]
/** A value that a decoder should have refused: the caller can correct it. */
const BAD_VALUES = ["22000", "22003", "22021", "22P02", "22P05"]

const enqueue = (server: TestServer) => server.call("POST /jobs", { body: { type: "email", payload: {} } })

const DOORS: Readonly<Record<string, (server: TestServer) => Promise<Reply>>> = {
  "a read": (server) => server.call("GET /v1/schedules"),
  "a single write": (server) => server.call("PATCH /queues/weights", { body: { critical: 50, high: 30, normal: 20 } }),
  "a batched write": (server) => enqueue(server),
}

const putSchedule = (mill: Mill) => mill.schedules.put("hourly", { start: "known", cron: "0 * * * *" })

const LIBRARY: readonly ((mill: Mill) => Promise<unknown>)[] = [
  (mill) => mill.start("known"),
  (mill) => putSchedule(mill),
  (mill) => mill.schedules.list(),
  (mill) => mill.enqueue("email", {}),
  (mill) => mill.enqueueMany("email", [{}, {}]),
]

/** Whatever reads the clock or a schedule fails, and whatever adds a job. */
const FAULTS = `create table millrace.faults (code text); insert into millrace.faults values (null);
  create function millrace.fault() returns void language plpgsql as $$
    declare state text := (select code from millrace.faults);
    begin if state is not null then raise exception 'a fault: %', state using errcode = state; end if; end $$;
  create or replace function millrace.clock() returns timestamptz language plpgsql volatile as $$
    begin perform millrace.fault(); return clock_timestamp(); end $$;
  create function millrace.is_fine() returns boolean language plpgsql volatile as $$
    begin perform millrace.fault(); return true; end $$;
  alter table millrace.schedules rename to schedules_behind;
  create view millrace.schedules as select * from millrace.schedules_behind where millrace.is_fine();
  create function millrace.fault_of_insert() returns trigger language plpgsql as $$
    begin perform millrace.fault(); return null; end $$;
  create trigger fault before insert on millrace.jobs for each statement execute function millrace.fault_of_insert()`

const errorOf = (work: Promise<unknown>): Promise<EngineError> =>
  work.then(
    () => expect.fail("it was done"),
    (error: unknown) => error as EngineError,
  )

describe("raised by PostgreSQL", () => {
  let engine: TestEngine
  let server: TestServer
  let mill: Mill
  const raise = (code: string | null) =>
    engine.db.script(`update millrace.faults set code = ${code === null ? "null" : `'${code}'`}`)

  beforeAll(async () => {
    engine = await createTestEngine()
    server = await createTestServer({ engine })
    mill = await millrace({ database: engine.dsn, maxConnections: 2, logLevel: "silent" })
    await engine.upload(linear("known"))
    await putSchedule(mill)
    await engine.db.script(FAULTS)
  })
  afterAll(async () => {
    await raise(null)
    await mill.stop()
    await server.close()
    await engine.close()
  })

  test.each(RETRYABLE)(
    "F41, F42: %s is 503 with Retry-After at every door, and passes with its cause",
    async (code) => {
      await raise(code)
      for (const [name, call] of Object.entries(DOORS)) {
        const reply = await call(server)
        expect([name, reply.status, reply.body]).toEqual([name, 503, expect.objectContaining({ error: "unavailable" })])
        expect(Number(reply.headers.get("retry-after"))).toBeGreaterThanOrEqual(1)
        expect(reply.text).not.toContain(code)
      }
      for (const call of LIBRARY) {
        const error = await errorOf(call(mill))
        expect(error).toBeInstanceOf(EngineError)
        expect(error).toMatchObject({ code: "unavailable", retryAfterSeconds: expect.any(Number), cause: { code } })
      }
      await raise(null)
      expect([(await server.call("GET /v1/schedules")).status, (await enqueue(server)).status]).toEqual([200, 202])
    },
  )

  test.each(OURS)("%s is a fault of ours, and told as one", async (code) => {
    await raise(code)
    for (const [name, call] of Object.entries(DOORS)) {
      const reply = await call(server)
      expect([name, reply.status, reply.body.error]).toEqual([name, 500, "internal-error"])
    }
    expect(await errorOf(mill.enqueue("email", {}))).toMatchObject({ code: "internal-error", cause: { code } })
    await raise(null)
  })

  test.each([
    ["40001", "unavailable"],
    ["53100", "unavailable"],
    ["57014", "unavailable"],
    ["XX000", "unavailable"],
    ["42501", "42501"],
    ["57P01", "57P01"],
    ["23505", "23505"],
  ])("F42: %s in a caller's own transaction is told as %s", async (code, told) => {
    const caller = (callers.pg as NonNullable<typeof callers.pg>)(engine.dsn)
    await raise(code)
    const error = await errorOf(caller.transaction((tx) => mill.enqueue("email", {}, { tx })))
    expect(error).toMatchObject({ code: told })
    await raise(null)
    await caller.close()
  })

  test.each(BAD_VALUES)("%s is a value that cannot be stored", async (code) => {
    await raise(code)
    for (const [name, call] of Object.entries(DOORS)) expect([name, (await call(server)).status]).toEqual([name, 400])
    expect(await errorOf(mill.enqueue("email", {}))).toMatchObject({ code: "bad-request" })
    await raise(null)
  })
})

describe("sent in its place", () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>
  let proxy: WireProxy
  let engine: TestEngine
  let server: TestServer
  let mill: Mill
  let closing: (() => Promise<void>)[]

  beforeAll(async () => {
    database = await createTestDatabase()
    proxy = await createWireProxy(database.dsn)
    engine = await createTestEngine({ WE_POSTGRES_DSN: proxy.dsn, DB_MAX_CONNS: "3" })
    server = await createTestServer({ engine })
    mill = await millrace({ database: proxy.dsn, maxConnections: 2, logLevel: "silent" })
    closing = [
      () => mill.stop(),
      () => server.close(),
      () => engine.close(),
      () => proxy.close(),
      () => database.drop(),
    ]
  })
  afterAll(async () => {
    proxy.fault(undefined)
    for (const close of closing) await close()
  })

  test.each<[WireError, "bad-request" | "unavailable"]>([
    [{ severity: "ERROR", code: "57014" }, "unavailable"],
    [{ severity: "ERROR", code: "08P01" }, "unavailable"],
    [{ severity: "ERROR", code: "0A000", routine: "RevalidateCachedQuery" }, "unavailable"],
    [{ severity: "ERROR", code: "54000", routine: "GetNewTransactionId" }, "unavailable"],
    [{ severity: "FATAL", code: "25P03" }, "unavailable"],
    [{ severity: "FATAL", code: "53300" }, "unavailable"],
    [{ severity: "FATAL", code: "55000" }, "unavailable"],
    [{ severity: "FATAL", code: "57P03" }, "unavailable"],
    [{ severity: "FATAL", code: "XX999" }, "unavailable"],
    [{ severity: "FATAL", code: "28P01" }, "bad-request"],
    [{ severity: "FATAL", code: "3D000" }, "bad-request"],
    [{ severity: "FATAL", code: "42501" }, "bad-request"],
  ])("F40, F45, F42: %j is 503 in a running engine, and %s where one is opened", async (error, atOpening) => {
    proxy.fault(error)
    for (const [name, call] of Object.entries(DOORS)) expect([name, (await call(server)).status]).toEqual([name, 503])
    expect(await errorOf(mill.enqueue("email", {}))).toMatchObject({ code: "unavailable", cause: { code: error.code } })
    const opening = millrace({ database: proxy.dsn, maxConnections: 1, logLevel: "silent" })
    expect(await errorOf(opening)).toMatchObject({ code: atOpening, cause: { code: error.code } })
    proxy.fault(undefined)
    const after = await healed(server)
    expect([after.status, server.lines.filter(({ msg }) => msg === "a fault of ours")]).toEqual([202, []])
  })

  test.each<WireError>([
    { severity: "ERROR", code: "57014" },
    { severity: "FATAL", code: "25P03" },
    { severity: "FATAL", code: "28P01" },
  ])("F42: %j is 500 at no route", async (error) => {
    proxy.fault(error)
    const replies = await Promise.all(everyRoute.map((route) => server.call(requestFor(route), bodyFor(route.method))))
    const seen = everyRoute.map((route, at) => `${requestFor(route)} ${replies[at]?.status}`)
    expect(seen.filter((one) => one.endsWith(" 500"))).toEqual([])
    expect(seen.filter((one) => one.endsWith(" 503")).length).toBeGreaterThan(everyRoute.length / 3)
    proxy.fault(undefined)
  })
})

const bodyFor = (method: string): { body?: object } => (method === "GET" ? {} : { body: {} })

/** Connections that broke are found out one by one. */
async function healed(server: TestServer): Promise<Reply> {
  for (;;) {
    const reply = await enqueue(server)
    if (reply.status !== 503) return reply
  }
}
