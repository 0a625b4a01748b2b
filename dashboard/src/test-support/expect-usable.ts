// What every screen is held to: no barrier in light and dark, and nothing that sticks out of the window of a phone.
import type { Page } from "playwright-core"
import { expect } from "vitest"
import { barriers, isTooWide, setTheme, takePicture } from "./browser.ts"

const DESK = { width: 1280, height: 800 }
const PHONE = { width: 360, height: 740 }

/** With a picture of each theme, where pictures are wanted and it has a name. */
export async function expectUsable(page: Page, picture?: string): Promise<void> {
  for (const theme of ["light", "dark"] as const) {
    await setTheme(page, theme)
    await expect.poll(() => page.locator("html").getAttribute("data-theme")).toBe(theme)
    if (picture) await takePicture(page, `${picture}-${theme}`)
    await expect.poll(() => barriers(page)).toEqual([])
  }
  await setTheme(page, "light")
  await page.setViewportSize(PHONE)
  await expect.poll(() => isTooWide(page)).toBe(false)
  await page.setViewportSize(DESK)
}
