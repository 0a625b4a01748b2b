import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { Principal } from "../../../operations/people/api-keys.ts"
import { end, linear, service, step, workflow } from "../../../test-support/definitions.ts"
import { drive } from "../../../test-support/drive.ts"
import { auditKinds, countRows } from "../../../test-support/rows.ts"
import { createTestServer, type TestServer } from "../../rest/test-support/test-server.ts"

const JSON_TYPE = { "content-type": "application/json" }
const portal: Principal = { id: "k", name: "the portal", scopes: ["instances:write"] }
const submission = {
  authentication_mode: "net_new",
  email: "ada@example.org",
  answers: { smokes: false, weight: 61.5 },
}

let server: TestServer

beforeAll(async () => {
  server = await createTestServer({ keys: { mill_portal: portal } })
  const { engine } = server
  const steps = [service("validatePayload"), service("createAccount")]
  await engine.upload(workflow("onboarding", steps, { execution: "steplist" }))
  await engine.upload({ ...workflow("strict", steps, { execution: "steplist" }), inputSchema: { required: ["email"] } })
  await engine.upload(linear())
  const choice = { conditionalNextSteps: { "big == true": "b", "big == false": "a" } }
  await engine.upload(
    workflow("graph", [step("DECISION", "d", choice), service("a", "end"), service("b", "end"), end()]),
  )
})
afterAll(() => server.close())
beforeEach(() => {
  server.lines.length = 0
})

const send = (definitionId: string, key: string | undefined, body: unknown = submission) =>
  server.call(`POST /v1/intake/${definitionId}`, {
    body,
    headers: key === undefined ? {} : { "idempotency-key": key },
  })
const sendText = (raw: string, key: string = randomUUID()) =>
  server.call("POST /v1/intake/onboarding", { raw, headers: { ...JSON_TYPE, "idempotency-key": key } })
const find = (definitionId: string, key: string) =>
  server.call(`GET /v1/intake/${definitionId}/${encodeURIComponent(key)}`)
const instancesOf = (key: string) => countRows(server.engine.db, "intake_keys", `key = '${key}'`)

describe("one submission", () => {
  test("A-05, A-06: a payload and a key are accepted with 202, and the run is there, pending, with the payload as jsonb", async () => {
    const key = randomUUID()
    const { status, body } = await send("onboarding", key)
    expect([status, body]).toEqual([202, { idempotencyKey: key }])
    const { body: instance } = await find("onboarding", key)
    expect(instance).toMatchObject({ definitionId: "onboarding", status: "ACTIVE", variables: submission })
    expect((await server.call(`GET /v1/instances/${instance.id}`)).body).toEqual(instance)
    const [row] = await server.engine.db.script(
      `select pg_typeof(i.input)::text as type, i.input->>'email' as email, j.status, j.step_id
       from millrace.instances i join millrace.jobs j on j.instance_id = i.id where i.id = '${instance.id}'`,
    )
    expect(row).toEqual({ type: "jsonb", email: "ada@example.org", status: "ready", step_id: "onboarding" })
    expect(await auditKinds(server.engine.db, instance.id)).toEqual(["INSTANCE_STARTED", "JOB_DISPATCHED"])
  })

  test("A-04: nothing is validated: what the definition would refuse is accepted as it is", async () => {
    const key = randomUUID()
    expect((await send("strict", key, { nothing: "of use" })).status).toBe(202)
    expect((await find("strict", key)).body.variables).toEqual({ nothing: "of use" })
  })

  test("A-02: what a worker claims is the whole of it", async () => {
    const session = { pages: Array.from({ length: 200 }, (_, n) => ({ page: n, answers: ["é 😀", null, n / 7] })) }
    const key = randomUUID()
    await server.engine.upload(workflow("session", [service("first")], { execution: "steplist" }))
    await send("session", key, session)
    const worker = drive(server.engine.kernel)
    const job = await worker.claimOne("session")
    expect(JSON.parse(job.variables)).toEqual(session)
    await worker.complete(job)
    expect((await find("session", key)).body).toMatchObject({ status: "COMPLETED", variables: session })
  })

  test("who submitted it is the key of the caller", async () => {
    const key = randomUUID()
    await server.call("POST /v1/intake/onboarding", {
      body: submission,
      headers: { authorization: "Bearer mill_portal", "idempotency-key": key },
    })
    const { id } = (await find("onboarding", key)).body
    expect((await server.call(`GET /v1/instances/${id}/audit`)).body.items[0].actor).toBe("the portal")
  })

  test("a definition that is a graph takes in the same way, and is started with the variables it decides by", async () => {
    for (const [key, big, at] of [
      ["graph-1", true, "b"],
      ["graph-2", false, "a"],
    ] as const) {
      for (const again of [1, 2]) expect([again, (await send("graph", key, { big })).status]).toEqual([again, 202])
      expect((await find("graph", key)).body).toMatchObject({ currentStepIds: [at], variables: { big } })
    }
    expect(await countRows(server.engine.db, "instances", "definition_id = 'graph'")).toBe(2)
  })
})

describe("payloads as text", () => {
  test.each([
    ["escapes", '{"a":"\\u0041\\n\\"\\\\ \\ud83d\\ude00","b\\t":[{}]}'],
    ["laid out in lines", '{\r\n\t"a": [\n    1,\n    2\n  ]\n}\n'],
    ["quotes, braces and backslashes as an array would have them", '{"a":"{\\"x\\",NULL}","b":"\\\\\\"","c":"\'; --"}'],
    ["numbers of every form", '{"n":[0,-0.5,1e5,1E-7,12345678901234.25,9007199254740991],"none":0e-99999}'],
    ["no key at all", " {} "],
  ])("A-06: %s are stored as the value they are", async (_, text) => {
    const key = randomUUID()
    expect((await sendText(text, key)).status).toBe(202)
    expect((await find("onboarding", key)).body.variables).toEqual(JSON.parse(text))
  })

  test.each([
    ["nothing", "", 400],
    ["an end that is missing", '{"a":1', 400],
    ["an end too many", '{"a":1}}', 400],
    ["a comma too many", '{"a":1,}', 400],
    ["a name without quotes", "{a:1}", 400],
    ["a line's end in a string", '{"a":"\n"}', 400],
    ["a list", "[1]", 400],
    ["a text", '"a"', 400],
    ["null", "null", 400],
    ["a number that JavaScript would round", '{"a":9007199254740993}', 400],
    ["a number that would become 0", '{"a":1e-99999}', 400],
    ["a number with more digits than a double keeps", '{"a":0.1234567890123456789}', 400],
    ["\\u0000", '{"a":"\\u0000"}', 400],
    ["half of a surrogate pair", '{"a":"\\ud800"}', 400],
    ["a depth bomb", `{"a":${"[".repeat(40)}${"]".repeat(40)}}`, 400],
    ["more than 1 MiB", `{"a":"${"x".repeat(1_048_576)}"}`, 413],
  ])("A-04: %s is refused at the door, before the database sees it", async (_, text, expected) => {
    const key = randomUUID()
    const { status, body } = await sendText(text, key)
    expect(status).toBe(expected)
    expect(body.message).toBeTruthy()
    expect(await instancesOf(key)).toBe(0)
  })

  test("bytes that are not UTF-8 are 400", async () => {
    const raw = Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d])
    const headers = { ...JSON_TYPE, "idempotency-key": randomUUID() }
    expect((await server.call("POST /v1/intake/onboarding", { raw, headers })).status).toBe(400)
  })

  test("any other content type is 415", async () => {
    const headers = { "content-type": "text/plain", "idempotency-key": randomUUID() }
    expect((await server.call("POST /v1/intake/onboarding", { raw: "{}", headers })).status).toBe(415)
  })
})

describe("keys", () => {
  test("A-05: without a key nothing is accepted, and the answer says what to send", async () => {
    const { status, body } = await send("onboarding", undefined)
    expect([status, body.error]).toEqual([400, "bad-request"])
    expect(body.details).toMatchObject([{ path: "header.Idempotency-Key", message: "is required" }])
  })

  test.each(["k", "order 1001/start?x=%2F#~", "x".repeat(256), "\u007e!".repeat(128)])(
    "A-05: %j is a key",
    async (key) => {
      expect((await send("onboarding", key)).body).toEqual({ idempotencyKey: key })
      expect((await find("onboarding", key)).status).toBe(200)
    },
  )

  test.each(["", "x".repeat(257), "caf\u00e9", "tab\there"])("A-05: %j is none", async (key) => {
    expect((await send("onboarding", key)).status).toBe(400)
  })

  test("A-07: a repeat is answered word for word like the first, and changes nothing", async () => {
    const key = randomUUID()
    const first = await send("onboarding", key)
    const before = (await find("onboarding", key)).body
    const again = await send("onboarding", key)
    expect([again.status, again.text]).toEqual([202, first.text])
    expect([...again.headers.keys()]).toEqual([...first.headers.keys()])
    expect((await find("onboarding", key)).body).toEqual(before)
    expect(await countRows(server.engine.db, "jobs", `instance_id = '${before.id}'`)).toBe(1)
  })

  test("A-07: a repeat after the run has ended is still the same submission", async () => {
    const key = randomUUID()
    await server.engine.upload(workflow("ends", [service("first")], { execution: "steplist" }))
    await send("ends", key)
    const worker = drive(server.engine.kernel)
    await worker.complete(await worker.claimOne("ends"))
    expect((await send("ends", key)).status).toBe(202)
    expect((await find("ends", key)).body.status).toBe("COMPLETED")
    expect(await worker.claim(["ends"])).toEqual([])
  })

  test("A-X6, A-08: the same key with another payload is the same submission: the first one stays", async () => {
    const key = randomUUID()
    await send("onboarding", key, { n: 1 })
    const again = await send("onboarding", key, { n: 2 })
    expect([again.status, again.body]).toEqual([202, { idempotencyKey: key }])
    expect((await find("onboarding", key)).body.variables).toEqual({ n: 1 })
    expect(await countRows(server.engine.db, "request_keys")).toBe(0)
  })

  test("A-07: a key is one per definition", async () => {
    await send("onboarding", "shared")
    await send("strict", "shared")
    expect((await find("onboarding", "shared")).body.id).not.toBe((await find("strict", "shared")).body.id)
  })

  test("A-09: duplicates are ordinary: all are 202, and none is in the log", async () => {
    const key = randomUUID()
    const replies = await Promise.all(Array.from({ length: 30 }, () => send("onboarding", key)))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([202]))
    expect(server.lines).toEqual([])
    expect(await instancesOf(key)).toBe(1)
  })

  test("A-10: an unknown definition and an unknown key are 404; a refusal is logged", async () => {
    expect((await send("nobody", randomUUID())).status).toBe(404)
    for (const id of ["nobody", "a%00", "%F0%9F%98%80"]) expect((await send(id, "k")).status).toBe(404)
    expect(server.lines.filter(({ level }) => level === "warn")).toHaveLength(4)
    expect(server.lines.filter(({ level }) => level === "error")).toEqual([])
    for (const key of ["never", "a%00", "%F0%9F%98%80", "y".repeat(300)])
      expect((await server.call(`GET /v1/intake/onboarding/${key}`)).status).toBe(404)
  })
})

describe("A-35: wakeups", () => {
  const wake = (linkingId: unknown, headers = {}) => server.call("POST /v1/wakeups", { body: { linkingId }, headers })

  /** Takes one in and lets it fail for an hour. */
  async function blocked(linkingId: string): Promise<void> {
    const headers = { "idempotency-key": randomUUID() }
    const path = `/v1/intake/blocked?linkingId=${encodeURIComponent(linkingId)}`
    expect((await server.call(`POST ${path}`, { body: submission, headers })).status).toBe(202)
    const worker = drive(server.engine.kernel)
    await worker.fail(await worker.claimOne("blocked"), "not yet", true, 3_600_000)
    expect(await worker.claim(["blocked"])).toEqual([])
  }

  beforeAll(() => server.engine.upload(workflow("blocked", [service("first")], { execution: "steplist" })))

  test("A-35: a run that waits is claimed at once after its event, linked by what was set at intake", async () => {
    await blocked("user 4711/é")
    expect((await wake("somebody else")).body).toEqual({ woken: 0 })
    const { status, body } = await wake("user 4711/é")
    expect([status, body]).toEqual([200, { woken: 1 }])
    const worker = drive(server.engine.kernel)
    const job = await worker.claimOne("blocked")
    expect(job.attempt).toBe(2)
    await worker.complete(job)
  })

  test("A-T5: an event before the run exists, while it is ready, and after its end does nothing", async () => {
    expect((await wake("early")).body).toEqual({ woken: 0 })
    await blocked("early")
    await wake("early")
    expect((await wake("early")).body).toEqual({ woken: 0 })
    const worker = drive(server.engine.kernel)
    await worker.complete(await worker.claimOne("blocked"))
    expect((await wake("early")).body).toEqual({ woken: 0 })
  })

  test("an event that is sent again with its key is told the first answer", async () => {
    await blocked("keyed")
    const key = { "idempotency-key": randomUUID() }
    expect((await wake("keyed", key)).body).toEqual({ woken: 1 })
    const again = await wake("keyed", key)
    expect([again.body, again.headers.get("idempotent-replayed")]).toEqual([{ woken: 1 }, "true"])
    expect((await wake("another", key)).status).toBe(422)
  })

  test.each([undefined, "", 7, "x".repeat(201)])("the linking id %j is 400", async (linkingId) => {
    expect((await wake(linkingId)).status).toBe(400)
    const query =
      linkingId === undefined ? "linkingId=a&linkingId=b" : `linkingId=${linkingId === 7 ? "%00" : linkingId}`
    const headers = { "idempotency-key": randomUUID() }
    expect((await server.call(`POST /v1/intake/onboarding?${query}`, { body: {}, headers })).status).toBe(400)
  })
})
