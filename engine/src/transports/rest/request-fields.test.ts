// The fields that the server reads from a request are those that the contract names, no more and no fewer.

import { afterAll, beforeAll, expect, test } from "vitest"
import { EVERYTHING } from "../../model/people/reach.ts"
import { type Answer, type Call, LOCAL, type Route } from "../calls/route.ts"
import { restRoutes } from "./server.ts"
import { loadContract } from "./test-support/contract.ts"
import { everyRoute, pathFor } from "./test-support/every-route.ts"
import { type FieldNames, RequestSchemas, watched } from "./test-support/request-fields.ts"
import { createTestServer, type TestServer } from "./test-support/test-server.ts"

const contract = loadContract()
const schemas = new RequestSchemas(contract.document)
let server: TestServer

beforeAll(async () => {
  server = await createTestServer({ metricsOnRest: true, guardEnv: {} })
})
afterAll(() => server.close())

/** Names that are looked for only to refuse them, where ignoring a misspelt field would do harm quietly. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  "POST /jobs $": ["fairKey", "jobType", "whenFull"],
  "POST /jobs/bulk $.jobs[]": ["fairKey", "jobType", "whenFull"],
}

const nameOf = ({ method, path }: Pick<Route, "method" | "path">): string => `${method} ${path}`
const operationOf = (name: string) => contract.operations.get(name)!
const bodySchemaOf = (name: string) => operationOf(name).requestBody?.content["application/json"]?.schema

const withBody = everyRoute.filter((route) => bodySchemaOf(nameOf(route)) !== undefined && !route.bodyAsText)
const withQuery = everyRoute.filter((route) => !route.openEnded).map(nameOf)

test.each(withBody.map(nameOf))("C-33: the body of %s has the fields that are read", async (name) => {
  const schema = bodySchemaOf(name)!
  const promised = schemas.fieldsOf(schema)
  const reads: FieldNames = new Map()
  for (const body of schemas.samplesOf(schema)) await ask(name, { body: watched(body, reads) as Call["body"] })
  const read = [...promised.keys()].map((at) => [at, withoutRefused(`${name} ${at}`, reads.get(at))])
  expect(Object.fromEntries(read)).toEqual(Object.fromEntries([...promised].map(([at, names]) => [at, sorted(names)])))
})

test.each(withQuery)("C-33: the query of %s has the parameters that are read", async (name) => {
  const promised = contract.queryOf(name)
  const reads: FieldNames = new Map()
  await ask(name, { query: watched(Object.fromEntries(promised.map((parameter) => [parameter, "x"])), reads) })
  expect(sorted(reads.get("$") ?? [])).toEqual(sorted(promised))
})

/** By the route itself: what it refuses for other reasons, it refuses after it has read the request. */
async function ask(name: string, request: Partial<Call>): Promise<Answer | undefined> {
  const route = restRoutes(server.options).find((one) => nameOf(one) === name)!
  const stored = route.bodyAsText ? { body: "{}", idempotencyKey: "k" } : {}
  const call: Call = { ...callOf(route), ...stored, ...request }
  const answer = await Promise.resolve(call)
    .then(route.handle)
    .catch(() => undefined)
  if (answer?.body && typeof answer.body === "object" && "destroy" in answer.body) answer.body.destroy()
  return answer
}

function callOf({ method, path }: Route): Call {
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([hole, name]) => [name!, PARAMS[name!] ?? pathFor(hole)])
  return {
    kernel: server.engine.kernel,
    method,
    path: pathFor(path),
    params: Object.fromEntries(ids),
    query: {},
    body: undefined,
    size: 0,
    idempotencyKey: undefined,
    headers: {},
    requestId: "r",
    principal: LOCAL,
    reach: EVERYTHING,
    trace: undefined,
    warnings: [],
    gone: () => new AbortController().signal,
    weigh: Buffer.byteLength,
    hasCap: false,
    door: "rest",
  }
}

/** With others the request is refused before it is read. */
const PARAMS: Readonly<Record<string, string>> = { name: "normal", kind: "queue" }

const withoutRefused = (at: string, names: Iterable<string> = []): readonly string[] =>
  sorted(names).filter((name) => !REFUSED[at]?.includes(name))

const sorted = (names: Iterable<string>): readonly string[] => [...names].sort()
