// Which commits need not wait for the disk: those of a few statements by name, and never what their connection does next.
import { readdirSync } from "node:fs"
import { afterAll, beforeAll, expect, test } from "vitest"
import { readStatements } from "../../db/statements.ts"
import { createBareKernel } from "../../test-support/bare-kernel.ts"
import { end, service, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { noTerm } from "../../test-support/loops.ts"
import { createTestDatabase } from "../../test-support/test-engine.ts"
import { uploadDefinition } from "../definitions/upload-definition.ts"
import { setDownstream } from "../flow/change-downstreams.ts"
import { DepthFolder } from "../flow/fold-depths.ts"
import { heartbeatJob } from "../jobs/claim/heartbeat-job.ts"
import { enqueueJob } from "../jobs/enqueue/enqueue-job.ts"
import { takePulse } from "../upkeep/take-pulse.ts"
import type { Kernel } from "./kernel.ts"

let kernel: Kernel
let drop: () => Promise<void>

beforeAll(async () => {
  const database = await createTestDatabase()
  drop = database.drop
  // One connection: what one transaction leaves in the session, the next one finds.
  kernel = await createBareKernel(database.dsn, 1)
})
afterAll(async () => {
  await kernel.db.close()
  await drop()
})

async function sessionSettings() {
  const [row] = await kernel.db.script(
    "select current_setting('synchronous_commit') as commits, current_setting('lock_timeout') as locks",
  )
  return row
}

const enqueue = (more: object) =>
  enqueueJob(kernel, { jobType: "durable", payload: {}, whenFull: "refuse", actor: "test", ...more })

async function claimOf(more: object): Promise<void> {
  await enqueue(more)
  expect(await drive(kernel).claim(["durable"], 1)).toHaveLength(1)
}

const acts: Readonly<Record<string, () => Promise<unknown>>> = {
  "the claim of a standalone job": () => claimOf({}),
  "a claim by fair keys": () => claimOf({ fairKey: "tenant" }),
  "a claim that keeps the pace of a downstream": async () => {
    await setDownstream(kernel, { actor: "test" }, { name: "slow", perSecond: null, concurrency: 5, adaptive: false })
    await claimOf({ downstream: "slow" })
  },
  "the claim of a step": async () => {
    const document = workflow("durable", [service("a", "end", { jobType: "durable-step" }), end()])
    await uploadDefinition(kernel, { document, actor: "test" })
    await drive(kernel).start("durable")
    expect(await drive(kernel).claim(["durable-step"], 1)).toHaveLength(1)
  },
  "a heartbeat": async () => {
    await enqueue({})
    const [job] = await drive(kernel).claim(["durable"], 1)
    await heartbeatJob(kernel, { jobId: job?.id as string, workerId: "w1", token: undefined })
  },
  "the fold of the depths": () => new DepthFolder(kernel).fold(noTerm),
  "a pulse": () => takePulse(kernel, "p", 0, []),
}

test.each(Object.entries(acts))("S1: after %s the connection waits for the disk again", async (_, act) => {
  const before = await sessionSettings()
  expect(before).toMatchObject({ commits: "on" })
  await act()
  expect(await sessionSettings()).toEqual(before)
})

/** Work that a crash makes ready again, and counts that are made again. */
const RELAXED = [
  "claims.claimFairJobs",
  "claims.claimJobs",
  "claims.lockPaces",
  "counter-series.addToSeries",
  "depths.lockGates",
  "jobs.heartbeatJobs",
  "notes.addNotes",
  "packs.claimPacks",
  "pulse.beat",
]

const store = new URL("../../store/", import.meta.url)
const statements = readdirSync(store, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".sql"))
  .flatMap((file) => readStatements(new URL(file, store)))

test("S1: only these statements say that their commit need not wait for the disk", () => {
  expect(statements.length).toBeGreaterThan(200)
  const relaxed = statements.filter(({ text }) => text.includes("'synchronous_commit'") && text.includes("'off'"))
  expect(relaxed.map(({ name }) => name).sort()).toEqual(RELAXED)
})

test("S1: no statement sets anything for longer than its transaction", () => {
  const settings = statements.flatMap(({ text }) => [...text.matchAll(/set_config\([^()]*(?:\([^()]*\)[^()]*)*\)/g)])
  expect(settings.length).toBeGreaterThan(8)
  for (const [setting] of settings) expect(setting).toMatch(/, true\)$/)
  for (const { name, text } of statements) expect(text, name).not.toMatch(/^\s*set\s+(session|synchronous_commit)/im)
})
