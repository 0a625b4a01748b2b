import { describe, expect, test } from "vitest"
import { nearest } from "./config/nearest.ts"
import { settingKeys, settings } from "./config/settings.ts"
import { type Config, ConfigError, describeConfig, isLoopback, loadConfig } from "./config.ts"

type Env = Record<string, string>
const noFile = () => {
  throw Object.assign(new Error("ENOENT: no such file"), { code: "ENOENT" })
}
const load = (env: Env = {}, yaml?: string): Config =>
  loadConfig({ env, cpus: 2, readFile: yaml === undefined ? noFile : () => yaml })
const problemsOf = (env: Env, yaml?: string): readonly string[] => {
  try {
    load(env, yaml)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

describe("settings that are accepted", () => {
  test.each<[string, Env, string | undefined, Partial<Config>]>([
    ["C-01: ports by default", {}, undefined, { restPort: 8080, grpcPort: 9090, metricsPort: 9091 }],
    [
      "C-01: ports from the environment",
      { WE_REST_PORT: "1", WE_GRPC_PORT: "2", WE_METRICS_PORT: "65535" },
      undefined,
      { restPort: 1, grpcPort: 2, metricsPort: 65535 },
    ],
    [
      "two free ports are not a clash",
      { WE_REST_PORT: "0", WE_METRICS_PORT: "0" },
      undefined,
      { restPort: 0, metricsPort: 0 },
    ],
    ["SEC-01: loopback by default", {}, undefined, { bindAddress: "127.0.0.1", auth: "auto", behindTlsProxy: false }],
    [
      "C-02: a DSN",
      { WE_POSTGRES_DSN: "postgres://u:p@h:5433/db" },
      undefined,
      { postgresDsn: "postgres://u:p@h:5433/db" },
    ],
    [
      "C-02: DATABASE_URL as an alias",
      { DATABASE_URL: "postgresql://h/db" },
      undefined,
      { postgresDsn: "postgresql://h/db" },
    ],
    [
      "C-02: the DSN wins over its alias",
      { WE_POSTGRES_DSN: "postgres://a/a", DATABASE_URL: "postgres://b/b" },
      undefined,
      { postgresDsn: "postgres://a/a" },
    ],
    [
      "C-02: the variable that was read is known by its name",
      { DATABASE_URL: "postgres://b/b" },
      undefined,
      { variables: expect.objectContaining({ postgresDsn: "DATABASE_URL", restPort: "WE_REST_PORT" }) },
    ],
    [
      "C-02: a socket DSN",
      { WE_POSTGRES_DSN: "postgres://u:p@/db?host=/run/pg" },
      undefined,
      { postgresDsn: "postgres://u:p@/db?host=/run/pg" },
    ],
    ["C-89, C-03: dispatch mode unset", {}, undefined, { dispatchMode: "polling" }],
    ["C-03: dispatch mode empty", { WE_DISPATCH_MODE: "" }, undefined, { dispatchMode: "polling" }],
    ["C-03: dispatch mode polling", { WE_DISPATCH_MODE: "polling" }, undefined, { dispatchMode: "polling" }],
    ["C-04: log level", { WE_LOG_LEVEL: "debug" }, undefined, { logLevel: "debug" }],
    ["C-05: audit is on by default", {}, undefined, { auditLogEnabled: true }],
    ["C-05: audit off", { WE_AUDIT_LOG_ENABLED: "false" }, undefined, { auditLogEnabled: false }],
    ["C-06: 4 connections per CPU", {}, undefined, { dbMaxConns: 8, dbMinConns: 0 }],
    ["C-06: min equal to max", { DB_MAX_CONNS: "3", DB_MIN_CONNS: "3" }, undefined, { dbMaxConns: 3, dbMinConns: 3 }],
    [
      "C-08: YAML over default",
      {},
      "restPort: 1234\nauditLogEnabled: false",
      { restPort: 1234, auditLogEnabled: false },
    ],
    ["C-08: environment over YAML", { WE_REST_PORT: "99" }, "restPort: 1234", { restPort: 99 }],
    ["C-08: YAML by variable name", {}, "WE_LEASE_DEFAULT: PT1M", { leaseDefaultMs: 60_000 }],
    [
      "C-08: a YAML list",
      {},
      "corsOrigins:\n  - https://a.test\n  - https://b.test",
      { corsOrigins: ["https://a.test", "https://b.test"] },
    ],
    ["C-08: an empty YAML file", {}, "# nothing yet\n", { restPort: 8080 }],
    [
      "C-08 C-T2: YAML cannot supply secrets",
      {},
      "postgresDsn: postgres://u:secret@h/db\nlogLevel: warn",
      { postgresDsn: undefined, logLevel: "warn" },
    ],
    [
      "C-08 C-T2: nor by the variable's name",
      { DATABASE_URL: "postgres://e/e" },
      "WE_POSTGRES_DSN: postgres://u:secret@h/db",
      { postgresDsn: "postgres://e/e" },
    ],
    [
      "C-10: HTTP timeouts",
      {},
      undefined,
      {
        httpReadTimeoutMs: 30_000,
        httpWriteTimeoutMs: 60_000,
        httpIdleTimeoutMs: 120_000,
        httpHandlerTimeoutMs: 30_000,
        shutdownTimeoutMs: 30_000,
      },
    ],
    ["C-12: CORS off by default", {}, undefined, { corsOrigins: [] }],
    [
      "C-12: CORS origins",
      { WE_CORS_ORIGINS: " https://a.test , http://localhost:3000 " },
      undefined,
      { corsOrigins: ["https://a.test", "http://localhost:3000"] },
    ],
    [
      "D-10 D-T4: the queue by default",
      {},
      undefined,
      {
        weights: { critical: 60, high: 30, normal: 10 },
        highWatermark: 10_000,
        lowWatermark: 2_000,
        totalHighWatermark: 30_000,
        totalLowWatermark: 6_000,
        backpressureRetryAfterMs: 5_000,
        jobRetries: 5,
        jobTimeoutMs: 30_000,
      },
    ],
    [
      "D-10: weights",
      { WE_QUEUE_WEIGHTS: " 100, 0,0 " },
      undefined,
      { weights: { critical: 100, high: 0, normal: 0 } },
    ],
    ["D-10: weights from YAML", {}, "weights: [50, 30, 20]", { weights: { critical: 50, high: 30, normal: 20 } }],
    [
      "the rest by default",
      {},
      undefined,
      {
        schema: "millrace",
        leaseDefaultMs: 30_000,
        maxLostLeases: 3,
        retainMs: 30 * 86_400_000,
        dataDir: "./.millrace",
        batchMax: 500,
        allowedHosts: [],
      },
    ],
  ])("%s", (_, env, yaml, expected) => {
    expect(load(env, yaml)).toMatchObject(expected)
  })

  test("C-06: the floor is 4 connections on a machine that reports no CPU", () => {
    expect(loadConfig({ env: {}, cpus: 0, readFile: noFile }).dbMaxConns).toBe(4)
  })

  test("C-08: a secret in YAML is warned about, without its value", () => {
    const { warnings } = load({}, "postgresDsn: postgres://u:secret@h/db")
    expect(warnings).toEqual([expect.stringContaining("postgresDsn is ignored")])
    expect(warnings.join()).not.toContain("secret@")
  })

  test.each([
    ["WE_REST_PROT", "did you mean WE_REST_PORT?"],
    ["WE_PORT", "did you mean WE_REST_PORT?"],
    ["WE_HTTP_PORT", "did you mean WE_REST_PORT?"],
    ["WE_DSN", "did you mean WE_POSTGRES_DSN?"],
    ["WE_DATABASE_URL", "did you mean DATABASE_URL?"],
    ["WE_DB_MAX_CONNS", "did you mean DB_MAX_CONNS?"],
    ["WE_COMPANY_THING", "`millrace config` lists them all"],
  ])("%s is no setting, and that is told once with the nearest that is", (name, hint) => {
    expect(load({ [name]: "1" }).warnings).toEqual([`${name} is not a setting, ${hint}`])
  })

  test("variables of the command line and of other programs are not warned about", () => {
    const env = { WE_URL: "http://127.0.0.1:1", WE_API_KEY: "x", WEATHER: "fine", PORT: "1", DATABASE_URL: "" }
    expect(load(env).warnings).toEqual([])
  })

  test("the configuration is frozen and knows where each value came from", () => {
    const config = load({ WE_REST_PORT: "99" }, "logLevel: warn")
    expect(config.sources).toMatchObject({ restPort: "env", logLevel: "yaml", auth: "default" })
    expect(Object.isFrozen(config) && Object.isFrozen(config.sources) && Object.isFrozen(config.corsOrigins)).toBe(true)
  })
})

describe("settings that are refused", () => {
  test.each<[string, Env, string | undefined, RegExp]>([
    [
      "C-01: a port that is no number",
      { WE_REST_PORT: "http" },
      undefined,
      /^WE_REST_PORT="http": must be a whole number from 0 to 65535$/,
    ],
    ["C-01: a port out of range", { WE_METRICS_PORT: "65536" }, undefined, /^WE_METRICS_PORT="65536".*65535$/],
    ["C-01: metrics on the REST port", { WE_METRICS_PORT: "8080" }, undefined, /^WE_METRICS_PORT=8080 is the same/],
    [
      "C-02: a DSN that is no URL",
      { WE_POSTGRES_DSN: "host=h password=secret" },
      undefined,
      /^WE_POSTGRES_DSN=\(hidden\): must be a URL/,
    ],
    [
      "C-02: a DSN of another database",
      { DATABASE_URL: "mysql://u:secret@h/db" },
      undefined,
      /^DATABASE_URL=\(hidden\)/,
    ],
    [
      "C-07: dispatch through Kafka without brokers",
      { WE_DISPATCH_MODE: "kafka_outbox" },
      undefined,
      /needs WE_KAFKA_SEED_BROKERS/,
    ],
    [
      "C-03: an unknown dispatch mode",
      { WE_DISPATCH_MODE: "push" },
      undefined,
      /^WE_DISPATCH_MODE="push": must be one of polling, kafka_outbox$/,
    ],
    ["C-03: a dispatch mode in capitals", { WE_DISPATCH_MODE: "POLLING" }, undefined, /^WE_DISPATCH_MODE="POLLING"/],
    ["C-03: a name from Object.prototype", { WE_DISPATCH_MODE: "constructor" }, undefined, /must be one of/],
    ["C-04: an unknown log level", { WE_LOG_LEVEL: "verbose" }, undefined, /debug, info, warn, error/],
    ["C-05: audit maybe", { WE_AUDIT_LOG_ENABLED: "maybe" }, undefined, /true or false/],
    ["D-T4: weights that make 101", { WE_QUEUE_WEIGHTS: "60,30,11" }, undefined, /^WE_QUEUE_WEIGHTS="60,30,11".*100/],
    ["D-T4: two weights", { WE_QUEUE_WEIGHTS: "60,40" }, undefined, /must be 3 whole numbers/],
    ["D-T4: a negative weight", { WE_QUEUE_WEIGHTS: "120,-30,10" }, undefined, /^WE_QUEUE_WEIGHTS/],
    [
      "D-T4: low at high",
      { WE_LOW_WATERMARK: "10000" },
      undefined,
      /^WE_LOW_WATERMARK=10000 must be below WE_HIGH_WATERMARK=10000$/,
    ],
    [
      "D-T4: low above high in total",
      { WE_TOTAL_HIGH_WATERMARK: "5000" },
      undefined,
      /^WE_TOTAL_LOW_WATERMARK=6000 must be below WE_TOTAL_HIGH_WATERMARK=5000$/,
    ],
    ["C-06: no connection", { DB_MAX_CONNS: "0" }, undefined, /^DB_MAX_CONNS="0": must be a whole number from 1/],
    ["C-06: a fraction", { DB_MAX_CONNS: "2.5" }, undefined, /whole number/],
    [
      "C-06: a negative minimum",
      { DB_MIN_CONNS: "-1" },
      undefined,
      /^DB_MIN_CONNS="-1": must be a whole number from 0/,
    ],
    [
      "C-06: min above max",
      { DB_MAX_CONNS: "2", DB_MIN_CONNS: "3" },
      undefined,
      /^DB_MIN_CONNS=3 must be at most DB_MAX_CONNS=2$/,
    ],
    ["C-08: an unknown YAML key", {}, "restprot: 1", /unknown key "restprot", did you mean restPort\?/],
    ["C-08: a YAML key like nothing", {}, "xyzzy: 1", /unknown key "xyzzy", `millrace config` lists/],
    ["C-08: a nested YAML value", {}, "restPort: { a: 1 }", /restPort must be a plain value/],
    ["C-08: YAML that is a list", {}, "- a", /must hold settings/],
    ["C-08: broken YAML", {}, "a: [", /not valid YAML/],
    ["C-08: a YAML key twice", {}, "restPort: 1\nrestPort: 2", /not valid YAML, Map keys must be unique/],
    ["C-08: a setting under both names", {}, "restPort: 1\nWE_REST_PORT: 2", /given twice/],
    ["C-08: a bad YAML value", {}, "restPort: 1.5", /^WE_REST_PORT="1.5" \(from the YAML file\)/],
    ["C-10: a timeout without a unit", { WE_HTTP_READ_TIMEOUT: "30" }, undefined, /such as 500ms, 30s/],
    ["C-10: a timeout out of range", { WE_HTTP_READ_TIMEOUT: "2h" }, undefined, /from 100ms to 1h/],
    ["C-12: an origin with a path", { WE_CORS_ORIGINS: "https://a.test/x" }, undefined, /without a path/],
    ["C-12: any origin", { WE_CORS_ORIGINS: "*" }, undefined, /^WE_CORS_ORIGINS="\*"/],
    ["a schema that needs quotes", { WE_SCHEMA: 'x"; drop' }, undefined, /^WE_SCHEMA/],
    ["a bind address that is none", { WE_BIND_ADDRESS: "local host" }, undefined, /IP address or a host name/],
  ])("%s", (_, env, yaml, expected) => {
    const problems = problemsOf(env, yaml)
    expect(problems).toEqual([expect.stringMatching(expected)])
    expect(problems.join()).not.toMatch(/secret|\n/)
  })

  test("all problems come at once, rules between settings included", () => {
    const env = { WE_REST_PORT: "x", WE_LOG_LEVEL: "y", WE_BIND_ADDRESS: "0.0.0.0", WE_AUTH: "off" }
    expect(problemsOf(env, "oops: 1")).toHaveLength(5)
  })

  test("a rule is silent about a value that was refused", () => {
    expect(problemsOf({ DB_MAX_CONNS: "x", DB_MIN_CONNS: "900" })).toHaveLength(1)
  })

  test("C-08: a missing WE_CONFIG_FILE is an error, a missing default file is not", () => {
    expect(problemsOf({ WE_CONFIG_FILE: "/nowhere.yaml" })).toEqual([
      "WE_CONFIG_FILE /nowhere.yaml: cannot be read, there is no such file",
    ])
    expect(problemsOf({})).toEqual([])
  })

  test("C-02: start needs a DSN", () => {
    expect(() => loadConfig({ env: {}, readFile: noFile, requireDsn: true })).toThrow(/WE_POSTGRES_DSN is not set/)
    const env = { WE_POSTGRES_DSN: "nonsense" }
    expect(() => loadConfig({ env, readFile: noFile, requireDsn: true })).toThrow(/^WE_POSTGRES_DSN=\(hidden\).*$/)
  })
})

describe("SEC-01: who may listen where", () => {
  const refusals: Record<string, number> = {
    "0.0.0.0 off false": 2,
    "0.0.0.0 off true": 1,
    "0.0.0.0 auto false": 1,
    "0.0.0.0 required false": 1,
  }
  const matrix = ["127.0.0.1", "0.0.0.0"].flatMap((bind) =>
    ["auto", "required", "off"].flatMap((auth) => ["false", "true"].map((proxy) => [bind, auth, proxy] as const)),
  )
  test.each(matrix)("bind %s, auth %s, TLS proxy %s", (bind, auth, proxy) => {
    const env = { WE_BIND_ADDRESS: bind, WE_AUTH: auth, WE_BEHIND_TLS_PROXY: proxy }
    expect(problemsOf(env)).toHaveLength(refusals[`${bind} ${auth} ${proxy}`] ?? 0)
  })

  test("certificate files stand in for a TLS proxy, and go together", () => {
    const files = { WE_TLS_CERT_FILE: "/etc/tls/cert.pem", WE_TLS_KEY_FILE: "/etc/tls/key.pem" }
    expect(problemsOf({ WE_BIND_ADDRESS: "0.0.0.0", ...files })).toEqual([])
    expect(problemsOf({ WE_TLS_CERT_FILE: files.WE_TLS_CERT_FILE })).toEqual([expect.stringMatching(/go together/)])
  })

  test("loopback is decided by address, not by how a name begins", () => {
    for (const host of ["127.0.0.1", "127.9.9.9", "::1", "localhost", "::ffff:127.0.0.1"])
      expect(isLoopback(host)).toBe(true)
    for (const host of ["0.0.0.0", "::", "127.0.0.1.evil.test", "10.0.0.1", "localhost.evil.test", "::ffff:10.0.0.1"]) {
      expect(isLoopback(host)).toBe(false)
    }
  })
})

describe("the settings table", () => {
  test("names each variable once, documents it, and its default passes its own check", () => {
    const config = load()
    const names = settingKeys.map((key) => settings[key].name)
    expect(new Set(names).size).toBe(names.length)
    for (const line of describeConfig(config)) {
      expect(line.doc).toMatch(/\.$/)
      if (line.value !== "") expect(problemsOf({ [line.name]: line.value })).toEqual([])
    }
  })

  test("SEC-55: describing the configuration masks the password in the DSN, whatever it contains", () => {
    for (const password of ["canary", "can@canary", "c:canary/x"]) {
      const config = load({
        WE_POSTGRES_DSN: `postgres://user:${encodeURIComponent(password)}@host/db?sslmode=require`,
      })
      const line = describeConfig(config).find(({ key }) => key === "postgresDsn")!
      expect(line).toMatchObject({ value: "postgres://user:****@host/db?sslmode=require", source: "env" })
    }
    const inQuery = describeConfig(load({ WE_POSTGRES_DSN: "postgres://host/db?user=u&password=canary&ssl=1" }))
    expect(JSON.stringify(inQuery)).not.toContain("canary")
  })

  test("the nearest name is found only when it is near", () => {
    expect(nearest("restprt", ["restPort", "logLevel"])).toBe("restPort")
    expect(nearest("zzzzzz", ["restPort", "logLevel"])).toBeUndefined()
  })
})

describe("B-16: the alert of a backlog", () => {
  test("50 queued steps and no webhook by default", () => {
    expect(loadConfig({ env: {} })).toMatchObject({ alertQueuedSteps: 50, alertWebhook: undefined })
  })

  test("a webhook is a URL, and what may be a token in it is not shown", () => {
    const url = "https://user:pass@hooks.example.com/services/s3cret?token=s3cret"
    const config = loadConfig({ env: { WE_ALERT_WEBHOOK: url } })
    expect(config.alertWebhook).toBe(url)
    const shown = describeConfig(config).find(({ name }) => name === "WE_ALERT_WEBHOOK")
    expect(shown?.value).toBe("https://hooks.example.com/****")
    expect(() => loadConfig({ env: { WE_ALERT_WEBHOOK: "file:///etc/s3cret" } })).toThrow(
      "WE_ALERT_WEBHOOK=(hidden): must be a URL such as https://hooks.example.com/millrace",
    )
  })
})
