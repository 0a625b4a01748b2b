// A stage for the tests: a PostgreSQL of their own, the six services in this process, and what those have counted.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Mill, millrace } from "millrace"
import type { Faults } from "../services/service.ts"
import { environmentOf, startServices } from "../services/start-services.ts"
import { readStats } from "../spike/services-process.ts"

export const NO_FAULTS: Faults = { latencyMs: { least: 1, most: 2 }, refuse: 0, lose: 0 }

export async function openStage() {
  const dataDir = mkdtempSync(join(tmpdir(), "onboarding-test-"))
  const mill = await millrace({ dataDir, logLevel: "silent" })
  return {
    mill,
    async close() {
      await mill.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Fresh services, found by the steps of this process. */
export async function openServices(mill: Mill, faults: Partial<Faults> = {}) {
  const { urls, stop } = await startServices({
    faults: { ...NO_FAULTS, ...faults },
    seed: 1,
    lateAccounts: 1,
    onAccountCreated: (email) => void mill.wake(`account:${email}`),
  })
  Object.assign(process.env, environmentOf(urls))
  return { stats: () => readStats(urls), close: stop }
}
