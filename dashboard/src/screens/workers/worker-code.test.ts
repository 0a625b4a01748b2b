// The workers that the dashboard offers: of each language, for the job type and the engine at hand.
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import ts from "typescript"
import { expect, test } from "vitest"
import { LANGUAGES, SET_UP, workerCode } from "./worker-code.ts"

const url = "https://engine.example.test"

test.each(LANGUAGES)("C-104: the worker in %s names the job type and the engine, and no key", (language) => {
  const code = workerCode(language, { jobType: "charge-card", url })
  expect(code).toContain('"charge-card"')
  expect(code).toContain(`"${url}"`)
  expect(code).toContain("MILLRACE_KEY")
  expect(code).not.toContain("mill_")
})

test.each(LANGUAGES)("a job type with quotes and line breaks stays one string in %s", (language) => {
  const code = workerCode(language, { jobType: 'a"\n); drop', url })
  expect(code).toContain('"a\\"\\n); drop"')
})

// In Java the runner itself listens to it.
test.each(["TypeScript", "Go", "Python"] as const)("the worker in %s stops on SIGTERM", (language) => {
  expect(workerCode(language, { jobType: "charge-card", url })).toContain("SIGTERM")
})

test.each(LANGUAGES)("what installs %s is named by the README of its SDK", (language) => {
  const { install, readme } = SET_UP[language]
  const text = readFileSync(new URL(`../../../../${readme}`, import.meta.url), "utf8")
  const names = install.split(/[\s*()]+/).filter((word) => /sdk/.test(word))
  expect(names).not.toEqual([])
  for (const name of names) expect(text).toContain(name.replace(/^\.\.\/millrace\//, ""))
})

test("the worker in TypeScript compiles with --strict, whatever its job type is called", () => {
  const plain = workerCode("TypeScript", { jobType: "charge-card", url })
  const odd = workerCode("TypeScript", { jobType: 'a"\n); drop', url })
  const untyped = plain.replace(": Job", "")
  expect(errorsOf([plain, odd, untyped])).toEqual([[], [], ["Parameter 'job' implicitly has an 'any' type."]])
})

/** What the compiler says of each. They are not stored, only named in this folder: from here the built SDK is found. */
function errorsOf(codes: readonly string[]): string[][] {
  const folder = fileURLToPath(new URL(".", import.meta.url))
  const sources = new Map(codes.map((code, at) => [`${folder}${at}-${SET_UP.TypeScript.file}`, code]))
  const settings = { strict: true, noEmit: true, skipLibCheck: true, module: ts.ModuleKind.NodeNext, types: ["node"] }
  const host = ts.createCompilerHost(settings)
  const { fileExists, getSourceFile } = host
  host.fileExists = (path) => sources.has(path) || fileExists(path)
  host.getSourceFile = (path, target, ...more) => {
    const code = sources.get(path)
    return code === undefined ? getSourceFile(path, target, ...more) : ts.createSourceFile(path, code, target)
  }
  const program = ts.createProgram([...sources.keys()], settings, host)
  return [...sources.keys()].map((path) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(path))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n")),
  )
}
