// A worker over gRPC whose package is not installed ends at its start, with the command that installs it.
import { execFile } from "node:child_process"
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, test } from "vitest"

const run = promisify(execFile)
const sdk = fileURLToPath(new URL("../../", import.meta.url))
let folder: string

// Outside of the project, where nothing else is installed.
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "millrace-bare-"))
  const filter = (source: string) => !/\.test\.|\.map$/.test(source)
  for (const part of ["dist", "package.json"])
    cpSync(join(sdk, part), join(folder, "node_modules/@millrace/sdk", part), { recursive: true, filter })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function worker(how: string) {
  const file = join(folder, "worker.mjs")
  const source = `import { EngineClient, Runner } from "@millrace/sdk"
const client = new EngineClient({ url: "grpc://127.0.0.1:9" })
const runner = new Runner({ client, workerId: "bare", handlers: { work: () => {} } })
${how}`
  writeFileSync(file, source)
  return run(process.execPath, [file]).catch((error: { readonly code: number; readonly stderr: string }) => error)
}

const COMMAND = "npm install @bufbuild/protobuf"

test("C-115: run rejects with the command that installs it", async () => {
  const ended = await worker("await runner.run()")
  expect(ended).toMatchObject({ code: 1 })
  expect(ended.stderr).toContain(COMMAND)
  expect(ended.stderr).toContain("GrpcNotInstalledError")
})

test("C-115: start logs it once and asks for nothing", async () => {
  const ended = await worker("runner.start()")
  expect(ended).not.toHaveProperty("code")
  expect(ended.stderr.trim().split("\n")).toHaveLength(1)
  expect(JSON.parse(ended.stderr)).toMatchObject({ level: "error", msg: "the runner cannot start" })
  expect(ended.stderr).toContain(COMMAND)
})
