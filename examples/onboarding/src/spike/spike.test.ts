// The spike in small, as `npm start` runs it: every process is real, and workers are killed while it drains.
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import { seeded } from "../seeded.ts"
import { spike } from "./send.ts"
import { planSubmissions } from "./submissions.ts"

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url))

/** What it printed; when it does not end well, what it printed is why. */
async function run(...args: readonly string[]): Promise<string> {
  const told = promisify(execFile)(process.execPath, [MAIN, ...args])
  return told.then(
    ({ stdout }) => stdout,
    ({ code, signal, stdout, stderr }) =>
      expect.fail(`it ended with ${code ?? signal} and said:\n${stdout}\n${stderr}`),
  )
}

test("A-15, A-16, A-F1, A-F2: 100 submissions, 30 % of them duplicates, while workers are killed: none lost, none doubled", async () => {
  const folder = mkdtempSync(join(tmpdir(), "onboarding-picture-"))
  const picture = join(folder, "curve.svg")
  const sizes = ["--submissions", "100", "--workers", "2", "--quiet", "2s", "--spike", "1s", "--lease", "2s"]
  const stdout = await run(...sizes, "--kill-every", "2s", "--picture", picture)
  expect(stdout).toMatch(/p95 of a run on its own +[\d.]+ s: one worker ≈ [\d,]+ a minute/)
  expect(stdout).toMatch(/capacity +2 workers × \d+ at a time × 60 \/ p95 = [\d,]+ a minute/)
  expect(stdout).toMatch(/; [1-9]\d* workers killed on the way/)
  expect(stdout).toContain("90 submissions, 20 of them before the spike: each exists once, none lost, none doubled")
  expect(stdout).toContain(" 0 effects doubled")
  expect(readFileSync(picture, "utf8")).toMatch(/^<svg [\s\S]*calls per second[\s\S]*<\/svg>\n$/)
  rmSync(folder, { recursive: true })
}, 600_000)

test("30 % of the requests are copies, sent two or three at a time", () => {
  const plan = planSubmissions(1000, 0.3, seeded(1))
  expect(plan).toHaveLength(700)
  expect(new Set(plan.map(({ payload }) => payload.submissionId)).size).toBe(700)
  expect(plan.reduce((sum, { copies }) => sum + copies, 0)).toBe(1000)
  expect(new Set(plan.map(({ copies }) => copies))).toEqual(new Set([1, 2, 3]))
})

test("a spike rises steeply and falls slowly", () => {
  const times = Array.from({ length: 1000 }, (_, at) => spike(at / 1000))
  expect(times).toEqual([...times].sort((a, b) => a - b))
  const arrivals = (from: number, to: number) => times.filter((at) => at >= from && at < to).length
  expect(arrivals(0.15, 0.25)).toBeGreaterThan(arrivals(0.5, 0.6) * 1.3)
})
