// Which database a test gets, and that a server of its own does not outlive the process.
import { spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, expect, test, vi } from "vitest"
import { type Step, workflow } from "../index.ts"
import { testEngine } from "./index.ts"
import { databaseOf, endWithThisProcess } from "./test-database.ts"

afterEach(() => vi.unstubAllEnvs())

test("the one that is given, else that of DATABASE_URL", async () => {
  vi.stubEnv("DATABASE_URL", "postgres://there/environment")
  expect(await databaseOf("postgres://there/given")).toBe("postgres://there/given")
  expect(await databaseOf(undefined)).toBe("postgres://there/environment")
})

test("else a PostgreSQL of this process, started once", async () => {
  vi.stubEnv("DATABASE_URL", "")
  const [one, two] = await Promise.all([testEngine(), testEngine()])
  expect(one.database).toBe(two.database)
  const flow = workflow("embedded", {
    steps: [
      function first({ attempt }: Step) {
        return { attempt }
      },
    ],
  })
  const both = await Promise.all([one.run(flow, {}), two.run(flow, {})])
  expect(both).toMatchObject([{ variables: { attempt: 1 } }, { variables: { attempt: 1 } }])
  await Promise.all([one.close(), two.close()])
})

test("whatever ends the process, the server is stopped and its folder removed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "millrace-testing-"))
  const pidFile = join(folder, "postgres", "postmaster.pid")
  mkdirSync(join(folder, "postgres"))
  const server = spawn("sh", ["-c", `trap 'rm "${pidFile}"; exit' INT; echo up; while :; do sleep 0.05; done`])
  await new Promise((resolve) => server.stdout.once("data", resolve))
  writeFileSync(pidFile, `${server.pid}\n${folder}/postgres\n`)
  const pipe = endWithThisProcess(folder)
  expect(existsSync(folder)).toBe(true)
  // What the death of a process does to its pipes.
  pipe.destroy()
  await expect.poll(() => existsSync(folder)).toBe(false)
})
