// The promises of the security page about expressions: no dynamic code, nothing inherited, bounded, repeatable.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${…}` is the notation under test
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import ts from "typescript"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { JsonObject } from "../../../support/json.ts"
import { compileExpression } from "./compile-expression.ts"
import { evaluate } from "./evaluate.ts"
import { ExpressionError } from "./expression-error.ts"

const here = import.meta.dirname
const sources = readdirSync(here).filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
const run = (source: string, variables: JsonObject = {}) => evaluate(compileExpression(source), variables, { nowMs: 0 })

describe("SEC-40: a closed tree, no dynamic code", () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "expressions-"))
    const files = [
      ...sources.map((file) => join("model/definitions/expressions", file)),
      "support/json.ts",
      "support/assert.ts",
      "support/double-digits.ts",
    ]
    for (const file of files) transpile(file, folder)
    writeFileSync(join(folder, "package.json"), '{"type":"module"}')
    writeFileSync(join(folder, "run.js"), script)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const child = (env: Record<string, string>): unknown =>
    JSON.parse(
      execFileSync(process.execPath, ["--disallow-code-generation-from-strings", join(folder, "run.js")], {
        env: { PATH: process.env.PATH, ...env },
        encoding: "utf8",
      }),
    )

  test("SEC-40: expressions work in a process that may not generate code from strings", () => {
    expect(child({})).toEqual({
      codeGeneration: "refused",
      values: [7, true, "1970-01-01T00:00:00.000Z", "unknown variable `x`"],
    })
  })

  test("SEC-43: the same result under another time zone, language and clock", () => {
    expect(child({ TZ: "Asia/Kathmandu", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" })).toEqual(
      child({ TZ: "UTC", LANG: "C" }),
    )
  })

  test("SEC-40: no source here calls eval, Function, the clock, dice or a regular expression", () => {
    const banned = [
      "eval(",
      "Function(",
      "Date.now",
      "new Date()",
      "Math.random",
      "RegExp",
      "localeCompare",
      ".match(",
      "import(",
    ]
    for (const file of sources) {
      const text = readFileSync(join(here, file), "utf8")
      for (const word of banned) expect(text.includes(word), `${word} in ${basename(file)}`).toBe(false)
    }
  })
})

const script = `
import { compileExpression } from "./model/definitions/expressions/compile-expression.js"
import { evaluate } from "./model/definitions/expressions/evaluate.js"
const attempt = (work) => { try { return work() } catch (error) { return error.message } }
const sources = ["1 + 2 * 3", "'ı' > 'I' && 'ä' > 'z'", "now()", "x == 1"]
const values = sources.map((source) => attempt(() => evaluate(compileExpression(source), {}, { nowMs: 0 })))
let codeGeneration = "allowed"
try { new Function("return 1")() } catch { codeGeneration = "refused" }
console.log(JSON.stringify({ codeGeneration, values }))
`

function transpile(file: string, folder: string): void {
  const text = readFileSync(join(here, "../../..", file), "utf8")
  const options = {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2022,
    rewriteRelativeImportExtensions: true,
  }
  const target = join(folder, file.replace(/\.ts$/, ".js"))
  mkdirSync(join(target, ".."), { recursive: true })
  writeFileSync(target, ts.transpileModule(text, { compilerOptions: options }).outputText)
}

describe("SEC-41: own data properties only", () => {
  const inherited = [
    "constructor",
    "__proto__",
    "toString",
    "hasOwnProperty",
    "valueOf",
    "__defineGetter__",
    "prototype",
  ]
  const positions = [
    "@",
    "#@",
    "${@}",
    "a.@",
    "a.b.@",
    "s.@",
    "l.@",
    "n.@",
    "f.@",
    "@.@",
    "a.@.@",
    "!@",
    "@ == 1",
    "1 + @",
    "@ in l",
    "len(@)",
  ]
  const variables = { a: { b: {} }, s: "text", l: [1], n: 1, f: true }

  test.each(inherited)("SEC-41: `%s` is an unknown variable at each position", (word) => {
    for (const position of positions) {
      expect(() => run(position.replaceAll("@", word), variables)).toThrow(/unknown variable/)
    }
  })

  test("SEC-41: a.constructor.constructor leads nowhere", () => {
    expect(() => run("a.constructor.constructor", variables)).toThrow("unknown variable `a.constructor`")
  })

  test("SEC-41: an own key of such a name is data like any other", () => {
    expect(run("a.constructor", JSON.parse('{"a":{"constructor":1}}'))).toBe(1)
    expect(run("a.__proto__", JSON.parse('{"a":{"__proto__":2}}'))).toBe(2)
  })

  test("SEC-41: accessors, class instances and inherited values are out of reach", () => {
    class Box {
      readonly x = 1
    }
    const accessor = Object.defineProperty({}, "x", { get: () => 1, enumerable: true })
    const odd = {
      accessor,
      box: new Box(),
      date: new Date(0),
      heir: Object.create({ x: 1 }),
      map: new Map([["x", 1]]),
    } as unknown as JsonObject
    for (const source of ["accessor.x", "box.x", "date.getTime", "heir.x", "map.size"]) {
      expect(() => run(source, odd)).toThrow(/unknown variable/)
    }
  })

  test("SEC-41: what a map inherits does not make it equal to another", () => {
    expect(run("a == b", { a: JSON.parse('{"__proto__":{}}'), b: { x: {} } })).toBe(false)
  })

  test("SEC-41: variables without a prototype are read like others", () => {
    expect(run("x", Object.assign(Object.create(null), { x: 1 }))).toBe(1)
  })
})

describe("SEC-42: the worst programs and documents are ended by the budget", () => {
  const text = "a".repeat(1 << 20)
  const list = Array.from({ length: 300_000 }, (_, index) => index)
  const map = Object.fromEntries(list.slice(0, 50_000).map((index) => [`k${index}`, index]))
  const needle = `${"a".repeat(600)}b${"a".repeat(600)}`
  const variables = { text, same: `${text}`, list, map, copy: [...list], twin: { ...map }, needle }

  // What is not charged to the budget could go on for seconds.
  test.each([
    "text == same",
    "-1 in list",
    "list == copy",
    "map == twin",
    "len(map) > 0",
    "needle in text",
    "text <= same",
  ])("%s", (term) => {
    const expression = compileExpression(Array(25).fill(`(${term})`).join(" && "))
    expect(() => evaluate(expression, variables, { nowMs: 0 })).toThrow("takes more than 10000 steps")
  })
})

test("SEC-43: time is an argument, so a replay gives the same", () => {
  const expression = compileExpression("now() + '!'")
  expect(evaluate(expression, {}, { nowMs: 5 })).toBe("1970-01-01T00:00:00.005Z!")
  expect(evaluate(expression, {}, { nowMs: 5 })).toBe(evaluate(expression, {}, { nowMs: 5 }))
})

test.each(["x", "1 +", "1 / 0", "'a' < 1", "!1", "1 && true", "len(1)", "foo()", "${x", "'x", "null.x"])(
  "SEC-44: %s fails, it is not false",
  (source) => expect(() => run(source)).toThrow(ExpressionError),
)
