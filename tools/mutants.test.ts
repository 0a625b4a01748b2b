// The list of mutants stays true: each can be planted, and each is known to be found.
import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { read, root } from "./files.ts"
import { choose } from "./mutants/choose.ts"
import { MUTANTS } from "./mutants/list.ts"
import { mutated } from "./mutants/mutant.ts"
import { mutantsPage, readKillers } from "./mutants/report-page.ts"

test("RG5: there are at least 120 mutants, each under a name of its own", () => {
  expect(new Set(MUTANTS.map(({ id }) => id)).size).toBe(MUTANTS.length)
  expect(MUTANTS.length).toBeGreaterThanOrEqual(120)
})

test("the text of every mutant is in its file exactly once", () => {
  for (const mutant of MUTANTS) expect(() => mutated(read(mutant.file), mutant)).not.toThrow()
})

test("a statement keeps its parameters: without one it could not be sent at all, which any test would find", () => {
  const parametersOf = (text: string) =>
    text.split(/^-- name: /m).map((block) => [...new Set(block.match(/@\w+/g))].sort().join(" "))
  for (const mutant of MUTANTS.filter(({ file }) => file.includes("/store/") && file.endsWith(".sql"))) {
    const text = read(mutant.file)
    expect(parametersOf(mutated(text, mutant)), mutant.id).toEqual(parametersOf(text))
  }
})

test("a mutant whose text is gone, or is there twice, is an error that names it", () => {
  const mutant = { ...MUTANTS[0], id: "rotten", file: "a.ts", find: "x" } as (typeof MUTANTS)[number]
  expect(() => mutated("y", mutant)).toThrow("rotten: its text is in a.ts 0 times")
  expect(() => mutated("x x", mutant)).toThrow("rotten: its text is in a.ts 2 times")
})

test("every mutant says in a sentence which promise it breaks, and which tests should know", () => {
  for (const { id, breaks, tests } of MUTANTS) {
    expect(breaks, id).toMatch(/ .*\.$/)
    expect(tests.length, id).toBeGreaterThan(0)
    for (const file of tests) expect(existsSync(join(root, file)), `${id}: ${file}`).toBe(true)
  }
})

test("at most 2 % change nothing that can be seen, each with its proof; all others were found by a test that is named", () => {
  const killers = readKillers()
  const same = MUTANTS.filter(({ equivalent }) => equivalent !== undefined)
  expect(same.length).toBeLessThanOrEqual(MUTANTS.length * 0.02)
  const findable = MUTANTS.filter(({ equivalent }) => equivalent === undefined)
  expect(Object.keys(killers).sort()).toEqual(findable.map(({ id }) => id).sort())
})

test("docs/reference/mutants.md is what the list and the last run say", async () => {
  await expect(mutantsPage()).toMatchFileSnapshot("../docs/reference/mutants.md")
})

test("a sample is the same for the same seed, and another one for another commit", () => {
  const ids = (seed: string) => choose(MUTANTS, { sample: 20, seed }).map(({ id }) => id)
  expect(ids("a")).toEqual(ids("a"))
  expect(ids("a")).not.toEqual(ids("b"))
  expect(new Set(ids("a")).size).toBe(20)
})
