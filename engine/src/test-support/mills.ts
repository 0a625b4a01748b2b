// Mills on one database of their own, with a clock that can be moved: as many processes as a test wants, and a view of their rows.
import { expect } from "vitest"
import { loadConfig } from "../config.ts"
import { type Core, openCore } from "../core.ts"
import { Database } from "../db/database.ts"
import type { Row } from "../db/train.ts"
import { Mill } from "../library/running/mill.ts"
import type { DiesAt } from "../library/running/run-workflow.ts"
import { Workers } from "../library/running/workers.ts"
import type { Kernel } from "../operations/kernel/kernel.ts"
import { createLogger } from "../support/log.ts"
import { sweepAll } from "./loops.ts"
import { createTestEngine } from "./test-engine.ts"

export interface Mills {
  readonly mill: Mill
  readonly kernel: Kernel
  readonly dsn: string
  /** For what a test itself asks and writes. */
  readonly tables: Database
  /** One more process on the same database. */
  another(): Promise<{ readonly mill: Mill; readonly core: Core }>
  /** Workers of this process that die where they are told to. */
  dying(diesAt: DiesAt): Workers
  advanceClock(ms: number): Promise<void>
  /** All leases that are not renewed end, and are taken back. */
  endLeases(): Promise<void>
  /** As `millrace_views.workflow` shows the run. */
  row(id: string): Promise<Row>
  close(): Promise<void>
}

const LEASE_MS = 31_000

export async function openMills(env: Record<string, string> = {}): Promise<Mills> {
  const engine = await createTestEngine(env)
  const { kernel, dsn } = engine
  const tables = new Database({ dsn, schema: "millrace", maxConnections: 2 })
  const mill = new Mill(kernel, engine.core.processId, async () => {})
  const others: Mill[] = []
  return {
    mill,
    kernel,
    dsn,
    tables,
    async another() {
      const core = await openProcess(dsn, env)
      const other = new Mill(core.kernel, core.processId, () => core.stop())
      others.push(other)
      return { mill: other, core }
    },
    dying: (diesAt) => new Workers(kernel, engine.core.processId, diesAt),
    advanceClock: (ms) => engine.advanceClock(ms),
    async endLeases() {
      await engine.advanceClock(LEASE_MS)
      await sweepAll(kernel)
    },
    async row(id) {
      const [row] = await tables.script(`select * from millrace_views.workflow where id = '${id}'`)
      return row as Row
    },
    async close() {
      for (const other of others) await other.stop()
      await mill.stop()
      await tables.close()
      await engine.close()
    },
  }
}

const openProcess = (dsn: string, env: Record<string, string>): Promise<Core> =>
  openCore(loadConfig({ env: { WE_POSTGRES_DSN: dsn, DB_MAX_CONNS: "8", ...env } }), createLogger({ level: "silent" }))

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
