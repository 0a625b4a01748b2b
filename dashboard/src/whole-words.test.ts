// No word of any screen is broken over two lines, and no screen is wider than its window: with ordinary names and with ugly ones.
import type { Page } from "playwright-core"
import { beforeAll, describe, expect } from "vitest"
import { brokenWords } from "./test-support/broken-words.ts"
import { isTooWide, setTheme, takePicture } from "./test-support/browser.ts"
import { engine, openAt, setUpBrowser, test } from "./test-support/browser-test.ts"
import { type Busy, LONG, makeBusy, ORDINARY, UGLY } from "./test-support/busy-engine.ts"

const WIDTHS = [390, 1280, 1920]
const SMALL = { width: 390, narrowest: 360 }

/** A guard that counts, and that one browser does not bring to refuse. */
setUpBrowser({ env: async () => ({ WE_GUARD: "on", RATE_LIMIT_REQUESTS: "100000" }) })

const screensOf = ({ failed, waiting, listed, job, letter }: Busy, { definition }: { definition: string }) => ({
  overview: "",
  instances: "instances",
  "instance-failed": `instances/${failed}?step=charge`,
  "instance-variables": `instances/${failed}?panel=variables`,
  "instance-history": `instances/${failed}?panel=history`,
  "instance-audit": `instances/${failed}?panel=audit`,
  "instance-waiting": `instances/${waiting}`,
  "instance-list": `instances/${listed}?panel=history`,
  definitions: "definitions",
  definition: `definitions/${definition}`,
  "definition-step": `definitions/${definition}?step=charge`,
  upload: `upload?from=${definition}`,
  queues: "queues",
  jobs: "jobs?status=ready",
  "jobs-leased": "jobs?status=leased",
  job: `jobs/${job}`,
  "dead-letters": "dead-letters",
  "dead-letter": `dead-letters?view=list&letter=${encodeURIComponent(letter)}`,
  "user-tasks": "user-tasks",
  schedules: "schedules",
  events: "events",
  workers: "workers",
  guard: "guard?why=127.0.0.1",
  "guard-shadow": "guard?view=shadow",
  api: "api",
  nowhere: "no-such-page",
})

describe.each([
  ["ordinary", ORDINARY],
  ["ugly", UGLY],
] as const)("%s names", (kind, names) => {
  let busy: Busy
  beforeAll(async () => {
    if (process.env.MILLRACE_FULL_TESTS) busy = await makeBusy(engine, names)
  })

  test.each(WIDTHS)("SEC-50: at %i px every word is whole, and nothing sticks out", async (width) => {
    const { page, complaints, close } = await openAt("/ui/", { viewport: { width, height: width < 500 ? 844 : 900 } })
    for (const [name, path] of Object.entries(screensOf(busy, names))) {
      await page.goto(`${engine.url}/ui/${path}`)
      await page.getByRole("heading", { level: 1 }).waitFor()
      await page.locator('[data-connection="live"]:visible').first().waitFor()
      await page.waitForFunction(() => document.querySelector("main [role=status].animate-pulse") === null)
      await page.evaluate(() => document.fonts.ready)
      // Pictures and charts are drawn anew a moment after their place has another width.
      await expect.poll(() => shortOf(brokenWords(page)), { message: name }).toEqual([])
      await expect.poll(() => isTooWide(page), { message: name }).toBe(false)
      await takeBoth(page, `${kind}-${name}-${width}`)
      if (width > SMALL.width) continue
      await page.setViewportSize({ width: SMALL.narrowest, height: 740 })
      await expect.poll(() => isTooWide(page), { message: `${name} at ${SMALL.narrowest} px` }).toBe(false)
      await page.setViewportSize({ width, height: 844 })
    }
    expect(complaints).toEqual([])
    await close()
  })
})

const shortOf = async (words: Promise<string[]>): Promise<string[]> =>
  (await words).map((word) => word.replaceAll(LONG, "…"))

/** To look at all of them by eye: MILLRACE_EVERY_SCREEN names a folder. These are too many for the guides. */
async function takeBoth(page: Page, name: string): Promise<void> {
  const folder = process.env.MILLRACE_EVERY_SCREEN
  if (folder === undefined) return
  for (const theme of ["dark", "light"] as const) {
    await setTheme(page, theme)
    await takePicture(page, `${name}-${theme}`, folder)
  }
}
