import { request } from "node:http"
import { gunzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { createMetricsServer } from "../../rest/server.ts"
import { rawRequest } from "../../rest/test-support/raw-http.ts"
import { createTestServer, type TestServer } from "../../rest/test-support/test-server.ts"
import { createUiFolder, UI_FILES, type UiFolder } from "../../rest/test-support/ui-folder.ts"

const INDEX = UI_FILES["index.html"] as string
const SCRIPT = "/ui/assets/index-1a2b.js"

let engine: TestEngine
let folder: UiFolder
let server: TestServer

beforeAll(async () => {
  engine = await createTestEngine()
  folder = await createUiFolder()
  await folder.write("../secret.txt", "canary")
  // With keys demanded: the page is for whoever has none yet.
  server = await createTestServer({ engine, auth: "required", uiFolder: folder.url })
})
afterAll(async () => {
  await server.close()
  await engine.close()
  await folder.remove()
})

const get = (path: string, headers: Record<string, string> = {}) => server.call(`GET ${path}`, { headers })

/** The bytes as they come: fetch would unpack them. */
const raw = (path: string, headers: Record<string, string> = {}) =>
  new Promise<{ status: number; headers: Headers; body: Buffer }>((resolve, reject) => {
    const sent = request(server.url + path, { headers }, (response) => {
      const parts: Buffer[] = []
      response.on("data", (part) => parts.push(part))
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: new Headers(response.headers as Record<string, string>),
          body: Buffer.concat(parts),
        }),
      )
    })
    sent.on("error", reject).end()
  })

describe("the dashboard's page", () => {
  test.each([
    ["/", "/ui/"],
    ["/ui", "/ui/"],
    ["/docs", "/ui/api"],
  ])("C-122: %s leads to %s", async (from, to) => {
    const { status, headers, text } = await get(from)
    expect([status, headers.get("location"), text]).toEqual([302, to, ""])
  })

  test.each([
    "/ui/",
    "/ui/?tab=1",
    "/ui/index.html",
    "/ui/instances/01JN8Z3V5E8Q2R7W4Y6T9A1B3C",
    "/ui/downstreams/api.example.com",
    "/ui/instances/",
  ])("%s is the page, asked for each time", async (path) => {
    const { status, text, headers } = await get(path)
    expect([status, text]).toEqual([200, INDEX])
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(headers.get("cache-control")).toBe("no-cache")
  })

  test("the page is not sent again to who has it", async () => {
    const first = await get("/ui/")
    const etag = first.headers.get("etag") as string
    for (const known of [etag, `"other", ${etag}`]) {
      const { status, text, headers } = await get("/ui/instances", { "if-none-match": known })
      expect([status, text, headers.get("etag")]).toEqual([304, "", etag])
    }
    expect((await get("/ui/", { "if-none-match": 'W/"other"' })).status).toBe(200)
  })

  test("an asset is kept for good, for its name changes with its content", async () => {
    const { status, text, headers } = await get(SCRIPT)
    expect([status, text]).toEqual([200, UI_FILES["assets/index-1a2b.js"]])
    expect(headers.get("content-type")).toBe("text/javascript; charset=utf-8")
    expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
    expect((await get("/ui/favicon.svg")).headers.get("content-type")).toBe("image/svg+xml; charset=utf-8")
  })

  test.each([
    ["gzip", true],
    ["br, gzip;q=0.5, *", true],
    ["gzip;q=0", false],
    ["gzip;q=0.000", false],
    ["br", false],
    ["", false],
  ])("with accept-encoding %j an asset is compressed: %s", async (accepted, isCompressed) => {
    const { status, headers, body } = await raw(SCRIPT, { "accept-encoding": accepted })
    expect(status).toBe(200)
    expect(headers.get("content-encoding")).toBe(isCompressed ? "gzip" : null)
    expect(headers.get("vary")).toContain("Accept-Encoding")
    expect(Number(headers.get("content-length"))).toBe(body.length)
    expect((isCompressed ? gunzipSync(body) : body).toString()).toBe(UI_FILES["assets/index-1a2b.js"])
  })

  test.each(["/ui/favicon.svg", "/ui/assets/logo.png"])(
    "%s, small or packed already, is sent as it is",
    async (path) => {
      const { status, headers } = await raw(path, { "accept-encoding": "gzip" })
      expect([status, headers.get("content-encoding")]).toEqual([200, null])
    },
  )

  test("HEAD answers as GET does, without the body", async () => {
    const { status, text, headers } = await server.call(`HEAD ${SCRIPT}`)
    expect([status, text, headers.get("cache-control")]).toEqual([200, "", "public, max-age=31536000, immutable"])
  })

  test.each(["/ui/assets/index-9z9z.js", "/ui/assets/", "/ui/assets/index", "/ui/logo.png", "/ui/a/b.css"])(
    "%s is not there",
    async (path) => {
      const { status, body } = await get(path)
      expect([status, body.error]).toEqual([404, "not-found"])
    },
  )

  test("other methods are refused, at any depth", async () => {
    for (const path of ["/ui/", "/ui/a/b/c"]) {
      const { status, headers } = await server.call(`POST ${path}`, { body: {} })
      expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD"])
    }
  })

  test("loading the page leaves no line in the log", async () => {
    server.lines.length = 0
    await get("/ui/")
    await get(SCRIPT)
    expect(server.lines).toEqual([])
  })
})

describe("SEC-49: what a browser is told", () => {
  test.each(["/", "/ui", "/docs", "/ui/", "/ui/x", SCRIPT, "/ui/assets/missing.js"])(
    "SEC-49: with %s",
    async (path) => {
      const { headers } = await get(path)
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      )
      expect(headers.get("x-content-type-options")).toBe("nosniff")
      expect(headers.get("referrer-policy")).toBe("no-referrer")
      expect(headers.get("cross-origin-opener-policy")).toBe("same-origin")
      expect(headers.get("x-frame-options")).toBe("DENY")
      expect(headers.get("set-cookie")).toBeNull()
    },
  )

  test("SEC-03: a rebound name gets no page", async () => {
    expect(await rawRequest(server.url, "GET /ui/ HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n")).toMatch(
      /^HTTP\/1\.1 421 /,
    )
  })
})

describe("no path leaves the folder", () => {
  test.each([
    "/ui/../secret.txt",
    "/ui/..%2fsecret.txt",
    "/ui/%2e%2e/secret.txt",
    "/ui/assets/../../secret.txt",
    "/ui/..\\secret.txt",
    "/ui//secret.txt",
    "/ui/__proto__",
    "/ui/constructor",
    "/ui/etc/passwd",
    "/ui/index.html%00.js",
  ])("%s", async (path) => {
    const reply = await rawRequest(server.url, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    expect(reply).not.toContain("canary")
    expect(reply).toMatch(/^HTTP\/1\.1 (404|400|200) /)
    if (reply.includes(" 200 ")) expect(reply).toContain(INDEX)
  })
})

describe("where there is no dashboard", () => {
  test("before it is built the page says how to build it, and is there afterwards without a restart", async () => {
    const empty = await createUiFolder({})
    const bare = await createTestServer({ engine, uiFolder: empty.url })
    const { status, text, headers } = await bare.call("GET /ui/")
    expect([status, headers.get("content-type")]).toEqual([503, "text/plain; charset=utf-8"])
    expect(text).toContain("npm run build")
    expect(headers.get("content-security-policy")).toContain("default-src 'self'")
    await empty.write("index.html", "built")
    expect((await bare.call("GET /ui/")).text).toBe("built")
    await bare.close()
    await empty.remove()
  })

  test("no folder at all is the same", async () => {
    const bare = await createTestServer({ engine, uiFolder: new URL("nowhere/", folder.url) })
    expect((await bare.call("GET /ui/")).status).toBe(503)
    await bare.close()
  })

  test("the metrics port has none", async () => {
    const metrics = await createMetricsServer(engine.kernel, server.options)
    const url = await metrics.listen(0, "127.0.0.1")
    for (const path of ["/", "/ui", "/ui/", "/docs"]) expect((await fetch(url + path)).status).toBe(404)
    await metrics.close()
  })
})
