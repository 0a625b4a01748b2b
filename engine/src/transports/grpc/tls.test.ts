// TLS by certificate files: REST and gRPC speak it themselves, and plaintext is not answered.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { request } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { credentials } from "@grpc/grpc-js"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { readTlsFiles } from "../../config/tls-files.ts"
import { createTestServer, type TestServer } from "../rest/test-support/test-server.ts"
import { createGrpcServer } from "./server.ts"
import { certificate, key } from "./test-support/certificate.ts"
import { HealthClient } from "./test-support/clients.ts"

const tls = { cert: Buffer.from(certificate), key: Buffer.from(key) }

describe("doors with a certificate", () => {
  let rest: TestServer
  let grpcUrl = ""
  let close: () => Promise<void>
  beforeAll(async () => {
    rest = await createTestServer({ tls })
    const grpc = createGrpcServer(rest.engine.kernel, rest.options)
    grpcUrl = await grpc.listen(0, "127.0.0.1")
    close = () => grpc.close()
  })
  afterAll(async () => {
    await close()
    await rest.close()
  })

  const check = (channel: ReturnType<typeof credentials.createInsecure>) =>
    new Promise((resolve) => {
      const client = new HealthClient(grpcUrl.replace(/^grpcs:\/\//, ""), channel)
      client.check({ service: "" }, (error, answer) => {
        client.close()
        resolve(error?.code ?? answer?.status)
      })
    })

  test("gRPC answers over TLS, and not in plaintext", async () => {
    expect(grpcUrl).toMatch(/^grpcs:\/\/127\.0\.0\.1:\d+$/)
    expect(await check(credentials.createSsl(tls.cert))).toBe(1)
    expect(await check(credentials.createInsecure())).toBe(14)
  })

  test("REST answers over TLS", async () => {
    expect(rest.url).toMatch(/^https:/)
    const status = await new Promise((resolve, reject) => {
      const call = request(`${rest.url}/healthz`, { ca: tls.cert }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
      call.on("error", reject).end()
    })
    expect(status).toBe(200)
  })
})

describe("certificate files", () => {
  const folder = mkdtempSync(join(tmpdir(), "millrace-tls-"))
  const [tlsCertFile, tlsKeyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")]
  beforeAll(() => {
    writeFileSync(tlsCertFile, certificate)
    writeFileSync(tlsKeyFile, key)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test("are read where both are set", () => {
    expect(readTlsFiles({ tlsCertFile, tlsKeyFile })).toEqual(tls)
    expect(readTlsFiles({ tlsCertFile: undefined, tlsKeyFile: undefined })).toBeUndefined()
  })

  test("one that is missing, or no key of the certificate, ends the start with one line", () => {
    const missing = join(folder, "none.pem")
    expect(() => readTlsFiles({ tlsCertFile, tlsKeyFile: missing })).toThrow(
      /WE_TLS_KEY_FILE=.* cannot be read \(ENOENT\)/,
    )
    expect(() => readTlsFiles({ tlsCertFile, tlsKeyFile: tlsCertFile })).toThrow(/not a certificate and its key in PEM/)
  })
})
