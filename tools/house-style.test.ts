// House style as a test: what a reviewer should not have to say twice.
import { describe, expect, test } from "vitest"
import { isTest, list, read, sources } from "./files.ts"

const MAX_LINES = 350
const MAX_TEST_LINES = 500
const MAX_STATEMENT_LINES = 40
const MAX_STORE_COLUMNS = 120

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
    const tests = ["engine/src", "guard/src", "dashboard/src", "sdks/typescript/src", "conformance/src"].flatMap(
      (folder) => list(folder, isTest),
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

  test("a doc comment of one line makes sense without the line below it", () => {
    const paths = list("engine/src", (path) => path.endsWith(".ts"))
    expect(hits(paths, /^\s*\/\*\* (Of|Or|Those) .*\*\/$/), "name the subject first").toEqual([])
  })

  test("names are kebab-case and name a thing, not a drawer", () => {
    const drawers = /\/(utils?|common|helpers?|managers?|misc)(\.|\/)/
    const odd = sources().filter((path) => drawers.test(path) || !/^[a-z0-9./-]+$/.test(path))
    expect(odd, "name the file after the one thing it exports").toEqual([])
  })
})

describe("SQL", () => {
  const files = () =>
    ["store", "test-kit"].flatMap((room) => list(`engine/src/${room}`, (path) => path.endsWith(".sql")))

  test(`a statement has at most ${MAX_STATEMENT_LINES} lines`, () => {
    const long = files().flatMap((path) =>
      read(path)
        .split(/^-- name: /m)
        .slice(1)
        .filter((block) => block.trimEnd().split("\n").length > MAX_STATEMENT_LINES)
        .map((block) => `${path}: ${block.split("\n", 1)[0]}`),
    )
    expect(long).toEqual([])
  })

  test(`a line has at most ${MAX_STORE_COLUMNS} columns, as has one of the store's TypeScript beside it`, () => {
    const typed = list("engine/src/store", (path) => path.endsWith(".ts"))
    const long = new RegExp(`.{${MAX_STORE_COLUMNS + 1}}`)
    expect(hits([...files(), ...typed], long), "break it where a reader takes a breath").toEqual([])
  })

  test("a parameter has a name: @instanceId, or @jobs as x (id text) for a list of rows", () => {
    expect(hits(files(), /\$\d/)).toEqual([])
  })

  test("SEC-34: it lives in store/, db/ and test-kit/, and nowhere else", () => {
    const rooms = /^engine\/src\/(store|db|test-kit)\//
    const others = list("engine/src", (path) => path.endsWith(".ts") && !isTest(path) && !rooms.test(path))
    const text = /["'`]\s*(select\s|insert into\s|update \S+ set\s|delete from\s|lock table\s|with \w+ as\s)/i
    expect(hits(others, text), "make it a statement of the store").toEqual([])
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

  test("no test is kept to run alone", () => {
    const tests = list(".", (path) => path.endsWith(".test.ts"))
    expect(hits(tests, /\b(test|it|describe)\.only\(/)).toEqual([])
  })
})
