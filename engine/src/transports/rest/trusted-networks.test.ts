// A trusted network over real connections: what its callers may do without a key, and what nothing they send can get them.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ConfigError, loadConfig } from "../../config.ts"
import { TRUSTED_SCOPES } from "../../model/people/scopes.ts"
import { linear } from "../../test-support/definitions.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { trustNetworks } from "../calls/trusted-networks.ts"
import { createTestServer, type TestServer } from "./test-support/test-server.ts"

let engine: TestEngine
let near: TestServer
let far: TestServer

beforeAll(async () => {
  engine = await createTestEngine()
  const open = (network: string) =>
    createTestServer({ engine, auth: "required", findTrusted: trustNetworks([network], TRUSTED_SCOPES) })
  near = await open("127.0.0.0/8")
  far = await open("10.0.0.0/8")
})
afterAll(async () => {
  await Promise.all([near.close(), far.close()])
  await engine.close()
})

describe("W-05: callers from a trusted network", () => {
  test("W-05: work and start without a key", async () => {
    expect((await near.call("POST /v1/definitions", { body: linear() })).status).toBe(201)
    expect((await near.call("POST /v1/instances", { body: { definitionId: "linear" } })).status).toBe(201)
    const { status, body } = await near.call("POST /v1/jobs/poll", { body: { workerId: "w", jobTypes: ["a"] } })
    expect([status, body.jobs.length]).toEqual([200, 1])
    const done = await near.call(`POST /v1/jobs/${body.jobs[0].id}/complete`, { body: { workerId: "w" } })
    expect(done.status).toBe(204)
    expect((await near.call("GET /v1/session")).body).toMatchObject({ signedIn: true, name: "trusted network" })
  })

  test("SEC, W-05: have no more scopes than that", async () => {
    const pause = { kind: "queue", name: "normal", reason: "x" }
    expect((await near.call("POST /v1/pauses", { body: pause })).status).toBe(403)
    expect((await near.call("POST /jobs", { body: { type: "a", payload: {} } })).status).toBe(403)
  })

  test("SEC, W-05: others get 401, whatever their headers say of their address", async () => {
    const headers = { "x-forwarded-for": "10.0.0.1", forwarded: "for=10.0.0.1", "x-real-ip": "10.0.0.1" }
    expect((await far.call("GET /v1/instances", { headers })).status).toBe(401)
  })

  test("SEC, W-05: a wrong key is refused from everywhere", async () => {
    const headers = { authorization: "Bearer mill_wrong" }
    expect((await near.call("GET /v1/instances", { headers })).status).toBe(401)
  })

  test("SEC, W-05: the host is checked all the same, and so is the origin of a web page", async () => {
    const origin = { origin: "https://evil.example", "sec-fetch-site": "cross-site" }
    const body = { definitionId: "linear" }
    expect((await near.call("POST /v1/instances", { body, headers: origin })).status).toBe(403)
  })
})

describe("W-05: the settings", () => {
  const load = (env: Record<string, string>) => loadConfig({ env })

  test("W-05: are off by default, with the scopes of workers and clients and never admin", () => {
    expect(load({}).trustedNetworks).toEqual([])
    expect(load({}).trustedScopes).toEqual(TRUSTED_SCOPES)
    expect(TRUSTED_SCOPES).not.toContain("admin")
    const given = load({ WE_TRUSTED_NETWORKS: "10.0.0.0/8, fd00::/8,192.168.1.7", WE_TRUSTED_SCOPES: "jobs:work:mail" })
    expect(given.trustedNetworks).toEqual(["10.0.0.0/8", "fd00::/8", "192.168.1.7"])
    expect(given.trustedScopes).toEqual(["jobs:work:mail"])
  })

  test.each([
    { WE_TRUSTED_SCOPES: "admin" },
    { WE_TRUSTED_SCOPES: "jobs:work,admin" },
    { WE_TRUSTED_SCOPES: "everything" },
    { WE_TRUSTED_NETWORKS: "0.0.0.0/0" },
    { WE_TRUSTED_NETWORKS: "::/0" },
    { WE_TRUSTED_NETWORKS: "10.0.0.0/33" },
    { WE_TRUSTED_NETWORKS: "10.0.0/8" },
    { WE_TRUSTED_NETWORKS: "engine" },
    { WE_TRUSTED_NETWORKS: "fd00::/129" },
    { WE_TRUSTED_NETWORKS: "10.0.0.0/8/8" },
  ])("SEC, W-05: %j is refused at start", (env) => {
    expect(() => load(env)).toThrow(ConfigError)
  })

  test.each([
    "0.0.0.0/1,128.0.0.0/1",
    "10.0.0.0/8,128.0.0.0/1,0.0.0.0/2,64.0.0.0/2",
    "::/1,8000::/1",
    "::/1",
    "2000::/3",
    "::ffff:0.0.0.0/96",
    "::ffff:0:0/97,128.0.0.0/1",
  ])("SEC, W-05: %s is everyone, and refused at start", (networks) => {
    expect(() => load({ WE_TRUSTED_NETWORKS: networks })).toThrow(/together these are all addresses there are/)
  })

  test.each([
    "0.0.0.0/1",
    "0.0.0.0/1,128.0.0.0/2,192.0.0.0/3",
    "fc00::/7,10.0.0.0/8",
    "8000::/1",
    "::ffff:10.0.0.0/104",
  ])("W-05: %s is not everyone", (networks) => {
    expect(load({ WE_TRUSTED_NETWORKS: networks }).trustedNetworks).toEqual(networks.split(","))
  })

  test.each([
    ["10.1.2.3/8", "10.0.0.0/8"],
    ["192.168.7.129/25", "192.168.7.128/25"],
    ["fd00:1::5/32", "fd00:1::/32"],
    ["::ffff:10.1.2.3/104", "::ffff:a00:0/104"],
  ])("W-05: %s says more than its network, and is told to be %s", (given, meant) => {
    const said = `${given} is an address within a network: write ${meant}`
    expect(() => load({ WE_TRUSTED_NETWORKS: `127.0.0.1,${given}` })).toThrow(said)
  })
})
