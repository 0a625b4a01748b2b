// The load in small, as `npm run load` runs it; and what its tally makes of answers.
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import { Tally } from "./tally.ts"

const MAIN = fileURLToPath(new URL("../../dist/load/main.js", import.meta.url))
const accepted = (id: string) => ({ status: 202, body: JSON.stringify({ payment_id: id }), tookMs: 1 })

test("F-F1, F-23: users pay, repeat and look: no errors, no duplicates, and the books are right", async () => {
  const sizes = ["--users", "10", "--rate", "20", "--seconds", "2", "--no-kafka", "--no-redis"]
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...sizes])
  expect(stdout).toMatch(/^errors +0$/m)
  expect(stdout).toMatch(/^POST +[1-9]\d*: P50 .* ms, P95 .* ms/m)
  expect(stdout).toContain("the books are right: nothing lost, nothing doubled")
}, 600_000)

test("a key that is answered with two payments is a duplicate, and what is not expected is an error", () => {
  const tally = new Tally()
  tally.addPost("k", accepted("p-1"))
  tally.addPost("k", accepted("p-1"))
  expect([tally.doubled, tally.errors, tally.accepted.size]).toEqual([[], 0, 1])
  tally.addPost("k", accepted("p-2"))
  tally.addPost("k", { status: 0, body: "", tookMs: 1 })
  tally.addGet({ status: 404, body: "", tookMs: 1 })
  expect([tally.doubled, tally.errors, tally.requests]).toEqual([["k"], 2, 5])
})
