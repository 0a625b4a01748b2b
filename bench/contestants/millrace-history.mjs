// A long history of Millrace in little time: some instances are really run, and all their rows are copied under new ids.
//
// To run them all would leave dead rows by the million in the tables of live work, and the drain after it would be compared
// with that. The copies leave none: they are inserted once, and the vacuum before each drain finds nothing of them to remove.
import { until } from "../measure/wait.mjs"
import { exists } from "../postgres/database.mjs"
import { ENGINE } from "./engine-folder.mjs"

/** So many are really run, of any history: long enough to warm the code up, so that an empty store has them, too. */
const SEED = 5000

/** At least n finished instances are kept afterwards, and less than one seed more. */
export async function keepHistory({ target, pool, n }) {
  const seed = Math.min(SEED, n)
  await runSeed(target, seed)
  const copies = Math.ceil(n / seed) - 1
  if (copies === 0) return
  const { multiplyRows } = await import(new URL("dist/test-support/multiply-rows.js", ENGINE))
  // What the seed did to the depths of the queues is folded in by then: the script puts the deltas away.
  await until(async () => !(await exists(pool, "select from millrace.depth_deltas")))
  await pool.query(multiplyRows(copies))
}

async function runSeed(target, n) {
  let handled = 0
  const worker = await target.work({ onJob: () => handled++, profile: "drain" })
  await target.startMany(Array.from({ length: n }, (_, i) => ({ i })))
  await until(() => handled >= n)
  await until(async () => !(await target.anyUnfinished()))
  await worker.stop()
}
