// The fuzzer in a short form, and what it is made of.
import { expect, test } from "vitest"
import { loadContract } from "../../../engine/dist/transports/rest/test-support/contract.js"
import { Findings } from "./findings.ts"
import { judgeGrpc } from "./grpc/grpc-judge.ts"
import { loadProtoSchema } from "./grpc/proto-schema.ts"
import { readMessage } from "./grpc/read-message.ts"
import { writeBytes, writeNumber } from "./grpc/wire-format.ts"
import { HELP, readOptions } from "./options.ts"
import { drawResult } from "./report.ts"
import { restOperations } from "./rest/operations.ts"
import { readResponse } from "./rest/read-response.ts"
import { judgeRest } from "./rest/rest-judge.ts"
import { makeRequest, type RestRequest } from "./rest/rest-request.ts"
import { runFuzz } from "./run-fuzz.ts"
import { diceAt } from "./values/dice.ts"
import { Memory } from "./values/memory.ts"
import type { Schema } from "./values/schema-values.ts"

const contract = loadContract()
const operations = restOperations(contract)
const proto = loadProtoSchema()

test("S23 SEC-06 SEC-32 SEC-33: no answer is outside the contract, and the engine is well afterwards", async () => {
  const options = { requests: 1_500, seed: 1, wires: ["rest", "grpc"], callers: 4, episode: undefined } as const
  const result = await runFuzz(options)
  expect(result.findings.map(({ fault, told }) => `${fault}\n${told}`)).toEqual([])
  // A run that only meets refusals would prove little.
  expect(result.tallies.rest.succeeded.size).toBeGreaterThan(60)
  expect(result.tallies.grpc.succeeded.size).toBeGreaterThan(10)
  expect(drawResult(result, options)).toContain("1500 requests")
})

/** The requests of an episode to an engine that answers nothing. */
function requestsOf(seed: number): RestRequest[] {
  const memory = new Memory()
  const schemas = contract.document.components.schemas as Readonly<Record<string, Schema>>
  const callers = [[1, { scopes: ["admin"], authorization: "Bearer x" }]] as const
  const parts = { operations, callers, from: "10.0.0.1" }
  return Array.from({ length: 300 }, (_, at) =>
    makeRequest({ dice: diceAt(seed, 0, at), memory, schemas }, { ...parts, at }),
  )
}

test("the same seed makes the same requests, another seed others", () => {
  expect(requestsOf(5)).toEqual(requestsOf(5))
  expect(requestsOf(6)).not.toEqual(requestsOf(5))
})

test("every operation of the contract and every RPC is known", () => {
  expect(operations.map(({ name }) => name).sort()).toEqual([...contract.operations.keys()].sort())
  expect(proto.rpcs.map(({ name }) => name)).toContain("StreamJobs")
  expect(proto.messages.get(".workflow.v1.Job")?.find(({ name }) => name === "lease_token")?.number).toBe(100)
})

const asked = {
  method: "GET",
  headers: {},
  body: undefined,
  raw: false,
  scopes: ["admin"],
  isValid: true,
  said: undefined,
}
const requestFor = (name: string): RestRequest => {
  const operation = operations.find((one) => one.name === name)!
  return { ...asked, operation, target: operation.path.replaceAll(/\{\w+\}/g, "x") }
}
const HEADERS = { "x-request-id": "r", "millrace-version": "1", "content-type": "application/json" }
const REFUSAL = { error: "not-found", message: "no", requestId: "r" }
const waiting = requestFor("GET /v1/instances/{instanceId}/waiting")

test.each<[string, number, object, RegExp | undefined]>([
  ["as the contract has it", 200, { reasons: [] }, undefined],
  ["a refusal of the catalogue", 404, REFUSAL, undefined],
  ["a field that the contract does not have", 200, { reasons: [], planted: 1 }, /planted/],
  ["a field that is missing", 200, {}, /reasons/],
  ["a fault of ours", 500, { ...REFUSAL, error: "internal-error" }, /the status 500/],
  ["a code of no catalogue", 400, { ...REFUSAL, error: "odd-code" }, /not in the catalogue/],
  ["a code with the status of another", 400, REFUSAL, /not-found with 400/],
  ["the id of another request", 404, { ...REFUSAL, requestId: "s" }, /request id differs/],
  ["no time to wait", 429, { ...REFUSAL, error: "rate-limited" }, /Retry-After/],
  ["the words of an exception", 404, { ...REFUSAL, message: "TypeError" }, /tells TypeError/],
])("an answer is judged: %s", (_, status, body, fault) => {
  const faults = judgeRest(contract, waiting, { status, headers: HEADERS, text: JSON.stringify(body) })
  expect(faults).toEqual(fault ? [expect.stringMatching(fault)] : [])
})

test("an answer is judged: who got it, its headers, and whether there is one", () => {
  const answer = { status: 200, headers: HEADERS, text: '{"reasons":[]}' }
  const faults = (request: RestRequest, more: object) => judgeRest(contract, request, { ...answer, ...more })
  expect(faults({ ...waiting, scopes: ["jobs:read"] }, {})).toEqual([expect.stringContaining("the scopes jobs:read")])
  expect(faults({ ...waiting, scopes: undefined }, {})).toEqual([expect.stringContaining("the scopes none")])
  const { "millrace-version": _, ...others } = HEADERS
  expect(faults(waiting, { headers: others })).toEqual([expect.stringContaining("Millrace-Version")])
  expect(faults(waiting, { status: 0, failure: "reset" })).toEqual([expect.stringContaining("reset")])
})

test("an answer of gRPC is judged: an unknown field, an unknown status, and who may have it", () => {
  const rpc = proto.rpcs.find(({ name }) => name === "GetInstance")!
  const body = Buffer.alloc(0)
  const request = { rpc, headers: {}, body, scopes: ["instances:read"], isValid: true, isBroken: false }
  const messages = [writeBytes(1, writeBytes(1, Buffer.from("x")))]
  const answer = { status: 0, message: "", details: undefined, requestId: "r", messages }
  const faults = (more: object, scopes = request.scopes) =>
    judgeGrpc(proto, { ...request, scopes }, { ...answer, ...more })
  expect(faults({})).toEqual([])
  expect(faults({}, ["jobs:work"])).toEqual([expect.stringContaining("jobs:work")])
  expect(faults({ messages: [writeNumber(77, 1n)] })).toEqual([expect.stringContaining("no field 77")])
  expect(faults({ status: 13 })).toEqual([expect.stringContaining("INTERNAL without details")])
  expect(faults({ status: undefined })).toEqual([expect.stringContaining("no status")])
  expect(() => readMessage(proto, rpc.output, writeBytes(1, writeNumber(4, 99n)))).toThrow("status is 99")
})

test("an answer of HTTP is read from its bytes, whole or in chunks", () => {
  const head = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 400 Bad Request\r\nX-Request-Id: r\r\n"
  const headers = { "x-request-id": "r" }
  expect(readResponse(Buffer.from(`${head}\r\nno`))).toEqual({ status: 400, text: "no", headers })
  const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n`
  expect(readResponse(Buffer.from(chunked)).text).toBe("abc")
  expect(readResponse(Buffer.from("HTTP/1.1 4"))).toMatchObject({ status: 0, failure: "closed after 10 bytes" })
})

test("what belongs together is recalled together, and a key of the run itself never", () => {
  const memory = new Memory(new Set(["own"]))
  const jobs = [
    { id: "j1", leaseToken: "t1" },
    { id: "j2", leaseToken: "t2" },
  ]
  memory.learn({ jobs }, "jobId")
  memory.learn({ id: "own", name: "n" }, "keyId")
  expect(memory.belonging(["jobId", "leaseToken"], 0.9)).toMatchObject({ jobId: "j2", leaseToken: "t2" })
  expect([memory.recall("jobId", 0), memory.recall("keyId", 0)]).toEqual(["j1", undefined])
})

test("a finding is told once, with the command that repeats it", () => {
  const findings = new Findings()
  const ids = ["01JN8Z3V5E8Q2R7W4Y6T9A1B3C", "01JN8Z3V5E8Q2R7W4Y6T9A1B3D"]
  for (const id of ids) findings.add(`there is no ${id}`, 3, "GET /")
  const tally = { sent: 1, statuses: "", succeeded: new Set<string>(), share: 1 }
  const tallies = { rest: tally, grpc: tally }
  const result = { seconds: 1, findings: findings.all, tallies, sizes: { rest: 1, grpc: 1 }, resident: [1] }
  const drawn = drawResult(result as never, readOptions(["--seed", "9"])!)
  expect(drawn).toContain(`FOUND 2 ×: there is no ${ids[0]}\nagain: npm run fuzz -- --seed 9 --episode 3`)
})

test("the command line is read strictly", () => {
  expect(readOptions(["--help"])).toBeUndefined()
  expect(HELP).toContain("--episode")
  const read = { requests: 20_000, seed: 4, wires: ["rest", "grpc"], callers: 4, episode: undefined }
  expect(readOptions(["--seed", "4"])).toEqual(read)
  expect(readOptions(["--seed", "4", "--wire", "grpc", "--episode", "7"])).toMatchObject({
    wires: ["grpc"],
    episode: 7,
  })
  expect(() => readOptions(["--requests", "many"])).toThrow("--requests must be a whole number from 1 to")
  expect(() => readOptions(["--wire", "soap"])).toThrow("--wire soap is not one of rest, grpc")
})
