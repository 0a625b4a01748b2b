import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { settingKeys, settings } from "./config/settings.ts"
import { describeConfig, loadConfig } from "./config.ts"
import { isAlive } from "./db/embedded/processes.ts"

const built = (path: string): string => fileURLToPath(new URL(`../dist/${path}`, import.meta.url))

let base: string
const children = new Set<ChildProcess>()
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "mr-"))
})
afterEach(() => {
  for (const child of children) child.kill("SIGKILL")
  children.clear()
  const pid = postmasterPid()
  if (pid && isAlive(pid)) process.kill(pid, "SIGINT")
  rmSync(base, { recursive: true, force: true })
})

function postmasterPid(): number | undefined {
  const file = join(base, "data", "postgres", "postmaster.pid")
  return existsSync(file) ? Number(readFileSync(file, "utf8").split("\n")[0]) : undefined
}

function launch(args: string[], env: Record<string, string> = {}) {
  const base = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" }
  const child = spawn(process.execPath, args, { env: { ...base, ...env }, stdio: ["ignore", "pipe", "pipe"] })
  children.add(child)
  const said = { out: "", err: "" }
  child.stdout.on("data", (chunk) => {
    said.out += chunk
  })
  child.stderr.on("data", (chunk) => {
    said.err += chunk
  })
  const ended = once(child, "close").then(([code]) => code as number)
  const until = async (text: string) => {
    while (!said.err.includes(text) && child.exitCode === null) await Promise.race([once(child.stderr, "data"), ended])
  }
  return { child, said, ended, until }
}
const millrace = (args: string[], env?: Record<string, string>) => launch([built("cli.js"), ...args], env)

describe("the command line", () => {
  test("--version and --help answer and exit 0", async () => {
    const version = millrace(["--version"])
    const help = millrace(["--help"])
    expect(await Promise.all([version.ended, help.ended])).toEqual([0, 0])
    expect(version.said.out).toMatch(/^\d+\.\d+\.\d+\n$/)
    for (const word of [
      "dev",
      "start",
      "work",
      "queues",
      "dead-letters",
      "events",
      "config",
      "migrate",
      "doctor",
      "keys",
      "Examples:",
      "WE_URL",
    ])
      expect(help.said.out).toContain(word)
  })

  test("SEC-55: config prints every setting with the DSN's password masked, also as JSON", async () => {
    const env = { WE_POSTGRES_DSN: "postgres://u:canary@h/db", WE_REST_PORT: "8081" }
    const [plain, json] = [millrace(["config"], env), millrace(["config", "--json"], env)]
    expect(await Promise.all([plain.ended, json.ended])).toEqual([0, 0])
    for (const { out } of [plain.said, json.said]) {
      expect(out).not.toContain("canary")
      for (const { name } of describeConfig(loadConfig({ env: {} }))) expect(out).toContain(name)
    }
    expect(JSON.parse(json.said.out).settings).toContainEqual(
      expect.objectContaining({ name: "WE_REST_PORT", value: "8081", source: "env" }),
    )
  })

  test("a wrong call is one line and exit code 2, an engine that is not there one line and exit code 1", async () => {
    const calls = [
      millrace(["queues", "--wacth"]),
      millrace(["nonsense"]),
      millrace(["start", "--services", "raeper"]),
      millrace(["queues"], { WE_URL: "http://127.0.0.1:9", WE_API_KEY: "mill_k_canary" }),
    ]
    expect(await Promise.all(calls.map(({ ended }) => ended))).toEqual([2, 2, 2, 1])
    const [option, command, services, away] = calls.map(({ said }) => said.err)
    expect(option).toBe("millrace: unknown option '--wacth'\n(Did you mean --watch?)\n")
    expect(command).toBe("millrace: unknown command 'nonsense'\n")
    expect(services).toMatch(/^millrace: --services: there is no service raeper; choose from rest, .*reaper, .+\n$/)
    expect(away).toMatch(/^millrace: the engine is not reachable at http:\/\/127\.0\.0\.1:9\b.+\n$/)
    for (const { said } of calls) expect(said.out).toBe("")
  })

  test.each<[string, string[], Record<string, string>, RegExp]>([
    ["C-02: start without a DSN", ["start"], {}, /^millrace: WE_POSTGRES_DSN is not set: .*\n$/],
    [
      "C-03: an unknown dispatch mode",
      ["dev"],
      { WE_DISPATCH_MODE: "push" },
      /^millrace: WE_DISPATCH_MODE="push": must be .*\n$/,
    ],
    [
      "SEC-01: a public address without TLS",
      ["dev"],
      { WE_BIND_ADDRESS: "0.0.0.0" },
      /^millrace: WE_BIND_ADDRESS=0\.0\.0\.0 .*\n$/,
    ],
    [
      "C-08: a config file that is not there",
      ["config"],
      { WE_CONFIG_FILE: "/nowhere.yaml" },
      /^millrace: WE_CONFIG_FILE .*\n$/,
    ],
    [
      "two wrong settings",
      ["config"],
      { WE_REST_PORT: "x", WE_AUTH: "y" },
      /^millrace: WE_REST_PORT.*\nmillrace: WE_AUTH.*\n$/,
    ],
  ])("%s is one clear line and exit code 1", async (_, args, env, expected) => {
    const { ended, said } = millrace(args, env)
    expect(await ended).toBe(1)
    expect(said.err).toMatch(expected)
    expect(said.out).toBe("")
  })
})

/** `millrace dev` with an engine that only listens: the life of the command, not of the engine. */
function devWithFakeEngine(env: Record<string, string> = {}, beforeEngine = "") {
  const script = `
    import { createServer } from "node:http"
    import { loadConfig } from ${JSON.stringify(built("config.js"))}
    import { serve } from ${JSON.stringify(built("cli/commands/serve/serve.js"))}
    import { explainStartError } from ${JSON.stringify(built("cli/explain-start-error.js"))}
    import { createLogger } from ${JSON.stringify(built("support/log.js"))}
    const startEngine = async (config, log) => {
      ${beforeEngine}
      log.info({ dsn: config.postgresDsn }, "engine up")
      const server = createServer().listen(0, "127.0.0.1")
      return { restUrl: "http://127.0.0.1:1", metricsUrl: "http://127.0.0.1:2", grpcUrl: "grpc://127.0.0.1:3", stop: async () => { console.error("drained"); server.close() } }
    }
    const config = loadConfig({ env: process.env })
    const log = createLogger({ level: config.logLevel })
    try {
      await serve({ config, log, version: "0.0.0", mode: "dev", startEngine, terminal: process.stderr, force: () => process.exit(130) })
      process.exit()
    } catch (error) { console.error("millrace: " + explainStartError(error)); process.exit(1) }`
  const ports = { WE_REST_PORT: "0", WE_GRPC_PORT: "0", WE_METRICS_PORT: "0" }
  return launch(["--input-type=module", "-e", script], { WE_DATA_DIR: join(base, "data"), ...ports, ...env })
}

describe("millrace dev", () => {
  test.each(["SIGINT", "SIGTERM"] as const)(
    "F13: %s drains the engine, stops PostgreSQL and exits 0",
    async (signal) => {
      const dev = devWithFakeEngine()
      await dev.until("Ctrl-C finishes")
      const pid = postmasterPid()!
      expect(isAlive(pid)).toBe(true)
      dev.child.kill(signal)
      expect(await dev.ended).toBe(0)
      expect(dev.said.err).toMatch(/drained[\s\S]*Stopped the engine\.[\s\S]*Stopped PostgreSQL\./)
      // The server has let go of its folder; its process ends a moment later.
      await expect.poll(() => isAlive(pid)).toBe(false)
      for (const line of dev.said.out.trim().split("\n")) expect(JSON.parse(line)).toMatchObject({ dsn: "****" })
      const password = readFileSync(join(base, "data", "password"), "utf8")
      expect(dev.said.out + dev.said.err).not.toContain(password)
    },
  )

  test("F13: a signal while it starts leaves nothing running", async () => {
    const dev = devWithFakeEngine(
      {},
      `const seen = new Promise((resolve) => process.once("SIGINT", resolve)); process.kill(process.pid, "SIGINT"); await seen`,
    )
    expect(await dev.ended).toBe(0)
    expect(dev.said.err).toContain("Stopped PostgreSQL.")
    expect(dev.said.err).not.toContain("is running")
    expect(postmasterPid()).toBeUndefined()
  })

  test("a failed engine stops PostgreSQL again: one line, exit code 1", async () => {
    const dev = devWithFakeEngine({}, `throw Object.assign(new Error("x"), { code: "EADDRINUSE", port: 8080 })`)
    expect(await dev.ended).toBe(1)
    expect(dev.said.err).toMatch(/millrace: port 8080 is already in use/)
    expect(postmasterPid()).toBeUndefined()
  })

  test("a data folder of another version, or one that is a file, is one line and exit code 1", async () => {
    mkdirSync(join(base, "data", "postgres"), { recursive: true })
    writeFileSync(join(base, "data", "postgres", "PG_VERSION"), "13\n")
    writeFileSync(join(base, "file"), "")
    const [old, file] = [devWithFakeEngine(), devWithFakeEngine({ WE_DATA_DIR: join(base, "file") })]
    expect(await Promise.all([old.ended, file.ended])).toEqual([1, 1])
    expect(old.said.err).toMatch(/^millrace: data folder .* was made by PostgreSQL 13, .*\n$/)
    expect(file.said.err).toMatch(/^millrace: data folder .* cannot be used: .*\n$/)
  })
})

test("the example environment names every setting with its default", () => {
  const example = readFileSync(new URL("../../.env.example", import.meta.url), "utf8")
  const named = [...example.matchAll(/^#?\s?([A-Z_]+)=/gm)].map(([, name]) => name)
  expect(named).toEqual(expect.arrayContaining(settingKeys.map((key) => settings[key].name)))
})
