// The Dockerfile: stages, user and signals as they should be, and nothing copied that is not there.
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { loadConfig } from "../engine/src/config.ts"
import { type Engine, startEngine } from "../engine/src/engine.ts"
import { createLogger } from "../engine/src/support/log.ts"
import { createTestDatabase } from "../engine/src/test-support/test-engine.ts"
import { readStages, type Stage } from "./deploy-files.ts"
import { read, readJson, root } from "./files.ts"

const stages = readStages("deploy/Dockerfile")
const last = stages.at(-1) as Stage
const all = stages.flatMap(({ instructions }) => instructions)
const only = (name: string): string => {
  const [found, ...more] = last.instructions.filter((instruction) => instruction.name === name)
  expect([found?.name, more], name).toEqual([name, []])
  return found?.rest ?? ""
}
const execForm = (rest: string): string[] => JSON.parse(rest)

/** What the client of Kafka brings, by scope or name. */
const OF_KAFKA = ["@platformatic", "@node-rs", "avsc", "debug", "mnemonist", "ms", "obliterator", "scule"]

/** What the client of Redis brings. */
const OF_REDIS = ["@redis", "cluster-key-slot"]

describe("D-45: the image", () => {
  test("has more than one stage, all on one pinned version of Node that the engine runs on", () => {
    expect(stages.map(({ name }) => name)).toEqual(["production", "build", "engine"])
    const [image, ...others] = new Set(stages.map((stage) => stage.image))
    expect(others).toEqual([])
    expect(image).toMatch(/^node:\d+\.\d+\.\d+-bookworm-slim$/)
    const least = readJson<{ engines: { node: string } }>("engine/package.json").engines.node.replace(">=", "")
    const major = (version: string) => Number(version.split(".")[0])
    expect(major(image?.split(":")[1] ?? "")).toBeGreaterThanOrEqual(major(least))
  })

  test("is run by a user who is not root, named by number", () => {
    expect(only("USER")).toMatch(/^[1-9]\d*:[1-9]\d*$/)
    const at = (name: string) => last.instructions.findLastIndex((instruction) => instruction.name === name)
    expect(at("RUN"), "what needs rights is done before").toBeLessThan(at("USER"))
  })

  test("has production dependencies only, as the lock file has them", () => {
    const installs = all.filter(({ rest }) => /\bnpm (ci|install|i)\b/.test(rest)).map(({ rest }) => rest)
    expect(installs.every((rest) => rest.startsWith("npm ci ") && rest.includes("--ignore-scripts"))).toBe(true)
    const production = stages.find(({ name }) => name === "production")
    expect(production?.instructions.at(-1)?.rest).toMatch(/npm ci .*--omit=dev/)
    const modules = last.instructions.filter(({ rest }) => rest.includes("node_modules") && rest.startsWith("--from"))
    const peers = ["@opentelemetry", ...OF_KAFKA, ...OF_REDIS]
    expect(modules.map(({ rest }) => rest)).toEqual([
      "--from=production /app/node_modules ./node_modules",
      ...peers.map((name) => `--from=build /app/node_modules/${name} ./node_modules/${name}`),
    ])
    expect(last.instructions.filter(({ rest }) => /\bnpm\b/.test(rest))).toEqual([])
  })

  test("has the packages that send spans, and all that they stand on", () => {
    const { packages } = readJson<{ packages: Record<string, { dependencies?: object }> }>("package-lock.json")
    const { peerDependencies } = readJson<{ peerDependencies: object }>("engine/package.json")
    const wanted = new Set(Object.keys(peerDependencies).filter((name) => name.startsWith("@opentelemetry/")))
    expect(wanted).toContain("@opentelemetry/exporter-trace-otlp-http")
    for (const name of wanted) {
      // By its place in the lock file: one that is needed in another version lies below the package that needs it.
      const { dependencies = {} } = packages[`node_modules/${name}`] ?? expect.fail(`${name} is not in the lock file`)
      for (const other of Object.keys(dependencies)) wanted.add(other)
    }
    expect([...wanted].filter((name) => !name.startsWith("@opentelemetry/"))).toEqual([])
  })

  const { packages } = readJson<{ packages: Record<string, { dependencies?: object; dev?: boolean }> }>(
    "package-lock.json",
  )

  /** It, and all that it needs. */
  const standsOn = (client: string): string[] => {
    const wanted = new Set([client])
    for (const name of wanted) {
      const { dependencies = {} } = packages[`node_modules/${name}`] ?? expect.fail(`${name} is not in the lock file`)
      for (const other of Object.keys(dependencies)) wanted.add(other)
    }
    return [...wanted]
  }
  const folderOf = (name: string): string => name.split("/")[0] as string

  test("has the client of Kafka, and all that it stands on", () => {
    // The others are among the production dependencies.
    const added = standsOn("@platformatic/kafka").filter((name) => packages[`node_modules/${name}`]?.dev)
    // The native checksum need not be there.
    expect([...new Set([...added.map(folderOf), "@node-rs"])].toSorted()).toEqual(OF_KAFKA.toSorted())
  })

  test("E-25: has the client of Redis, and all that it stands on", () => {
    expect(standsOn("@redis/client").map(folderOf).toSorted()).toEqual(OF_REDIS)
  })

  test("copies what there is, and from stages there are", () => {
    for (const { rest } of all.filter(({ name }) => name === "COPY")) {
      const words = rest.split(/\s+/)
      const from = words.find((word) => word.startsWith("--from="))?.slice("--from=".length)
      if (from) expect(stages.map(({ name }) => name)).toContain(from)
      else for (const source of words.slice(0, -1)) expect(existsSync(join(root, source)), source).toBe(true)
    }
  })

  test("D-54: dependencies are outside what compose.yaml mounts", () => {
    const mounts = [...read("deploy/compose.yaml").matchAll(/\.\/[\w.-]+:(\/app[\w./-]*)/g)].map(([, path]) => path)
    expect(mounts).toEqual(["/app/keys.sh", "/app/worker"])
  })

  test("ends on SIGTERM: Node is the first process", () => {
    expect(only("STOPSIGNAL")).toBe("SIGTERM")
    expect(execForm(only("ENTRYPOINT"))).toEqual(["node", "/app/engine/bin/millrace.js"])
    expect(execForm(only("CMD"))).toEqual(["start"])
  })

  test("leaves out what is built, fetched or secret", () => {
    const ignored = read(".dockerignore").split("\n")
    // A build that finds the notes of another one, without what they speak of, builds nothing.
    expect(ignored).toEqual(
      expect.arrayContaining(["**/node_modules", "**/dist", "**/*.tsbuildinfo", "**/.env", ".git"]),
    )
    const built = read(".gitignore")
      .split("\n")
      .filter((line) => /^engine\//.test(line))
    expect(ignored).toEqual(expect.arrayContaining(built.map((line) => line.replace(/\/$/, ""))))
  })
})

describe("D-45: its health check, on a running engine", () => {
  let database: { dsn: string; drop(): Promise<void> }
  let engine: Engine
  const [command = "", ...args] = execForm(only("HEALTHCHECK").replace(/^.*?CMD\s+/, ""))
  const ask = (port: string) =>
    promisify(execFile)(command, args, { env: { ...process.env, WE_METRICS_PORT: port } }).then(
      () => 0,
      ({ code }) => code,
    )

  beforeAll(async () => {
    database = await createTestDatabase()
    // Where keys are asked for, the check has none.
    const env = {
      WE_POSTGRES_DSN: database.dsn,
      DB_MAX_CONNS: "4",
      WE_METRICS_PORT: "0",
      WE_GRPC_PORT: "0",
      WE_AUTH: "required",
    }
    engine = await startEngine(loadConfig({ env }), createLogger({ level: "silent" }), {
      loops: ["reaper"],
      rest: false,
    })
  })
  afterAll(async () => {
    await engine?.stop()
    await database.drop()
  })

  test("is 0 while it runs, also without REST, and 1 when nobody answers", async () => {
    expect(await ask(new URL(engine.metricsUrl).port)).toBe(0)
    await engine.stop()
    expect(await ask(new URL(engine.metricsUrl).port)).toBe(1)
  })
})
