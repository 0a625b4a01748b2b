// Definitions on a real database: versions without gaps, the same content found again, and the latest for every start.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Core } from "../../core.ts"
import type { JsonObject } from "../../support/json.ts"
import { end, service, step, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { openTestCore } from "../../test-support/test-core.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { startInstance } from "../instances/start/start-instance.ts"
import type { Done } from "../kernel/idempotency.ts"
import { getDefinition, listDefinitions } from "./read-definitions.ts"
import { type DefinitionSummary, uploadDefinition } from "./upload-definition.ts"

let engine: TestEngine
let other: Core

beforeAll(async () => {
  engine = await createTestEngine()
  other = await openTestCore(engine.dsn)
})
afterAll(async () => {
  await other.stop()
  await engine.close()
})

const upload = (document: JsonObject, core: Pick<Core, "kernel"> = engine) =>
  uploadDefinition(core.kernel, { document, actor: "ann" })
const versionOf = ({ outcome }: Done<DefinitionSummary>): number => outcome.version
const named = (id: string, name: string): JsonObject => ({ ...workflow(id, [service("a", "end"), end()]), name })

describe("an upload", () => {
  test("C-17: is answered with id, version, name and time, and audited", async () => {
    const uploaded = await upload({ ...named("told", "Told"), description: "what it does" })
    expect(uploaded).toEqual({
      isRepeat: false,
      outcome: {
        id: "told",
        version: 1,
        name: "Told",
        description: "what it does",
        uploadedAt: expect.stringMatching(/Z$/),
      },
    })
    const audit = await engine.db.script(
      "select seq, actor, kind from millrace.trail where instance_id = 'definition:told'",
    )
    expect(audit).toEqual([{ seq: 1, actor: "ann", kind: "DEFINITION_UPLOADED" }])
  })

  test("C-17: the same content is the version that is there, whatever the order of its keys; changed content is the next", async () => {
    const first = await upload(named("same", "One"))
    const { id, name, steps } = named("same", "One")
    expect(await upload({ steps, name, id } as JsonObject)).toEqual(first)
    expect(versionOf(await upload(named("same", "Two")))).toBe(2)
    // Only the latest counts: an older content is a change again.
    expect(versionOf(await upload(named("same", "One")))).toBe(3)
  })

  test("C-17: what a GET answers can be posted back and is the same", async () => {
    await upload(named("back", "Back"))
    const document = await getDefinition(engine.kernel, "back")
    expect(document).toMatchObject({ version: 1, uploadedAt: expect.any(String) })
    expect(versionOf(await upload({ ...document } as unknown as JsonObject))).toBe(1)
  })

  test("C-17, C-45: the order of conditions is kept, and another order is another version", async () => {
    const decide = (conditionalNextSteps: JsonObject) =>
      workflow("ordered", [step("DECISION", "d", { conditionalNextSteps }), end("x"), end("y")])
    await upload(decide({ "n > 1": "x", "n > 0": "y" }))
    expect(versionOf(await upload(decide({ "n > 0": "y", "n > 1": "x" })))).toBe(2)
    const [first] = (await getDefinition(engine.kernel, "ordered", 1)).steps
    expect(Object.keys(first?.type === "DECISION" ? first.conditionalNextSteps : {})).toEqual(["n > 1", "n > 0"])
  })

  test("C-17: an invalid one lists every violation and leaves nothing", async () => {
    const broken = workflow("broken", [service("a", "nowhere", { retryCount: -1 }), service("a")], { surprise: 1 })
    const refusal = await upload(broken).catch((error) => error)
    expect(refusal).toMatchObject({ code: "bad-request" })
    expect(refusal.details.length).toBeGreaterThanOrEqual(4)
    await expect(getDefinition(engine.kernel, "broken")).rejects.toMatchObject({ code: "not-found" })
  })

  test("C-79: a next definition that is not there yet is warned of, never refused", async () => {
    const chained = (nextWorkflowId: string) =>
      upload(workflow("chained", [end()], { autoStartNextWorkflow: true, nextWorkflowId }))
    expect((await chained("later")).outcome.warnings).toEqual([
      expect.stringMatching(/^\$\.nextWorkflowId: there is no definition later yet/),
    ])
    expect((await chained("chained")).outcome).not.toHaveProperty("warnings")
    await upload(named("later", "Later"))
    expect((await chained("later")).outcome).not.toHaveProperty("warnings")
  })

  test("C-52: two processes upload changed content at once, the versions are 2 and 3, without a gap", async () => {
    await upload(named("raced", "0"))
    for (const round of [0, 1, 2]) {
      const both = await Promise.all([
        upload(named("raced", `${round}-a`)),
        upload(named("raced", `${round}-b`), other),
      ])
      expect(both.map(versionOf).sort()).toEqual([2 + 2 * round, 3 + 2 * round])
    }
    const rows = await engine.db.script("select version from millrace.definitions where id = 'raced' order by 1")
    expect(rows.map((row) => row.version)).toEqual([1, 2, 3, 4, 5, 6, 7])
  })

  test("C-17: 20 parallel uploads of one content are one version", async () => {
    const uploads = Array.from({ length: 20 }, (_, n) => upload(named("crowd", "Crowd"), n % 2 ? other : engine))
    expect(new Set((await Promise.all(uploads)).map(versionOf))).toEqual(new Set([1]))
  })
})

describe("a start after an upload by another process", () => {
  const started = async (id: string) =>
    (await drive(engine.kernel).get(await drive(engine.kernel).start(id))).definitionVersion

  test("C-52: takes the new version, though this process still knows the old one as the latest", async () => {
    await upload(named("replaced", "One"))
    expect(await started("replaced")).toBe(1)
    await upload(named("replaced", "Two"), other)
    const versions = await Promise.all(Array.from({ length: 20 }, () => started("replaced")))
    expect(new Set(versions)).toEqual(new Set([2]))
  })

  test("C-52, S24: a version asked for by number stays that version, and is kept by its instance", async () => {
    const { instance } = await startInstance(engine.kernel, {
      definitionId: "replaced",
      definitionVersion: 1,
      variables: {},
      actor: "local",
    })
    expect(instance.definitionVersion).toBe(1)
    const missing = { definitionId: "replaced", definitionVersion: 9, variables: {}, actor: "local" }
    await expect(startInstance(engine.kernel, missing)).rejects.toMatchObject({ code: "not-found" })
  })

  test("C-21, C-55: is judged by the new version's schema, be it stricter or not", async () => {
    const schema = (type: string) => ({ inputSchema: { properties: { n: { type } }, required: ["n"] } })
    const strict = (type: string) => workflow("judged", [service("j", "end"), end()], schema(type))
    const start = (n: string | number) =>
      startInstance(engine.kernel, { definitionId: "judged", variables: { n }, actor: "local" })
    await upload(strict("integer"))
    await expect(start("one")).rejects.toMatchObject({ code: "bad-request", details: [{ path: "$.variables.n" }] })
    expect((await start(1)).instance.definitionVersion).toBe(1)
    await upload(strict("string"), other)
    expect((await start("one")).instance.definitionVersion).toBe(2)
    await upload(strict("integer"), other)
    const results = await Promise.allSettled([start("one"), start(3), start("two")])
    expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "rejected"])
  })
})

describe("reading definitions", () => {
  test("C-19, C-20: the latest and each version, ids with a colon, 404 for the rest", async () => {
    await upload(named("team:billing", "One"))
    await upload(named("team:billing", "Two"))
    expect(await getDefinition(engine.kernel, "team:billing")).toMatchObject({ version: 2, name: "Two" })
    expect(await getDefinition(engine.kernel, "team:billing", 1)).toMatchObject({ version: 1, name: "One" })
    for (const version of [undefined, 3, 0, -1])
      await expect(
        getDefinition(engine.kernel, version === undefined ? "team:nobody" : "team:billing", version),
      ).rejects.toMatchObject({ code: "not-found" })
  })

  test("C-18: the latest of each, found by a part of id or name in any case, page by page", async () => {
    for (const id of ["find-1", "find-2", "find-3"]) await upload(named(id, id === "find-2" ? "Sonder_100%" : "Plain"))
    await upload(named("find-1", "Changed"))
    const page = await listDefinitions(engine.kernel, "FIND-", 0, 2)
    expect(page).toMatchObject({ page: 0, pageSize: 2, total: 3 })
    expect(page.items.map(({ id, version, name }) => [id, version, name])).toEqual([
      ["find-1", 2, "Changed"],
      ["find-2", 1, "Sonder_100%"],
    ])
    expect((await listDefinitions(engine.kernel, "find-", 1, 2)).items).toMatchObject([{ id: "find-3" }])
    expect(await listDefinitions(engine.kernel, "find-", 9, 2)).toMatchObject({ items: [], total: 3 })
    expect((await listDefinitions(engine.kernel, "sonder_100%", 0, 20)).items).toMatchObject([{ id: "find-2" }])
    expect((await listDefinitions(engine.kernel, "f_nd", 0, 20)).total).toBe(0)
    expect((await listDefinitions(engine.kernel, "no such", 0, 20)).total).toBe(0)
  })
})
