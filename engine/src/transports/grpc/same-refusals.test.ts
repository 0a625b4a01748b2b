// The SDK's client over both wires: what a message of gRPC would bend in silence is refused as over REST, violation by violation.
import { EngineClient, MillraceError } from "@millrace/sdk"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createTestGrpc, refusalOf, type TestGrpc } from "./test-support/test-grpc.ts"

const MIB = 1_048_576

let grpc: TestGrpc
let overRest: EngineClient
let overGrpc: EngineClient

beforeAll(async () => {
  grpc = await createTestGrpc()
  overRest = new EngineClient({ url: grpc.rest.url, maxAttempts: 1, workerId: "w" })
  overGrpc = new EngineClient({ url: `grpc://${grpc.address}`, maxAttempts: 1, workerId: "w" })
})
afterAll(async () => {
  overRest.close()
  overGrpc.close()
  await grpc.close()
})

type Call = (client: EngineClient) => Promise<unknown>

const refused = (call: Promise<unknown>) =>
  call.then(
    () => "taken",
    (error: unknown) => {
      if (!(error instanceof MillraceError)) throw error
      const { code, status, message, details } = error
      return { code, status, message, details }
    },
  )

const listing = (query: object) => (client: EngineClient) => client.listInstances(query)
const starting = (start: object) => (client: EngineClient) =>
  client.startInstance({ definitionId: "none", ...start } as never)
const service = { id: "a", name: "A", type: "SERVICE_TASK", jobType: "j" }
const uploading =
  (step: object, more: object = {}) =>
  (client: EngineClient) =>
    client.uploadDefinition({ id: "odd", name: "Odd", steps: [{ ...service, ...step }], ...more } as never)
const event = { type: "TIMER", duration: "PT1S", interrupting: true, targetStepId: "a" }

const mistakes: Record<string, Call> = {
  "a status in small letters": listing({ status: "failed" }),
  "a status that there is not": listing({ status: "FAILD" }),
  "a moment that is none": listing({ startedAfter: "yesterday" }),
  "a version that is a word": listing({ version: "x" }),
  "a page size with a fraction": listing({ pageSize: 1.5 }),
  "two mistakes in a query": listing({ pageSize: "many", startedBefore: "tomorrow" }),
  "a number as text in a start": starting({ definitionVersion: "1" }),
  "a number with a fraction in a start": starting({ definitionVersion: 1.5 }),
  "a number for a text": starting({ businessKey: 7 }),
  "a number for a word": starting({ priority: 7 }),
  "a list for variables": starting({ variables: [1] }),
  "a text for a list of job types": (client) => client.poll({ jobTypes: "mail" as never }),
  "a number among the job types": (client) => client.poll({ jobTypes: ["mail", 7 as never] }),
  "a text for a lease": (client) => client.poll({ jobTypes: ["mail"], leaseSeconds: "30" as never }),
  "a word for whether to retry": (client) =>
    client.fail("j", { leaseToken: "1.x", retryable: "no" as never, errorMessage: "" }),
  "a wait as text": (client) =>
    client.fail("j", { leaseToken: "1.x", retryable: true, errorMessage: "", retryAfter: "1" as never }),
  "reports that are no list": (client) => client.exchange({ completed: {} as never }),
  "a report that is no object": (client) => client.exchange({ completed: ["j" as never] }),
  "a flag as a word": uploading({ boundaryEvents: [{ ...event, interrupting: "yes" }] }),
  "a flag that is null": uploading({ boundaryEvents: [{ ...event, interrupting: null }] }),
  "a type of boundary event that there is not": uploading({ boundaryEvents: [{ ...event, type: "CLOCK" }] }),
  "a count with a fraction": uploading({ retryCount: 1.5 }),
  "a count as text": uploading({ retryCount: "3" }),
  "a duration that is a number": uploading({ timeout: { run: 5 } }),
  "a policy that is a number": uploading({ retry: 3 }),
  "a word of an enumeration that is a number": uploading({ onError: 1 }),
  "a step that is a text": uploading({}, { steps: ["a"] }),
  "steps that are no list": uploading({}, { steps: {} }),
  "a flag of the definition as a number": uploading({}, { events: 1 }),
}

describe("C-104: the same refusal, whichever wire the client has", () => {
  test.each(Object.entries(mistakes))("%s", async (_, call) => {
    const told = await refused(call(overRest))
    expect(told).toMatchObject({ code: "bad-request", status: 400 })
    expect(await refused(call(overGrpc))).toEqual(told)
  })

  test.each([
    ["a type of step that there is not", "$.steps[0].type", { steps: [{ ...service, type: "ENDE" }] }],
    ["no steps", "$.steps", { steps: undefined }],
    [
      "a condition that leads to a number",
      '$.steps[0].conditionalNextSteps["a > 1"]',
      { steps: [{ id: "d", name: "D", type: "DECISION", conditionalNextSteps: { "a > 1": 5 } }] },
    ],
  ])("of a definition also where the words differ: %s", async (_, path, more) => {
    for (const client of [overRest, overGrpc])
      expect(await refused(uploading({}, more)(client))).toMatchObject({
        code: "bad-request",
        details: expect.arrayContaining([expect.objectContaining({ path })]),
      })
  })

  test("what is too large for any message, so that no client sends it again; the connection goes on", async () => {
    const large = starting({ variables: { blob: "x".repeat(12 * MIB) } })
    for (const client of [overRest, overGrpc]) {
      expect(await refused(large(client))).toMatchObject({ code: "payload-too-large", status: 413 })
      expect(await refused(starting({})(client))).toMatchObject({ code: "not-found" })
    }
  })

  test("what both take: digits as text in a query, an empty status, and null for nothing", async () => {
    for (const client of [overRest, overGrpc]) {
      expect(await client.listInstances({ pageSize: "5" as never, page: 0, status: "" as never })).toMatchObject({
        items: [],
      })
      expect(await refused(starting({ businessKey: null, definitionVersion: 0 })(client))).toMatchObject({
        status: 404,
      })
    }
  })
})

test.each([99, -1])(
  "C-39: the number %i, which no enum has, filters nothing out of a list and is refused",
  async (status) => {
    expect(await refusalOf(grpc.rpc.listInstances({ status: status as never }))).toMatchObject({
      status: "INVALID_ARGUMENT",
      reason: "bad-request",
      violations: [{ field: "query.status" }],
    })
  },
)
