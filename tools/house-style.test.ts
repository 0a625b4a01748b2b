// House style as a test: what a reviewer should not have to say twice.
import { describe, expect, test } from "vitest"
import { isTest, list, read, sources } from "./files.ts"

const MAX_LINES = 350
const MAX_TEST_LINES = 500
const MAX_STATEMENT_LINES = 40

const linesOf = (path: string): string[] => read(path).trimEnd().split("\n")
const textFiles = (): string[] =>
  list(".", (path) => /\.(tsx?|mjs|cjs|css|html|sql|md|ya?ml|json|sh|svg)$/.test(path) || path.startsWith(".")).filter(
    (path) => !path.endsWith("package-lock.json"),
  )
/** `path:line: text` of every line that matches. */
const hits = (paths: readonly string[], pattern: RegExp): string[] =>
  paths.flatMap((path) =>
    linesOf(path).flatMap((line, at) => (pattern.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [])),
  )

describe("files", () => {
  test(`a source file has at most ${MAX_LINES} lines, a test at most ${MAX_TEST_LINES}`, () => {
    const tests = ["engine/src", "dashboard/src", "sdks/typescript/src", "conformance/src"].flatMap((folder) =>
      list(folder, isTest),
    )
    const long = [
      ...sources().filter((path) => linesOf(path).length > MAX_LINES),
      ...tests.filter((path) => linesOf(path).length > MAX_TEST_LINES),
    ]
    expect(long, "split it where two ideas meet").toEqual([])
  })

  test("the first line of a source file says what it is for", () => {
    const silent = sources().filter((path) => {
      const [first, second] = linesOf(path)
      const line = first?.startsWith("#!") ? second : first
      return !/^(\/\/|--) \S+ \S+/.test(line ?? "")
    })
    expect(silent).toEqual([])
  })

  test("names are kebab-case and name a thing, not a drawer", () => {
    const drawers = /\/(utils?|common|helpers?|managers?|misc)(\.|\/)/
    const odd = sources().filter((path) => drawers.test(path) || !/^[a-z0-9./-]+$/.test(path))
    expect(odd, "name the file after the one thing it exports").toEqual([])
  })

  test(`a statement has at most ${MAX_STATEMENT_LINES} lines`, () => {
    const long = list("engine/src/store", (path) => path.endsWith(".sql")).flatMap((path) =>
      read(path)
        .split(/^-- name: /m)
        .slice(1)
        .filter((block) => block.trimEnd().split("\n").length > MAX_STATEMENT_LINES)
        .map((block) => `${path}: ${block.split("\n", 1)[0]}`),
    )
    expect(long).toEqual([])
  })
})

describe("bans", () => {
  test("nothing is left for later in the code: open an issue", () => {
    const marks = new RegExp(["FIX" + "ME", "TO" + "DO", "XX" + "X"].map((mark) => `\\b${mark}\\b`).join("|"))
    expect(hits(textFiles(), marks)).toEqual([])
  })

  test("no path of somebody's machine", () => {
    // A folder of a home directory or of a checkout; /tmp and /etc are the same everywhere, and Ada is in the tests.
    const home = new RegExp(
      ["/ro" + "ot/", "/ho" + "me/(?!ada)\\w", "/Us" + "ers/\\w", "(^|[\\s\"'`(=])/wo" + "rk/"].join("|"),
    )
    expect(hits(textFiles(), home)).toEqual([])
  })

  test("SEC-71: no code is made from text", () => {
    const dynamic = /\beval\(|\bnew Function\(|\bFunction\(["'`]|= require\(|node:vm\b/
    expect(hits(sources(), dynamic), "expressions are evaluated on a closed syntax tree").toEqual([])
  })

  test("the model has no clock and no dice: both are passed in", () => {
    const model = list("engine/src/model", (path) => path.endsWith(".ts") && !isTest(path))
    const impure =
      /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\brandom(UUID|Bytes|Int)\b|\bprocess\.(env|hrtime|pid|cwd)\b|\bsetTimeout\b/
    expect(hits(model, impure), "take nowMs and random from the plan's context").toEqual([])
  })

  test("SEC-34: SQL lives in .sql files beside the store, never in template text with values", () => {
    const operations = ["operations", "services", "transports", "library"].flatMap((room) =>
      list(`engine/src/${room}`, (path) => path.endsWith(".ts") && !isTest(path)),
    )
    expect(hits(operations, /`\s*(select|insert into|update|delete from)\s.*\$\{/i)).toEqual([])
  })

  test("comments say it themselves: the ids of requirements are for the names of tests", () => {
    const id = "([A-F]-[TXF]?\\d{1,3}|SEC-\\d{1,2})"
    expect(hits(sources(), new RegExp(`^\\s*(//|/?\\*|--) .*\\b${id}\\b`))).toEqual([])
  })

  test("no test is kept to run alone", () => {
    const tests = list(".", (path) => path.endsWith(".test.ts"))
    expect(hits(tests, /\b(test|it|describe)\.only\(/)).toEqual([])
  })
})
