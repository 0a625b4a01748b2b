// The meter in a running engine: it folds by itself where there is something to fold, and an idle engine folds nothing.
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Core } from "../core.ts"
import { uploadDefinition } from "../operations/definitions/upload-definition.ts"
import { readDepths } from "../operations/flow/read-depths.ts"
import { end, service, workflow } from "../test-support/definitions.ts"
import { drive } from "../test-support/drive.ts"
import { eventually } from "../test-support/mills.ts"
import { countRows } from "../test-support/rows.ts"
import { createStatementWatch, type StatementWatch } from "../test-support/statement-watch.ts"
import { openTestCore } from "../test-support/test-core.ts"
import { createTestDatabase } from "../test-support/test-engine.ts"

let database: { dsn: string; drop(): Promise<void> }
let watch: StatementWatch
let core: Core

beforeAll(async () => {
  database = await createTestDatabase()
  watch = await createStatementWatch(database.dsn)
  core = await openTestCore(watch.dsn)
  const document = workflow("flow", [service("work", "end"), end()])
  await uploadDefinition(core.kernel, { document, actor: "local" })
})
afterAll(async () => {
  await core.stop()
  await watch.close()
  await database.drop()
})

const beats = () => watch.statements.filter((text) => text.includes("insert into millrace.processes")).length
const folds = () => watch.statements.filter((text) => text.includes("delete from millrace.depth_deltas")).length

test("D-12: what was added and ended is folded without anybody asking", async () => {
  const { kernel } = core
  const worker = drive(kernel)
  for (let n = 0; n < 3; n++) await worker.start("flow")
  await worker.complete(await worker.claimOne("work"))
  await eventually(() => countRows(kernel.db, "depth_deltas")).toBe(0)
  expect([...(await readDepths(kernel)).queues.values()]).toEqual([2])
  expect(await countRows(kernel.db, "depths", "live = 2")).toBe(1)
})

test("an idle engine folds nothing", async () => {
  await eventually(() => countRows(core.kernel.db, "depth_deltas")).toBe(0)
  watch.forget()
  await eventually(beats).toBeGreaterThan(2)
  // The first may still have seen a delta.
  expect(folds()).toBeLessThan(2)
  watch.forget()
  await eventually(beats).toBeGreaterThan(2)
  expect(folds()).toBe(0)
})
