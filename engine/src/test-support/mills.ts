// Mills on one database of their own, with a clock that can be moved: as many processes as a test wants, and a view of their rows.
import { expect } from "vitest"
import type { Core } from "../core.ts"
import { Database } from "../db/database.ts"
import type { Row } from "../db/train.ts"
import { Mill } from "../library/running/mill.ts"
import type { DiesAt } from "../library/running/run-workflow.ts"
import { Workers } from "../library/running/workers.ts"
import type { Kernel } from "../operations/kernel/kernel.ts"
import { databaseNow } from "./database-clock.ts"
import { sweepAll } from "./loops.ts"
import { byNearestDoor } from "./nearest-door.ts"
import { openTestCore } from "./test-core.ts"
import { createTestEngine } from "./test-engine.ts"

export interface Mills {
  readonly mill: Mill
  readonly kernel: Kernel
  readonly dsn: string
  /** For what a test itself asks and writes. */
  readonly tables: Database
  /** One more process on the same database. */
  another(): Promise<{ readonly mill: Mill; readonly core: Core }>
  /** Workers of this process that die at the given points. */
  dying(diesAt: DiesAt): Workers
  /** Every process sees at once what falls due by that, and not when its second is over. */
  advanceClock(ms: number): Promise<void>
  /** All leases that are not renewed end, and are taken back. */
  endLeases(): Promise<void>
  /** The row of the run in `millrace_views.workflow`. */
  row(id: string): Promise<Row>
  close(): Promise<void>
}

const LEASE_MS = 31_000

export async function openMills(env: Record<string, string> = {}): Promise<Mills> {
  const engine = await createTestEngine(env)
  const { kernel, dsn } = engine
  const tables = new Database({ dsn: byNearestDoor(dsn), schema: "millrace", maxConnections: 2 })
  const mill = new Mill(kernel, engine.core.processId, async () => {})
  const others: { readonly mill: Mill; readonly core: Core }[] = []
  const moveClock = async (ms: number): Promise<void> => {
    await engine.advanceClock(ms)
    const now = await databaseNow(kernel.db)
    for (const { core } of others) core.kernel.clock.observe(now)
  }
  return {
    mill,
    kernel,
    dsn,
    tables,
    async another() {
      const core = await openTestCore(dsn, { DB_MAX_CONNS: "8", ...env })
      const other = { mill: new Mill(core.kernel, core.processId, () => core.stop()), core }
      others.push(other)
      return other
    },
    dying: (diesAt) => new Workers(kernel, engine.core.processId, diesAt),
    async advanceClock(ms) {
      await moveClock(ms)
      for (const core of [engine.core, ...others.map(({ core }) => core)]) void core.beat()
    },
    async endLeases() {
      // Without a beat: the engine's own loop would take them back at the same moment, and hold what is to be swept here.
      await moveClock(LEASE_MS)
      await sweepAll(kernel)
    },
    async row(id) {
      const [row] = await tables.script(`select * from millrace_views.workflow where id = '${id}'`)
      return row as Row
    },
    async close() {
      for (const { mill } of others) await mill.stop()
      await mill.stop()
      await tables.close()
      await engine.close()
    },
  }
}

export interface Gate {
  readonly passed: Promise<void>
  open(): void
}

/** For steps that wait for the test, and tests that wait for a step. */
export function gate(): Gate {
  let open = () => {}
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { passed, open }
}

/** Looks again and again, with time enough for a machine that is busy with other tests. */
export const eventually = (read: () => unknown): ReturnType<typeof expect.poll> => expect.poll(read)
