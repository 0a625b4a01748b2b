// `millrace start --services`: a process that does one thing, and leaves the rest to others.
import type { ChildProcess } from "node:child_process"
import { afterAll, beforeAll, expect, test } from "vitest"
import { uploadDefinition } from "../../../operations/definitions/upload-definition.ts"
import { LOOPS } from "../../../operations/kernel/loops.ts"
import { createBareKernel } from "../../../test-support/bare-kernel.ts"
import { advanceClock } from "../../../test-support/database-clock.ts"
import { end, service, workflow } from "../../../test-support/definitions.ts"
import { drive } from "../../../test-support/drive.ts"
import { eventually } from "../../../test-support/mills.ts"
import { jobRows } from "../../../test-support/rows.ts"
import { createTestDatabase } from "../../../test-support/test-engine.ts"
import { runTypeScript } from "../../../test-support/typescript-process.ts"
import { runCommand } from "../../test-support/run-command.ts"
import { chosenServices } from "./chosen-services.ts"

const CLI = new URL("../../../cli.ts", import.meta.url)

let database: Awaited<ReturnType<typeof createTestDatabase>>
beforeAll(async () => {
  database = await createTestDatabase()
})
let process: ChildProcess | undefined
afterAll(() => {
  process?.kill("SIGKILL")
  return database.drop()
})

test("D-30: `start --services reaper` leads the reaper and no other loop, opens no REST port, and takes lost leases back", async () => {
  const kernel = await createBareKernel(database.dsn)
  const env = {
    WE_POSTGRES_DSN: database.dsn,
    WE_METRICS_PORT: "0",
    WE_GRPC_PORT: "0",
    WE_REST_PORT: "0",
    DB_MAX_CONNS: "4",
  }
  const { child, ended } = runTypeScript(CLI, ["start", "--services", "reaper"], env)
  process = child
  const started = await lineWith(child.stdout, "millrace is running")
  expect(started).toMatchObject({ services: ["reaper"], restUrl: "" })
  const health = await fetch(new URL("/healthz", started.metricsUrl as string))
  expect(health.status).toBe(200)
  const led = () => kernel.db.script("select name from millrace.leaders where until > millrace.clock()")
  await eventually(led).toEqual([{ name: "reaper" }])

  await uploadDefinition(kernel, { document: workflow("orphan", [service("orphan", "end"), end()]), actor: "local" })
  const worker = drive(kernel)
  const id = await worker.start("orphan")
  await worker.claimOne("orphan", 5_000)
  await advanceClock(kernel, 5_001)
  await eventually(() => jobRows(kernel.db, id)).toMatchObject([{ status: "ready" }])
  child.kill("SIGTERM")
  expect(await ended).toMatchObject({ code: 0 })
  await kernel.db.close()
})

async function lineWith(stream: NodeJS.ReadableStream | null, message: string): Promise<Record<string, unknown>> {
  let text = ""
  for await (const chunk of stream ?? []) {
    text += chunk
    const line = text.split("\n").find((one) => one.includes(message))
    if (line) return JSON.parse(line) as Record<string, unknown>
  }
  throw new Error(`it ended: ${text}`)
}

test("D-30: names are taken from a list, in any order", () => {
  expect(chosenServices("timers, reaper")).toEqual({ loops: ["reaper", "timers"], rest: false, relay: false })
  expect(chosenServices("rest")).toEqual({ loops: [], rest: true, relay: false })
  expect(chosenServices(["rest", "relay", ...LOOPS].join(","))).toEqual({ loops: [...LOOPS], rest: true, relay: true })
})

test.each(["raeper", "reaper,", "", "all"])("D-30: %j is refused with the names there are", async (services) => {
  const { code, err } = await runCommand(["start", "--services", services])
  expect(code).toBe(2)
  expect(err).toMatch(/^--services: there is no service .+; choose from rest, relay, reaper, timers, .+/)
})
