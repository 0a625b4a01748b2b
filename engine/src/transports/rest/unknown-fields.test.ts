// A field that a route does not know is ignored, and the answer names it with the closest name the route knows.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { linear } from "../../test-support/definitions.ts"
import type { Route } from "../calls/route.ts"
import { warningHeaders } from "../calls/warning-headers.ts"
import { loadContract } from "./test-support/contract.ts"
import { everyRoute, requestFor } from "./test-support/every-route.ts"
import { RequestSchemas } from "./test-support/request-fields.ts"
import { createTestServer, type TestServer } from "./test-support/test-server.ts"

const contract = loadContract()
const schemas = new RequestSchemas(contract.document)
let server: TestServer

beforeAll(async () => {
  server = await createTestServer({ metricsOnRest: true, guardEnv: {} })
  await server.engine.upload(linear())
})
afterAll(() => server.close())

const nameOf = ({ method, path }: Pick<Route, "method" | "path">): string => `${method} ${path}`
const bodySchemaOf = (route: Route) =>
  contract.operations.get(nameOf(route))?.requestBody?.content["application/json"]?.schema

/** Definitions refuse what they do not know, and so do bodies that change what they name. */
const STRICT = ["POST /v1/definitions", "PATCH /v1/schedules/{scheduleId}", "PATCH /queues/weights"]
/** Bodies that are a map of the caller's own. */
const OPEN = ["POST /v1/instances/{instanceId}/signals/{stepId}", "POST /v1/intake/{definitionId}"]

const named = everyRoute.filter((route) => {
  const schema = bodySchemaOf(route)
  return schema !== undefined && ![...STRICT, ...OPEN].includes(nameOf(route))
})

/** The path of a queue needs one of the three names that exist. */
const pathOf = (route: Route): string => requestFor(route).replace("/queues/x/", "/queues/normal/")

const fieldsOf = (route: Route): string[] => [...(schemas.fieldsOf(bodySchemaOf(route)!).get("$") ?? [])]

describe("W-06: every route with a body", () => {
  test("there are many, and each names its fields", () => {
    expect(named.length).toBeGreaterThan(20)
    for (const route of named) expect(fieldsOf(route), nameOf(route)).not.toEqual([])
  })

  test.each(named.map((route) => [nameOf(route), route] as const))("W-06: %s", async (_, route) => {
    const [field] = fieldsOf(route) as [string]
    const misspelt = `${field}z`
    const samples = schemas.samplesOf(bodySchemaOf(route)!) as Record<string, unknown>[]
    for (const sample of samples) {
      const known = await server.call(pathOf(route), { body: sample })
      expect(known.headers.get("warning"), JSON.stringify(sample)).toBeNull()
      const reply = await server.call(pathOf(route), { body: { ...sample, [misspelt]: 1 } })
      const text = `$.${misspelt} is not known here and was ignored; did you mean ${field}?`
      expect(reply.headers.get("warning")).toContain(`299 - "${text}"`)
      const isSettled = reply.status < 400 || known.status >= 400
      expect(isSettled || reply.body.details === undefined, reply.text).toBe(true)
    }
  })

  test.each(OPEN)("W-06: the body of %s is the caller's own", async (name) => {
    const route = everyRoute.find((one) => nameOf(one) === name)!
    const reply = await server.call(requestFor(route), { body: { anything: 1 }, headers: { "idempotency-key": "k" } })
    expect(reply.headers.get("warning")).toBeNull()
  })
})

test("W-06: the request is served, and the field leaves no trace", async () => {
  const body = { definitionId: "linear", busnessKey: "order-7" }
  const { status, headers, body: instance } = await server.call("POST /v1/instances", { body })
  expect([status, instance.businessKey]).toEqual([201, undefined])
  expect(headers.get("warning")).toBe(
    '299 - "$.busnessKey is not known here and was ignored; did you mean businessKey?"',
  )
})

test("W-06: what is missing may be what was misspelt: a refusal says both", async () => {
  const reply = await server.call("POST /v1/instances", { body: { definitonId: "linear" } })
  expect([reply.status, reply.body.details[0].path]).toEqual([400, "$.definitionId"])
  expect(reply.headers.get("warning")).toContain(
    "$.definitonId is not known here and was ignored; did you mean definitionId?",
  )
})

test.each([
  ["attempts", "here it is `retries`"],
  ["jobId", "here it is `key`"],
  ["singletonKey", "here it is `unique`"],
  ["removeOnComplete", "here the records of ended jobs go by themselves"],
  ["repeat", "here it is a schedule"],
])("W-06: `%s` of a job, as other queues call it, is answered with: %s", async (name, hint) => {
  const job = { type: "mail", payload: {}, [name]: 1 }
  const one = await server.call("POST /jobs", { body: job })
  expect(one.headers.get("warning")).toContain(`299 - "$.${name} is not known here and was ignored; ${hint}`)
  const many = await server.call("POST /jobs/bulk", { body: { jobs: [job] } })
  expect(many.headers.get("warning")).toContain(`$.jobs[0].${name} is not known here and was ignored; ${hint}`)
})

test("W-06: a parameter of the query that is not known is named too", async () => {
  const { status, headers } = await server.call("GET /v1/instances?pagesize=5")
  expect([status, headers.get("warning")]).toEqual([
    200,
    '299 - "query.pagesize is not known here and was ignored; did you mean pageSize?"',
  ])
})

test("SEC: a name cannot break out of the header", async () => {
  const hostile = 'x"\r\nSet-Cookie: a=b\r\n\u00e9'
  const { status, headers } = await server.call("POST /v1/instances", {
    body: { definitionId: "linear", [hostile]: 1 },
  })
  expect([status, headers.get("set-cookie")]).toEqual([201, null])
  const [warning] = warningHeaders([`a"b\\c\r\nd\u00e9${"x".repeat(2_000)}`]).warning
  expect(warning).toMatch(/^299 - "a\\"b\\\\c\?\?d\?x+"$/)
  expect(warning?.length).toBeLessThan(600)
})

describe("W-06: a second cancel", () => {
  test("W-06: is a conflict, and so is one of an instance that has ended otherwise", async () => {
    const { id } = (await server.call("POST /v1/instances", { body: { definitionId: "linear" } })).body
    const cancel = () => server.call(`POST /v1/instances/${id}/cancel`, { body: {} })
    expect((await cancel()).status).toBe(200)
    const { status, body } = await cancel()
    expect([status, body.error, body.message]).toEqual([409, "conflict", "the instance is CANCELLED already"])
  })
})
