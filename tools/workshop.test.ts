// The workshop itself: what runs before a commit and on every push, and that the migrations are one chain.
import { expect, test } from "vitest"
import { list, read } from "./files.ts"

test("D-47: CI installs, checks style and types, migrates and runs all tests; a hook and a template stand before it", () => {
  const ci = read(".ci/run")
  for (const step of ["npm ci", "check:$check", "format lint types deps dead openapi", "npm test", "chaos", "bench"])
    expect(ci).toContain(step)
  expect(read(".github/workflows/ci.yml")).toContain(".ci/run")
  expect(read(".githooks/pre-commit")).toContain("biome")
  expect(read(".github/pull_request_template.md")).toContain("npm run check")
})

test("D-46, D-54: the migrations are one chain without a gap, each number once", () => {
  const files = list("engine/migrations", (path) => /\/\d{4}_[a-z_]+\.sql$/.test(path)).sort()
  const numbers = files.map((path) => Number(path.split("/").at(-1)?.slice(0, 4)))
  expect(numbers).toEqual(numbers.map((_, at) => at + 1))
})
