// The compose file: what Compose takes, and what the house asks of it besides.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Ajv2019 } from "ajv/dist/2019.js"
import { afterAll, describe, expect, test } from "vitest"
import { parse } from "yaml"
import { chosenServices } from "../engine/src/cli/commands/serve/chosen-services.ts"
import { settings } from "../engine/src/config/settings.ts"
import { loadConfig } from "../engine/src/config.ts"
import { interpolate, readCompose, readStages, type Service } from "./deploy-files.ts"
import { read, root } from "./files.ts"
import { promtool } from "./promql.ts"

const compose = readCompose()
const services = Object.entries(compose.services)
const rows = services.map(([name, service]) => ({ name, ...service }))

/** The schema of the Compose specification, out of Debian's package docker-compose; .ci/run puts it into the first place. */
const SCHEMAS = [
  "/usr/local/share/compose-spec/compose_spec.json",
  "/usr/lib/python3/dist-packages/compose/config/compose_spec.json",
]
const schemaFile = SCHEMAS.find((path) => existsSync(path))

describe.skipIf(!process.env.MILLRACE_FULL_TESTS)("with the schema of Compose (package docker-compose)", () => {
  const violations = (file: object): unknown[] => {
    const ajv = new Ajv2019({ strict: false, allErrors: true, formats: FORMATS })
    const validate = ajv.compile(withoutOldIds(JSON.parse(readFileSync(schemaFile as string, "utf8"))) as object)
    validate(file)
    return validate.errors ?? []
  }
  // Compose came to know a name at the top after this version of its schema.
  const { name: _, ...file } = interpolate(compose)

  test("D-44: compose.yaml follows it", () => {
    expect(violations(file)).toEqual([])
  })

  test("D-44: a slip would be found", () => {
    const slip = (part: object) => ({ ...file, services: { ...file.services, redis: { image: "redis:7", ...part } } })
    expect(violations(slip({}))).toEqual([])
    for (const part of [{ restart: true }, { depend_on: [] }, { depends_on: { a: { condition: "soon" } } }])
      expect(violations(slip(part))).not.toEqual([])
    expect(violations(slip({ healthcheck: { interval: "5 seconds" } }))).not.toEqual([])
  })
})

const FORMATS = {
  duration: /^(\d+(us|ms|s|m|h))+$/,
  ports: /^[\d.]+:\d+:\d+$/,
  expose: /^\d+$/,
  subnet_ip_address: true,
} as const

/** It names itself as drafts before 6 did, which ajv does not read. */
function withoutOldIds(part: unknown): unknown {
  if (part === null || typeof part !== "object" || Array.isArray(part)) return part
  const entries = Object.entries(part).filter(
    ([key, value]) => !(["id", "$schema"].includes(key) && typeof value === "string"),
  )
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutOldIds(value)]))
}

describe("D-44: services", () => {
  test("everything that the engine needs, is watched with, and will use", () => {
    const names = ["engine", "grafana", "kafka", "keys", "load", "postgres", "prometheus", "reaper", "redis", "worker"]
    expect(services.map(([name]) => name).sort()).toEqual(names)
    const { engine, reaper, load, redis, kafka } = compose.services
    expect([engine?.profiles, load?.profiles]).toEqual([undefined, ["load"]])
    // They are used where a setting names them.
    expect([redis?.profiles, kafka?.profiles]).toEqual([["guard"], ["outbox"]])
    expect(chosenServices(reaper?.command?.at(-1) ?? "")).toEqual({ loops: ["reaper"], rest: false, relay: false })
  })

  test.each(rows)("$name: the image has a version, or is built here", ({ image, build }) => {
    if (build) expect(image).toMatch(/^millrace[a-z-]*:local$/)
    else expect(image).toMatch(/^[a-z/]+:v?\d+\.\d+(\.\d+)?(-[a-z]+)?$/)
  })

  test("the versions are new enough", () => {
    const major = (name: string) => Number(/:v?(\d+)/.exec(compose.services[name]?.image ?? "")?.[1])
    expect(major("postgres")).toBeGreaterThanOrEqual(15)
    expect(major("redis")).toBe(7)
  })

  test.each(rows)("$name: comes back by itself, unless it is there to end", ({ name, restart }) => {
    expect(restart).toBe(["keys", "load"].includes(name) ? "no" : "unless-stopped")
  })

  test.each(rows)("$name: what it needs is healthy or done before it starts", ({ depends_on = {} }) => {
    for (const [other, { condition }] of Object.entries(depends_on)) {
      const service = compose.services[other] as Service
      expect(service.profiles, "a part that is there only when asked for").toBeUndefined()
      if (service.restart === "no") expect(condition).toBe("service_completed_successfully")
      else expect([condition, isAskedForHealth(service)]).toEqual(["service_healthy", true])
    }
  })

  test("everything but the database, and what nothing uses, waits for something", () => {
    const first = rows.filter(({ depends_on, profiles }) => !depends_on && !profiles).map(({ name }) => name)
    expect(first).toEqual(["postgres"])
    const waiting = Object.keys(compose.services.worker?.depends_on ?? {})
    expect(waiting).toEqual(["engine", "keys"])
  })

  test.each(rows)("$name: ports are published on loopback only", ({ ports = [] }) => {
    for (const port of ports) expect(interpolate(port)).toMatch(/^127\.0\.0\.1:\d+:\d+$/)
  })

  test("D-42: Grafana at 3000, the engine at 8080 and for gRPC at 9090, each port once", () => {
    const published = rows.flatMap(({ ports = [] }) => ports.map((port) => interpolate(port).split(":")[1]))
    expect(published.sort()).toEqual(["3000", "8080", "9090", "9095"])
  })

  test.each(rows)("$name: what is mounted is there, and cannot be written to", ({ volumes = [] }) => {
    for (const volume of volumes) {
      const [source = "", , mode] = volume.split(":")
      if (!source.startsWith(".")) expect(compose.volumes).toHaveProperty(source)
      else expect([mode, existsSync(join(root, "deploy", source))]).toEqual(["ro", true])
    }
  })

  test("every volume is used", () => {
    const used = rows.flatMap(({ volumes = [] }) => volumes.map((volume) => volume.split(":")[0]))
    expect(Object.keys(compose.volumes).filter((name) => !used.includes(name))).toEqual([])
  })

  test("SEC-71: processes of Millrace have no rights and a file system that cannot be written to", () => {
    const ours = rows.filter(({ build }) => build)
    expect(ours.length).toBe(5)
    for (const service of ours)
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
        build: { context: "..", dockerfile: "deploy/Dockerfile" },
      })
    const stages = readStages("deploy/Dockerfile").map(({ name }) => name)
    expect(stages).toEqual(expect.arrayContaining(ours.map(({ build }) => build?.target)))
    // The stage that has the examples says nothing of a user.
    expect(ours.filter(({ build }) => build?.target !== "engine").map(({ user }) => user)).toEqual(["1000:1000"])
  })
})

const isAskedForHealth = ({ healthcheck, build }: Service): boolean =>
  healthcheck ? healthcheck.disable !== true && healthcheck.test !== undefined : build !== undefined

describe("D-44: settings", () => {
  const known = new Set<string>(Object.values(settings).map(({ name }) => name))
  const ours = rows.filter(({ environment = {} }) => "WE_POSTGRES_DSN" in environment)

  test("each is one the engine knows, and it starts with them", () => {
    expect(ours.map(({ name }) => name)).toEqual(["engine", "reaper", "keys"])
    for (const { environment = {} } of ours) {
      expect(Object.keys(environment).filter((name) => !known.has(name))).toEqual([])
      const env = { WE_BIND_ADDRESS: "0.0.0.0", ...interpolate(environment) }
      const { auth, warnings } = loadConfig({ env, requireDsn: true })
      expect(auth).toBe("required")
      // The address of a proxy is known to those who have one; on this machine there is none.
      expect(warnings).toEqual([expect.stringContaining("WE_TRUSTED_PROXIES")])
    }
  })

  test("E-25: the guard's counters are in the Redis of the profile where WE_GUARD_REDIS_URL names it, and else in each process", () => {
    const { engine, reaper, redis } = compose.services
    const example = /^# WE_GUARD_REDIS_URL=(.*)$/m.exec(read("deploy/.env.example"))?.[1] ?? ""
    expect([new URL(example).hostname, redis?.profiles]).toEqual(["redis", ["guard"]])
    for (const { environment = {} } of [engine, reaper] as Service[]) {
      const env = { ...interpolate(environment), WE_BIND_ADDRESS: "0.0.0.0" }
      expect(loadConfig({ env }).guardRedisUrl).toBeUndefined()
      const named = environment.WE_GUARD_REDIS_URL?.replace(/^\$\{WE_GUARD_REDIS_URL:-\}$/, example)
      expect(loadConfig({ env: { ...env, WE_GUARD_REDIS_URL: named } }).guardRedisUrl).toBe("redis://redis:6379")
    }
  })

  test("no secret is in the file", () => {
    const secrets = rows.flatMap(({ environment = {} }) =>
      Object.entries(environment).filter(([name]) => /PASSWORD|SECRET|TOKEN|KEY$|DSN/.test(name)),
    )
    expect(secrets.length).toBeGreaterThan(3)
    for (const [name, value] of secrets) expect(value, name).toMatch(/\$\{\w+:\?[^}]+\}/)
  })

  test("D-52: deploy/.env.example has every variable, with nothing to keep secret; a .env is nobody else's", () => {
    const used = new Set([...read("deploy/compose.yaml").matchAll(/\$\{(\w+)/g)].map(([, name]) => name))
    const example = read("deploy/.env.example")
    const named = [...example.matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name]) => name)
    expect(new Set(named)).toEqual(used)
    expect(example).not.toMatch(/^\w+=./m)
    expect(read(".gitignore").split("\n")).toContain(".env")
    expect(read(".dockerignore").split("\n")).toContain("**/.env")
  })

  test("what Prometheus scrapes is a process with metrics, by a name it answers to, every 15 s", () => {
    const { global, scrape_configs } = parse(read("deploy/prometheus/compose.yml"))
    expect(global.scrape_interval).toBe("15s")
    const targets: string[] = scrape_configs[0].static_configs[0].targets
    const { metricsPort, allowedHosts } = loadConfig({ env: interpolate(compose.services.engine?.environment ?? {}) })
    expect(targets).toEqual(["engine", "reaper"].map((name) => `${name}:${metricsPort}`))
    expect(targets.map((target) => target.split(":")[0])).toEqual(allowedHosts)
    expect(compose.services.prometheus?.volumes).toContain("./prometheus:/etc/prometheus:ro")
    expect(compose.services.prometheus?.command).toContain("--config.file=/etc/prometheus/compose.yml")
  })

  test("D-42, D-52: make has the words", () => {
    const targets = [...read("Makefile").matchAll(/^([a-z][a-z -]*):(?!=)/gm)].flatMap(([, names = ""]) =>
      names.split(" "),
    )
    const asked = ["dev", "down", "logs", "shell", "check-infra", "test", "ci", "load-test", "migrate", "key"]
    expect(targets).toEqual(expect.arrayContaining(asked))
  })
})

describe.skipIf(!process.env.MILLRACE_FULL_TESTS)("with promtool (package prometheus)", () => {
  const folder = mkdtempSync(join(tmpdir(), "millrace-prometheus-"))
  afterAll(() => rmSync(folder, { recursive: true }))

  test("D-43: the configuration for compose is one that Prometheus takes", () => {
    writeFileSync(join(folder, "key"), "mill_key")
    writeFileSync(join(folder, "rules.yml"), read("deploy/prometheus/rules.yml"))
    const text = read("deploy/prometheus/compose.yml").replace("/keys/prometheus", join(folder, "key"))
    writeFileSync(join(folder, "compose.yml"), text)
    expect(promtool(folder, "check", "config", "compose.yml")).toContain("SUCCESS")
  })
})
