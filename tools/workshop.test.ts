// The workshop itself: what runs before a commit and on every push, and that the migrations are one chain.
import { expect, test } from "vitest"
import { list, read, readJson } from "./files.ts"
import guardCoverage from "./guard-coverage.config.ts"

test("D-47: CI installs, checks style and types, migrates and runs all tests; a hook and a template stand before it", () => {
  const ci = read(".ci/run")
  for (const step of [
    "npm ci",
    "check:$check",
    "check:types",
    "format lint deps dead openapi",
    "npm test",
    "chaos",
    "bench",
  ])
    expect(ci).toContain(step)
  expect(read(".github/workflows/ci.yml")).toContain(".ci/run")
  expect(read(".githooks/pre-commit")).toContain("biome")
  expect(read(".github/pull_request_template.md")).toContain("npm run check")
})

test("E-29: the guard's own tests have to run 85 % of its code, before a merge and in CI", () => {
  const { coverage } = guardCoverage.test ?? {}
  const thresholds = coverage && "thresholds" in coverage ? coverage.thresholds : undefined
  expect(thresholds).toEqual({ statements: 85, branches: 85, functions: 85, lines: 85 })
  expect(coverage).toMatchObject({ enabled: true, include: ["guard/src/**/*.ts"] })
  const { scripts } = readJson<{ scripts: Record<string, string> }>("package.json")
  expect(scripts["check:guard-coverage"]).toContain("tools/guard-coverage.config.ts")
  expect(scripts.check).toContain("check:guard-coverage")
  expect(read(".ci/run")).toMatch(/checks=\(.*\bguard-coverage\b.*\)\nfor check in .*; do begin "check:\$check"/)
})

test("D-46, D-54: the migrations are one chain without a gap, each number once", () => {
  const files = list("engine/migrations", (path) => /\/\d{4}_[a-z_]+\.sql$/.test(path)).sort()
  const numbers = files.map((path) => Number(path.split("/").at(-1)?.slice(0, 4)))
  expect(numbers).toEqual(numbers.map((_, at) => at + 1))
})
