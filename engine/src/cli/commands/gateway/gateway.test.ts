// `millrace gateway`: a process of its own in front of an upstream, from its banner to its last answer.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createTestDatabase } from "../../../test-support/test-engine.ts"
import { runTypeScript } from "../../../test-support/typescript-process.ts"
import { startUpstream, type TestUpstream } from "../../../transports/gateway/test-support/upstream.ts"
import { runCommand } from "../../test-support/run-command.ts"
import { configOf } from "./gateway.ts"
import { gatewayBanner } from "./gateway-banner.ts"

const CLI = new URL("../../../cli.ts", import.meta.url)
const folder = mkdtempSync(join(tmpdir(), "gateway-command-"))
let database: Awaited<ReturnType<typeof createTestDatabase>>
let upstream: TestUpstream
beforeAll(async () => {
  database = await createTestDatabase()
  upstream = await startUpstream()
})
afterAll(async () => {
  await upstream.close()
  await database.drop()
  rmSync(folder, { recursive: true, force: true })
})

test("E-19: it forwards with a credential, serves no API of workflows, and stops when told to", async () => {
  const file = join(folder, "gateway.yaml")
  writeFileSync(file, `upstreams:\n  - { path: /open, to: "${upstream.url}", public: true }\n`)
  const env = { WE_POSTGRES_DSN: database.dsn, WE_METRICS_PORT: "0", DB_MAX_CONNS: "4" }
  const args = ["gateway", "--upstream", upstream.url, "--config", file, "--port", "0"]
  const { child, ended } = runTypeScript(CLI, args, env)
  try {
    let told = ""
    child.stderr?.setEncoding("utf8").on("data", (text) => {
      told += text
    })
    await expect.poll(() => told).toContain("Ctrl-C finishes")
    expect(told).toContain("the gateway is running")
    const url = /Forwards +(http:\/\/[^/]+)/.exec(told)?.[1]
    const status = async (path: string) => (await fetch(url + path)).status
    expect(await status("/gateway/x")).toBe(401)
    expect(await status("/gateway/open/x")).toBe(200)
    expect(upstream.asked.at(-1)?.url).toBe("/open/x")
    expect(await status("/v1/instances")).toBe(404)
    expect(await status("/ui/")).toBe(404)
    expect(await status("/healthz")).toBe(200)
  } finally {
    child.kill("SIGTERM")
  }
  expect(await ended).toMatchObject({ code: 0 })
})

test("without an upstream it says what to give", async () => {
  const { code, err } = await runCommand(["gateway"], { env: { WE_POSTGRES_DSN: database.dsn } })
  expect([code, err]).toEqual([2, expect.stringContaining("give --upstream http://… or --config <file>")])
})

/** The commands in a text, with words in place of what the reader chooses. */
const commandsIn = (text: string): string[][] =>
  [...text.matchAll(/millrace ((?:users|keys) .*)$/gm)].map(([, command = ""]) =>
    command.replace("<name>", "grace").replace("<address>", "grace@example.com").trim().split(/ +/),
  )

const FACTS = {
  version: "1",
  restUrl: "http://127.0.0.1:8080/",
  metricsUrl: "http://127.0.0.1:9091/",
  upstreams: [],
  loopback: true,
  signsTokens: true,
  guard: true,
  embeddedIn: undefined,
  databaseVariable: "WE_POSTGRES_DSN",
}

test.each([
  ["help", async () => (await runCommand(["gateway", "--help"])).out],
  ["banner", async () => gatewayBanner(FACTS, false)],
])("the commands for callers in the %s are complete", async (_place, textOf) => {
  const commands = commandsIn(await textOf())
  expect(commands.map(([group]) => group).sort()).toEqual(["keys", "users"])
  for (const command of commands) {
    const fromStdin = command[0] === "users" ? ["--password-stdin"] : []
    const terminal = { env: { WE_POSTGRES_DSN: database.dsn }, input: "plum otter lantern\n" }
    expect(await runCommand([...command, ...fromStdin], terminal)).toMatchObject({ code: 0 })
  }
})

test("a gateway asks for credentials and is guarded also on loopback, unless it is told otherwise", () => {
  expect(configOf({ upstream: "http://a:1" }, {})).toMatchObject({
    auth: "required",
    guard: "on",
    gatewayUpstream: "http://a:1",
  })
  expect(configOf({}, { WE_AUTH: "auto", WE_GUARD: "off" })).toMatchObject({ auth: "auto", guard: "off" })
})
