// C-T6: every scenario in the cells that need Node alone; `npm run conformance` runs all of them.
import { beforeAll, describe, expect, test } from "vitest"
import type { Result } from "./cell/run-cell.ts"
import { cells } from "./matrix.ts"
import { scenarios } from "./scenario.ts"
import { running, runTestCell } from "./test-support/run-test-cell.ts"

const HERE = ["typescript rest poll", "typescript rest exchange", "typescript grpc poll", "typescript grpc exchange"]
const titled = running.map(({ id, title, proves }) => [`${proves.join(", ")}: ${title}`, id] as const)

test("C-T6: there are 40 scenarios and more, at most 6 of which a legacy client cannot say", () => {
  expect(scenarios.length).toBeGreaterThanOrEqual(40)
  const needs = scenarios.flatMap((scenario) => scenario.needs ?? [])
  expect(needs.length).toBeLessThanOrEqual(6)
  expect(["key", "token", "heartbeat"]).toEqual(expect.arrayContaining(needs))
})

test("C-T6: every SDK has its cells, each run or with the reason why not", () => {
  expect(cells.map(({ name }) => name)).toEqual([...new Set(cells.map(({ name }) => name))])
  expect(cells.filter(({ mode }) => mode !== "kafka")).toHaveLength(4 * 5 + 2 * 2)
  expect(cells.filter(({ mode }) => mode === "kafka")).toHaveLength(4 * 2 + 2)
})

test("C-T6: no two scenarios share a definition or a job type, so that they can run side by side", () => {
  const names = scenarios.flatMap(({ definitions, handlers }) => [
    ...definitions.map(({ id }) => `definition ${id}`),
    ...Object.keys(handlers).map((jobType) => `job type ${jobType}`),
  ])
  expect(names).toHaveLength(new Set(names).size)
})

test("C-96: a scenario that polls by hand says why it cannot hold through Kafka", () => {
  const polls = scenarios.filter(({ script }) => /"(call|until)":"poll"/.test(JSON.stringify(script)))
  expect(polls.length).toBeGreaterThan(0)
  expect(polls.filter(({ notInKafka }) => notInKafka === undefined)).toEqual([])
})

/** All scenarios in one hook: beside heavy load they took more than five minutes. */
const GIVE_UP_MS = 1_200_000

describe("C-T6", () => {
  let results: ReadonlyMap<string, readonly Result[]>

  // The cells and their scenarios run side by side: most of the time they wait for leases and timers.
  beforeAll(async () => {
    results = new Map(await Promise.all(HERE.map(async (name) => [name, await runTestCell(name)] as const)))
  }, GIVE_UP_MS)

  describe.each(HERE)("%s", (name) => {
    test.each(titled)("%s", (_, id) => {
      const result = results.get(name)?.find(({ scenario }) => scenario.id === id)
      expect(result).toMatchObject({ fault: undefined })
    })
  })
})
