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
  const mill = await millrace({ database: "embedded", dataDir, logLevel: "silent" })
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
  const woken: string[] = []
  let isOpen = true
  // The event comes when the run waits for it: an earlier one would be lost, and the run sit out its delay.
  const tell = async (email: string) => {
    while (isOpen) if ((await mill.wake(`account:${email}`)).woken > 0) return void woken.push(email)
  }
  const { urls, stop } = await startServices({
    faults: { ...NO_FAULTS, ...faults },
    seed: 1,
    lateAccounts: 1,
    onAccountCreated: (email) => void tell(email),
  })
  Object.assign(process.env, environmentOf(urls))
  const close = () => {
    isOpen = false
    return stop()
  }
  return { stats: () => readStats(urls), woken, close }
}
