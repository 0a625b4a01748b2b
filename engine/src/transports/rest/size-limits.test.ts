// How much a caller may write at once, and how much an instance may have in all: the same at every door.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${…}` is the expression notation
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { bytesOf } from "../../model/instances/variable-sizes.ts"
import type { JsonObject } from "../../support/json.ts"
import { service, step, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { countRows } from "../../test-support/rows.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { createTestServer, type Reply, type TestServer } from "./test-support/test-server.ts"

const WRITE = 2_000
const WHOLE = 5_000

let engine: TestEngine
let server: TestServer
const call: TestServer["call"] = (route, options) => server.call(route, options)
const worker = () => drive(engine.kernel)

beforeAll(async () => {
  engine = await createTestEngine({ WE_MAX_WRITE_BYTES: String(WRITE), WE_MAX_VARIABLES_BYTES: String(WHOLE) })
  server = await createTestServer({ engine })
  await engine.upload(workflow("task", [step("USER_TASK", "ask", { nextStep: "a" }), service("a")]))
  await engine.upload(workflow("wait", [step("WAIT", "paid", { nextStep: "a" }), service("a")]))
  await engine.upload(workflow("fails", [service("f")]))
  await engine.upload(workflow("begins", [service("b")]))
  await engine.upload(workflow("works", [service("w", "w2"), service("w2", "w3"), service("w3")]))
  await engine.upload(workflow("list", [service("l")], { execution: "steplist" }))
})
afterAll(async () => {
  await server.close()
  await engine.close()
})

/** An object whose JSON has exactly so many bytes; characters of two bytes, so that counting them would not do. */
function objectOf(bytes: number, name = "x"): JsonObject {
  const room = bytes - bytesOf({ [name]: "" })
  return { [name]: "ü".repeat(Math.floor(room / 2)) + "u".repeat(room % 2) }
}

const startOf = async (definitionId: string, variables: JsonObject = {}): Promise<string> =>
  (await call("POST /v1/instances", { body: { definitionId, variables } })).body.id

async function failed(): Promise<string> {
  const id = await startOf("fails")
  for (const job of await worker().claim(["f"])) await worker().fail(job, "broken", false)
  return id
}

type Door = (written: JsonObject) => Promise<Reply>
let n = 0

const doors: Readonly<Record<string, Door>> = {
  start: (variables) => call("POST /v1/instances", { body: { definitionId: "begins", variables } }),
  intake: (body) => call("POST /v1/intake/begins", { body, headers: { "idempotency-key": `k${n++}` } }),
  "intake of a list": (body) => call("POST /v1/intake/list", { body, headers: { "idempotency-key": `k${n++}` } }),
  enqueue: (payload) => call("POST /jobs", { body: { type: "t", payload } }),
  "bulk enqueue": (payload) => call("POST /jobs/bulk", { body: { jobs: [{ type: "t", payload }] } }),
  schedule: (input) =>
    call(`PUT /v1/schedules/s${n++}`, { body: { cron: "0 3 * * *", jobType: "t", input, enabled: false } }),
  signal: async (variables) => call(`POST /v1/instances/${await startOf("wait")}/signals/paid`, { body: variables }),
  "user task": async (variables) =>
    call(`POST /v1/instances/${await startOf("task")}/user-tasks/ask/complete`, { body: { variables } }),
  retry: async (variables) => call(`POST /v1/instances/${await failed()}/retry`, { body: { variables } }),
}

describe.each(Object.entries(doors))("SEC-32: %s", (_, door) => {
  test.each([-1, 0])("accepts the limit %d", async (more) => {
    expect((await door(objectOf(WRITE + more))).status).toBeLessThan(300)
  })

  test("refuses one byte more with 413, and says how much is allowed", async () => {
    const { status, body } = await door(objectOf(WRITE + 1))
    expect([status, body.error]).toEqual([413, "payload-too-large"])
    expect(body.message).toContain(`${WRITE + 1} bytes of JSON in one write, at most ${WRITE} are allowed`)
  })
})

test("SEC-32: what is refused changes nothing", async () => {
  const tables = [
    "instances",
    "finished_instances",
    "jobs",
    "job_keys",
    "schedules",
    "queues",
    "intake_keys",
    "requests",
  ]
  const counted = async () => {
    const counts: Record<string, number> = {}
    for (const table of tables) counts[table] = await countRows(engine.db, table)
    return counts
  }
  const waiting = await startOf("wait")
  const task = await startOf("task")
  const dead = await failed()
  const before = await counted()
  const large = objectOf(WRITE + 1)
  for (const name of ["start", "intake", "intake of a list", "enqueue", "bulk enqueue", "schedule"])
    expect((await doors[name]?.(large))?.status, name).toBe(413)
  const changes = [
    await call(`POST /v1/instances/${waiting}/signals/paid`, { body: large }),
    await call(`POST /v1/instances/${task}/user-tasks/ask/complete`, { body: { variables: large } }),
    await call(`POST /v1/instances/${dead}/retry`, { body: { variables: large } }),
  ]
  expect(changes.map(({ status }) => status)).toEqual([413, 413, 413])
  expect(await counted()).toEqual(before)
  const statuses = await Promise.all([waiting, task, dead].map(async (id) => (await worker().get(id)).status))
  expect(statuses).toEqual(["WAITING", "WAITING", "FAILED"])
})

test("SEC-32: a number counts as PostgreSQL writes it, a text that looks like one does not", async () => {
  const small = (count: number) => ({ n: Array.from({ length: count }, () => 5e-300) })
  expect((await doors.start?.(small(6)))?.status).toBe(201)
  expect((await doors.start?.(small(7)))?.status).toBe(413)
  expect((await doors.enqueue?.(small(7)))?.status).toBe(413)
  expect((await doors.start?.({ text: "1e300 ".repeat(300) }))?.status).toBe(201)
})

test("SEC-32: the retry of a list is judged as every other write", async () => {
  const id = await startOf("list")
  await worker().fail(await worker().claimOne("list"), "broken", false)
  const { status } = await call(`POST /v1/instances/${id}/retry`, { body: { variables: objectOf(WRITE + 1) } })
  expect(status).toBe(413)
})

test("SEC-32: events of one instance that are too much together are each planned alone", async () => {
  const branches = Array.from({ length: 6 }, (_, n) => n)
  await engine.upload(
    workflow("wide", [
      step("PARALLEL_GATEWAY", "fork", { parallelNextSteps: branches.map((n) => `b${n}`), joinStep: "join" }),
      ...branches.flatMap((n) => [
        service(`b${n}`, `t${n}`, { jobType: "wide" }),
        step("TRANSFORMATION", `t${n}`, { transformations: { page: "${#text}" }, nextStep: "join" }),
      ]),
      step("JOIN_GATEWAY", "join", { nextStep: "end" }),
      step("END", "end"),
    ]),
  )
  const id = await startOf("wide", { text: "x".repeat(1_500) })
  const jobs = await worker().claim(["wide"])
  expect(await Promise.all(jobs.map((job) => worker().complete(job)))).toEqual(branches.map(() => "accepted"))
  expect((await worker().get(id)).status).toBe("COMPLETED")
})

describe("SEC-32: the variables of an instance as a whole", () => {
  /** As large as may be, without any step that reads them: the exact size is known only when it is asked for. */
  async function full(definitionId: string): Promise<string> {
    const id = await startOf(definitionId, objectOf(WRITE, "a"))
    await engine.db.script(`update millrace.instances set variables = input || '${JSON.stringify(objectOf(WHOLE - WRITE - 10, "b"))}',
      state = (state::jsonb - 'bytes')::json where id = '${id}'`)
    return id
  }

  test("a signal and a user task that would make them too large are refused with 413", async () => {
    const ids = [await full("wait"), await full("task")]
    const variables = objectOf(100, "c")
    const answers = [
      await call(`POST /v1/instances/${ids[0]}/signals/paid`, { body: variables }),
      await call(`POST /v1/instances/${ids[1]}/user-tasks/ask/complete`, { body: { variables } }),
    ]
    for (const { status, body } of answers) {
      expect([status, body.error]).toEqual([413, "payload-too-large"])
      expect(body.message).toMatch(/the instance would have \d+ bytes of variables, at most 5000 are allowed/)
    }
  })

  test("what replaces a value of the same size is taken", async () => {
    const id = await full("wait")
    const body = objectOf(WRITE, "a")
    expect((await call(`POST /v1/instances/${id}/signals/paid`, { body })).status).toBeLessThan(300)
  })

  test("a report that would make them too large fails its step for good, and is not tried again", async () => {
    const id = await startOf("works", objectOf(WRITE, "a"))
    await worker().complete(await worker().claimOne("w"), objectOf(WRITE, "b"))
    expect(await worker().complete(await worker().claimOne("w2"), objectOf(WRITE, "c"))).toBe("accepted")
    const { status, failureReason } = await worker().get(id)
    expect(status).toBe("FAILED")
    expect(failureReason).toMatch(/the result of w2 is too large: the instance would have \d+ bytes/)
    expect(await worker().claim(["w2", "w3"])).toEqual([])
  })

  test("a report that writes too much at once does the same", async () => {
    const id = await startOf("works")
    await worker().complete(await worker().claimOne("w"), objectOf(WRITE + 1))
    expect(await worker().get(id)).toMatchObject({
      status: "FAILED",
      failureReason: expect.stringContaining("WE_MAX_WRITE_BYTES"),
    })
  })

  test("a bound that was never exact is made so: a loop that writes the same name goes on", async () => {
    await engine.upload(
      workflow("loop", [
        service("turn", undefined, {
          conditionalNextSteps: { "#again": "turn" },
          nextStep: "end",
        }),
        step("END", "end"),
      ]),
    )
    const id = await startOf("loop", { again: true })
    for (let turn = 0; turn < 8; turn++)
      expect(await worker().complete(await worker().claimOne("turn"), objectOf(WRITE, "page"))).toBe("accepted")
    expect((await worker().get(id)).status).toBe("ACTIVE")
  })

  test("an instance above the limit goes on, and may become smaller; only what makes it larger is judged", async () => {
    const id = await startOf("works", objectOf(WRITE, "a"))
    await engine.db.script(`update millrace.instances set state = (state::jsonb - 'bytes')::json,
      variables = input || '${JSON.stringify(objectOf(2 * WHOLE, "old"))}' where id = '${id}'`)
    expect(await worker().complete(await worker().claimOne("w"))).toBe("accepted")
    expect(await worker().complete(await worker().claimOne("w2"), { a: "smaller" })).toBe("accepted")
    expect((await worker().get(id)).status).toBe("ACTIVE")
    await worker().complete(await worker().claimOne("w3"), objectOf(WRITE, "b"))
    expect((await worker().get(id)).status).toBe("FAILED")
  })
})

test("SEC-32: a standalone job whose result is too large is dead, and a repeat of the report is told the same", async () => {
  const { body } = await call("POST /jobs", { body: { type: "big", payload: {} } })
  const job = await worker().claimOne("big")
  expect(await worker().complete(job, objectOf(WRITE + 1))).toBe("accepted")
  expect(await worker().complete(job, objectOf(WRITE + 1))).toBe("accepted")
  const dead = await engine.db.script(
    `select reason, error from millrace.dead_letters where instance_id = '${body.job_id ?? body.id}'`,
  )
  expect(dead).toMatchObject([{ reason: "not-retryable", error: expect.stringContaining("the result is too large") }])
})

describe("C-32: what one request may have follows WE_MAX_WRITE_BYTES", () => {
  const payloadOf = (bytes: number) => ({ type: "t", payload: objectOf(bytes) })
  const refusalOf = ({ status, body }: Reply) => [status, body.error, body.message]

  test("by default a string above 256 KiB is 413 with the name of the setting, and so is a body above 1 MiB", async () => {
    const usual = await createTestEngine()
    const rest = await createTestServer({ engine: usual })
    expect((await rest.call("POST /jobs", { body: payloadOf(262_144) })).status).toBe(202)
    const refusals = [payloadOf(262_145), payloadOf(1_048_576)].map(async (body) =>
      refusalOf(await rest.call("POST /jobs", { body })),
    )
    expect(await Promise.all(refusals)).toEqual([
      [413, "payload-too-large", expect.stringContaining("WE_MAX_WRITE_BYTES")],
      [413, "payload-too-large", expect.stringContaining("larger than 1048576 bytes: four times WE_MAX_WRITE_BYTES")],
    ])
    await rest.close()
    await usual.close()
  })

  test("raised, it takes one string as large as the setting, and refuses more", async () => {
    const most = 2_097_152
    const wide = await createTestEngine({
      WE_MAX_WRITE_BYTES: String(most),
      WE_MAX_VARIABLES_BYTES: String(2 * most),
    })
    const rest = await createTestServer({ engine: wide })
    expect((await rest.call("POST /jobs", { body: payloadOf(most) })).status).toBe(202)
    expect((await rest.call("POST /jobs", { body: payloadOf(most + 1) })).status).toBe(413)
    await rest.close()
    await wide.close()
  })
})
