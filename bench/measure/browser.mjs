// The browser of the distribution, driven by playwright-core from the workspace beside this package.
import { createRequire } from "node:module"

const { chromium } = createRequire(new URL("../../package.json", import.meta.url))("playwright-core")

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
]

export const openBrowser = () =>
  chromium.launch({ executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium", headless: true, args: FLAGS })

/** A page with an empty cache and no cookies. */
export async function openFreshPage(browser, url) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  await page.goto(url)
  return page
}
