// A client with a wrong address, certificate or key learns from the error what to do: real sockets of a real engine, on both wires.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { EngineClient, type EngineClientOptions } from "@millrace/sdk"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { certificate, key } from "../../../../engine/dist/transports/grpc/test-support/certificate.js"
import { openRealEngine, type RealEngine } from "../test-support/real-engine.ts"

async function failure(options: EngineClientOptions, call = (client: EngineClient) => client.getInstance("i")) {
  const client = new EngineClient({ maxAttempts: 1, ...options })
  const error = await call(client).then(
    () => expect.fail("the call should have failed"),
    (error: Error) => error,
  )
  client.close()
  return error.message
}

const hostOf = (url: string): string => new URL(url).host

/** Which port is asked, by which scheme, and what the error says. */
type Case = readonly [
  what: string,
  scheme: string,
  door: "url" | "grpcUrl" | "metricsUrl",
  says: (host: string) => string,
]

describe("without TLS", () => {
  let engine: RealEngine
  beforeAll(async () => {
    engine = await openRealEngine({ WE_AUTH: "required" })
  })
  afterAll(() => engine.close())

  const cases: readonly Case[] = [
    ["the gRPC port over REST", "http", "grpcUrl", (host) => `It speaks gRPC: use grpc://${host}`],
    ["the REST port over gRPC", "grpc", "url", (host) => `http://${host} if it is the REST port`],
    ["the metrics port over REST", "http", "metricsUrl", (host) => `Is http://${host} the right address`],
    ["the metrics port over gRPC", "grpc", "metricsUrl", () => "gRPC is on 9090"],
    ["TLS against plaintext REST", "https", "url", (host) => `It does not speak TLS: use http://${host}`],
    ["TLS against plaintext gRPC", "grpcs", "grpcUrl", (host) => `It does not speak TLS: use grpc://${host}`],
  ]
  test.each(cases)("C-104: %s", async (_, scheme, door, says) => {
    const host = hostOf(engine[door])
    expect(await failure({ url: `${scheme}://${host}` })).toContain(says(host))
  })

  test.each(["url", "grpcUrl"] as const)("C-104: no key and a wrong one, at %s", async (door) => {
    expect(await failure({ url: engine[door] })).toContain(
      "Give the client an apiKey: `millrace keys create` makes one.",
    )
    expect(await failure({ url: engine[door], apiKey: "mill_wrong" })).toContain("Check the apiKey of the client")
  })

  test("C-104: readiness is asked of the wire that the address names, and needs no key", async () => {
    for (const url of [engine.url, engine.grpcUrl]) {
      const client = new EngineClient({ url })
      await client.ready()
      client.close()
    }
  })
})

describe("with a certificate that no authority signed", () => {
  let engine: RealEngine
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "millrace-certificate-"))
    const files = { WE_TLS_CERT_FILE: join(folder, "cert.pem"), WE_TLS_KEY_FILE: join(folder, "key.pem") }
    writeFileSync(files.WE_TLS_CERT_FILE, certificate)
    writeFileSync(files.WE_TLS_KEY_FILE, key)
    engine = await openRealEngine(files)
  })
  afterAll(async () => {
    await engine.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const cases: readonly Case[] = [
    ["plaintext against TLS over REST", "http", "url", (host) => `use https://${host}`],
    ["plaintext against TLS over gRPC", "grpc", "grpcUrl", (host) => `use grpcs://${host} if it speaks TLS`],
    ["a certificate that is not trusted over REST", "https", "url", () => "in NODE_EXTRA_CA_CERTS"],
    ["a certificate that is not trusted over gRPC", "grpcs", "grpcUrl", () => "in NODE_EXTRA_CA_CERTS"],
  ]
  test.each(cases)("C-104: %s", async (_, scheme, door, says) => {
    const host = hostOf(engine[door])
    expect(await failure({ url: `${scheme}://${host}` })).toContain(says(host))
  })
})
