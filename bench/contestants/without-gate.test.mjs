// What jobs-gate takes out of the engine's statement, and that it is still the statement the engine has.
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { test } from "node:test"
import { withoutGate } from "./without-gate.mjs"

const text = readFileSync(new URL("../../engine/src/store/standalone-jobs.sql", import.meta.url), "utf8")
const blocksOf = (sql) => sql.split(/^(?=-- name: )/m)

test("only the statement that enqueues loses its gate and its counting", () => {
  const [before, after] = [blocksOf(text), blocksOf(withoutGate(text))]
  const changed = after.filter((block, at) => block !== before[at])
  assert.equal(changed.length, 1)
  assert.match(changed[0], /^-- name: enqueueJobs$/m)
  assert.doesNotMatch(changed[0], /turn_gates|depth_deltas|\bgate\b|counted/)
})

test("a statement that no longer has them is not measured as if it had", () => {
  assert.throws(() => withoutGate(text.replace("turn_gates", "other").replace(/^gate as/m, "door as")), /has changed/)
})
