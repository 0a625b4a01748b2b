// C-T6: every scenario in every cell that is there: the same list for each transport, dispatch mode and SDK.
import { readdirSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { cells, type OpenCell } from "./matrix.ts"
import { scenarios } from "./scenarios.ts"
import { openCell } from "./test-support/open-cell.ts"

const running = cells.filter(({ notYet }) => notYet === undefined)

test("C-T6: there are 19 scenarios, each with its file, and 16 cells, each run or with the reason why not", () => {
  const files = readdirSync(new URL("../../scenarios", import.meta.url)).filter((file) => file.endsWith(".json"))
  expect(scenarios.map(({ id }) => `${id}.json`).sort()).toEqual(files.sort())
  expect(scenarios).toHaveLength(19)
  expect(cells).toHaveLength(16)
  expect(running.map(({ name }) => name)).toEqual(["REST × polling × TypeScript"])
  for (const { name, notYet } of cells)
    if (!running.some((cell) => cell.name === name)) expect(notYet, name).toBeTruthy()
})

test("C-T6: no two scenarios share a definition or a job type, so that they can run side by side", () => {
  const names = scenarios.flatMap(({ definitions, handlers }) => [
    ...definitions.map(({ id }) => `definition ${id}`),
    ...Object.keys(handlers).map((jobType) => `job type ${jobType}`),
  ])
  expect(names).toHaveLength(new Set(names).size)
})

describe.each(running.map((cell) => [cell.name, cell] as const))("%s", (_, cell) => {
  let open: OpenCell

  beforeAll(async () => {
    open = await openCell(cell)
    for (const { definitions } of scenarios)
      for (const definition of definitions) await open.client.uploadDefinition(definition)
  })
  // Throws when the worker does not drain and exit with 0.
  afterAll(() => open.close())

  test.concurrent.each(scenarios.map((scenario) => [`${scenario.id}: ${scenario.title}`, scenario] as const))(
    "C-T6 %s",
    (_, { run }) => run(open.client, open.worker),
  )
})
