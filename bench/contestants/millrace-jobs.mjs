// Millrace's standalone jobs: one row each, kept in history when it has ended; the worker runs in this process.
import { exists, openPool, settle } from "../postgres/database.mjs"
import { liveJobsOf, openJobs, SET_WATERMARKS } from "./millrace-engine.mjs"
import { takeOutGate } from "./without-gate.mjs"

const CONCURRENCY = { drain: 1000 }
const TYPE = "noop"
// The gate is on and never shuts, as for everybody else: the backlogs here are far above the default of 10,000.
const NEVER = { high: 1_000_000_000, low: 999_999_999 }

export async function createJobs({ dsn, gate = "on", marks = NEVER }) {
  if (gate === "off") takeOutGate()
  const engine = await openJobs({ dsn })
  const pool = openPool(dsn, 2)
  await pool.query(SET_WATERMARKS, [marks.high, marks.low])
  const liveJobs = await liveJobsOf(pool)

  return {
    settings: { kind: "jobs", gate, marks, concurrency: CONCURRENCY },
    startOne: (payload, options) => engine.enqueue(TYPE, payload, options),
    startMany: (payloads, options) => engine.enqueueMany(TYPE, payloads, options),
    /** `concurrency` instead of a profile for handlers that take their time. */
    work: ({ onJob, profile, concurrency = CONCURRENCY[profile] }) =>
      engine.work({ handlers: { [TYPE]: onJob }, concurrency }),
    anyUnfinished: () => exists(pool, liveJobs),
    settle: () => settle(pool),
    /** For work of several kinds: types of their own, and what each of them calls on. */
    enqueue: engine.enqueue,
    enqueueMany: engine.enqueueMany,
    workOn: engine.work,
    declare: engine.declare,
    isRefusal: engine.isRefusal,
    async close() {
      await engine.close()
      await pool.end()
    },
  }
}
