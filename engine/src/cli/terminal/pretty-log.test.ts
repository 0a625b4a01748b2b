// The log of `millrace dev` at a terminal: one line for each event; JSON wherever a program may read it.
import { expect, test } from "vitest"
import { createLogger } from "../../support/log.ts"
import { plain } from "../drawing/paint.ts"
import { logSink, prettyLine } from "./pretty-log.ts"

const at = { level: "warn", time: "2026-11-17T02:18:19.440Z" }
/** Without the time, which is on the clock of this machine. */
const line = (entry: object) => prettyLine(JSON.stringify({ ...at, ...entry }), plain).replace(/^\d\d:\d\d:\d\d /, "")

test("a failed run: its workflow, what happened and why, in one line", () => {
  const err = {
    type: "StepFailure",
    message: "pay: card declined",
    stack: "StepFailure: pay\n    at pay (flows.js:3:1)",
  }
  expect(line({ workflow: "checkout", instanceId: "01RUN", attempt: 2, msg: "a run has failed", err })).toBe(
    "WARN  checkout a run has failed: pay: card declined instanceId=01RUN attempt=2",
  )
})

test("a request is its route, status and time; the rest is for programs, but for the id of one that failed", () => {
  const request = {
    requestId: "01REQ",
    method: "POST",
    route: "/v1/instances",
    durationMs: 54.5,
    bytes: 2,
    remote: "::1",
  }
  expect(line({ ...request, level: "info", status: 201, msg: "request" })).toBe("INFO  POST /v1/instances 201 55 ms")
  expect(line({ ...request, level: "error", status: 500, msg: "request" })).toMatch(/ 500 55 ms requestId=01REQ$/)
})

test("a fault of the engine has its stack beneath", () => {
  const err = { message: "oops", stack: "Error: oops\n    at a (dist/a.js:1:2)\n    at b (dist/b.js:3:4)" }
  expect(line({ level: "error", msg: "a timer could not fire", err }).split("\n")).toEqual([
    "ERROR a timer could not fire: oops",
    "    at a (dist/a.js:1:2)",
    "    at b (dist/b.js:3:4)",
  ])
})

test("SEC-54: what comes from outside cannot break the line or move the cursor", () => {
  const err = { message: "no\nsuch\u001b[2J\u202e account" }
  const shown = line({ workflow: "a\u0007b", msg: "a run has failed", err, note: "x\r\ny" })
  expect(shown).toBe("WARN  a\\u0007b a run has failed: no such\\u001b[2J\\u202e account note=x y")
  expect(prettyLine("not JSON \u001b[31m\n", plain)).toBe("not JSON \\u001b[31m")
})

type Entry = readonly [fields: object, message: string]

function written(
  screen: { isTTY?: boolean },
  env: Record<string, string>,
  more: { format?: "pretty" | "json"; entry?: Entry } = {},
) {
  const { format, entry } = more
  let text = ""
  const sink = logSink({ ...screen, write: (one) => (text += one) }, env, format ? { logFormat: format } : {})
  createLogger({ level: "info", destination: sink }).info(...(entry ?? [{ workflow: "w" }, "hello"]))
  return text
}

test("reads that worked are left out for people, not for programs; those that failed are shown", () => {
  const read = (status: number) =>
    [{ method: "GET", route: "/v1/instances", status, durationMs: 1 }, "request"] as const
  expect(written({}, {}, { format: "pretty", entry: read(200) })).toBe("")
  expect(written({}, {}, { format: "pretty", entry: read(404) })).toContain("GET /v1/instances 404")
  expect(written({}, {}, { format: "json", entry: read(200) })).toContain("/v1/instances")
})

test("pretty at a terminal, JSON elsewhere, and either where it was asked for; colour at a terminal that wants it", () => {
  expect(written({ isTTY: true }, {})).toContain("\u001b[32mINFO \u001b[39m \u001b[1mw\u001b[22m hello")
  expect(written({ isTTY: true }, { NO_COLOR: "1" })).toMatch(/^\d\d:\d\d:\d\d INFO {2}w hello\n$/)
  expect(JSON.parse(written({}, {}))).toMatchObject({ level: "info", workflow: "w", msg: "hello" })
  expect(JSON.parse(written({ isTTY: true }, {}, { format: "json" }))).toMatchObject({ msg: "hello" })
  expect(written({}, {}, { format: "pretty" })).toMatch(/^\d\d:\d\d:\d\d INFO {2}w hello\n$/)
})
