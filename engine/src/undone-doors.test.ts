// A run whose steps are undone goes on at no door: every retry and every replay is refused with a conflict that names restart.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { runCommand } from "./cli/test-support/run-command.ts"
import { step, workflow } from "./index.ts"
import { Mill } from "./library/running/mill.ts"
import { createTestGrpc, refusalOf, type TestGrpc } from "./transports/grpc/test-support/test-grpc.ts"

let grpc: TestGrpc
let mill: Mill
let id: string
let letter: string

const sale = workflow("undone-sale", {
  recover: "resume",
  steps: [
    step("charge", () => ({ charge: "c-1" }), { undo: () => {} }),
    step("ship", () => {
      throw new Error("no stamps")
    }),
  ],
})

beforeAll(async () => {
  grpc = await createTestGrpc()
  mill = new Mill(grpc.rest.engine.kernel, grpc.rest.engine.core.processId, async () => {})
  const run = await mill.start(sale, {})
  await mill.drain([sale])
  id = run.id
  letter = (await mill.deadLetters.list({ workflow: sale })).items[0]?.id ?? ""
})
beforeEach(async () => {
  expect(await mill.runs.get(id)).toMatchObject({ status: "FAILED", undoneBy: expect.any(String) })
  expect((await mill.deadLetters.list({ workflow: sale })).items).toHaveLength(1)
})
afterAll(async () => {
  await mill.stop()
  await grpc.close()
})

const names = expect.stringMatching(/cannot go on: restart it with .*millrace instances restart \w+$/)

describe("S20: what was undone is neither retried nor replayed", () => {
  test("by the library", async () => {
    const refused = { code: "conflict", message: names }
    await expect(mill.runs.handle(id).retry()).rejects.toMatchObject(refused)
    await expect(mill.runs.handle(id).retry({ input: { n: 1 } })).rejects.toMatchObject(refused)
    await expect(mill.deadLetters.replay(letter)).rejects.toMatchObject(refused)
  })

  test("over REST", async () => {
    const calls = [
      `/v1/instances/${id}/retry`,
      `/v1/instances/${id}/steps/undone-sale/retry`,
      `/queues/dlq/${letter}/replay`,
    ]
    for (const path of calls)
      expect(await grpc.rest.call(`POST ${path}`)).toMatchObject({
        status: 409,
        body: { error: "conflict", message: names },
      })
  })

  test("over gRPC", async () => {
    const retry = grpc.rpc.retryStep({ instanceId: id, stepId: "undone-sale" })
    expect(await refusalOf(retry)).toMatchObject({ status: "FAILED_PRECONDITION", reason: "conflict", message: names })
  })

  test("from the command line", async () => {
    const env = { WE_URL: grpc.rest.url, NO_COLOR: "1" }
    for (const argv of [
      ["instances", "retry", id],
      ["dlq", "replay", letter],
    ])
      expect(await runCommand(argv, { env })).toMatchObject({ code: 1, err: expect.stringContaining("restart") })
  })

  test("from the command line in bulk, which says why and what to do", async () => {
    const env = { WE_URL: grpc.rest.url, NO_COLOR: "1" }
    const { code, out, err } = await runCommand(["dlq", "replay", "--type", "undone-sale", "--yes"], { env })
    expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining("Replayed 0 dead letters.") })
    expect(err).toContain(
      `1 dead letter was left:\n  1 of runs whose steps are undone, which cannot go on, such as ${letter} of run ${id}\n`,
    )
    expect(err).toContain(`\`millrace instances restart ${id}\``)
    expect(err).toContain(`\`millrace dead-letters discard ${letter}\``)
    const { undoneBy } = await mill.runs.get(id)
    const shown = await runCommand(["instances", "show", id], { env })
    expect(shown.out).toMatch(new RegExp(`^Undone by +${undoneBy}$`, "m"))
  })

  test("in bulk, where it is counted as failed", async () => {
    const bulks = [
      ["/v1/instances/bulk", { action: "retry", filter: { definitionId: "undone-sale", status: "FAILED" } }],
      ["/queues/dlq/replay", { filter: { definition_id: "undone-sale" } }],
    ] as const
    for (const [path, body] of bulks) {
      const { status, body: bulk } = await grpc.rest.call(`POST ${path}`, { body })
      expect(status).toBe(202)
      await expect
        .poll(async () => (await grpc.rest.call(`GET /v1/bulk/${bulk.id}`)).body)
        .toMatchObject({ finished: true, done: 0, failed: 1 })
    }
  })
})
