// The guard in front of gRPC, over real connections: the same verdicts as on REST, said as gRPC says them.
import { createRequire } from "node:module"
import { Metadata, type ServiceError, status } from "@grpc/grpc-js"
import { ErrorInfo, RetryInfo, Status } from "@millrace/sdk/proto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { createGuardedServer, type GuardedServer, headersOf, settledAt } from "../rest/test-support/guarded-server.ts"

let engine: TestEngine
let server: GuardedServer
let admin: string
beforeAll(async () => {
  engine = await createTestEngine()
  server = await createGuardedServer({ engine })
  admin = await server.key()
})
afterAll(async () => {
  await server.close()
  await engine.close()
})

const list = (ip: string, key?: string) =>
  server.grpc.rpc.listDefinitions({}, { metadata: headersOf({ ip, ...(key ? { key } : {}) }) })
const operate = (route: string, options = {}) => server.call(route, { ip: "10.9.9.9", key: admin }, options)

const refusal = async (call: Promise<unknown>): Promise<ServiceError> =>
  call.then(
    () => {
      throw new Error("it was served")
    },
    (error) => error,
  )

function detailsOf({ metadata }: ServiceError) {
  const [packed] = metadata.get("grpc-status-details-bin")
  const { details } = Status.decode(packed as Buffer)
  const find = (name: string) => details.find(({ typeUrl }) => typeUrl.endsWith(name))?.value as Buffer
  return {
    reason: ErrorInfo.decode(find("ErrorInfo")).reason,
    retry: find("RetryInfo") && RetryInfo.decode(find("RetryInfo")),
  }
}

test("E-07: a limit on the key holds over both wires together, and says RESOURCE_EXHAUSTED with RetryInfo", async () => {
  const key = await server.key({ limit: { requests: 5, windowMs: 60_000 } })
  for (let n = 0; n < 3; n++) await list("192.0.2.1", key)
  expect(server.grpc.trailer().get("x-ratelimit-remaining")).toEqual(["2"])
  for (let n = 0; n < 2; n++)
    expect((await server.call("GET /v1/definitions", { ip: "192.0.2.1", key })).status).toBe(200)
  const refused = await refusal(list("192.0.2.1", key))
  expect(refused.code).toBe(status.RESOURCE_EXHAUSTED)
  expect(detailsOf(refused)).toMatchObject({ reason: "rate-limited", retry: { retryDelay: { seconds: 60 } } })
  expect((await server.call("GET /v1/definitions", { ip: "192.0.2.1", key })).status).toBe(429)
})

test("E-04: a blocked address gets PERMISSION_DENIED, and is served again once it is unblocked", async () => {
  await operate("POST /admin/block-ip/192.0.2.2")
  const refused = await refusal(list("192.0.2.2", admin))
  expect([refused.code, detailsOf(refused).retry]).toEqual([status.PERMISSION_DENIED, undefined])
  await operate("DELETE /admin/block-ip/192.0.2.2")
  await list("192.0.2.2", admin)
})

test("SEC-04: an IPv6 address counts by its /64, as on REST", async () => {
  await operate("POST /admin/block-ip/2001:db8:1:2::1")
  expect((await refusal(list("2001:db8:1:2:ffff::9", admin))).code).toBe(status.PERMISSION_DENIED)
  await list("2001:db8:1:3::1", admin)
})

test("E-44: a blocked agent gets PERMISSION_DENIED, and is served again once it is unblocked", async () => {
  const { version } = createRequire(import.meta.url)("@grpc/grpc-js/package.json") as { version: string }
  const route = `/admin/block-agent?user_agent=grpc-node-js/${version}`
  await operate(`POST ${route}`)
  expect((await refusal(list("192.0.2.10", admin))).code).toBe(status.PERMISSION_DENIED)
  expect((await operate(`DELETE ${route}`)).body).toMatchObject({ was_blocked: true })
  await list("192.0.2.10", admin)
})

test("E-T4, SEC-60: after ten wrong keys the eleventh is refused, and a key that was good of late passes", async () => {
  await list("192.0.2.3", admin)
  const codes: number[] = []
  for (let n = 0; n < 11; n++) codes.push((await settledAt(server, refusal(list("192.0.2.3", `mill_no_${n}`)))).code)
  expect(codes).toEqual([...Array(10).fill(status.UNAUTHENTICATED), status.RESOURCE_EXHAUSTED])
  await list("192.0.2.3", admin)
})

const unknown = (
  ip: string,
  { path = "/workflow.v1.WorkflowEngine/ReadMinds", key }: { path?: string; key?: string } = {},
) =>
  new Promise<ServiceError>((resolve, reject) => {
    const metadata = new Metadata()
    for (const [name, value] of Object.entries(headersOf({ ip, ...(key ? { key } : {}) }))) metadata.set(name, value)
    const asIs = (bytes: Buffer) => bytes
    server.grpc.client.makeUnaryRequest(path, asIs, asIs, Buffer.from("x"), metadata, (error) =>
      error ? resolve(error) : reject(new Error("it was served")),
    )
  })

test("E-38: methods and services that do not exist are limited as unknown paths are, both together", async () => {
  for (let n = 0; n < 50; n++) {
    const path = n % 2 === 0 ? `/workflow.v1.WorkflowEngine/M${n}` : `/other.v${n}.Service/Call`
    const { code, metadata } = await unknown("192.0.2.6", { path })
    expect([code, metadata.get("x-ratelimit-remaining")]).toEqual([status.UNIMPLEMENTED, [String(99 - n)]])
  }
  for (let n = 0; n < 50; n++) expect((await server.call(`GET /nope/${n}`, { ip: "192.0.2.6" })).status).toBe(404)
  const refused = await unknown("192.0.2.6")
  expect([refused.code, detailsOf(refused)]).toMatchObject([
    status.RESOURCE_EXHAUSTED,
    { reason: "rate-limited", retry: { retryDelay: { seconds: 60 } } },
  ])
  expect((await unknown("192.0.2.7")).code).toBe(status.UNIMPLEMENTED)
  await list("192.0.2.6", admin)
})

test("E-38: one with a good key is counted by it on methods that do not exist, and not by its address", async () => {
  await list("192.0.2.8", admin)
  for (let n = 0; n < 100; n++) await unknown("192.0.2.8")
  expect((await unknown("192.0.2.8")).code).toBe(status.RESOURCE_EXHAUSTED)
  expect((await unknown("192.0.2.8", { key: admin })).code).toBe(status.UNIMPLEMENTED)
})

test("E-04, E-X9: a blocked address is refused on methods that do not exist, whose names are in no line and no label", async () => {
  await operate("POST /admin/block-ip/192.0.2.9")
  const refused = await unknown("192.0.2.9", { path: "/secret.Service/Nightingale" })
  expect(refused.code).toBe(status.PERMISSION_DENIED)
  expect(server.lines.find(({ remote }) => remote === "192.0.2.9")).toMatchObject({
    rpc: "unmatched",
    guard: { rule: "blocked-address" },
  })
  expect(JSON.stringify(server.lines) + (await engine.kernel.metrics.registry.metrics())).not.toMatch(/nightingale/i)
})

test("E-04: a stream of jobs is refused before it opens", async () => {
  await operate("POST /admin/block-ip/192.0.2.4")
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(headersOf({ ip: "192.0.2.4", key: admin }))) metadata.set(name, value)
  const stream = server.grpc.client.streamJobs(metadata)
  const error = await new Promise<ServiceError>((resolve) => stream.on("error", resolve as (error: Error) => void))
  expect(error.code).toBe(status.PERMISSION_DENIED)
})

test("E-32, SEC-57: the reason is in the log and not in the answer", async () => {
  await operate("POST /admin/block-ip/192.0.2.5", { body: { reason: "canary" } })
  const refused = await refusal(list("192.0.2.5", admin))
  expect(refused.details).not.toMatch(/canary|block|address/i)
  const line = server.lines.find(({ remote, rpc }) => remote === "192.0.2.5" && rpc === "ListDefinitions")
  expect(line?.guard).toMatchObject({ state: "hard-blocked", rule: "blocked-address", reason: "canary" })
})
