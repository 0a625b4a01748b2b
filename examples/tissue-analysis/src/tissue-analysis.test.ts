// The story and the crowd as `npm start` shows them, and the slides that the crowd is made of.
import { execFile } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import { crowdOf } from "./crowd.ts"

const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url))

/** Fails when it does not end well, or leaves anything behind. */
async function run(...args: string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "tissue-analysis-test-"))
  try {
    const env = { ...process.env, TMPDIR: folder }
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args], { env }).catch((error) =>
      expect.fail(`it ended with ${error.code ?? error.signal} and said:\n${error.stdout}\n${error.stderr}`),
    )
    expect(readdirSync(folder)).toEqual([])
    return stdout
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test("B-T1, B-T3, B-T4, B-T7, B-08, B-19: the story: by hand, short of time, by the schedule, and what was given up", async () => {
  const story = await run()
  expect(story).toMatch(/1\. Nobody polls.*\n {3}steps: queued 5\n/)
  expect(story).toContain("slide-4 is aborted while it is queued: upload-image aborted")
  expect(story).toMatch(/2\. Refresh by hand[^.]*\n {3}refresh: \{"statusCode":200,"processed":[1-9]\d*\}/)
  expect(story).toMatch(/\n {3}\{"statusCode":200,"processed":[1-9]\d*\}, with -?[\d.]+ s in hand; [1-9]\d* steps stay/)
  expect(story).toMatch(/4\. The schedule is on[^\n]*\n {3}refresh: \{"statusCode":200,"processed":[1-9]\d*\}/)
  expect(story).toContain("slide-3: upload-image: invoice.docx is not an image of a slide; retries: 0")
  expect(story).toContain("slide-5: post-process: the line to north is down; retries: 3")
  expect(story).toContain("steps: completed 315, failed 2, aborted 1")
  expect(story).toContain("63 of 65 analyses are complete")
}, 600_000)

const CROWD = 600

/** It takes minutes. */
const isShort = !process.env.MILLRACE_FULL_TESTS

test.skipIf(isShort)(
  `B-F6, B-F1, B-F3: of ${CROWD} at once, with 20 % of the steps failing at first, at least 99.9 % complete and nobody has helped`,
  async () => {
    const crowd = await run("--workflows", String(CROWD))
    expect(crowd).toMatch(new RegExp(`^${5 * CROWD} steps in \\d+ attempts, 0 of them done twice$`, "m"))
    expect(crowd).toContain(`completion rate 100.0 %: ${CROWD} complete, 0 failed, 0 by hand`)
  },
  600_000,
)

test("a fifth of the steps of a crowd fails one to three times, the same ones each time", () => {
  const crowd = crowdOf(600)
  const failures = crowd.flatMap(({ trouble = {} }) => Object.values(trouble))
  expect(failures.length / (5 * 600)).toBeCloseTo(0.2, 1)
  expect(new Set(failures)).toEqual(new Set([1, 2, 3]))
  expect(crowdOf(600)).toEqual(crowd)
})
