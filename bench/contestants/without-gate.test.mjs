// What jobs-gate takes out of the engine's statement, and that it is still the statement the engine has.
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { test } from "node:test"
import { withoutGate } from "./without-gate.mjs"

const text = readFileSync(new URL("../../engine/src/store/jobs/enqueue.sql", import.meta.url), "utf8")
const blocksOf = (sql) => sql.split(/^(?=-- name: )/m)

test("the statements that enqueue lose their gate and their counting, and nothing else", () => {
  const [before, after] = [blocksOf(text), blocksOf(withoutGate(text))]
  const changed = after.filter((block, at) => block !== before[at])
  assert.equal(changed.length, 2)
  assert.match(changed[0], /^-- name: enqueueJobs$/m)
  assert.match(changed[1], /^-- name: enqueueAlike\b/m)
  for (const block of changed) assert.doesNotMatch(block, /turn_gates|depth_deltas|\bgate\b|counted/)
})

test("a statement that no longer has them is not measured as if it had", () => {
  assert.throws(() => withoutGate(text.replace("turn_gates", "other").replace(/gate as/g, "door as")), /has changed/)
})
