// A real engine on a database of its own, for one test file: cloned from the template, with a clock that can be moved.

import { randomBytes } from "node:crypto"
import { inject } from "vitest"
import type { Core } from "../core.ts"
import { Database } from "../db/database.ts"
import { uploadDefinition } from "../operations/definitions/upload-definition.ts"
import { downtimeOf } from "../operations/jobs/end/downtime.ts"
import type { Kernel } from "../operations/kernel/kernel.ts"
import type { JsonObject } from "../support/json.ts"
import { advanceClock } from "./database-clock.ts"
import { cloneOfTemplate, withDatabase } from "./global-setup.ts"
import { byNearestDoor } from "./nearest-door.ts"
import { openTestCore } from "./test-core.ts"

export interface TestEngine {
  readonly core: Core
  readonly kernel: Kernel
  readonly dsn: string
  readonly db: Database
  upload(document: JsonObject): Promise<number>
  /** Moves the database's clock forward. */
  advanceClock(ms: number): Promise<void>
  close(): Promise<void>
}

/** A fresh database. `env` are settings of the engine, as the environment would give them. */
export async function createTestEngine(env: Record<string, string> = {}): Promise<TestEngine> {
  const { dsn, drop } = await createTestDatabase()
  const core = await openTestCore(dsn, { DB_MAX_CONNS: "8", ...env })
  const { kernel } = core
  // A clock that a test moves is no downtime, nor is the time before this engine started.
  downtimeOf(kernel).covers = () => false
  return {
    core,
    kernel,
    dsn,
    db: kernel.db,
    async upload(document) {
      return (await uploadDefinition(kernel, { document, actor: "local" })).outcome.version
    },
    advanceClock: (ms) => advanceClock(kernel, ms),
    async close() {
      await core.stop()
      await drop()
    },
  }
}

/** Cloned from the migrated template, or empty. */
export async function createTestDatabase({ empty = false } = {}): Promise<{ dsn: string; drop(): Promise<void> }> {
  const serverDsn = byNearestDoor(inject("serverDsn"))
  const name = `t_${randomBytes(6).toString("hex")}`
  const admin = new Database({ dsn: serverDsn, schema: "millrace", maxConnections: 1, connectMs: 30_000 })
  await admin.script(empty ? `create database ${name}` : cloneOfTemplate(name))
  await admin.close()
  return {
    dsn: withDatabase(inject("serverDsn"), name),
    async drop() {
      const again = new Database({ dsn: serverDsn, schema: "millrace", maxConnections: 1, connectMs: 30_000 })
      await again.script(`drop database if exists ${name} with (force)`)
      await again.close()
    },
  }
}
