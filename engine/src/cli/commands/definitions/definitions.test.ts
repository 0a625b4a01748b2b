// `millrace definitions`: a file is judged without an engine; what is stored is uploaded, shown and compared on a real one.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { linear, service, workflow } from "../../../test-support/definitions.ts"
import { createTestServer, type TestServer } from "../../../transports/rest/test-support/test-server.ts"
import { runCommand, type Terminal } from "../../test-support/run-command.ts"

let server: TestServer
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "millrace-cli-"))
  server = await createTestServer()
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await server.close()
})

const file = (name: string, content: string | object): string => {
  const path = join(folder, name)
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content, null, 2))
  return path
}
const run = (argv: readonly string[], terminal: Terminal = {}) =>
  runCommand(["definitions", ...argv], { env: { WE_URL: server.url, NO_COLOR: "1" }, ...terminal })
/** Nothing answers there: a call would fail. */
const offline = { env: { WE_URL: "http://127.0.0.1:1", NO_COLOR: "1" } }

test("check: needs no engine, names the line and column of each fault, and ends with 1", async () => {
  const good = file("good.json", linear("good"))
  const bad = file("bad.json", { ...linear("bad"), steps: [service("pay", "shipp"), service("ship")] })
  const { code, out, err } = await run(["check", good, bad], offline)
  expect(out.split("\n")[0]).toBe(`${good}: ok, good with 3 steps`)
  expect(out).toMatch(/bad\.json:10:19: steps\[0\]\.nextStep there is no step `shipp` \(did you mean `ship`\?\)/)
  expect(out).toContain(`${bad}: `)
  expect({ code, err }).toEqual({ code: 1, err: "1 of 2 definitions would be refused" })
  expect(await run(["check", good], offline)).toMatchObject({ code: 0, err: "" })
})

test("check: what the engine would refuse before it looks at the definition is refused too, from the input as well", async () => {
  const syntax = await run(["check", "-"], { ...offline, input: '{\n  "id": "x",\n  steps: []\n}' })
  expect(syntax).toMatchObject({ code: 1, out: expect.stringContaining("-:3:3: it is not JSON: expected a name") })
  const twice = await run(["check", "-", "--json"], { ...offline, input: '{"id":"x","id":"y"}' })
  expect(JSON.parse(twice.out).items[0].violations[0]).toMatchObject({ message: expect.stringContaining("twice") })
})

test("check: a next definition in none of the files is warned of, and is no mistake", async () => {
  const chained = { autoStartNextWorkflow: true, nextWorkflowId: "kept" }
  const loan = file("chained.json", { ...linear("chained"), ...chained })
  const kept = file("kept.json", linear("kept"))
  expect(await run(["check", loan])).toMatchObject({
    code: 0,
    out: expect.stringContaining("warning: $.nextWorkflowId: there is no definition kept in these files"),
  })
  expect((await run(["check", loan, kept])).out).not.toContain("warning")
})

test("check and the engine are of one mind", async () => {
  const document = { ...linear("mind"), steps: [service("a", "nowhere"), { id: "b", name: "b", type: "NONSENSE" }] }
  const { out } = await run(["check", file("mind.json", document), "--json"], offline)
  const here = JSON.parse(out).items[0].violations.map(
    ({ line: _l, column: _c, ...fault }: Record<string, unknown>) => fault,
  )
  expect((await server.call("POST /v1/definitions", { body: document })).body).toMatchObject({ details: here })
})

test("upload: each file a version, an unchanged one the version that it is; a mistake in the last sends none", async () => {
  const loan = file("loan.json", linear("loan"))
  expect((await run(["upload", loan])).out).toBe("loan is version 1.\n")
  expect((await run(["upload", loan])).out).toBe("loan is version 1, as before.\n")
  const changed = file("loan2.json", { ...linear("loan"), name: "Loan" })
  expect(await run(["upload", changed, file("half.json", "{")])).toMatchObject({ code: 2 })
  expect((await run(["upload", changed])).out).toBe("loan is version 2 (it was 1).\n")
  for (const version of ["1", "2"])
    expect((await run(["show", "loan", "--version", version])).out).toMatch(new RegExp(`^Version {5}${version}$`, "m"))
  const refused = await run(["upload", file("bad.json", workflow("bad", [service("a", "b")]))])
  expect(refused).toMatchObject({
    code: 1,
    err: expect.stringMatching(/bad\.json: the definition has .*violation[\s\S]*there is no step `b`/),
  })
})

test("upload: a warning is told once, and nothing else is on stderr", async () => {
  const toldBesides = vi.spyOn(console, "error").mockImplementation(() => {})
  const chained = { ...linear("told"), autoStartNextWorkflow: true, nextWorkflowId: "nowhere" }
  const { out, err } = await run(["upload", file("told.json", chained)])
  expect(out.match(/^warning: .*nowhere/gm)).toHaveLength(1)
  expect(err).toBe("")
  expect(toldBesides).not.toHaveBeenCalled()
  toldBesides.mockRestore()
})

test("list, show and versions fit 80 columns", async () => {
  await run(["upload", file("shown.json", { ...linear("shown"), description: "word ".repeat(40).trim() })])
  for (const words of [[], ["show", "shown"], ["versions", "shown"]]) {
    const { code, out } = await run(words, { columns: 80 })
    expect(code).toBe(0)
    expect(out).toContain("shown")
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(80)
  }
  expect((await run(["show", "shown"])).out).toMatch(/^a {5}SERVICE_TASK {2}a {5}b$/m)
  expect(JSON.parse((await run(["show", "shown", "--json"])).out)).toMatchObject({ id: "shown", version: 1 })
  expect(JSON.parse((await run(["--keyword", "shown", "--json"])).out)).toMatchObject({ total: 1 })
})

test("diff: fields and steps that were added, taken away or changed; the same is said, too", async () => {
  const before = linear("compared")
  const steps = [
    service("a", "c", { description: "first" }),
    service("c", "end"),
    ...(before.steps as object[]).slice(2),
  ]
  await run(["upload", file("before.json", before)])
  const after = file("after.json", { ...before, name: "Compared", steps })
  const { out } = await run(["diff", after])
  expect(out).toContain("name\n  - compared\n  + Compared\n")
  expect(out).toContain("steps.a.nextStep\n  - b\n  + c\n")
  expect(out).toContain("steps.a.description\n  + first\n")
  expect(out).toMatch(/^steps\.b\n {2}- \{"id":"b"/m)
  expect(out).toMatch(/^steps\.c\n {2}\+ \{"id":"c"/m)
  expect(await run(["diff", after, "--exit-code"])).toMatchObject({ code: 1, err: "compared differs" })
  expect(await run(["diff", "compared"])).toMatchObject({ code: 2, err: expect.stringContaining("one version only") })
  await run(["upload", after])
  expect((await run(["diff", after])).out).toBe(`compared: version 2 and ${after} are the same.\n`)
  expect(JSON.parse((await run(["diff", "compared", "--json"])).out)).toMatchObject({
    from: "version 1",
    to: "version 2",
  })
})
