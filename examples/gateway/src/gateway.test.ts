// The scene in short: fewer visitors, until every attacker has been stopped.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { runScene } from "./load/run-scene.ts"
import { BOUNDS, Tally } from "./load/tally.ts"
import { openStage, type Stage } from "./stage.ts"

const dataDir = mkdtempSync(join(tmpdir(), "gateway-example-"))
let stage: Stage
beforeAll(async () => {
  stage = await openStage({ dataDir })
})
afterAll(async () => {
  await stage.close()
  rmSync(dataDir, { recursive: true, force: true })
})

test("E-33: stuffing is stopped, scrapers are found, and honest users notice nothing", async () => {
  const over = new AbortController()
  const tally = new Tally()
  const running = runScene({ url: stage.gatewayUrl, users: 10, perSecond: 10, over: over.signal, tally })
  await expect.poll(() => tally.stuffers.length + tally.scrapers.length).toBe(6)
  await expect.poll(() => tally.calls).toBeGreaterThan(0)
  over.abort()
  await running
  // How soon a scraper is found depends on how steady a loaded machine lets it be: `npm run load` has that figure.
  expect(tally.scrapers).toHaveLength(3)
  expect(tally.stuffers).toHaveLength(3)
  for (const attempts of tally.stuffers) expect(attempts).toBeLessThanOrEqual(BOUNDS.stuffing)
  expect(tally.failures).toBe(0)
})

test("E-19: the shop is told who calls, and a stranger gets nowhere", async () => {
  const { status } = await fetch(`${stage.gatewayUrl}/gateway/products`)
  expect(status).toBe(401)
})
