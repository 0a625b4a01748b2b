// `millrace incarnation` on real PostgreSQL: ids of events after a restore differ from all before, and consumers are told.
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Config, loadConfig } from "../../../config.ts"
import { publishEvent } from "../../../operations/events/publish-event.ts"
import type { Kernel } from "../../../operations/kernel/kernel.ts"
import { createBareKernel } from "../../../test-support/bare-kernel.ts"
import { createTestDatabase } from "../../../test-support/test-engine.ts"
import { runIncarnation } from "./incarnation.ts"

let database: { dsn: string; drop(): Promise<void> }
let kernel: Kernel
let config: Config
beforeAll(async () => {
  database = await createTestDatabase()
  kernel = await createBareKernel(database.dsn)
  config = loadConfig({ env: { WE_POSTGRES_DSN: database.dsn } })
})
afterAll(async () => {
  await kernel.db.close()
  await database.drop()
})

const publish = async () => (await publishEvent(kernel, { type: "t", payload: {} })).outcome.id
const said = async (options: { new?: boolean; keep?: boolean } = {}): Promise<string> => {
  const lines: string[] = []
  await runIncarnation(config, options, (line) => lines.push(line))
  return lines.join("\n")
}
const incarnationOf = (id: string): string => id.split("-")[1] ?? ""

test("F52: --new gives ids another end, and the events of before keep theirs", async () => {
  const before = incarnationOf(await publish())
  expect(await said()).toBe(`Ids of events end with -${before}.`)
  const [, fresh] = /end with -(\w+) from now on; before it was -\w+/.exec(await said({ new: true })) ?? []
  expect(incarnationOf(await publish())).toBe(fresh)
  expect(fresh).not.toBe(before)
  const all = await kernel.db.script("select incarnation, type from millrace.events order by seq")
  expect(all).toEqual([
    { incarnation: before, type: "t" },
    { incarnation: fresh, type: "workflow.incarnation" },
    { incarnation: fresh, type: "t" },
  ])
})

test("F56: consumers are told by an event of which incarnation they may have had more", async () => {
  await said({ new: true })
  const [event] = await kernel.db.script(
    "select payload from millrace.events where type = 'workflow.incarnation' order by seq desc limit 1",
  )
  expect(JSON.parse(event?.payload as string)).toEqual({
    former: expect.stringMatching(/^\w{8}$/),
    fresh: expect.stringMatching(/^\w{8}$/),
  })
})

test("F52: a database on another server or timeline says so until --new or --keep", async () => {
  for (const answer of [{ keep: true }, { new: true }]) {
    await kernel.db.script("update millrace.outbox set lineage = '1/00000001'")
    expect(await said()).toContain("millrace incarnation --new")
    await said(answer)
    expect(await said()).not.toContain("--new")
  }
  await expect(said({ new: true, keep: true })).rejects.toThrow("exclude each other")
})
