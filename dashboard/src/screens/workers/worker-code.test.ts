// The workers that the dashboard offers: of each language, for the job type and the engine at hand.
import { expect, test } from "vitest"
import { LANGUAGES, workerCode } from "./worker-code.ts"

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
