import fc from "fast-check"
import { describe, expect, test, vi } from "vitest"
import { createLogger, type LogLevel } from "./log.ts"
import { isSecretName, maskSecrets, safeText } from "./redact.ts"

function capture(level: LogLevel = "debug") {
  const lines: string[] = []
  const log = createLogger({ level, destination: { write: (line: string) => void lines.push(line) } })
  return { log, lines, last: () => JSON.parse(lines.at(-1)!) as Record<string, unknown> }
}

describe("the log", () => {
  test("C-04, D-41: one JSON object a line with level, ISO time and message; lower levels are left out", () => {
    const { log, lines, last } = capture("warn")
    log.info("quiet")
    log.warn({ port: 8080 }, "busy")
    expect(lines).toHaveLength(1)
    expect(last()).toEqual({ level: "warn", time: expect.stringMatching(/^\d{4}-.*Z$/), port: 8080, msg: "busy" })
  })

  test("the time of a line is its own millisecond, also where a second begins", () => {
    const { log, last } = capture()
    vi.useFakeTimers({ toFake: ["Date"] })
    try {
      for (const at of ["2026-03-01T09:59:59.999Z", "2026-03-01T10:00:00.000Z", "2026-03-01T09:59:59.007Z"]) {
        vi.setSystemTime(new Date(at))
        log.info("tick")
        expect(last().time).toBe(at)
      }
    } finally {
      vi.useRealTimers()
    }
  })

  test("SEC-54: a line of plain fields hides and masks what every other line does", () => {
    const { log, last } = capture()
    const name = fc.constantFrom("route", "status", "API-Key", "password", "lease_token", "a b", "mill_1_2")
    const value = fc.oneof(
      fc.constantFrom("/v1/jobs", "mill_ab_cd", "eyJh.eyJi.c", "x\u001by"),
      fc.integer(),
      fc.boolean(),
    )
    fc.assert(
      fc.property(fc.dictionary(name, value), (fields) => {
        log.info(fields, "request")
        const { level, time, msg, ...written } = last()
        const shown = ([key, item]: [string, unknown]) =>
          isSecretName(key) ? "****" : typeof item === "string" ? safeText(item) : item
        const expected = Object.entries(fields).map((entry) => [safeText(entry[0]), shown(entry)])
        expect(written).toEqual(Object.fromEntries(expected))
      }),
    )
  })

  test("SEC-54: newlines, escape sequences and direction marks cannot forge a line or steer a terminal", () => {
    const { log, lines } = capture()
    const hostile = '\n{"level":"error"}\u001b[2J\u202eabc\u0085\u2028'
    log.info({ hostile, [hostile]: hostile, list: [hostile], err: new Error(hostile) }, hostile)
    expect(lines).toHaveLength(1)
    expect(lines[0]!.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}\u2028]/u)
    expect(JSON.parse(lines[0]!).hostile).toContain("\\u001b[2J\\u202eabc")
  })

  test("SEC-54: long strings, wide objects and deep nesting are capped, cycles end", () => {
    const { log, lines, last } = capture()
    const cycle: Record<string, unknown> = {
      big: "x".repeat(100_000),
      wide: Object.fromEntries(
        Array(500)
          .fill(0)
          .map((_, i) => [`k${i}`, i]),
      ),
    }
    cycle.self = cycle
    log.info(cycle, "y".repeat(100_000))
    expect(lines[0]!.length).toBeLessThan(60_000)
    expect(String(last().big)).toContain("(100000 characters)")
  })

  test("C-04: what throws when it is looked at takes nothing but its own place", () => {
    const { log, last } = capture()
    const explode = () => {
      throw new Error("not to be read")
    }
    const errorWith = (name: string) => Object.defineProperty(new Error("plain"), name, { get: explode })
    for (const name of ["message", "stack", "name", "code", "cause"]) {
      log.warn({ err: errorWith(name), jobId: "j1" }, "failed")
      expect(last()).toMatchObject({ jobId: "j1", err: { type: expect.any(String), message: expect.any(String) } })
    }
    const proxy = new Proxy({}, { getPrototypeOf: explode, ownKeys: explode, get: explode })
    log.warn({ err: proxy, at: new Date(Number.NaN), bare: Object.create(null), jobId: "j2" }, "failed")
    expect(last()).toMatchObject({ jobId: "j2", err: "(cannot be read)", at: null, bare: {} })
    log.warn({ err: Object.assign(new Error(), { message: 42 }) }, "failed")
    expect(last().err).toMatchObject({ message: "42" })
  })

  test.each([
    ["authorization header", { headers: { Authorization: "Bearer CANARY" } }],
    ["cookies", { req: { headers: { cookie: "sid=CANARY", "set-cookie": ["sid=CANARY"] } } }],
    ["lease token", { jobs: [{ leaseToken: "CANARY", lease_token: "CANARY" }] }],
    ["password", { db: { password: "CANARY", PGPASSWORD: "CANARY" } }],
    ["DSN", { url: "postgres://u:CANARY@localhost/db" }],
    ["DSN with @ and : in the password", { url: "postgres://u:CAN@ARY:CANARY@localhost/db" }],
    ["keyword DSN", { at: "host=x password='CANARY' user=u" }],
    ["error message", { err: new Error("connect postgres://u:CANARY@h/db failed") }],
    ["error cause", { err: new Error("x", { cause: new Error("password=CANARY") }) }],
    ["error field", { err: Object.assign(new Error("x"), { detail: "Key (email)=(CANARY) exists" }) }],
    ["API key", { note: "used mill_k1_CANARY_00ab" }],
  ])("SEC-55: %s is never logged", (_, fields) => {
    const { log, lines } = capture()
    log.info(fields, "message with postgres://u:CANARY@h/db and Bearer CANARY")
    log.child(fields).info("child")
    expect(lines.join("")).not.toContain("CANARY")
    expect(lines).toHaveLength(2)
  })

  test("an error as the only argument keeps its message, code and stack", () => {
    const { log, last } = capture()
    log.error(Object.assign(new Error("gone"), { code: "ECONNRESET" }))
    expect(last()).toMatchObject({
      msg: "gone",
      err: { type: "Error", code: "ECONNRESET", stack: expect.stringContaining("log.test") },
    })
  })
})

describe("redaction", () => {
  test("leaves harmless text alone", () => {
    for (const text of ["GET /v1/jobs 200", "http://127.0.0.1:8080/x", "a@b.test", "ratio 3:4 at 10:30"]) {
      expect(safeText(text)).toBe(text)
      expect(maskSecrets(text)).toBe(text)
    }
  })

  test("SEC-54: text that is let through early is what every pattern would have let through", () => {
    const pieces = [
      "mill_",
      "mill",
      "_",
      "eyJ",
      "a",
      "Z9",
      ".",
      "-",
      ":",
      "/",
      "://",
      "@",
      "pwd",
      "=",
      "bearer",
      "{",
      "\u200b",
    ]
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(""))
    // A space sends the text through all the patterns; none of them reads past it.
    fc.assert(
      fc.property(text, (given) => safeText(`${given} |`) === `${safeText(given)} |`),
      { numRuns: 20_000 },
    )
  })

  // Milliseconds in linear time; a pattern that goes back at every character would outlast the limit of a test.
  test("SEC-35: stays quick on hostile input", () => {
    for (const part of ["://a:", "password='", "bearer ", "mill_a_"]) safeText(part.repeat(256_000))
  })
})
