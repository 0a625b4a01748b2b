// `npm start` that is told to stop: nothing of what it started is left behind.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterAll, expect, test } from "vitest"

const home = mkdtempSync(join(tmpdir(), "onboarding-main-"))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test.each([
  ["SIGTERM", 143],
  ["SIGINT", 130],
] as const)("%s stops its workers, its services and its PostgreSQL", async (signal, code) => {
  const sizes = ["--submissions", "200", "--workers", "1", "--picture", join(home, "curve.svg")]
  const main = fileURLToPath(new URL("../dist/main.js", import.meta.url))
  const child = spawn(process.execPath, [main, ...sizes], { stdio: ["ignore", "pipe", "inherit"] })
  const ended = once(child, "exit")
  let dataDir = ""
  for await (const line of createInterface({ input: child.stdout })) {
    dataDir ||= /cat (\S+)\/password/.exec(line)?.[1] ?? ""
    if (line.includes("quiet:")) break
  }
  const pid = Number(readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8").split("\n")[0])
  expect(isAlive(pid)).toBe(true)
  child.kill(signal)
  expect((await ended)[0]).toBe(code)
  expect(existsSync(dataDir)).toBe(false)
  // The server has let go of its folder; its process ends a moment later.
  await expect.poll(() => isAlive(pid)).toBe(false)
})
