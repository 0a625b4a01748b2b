import type { Browser } from "playwright-core"
import { afterAll, beforeAll, expect } from "vitest"
import { barriers, isTooWide, openBrowser, openPage, setTheme, takePicture } from "../../test-support/browser.ts"
import { test } from "../../test-support/browser-test.ts"
import { type EngineProcess, startEngine } from "../../test-support/engine-process.ts"

let engine: EngineProcess
let browser: Browser

beforeAll(async () => {
  ;[engine, browser] = await Promise.all([startEngine(), openBrowser()])
})

afterAll(async () => {
  await browser?.close()
  await engine?.stop()
})

test("an operation is found by its words, opened, and its address opens it again", async () => {
  const { page, complaints, close } = await openPage(browser, `${engine.url}/docs`)
  await page.getByRole("heading", { level: 1, name: "API" }).waitFor()
  await page.getByLabel("Search", { exact: true }).fill("start instance")
  await page.getByText("/v1/instances", { exact: true }).first().click()
  await page.getByText(`curl -s -X POST ${engine.url}/v1/instances -H`).waitFor()
  await page.getByText("definitionId required").first().waitFor()
  await expect
    .poll(() => page.url())
    .toMatch(/api\?find=start\+instance#startInstance$|api\?find=start%20instance#startInstance$/)
  for (const theme of ["light", "dark"] as const) {
    await setTheme(page, theme)
    expect(await barriers(page)).toEqual([])
    await takePicture(page, `api-${theme}`)
  }
  await page.setViewportSize({ width: 360, height: 740 })
  expect(await isTooWide(page)).toBe(false)
  const again = await openPage(browser, page.url())
  await again.page.getByText(`curl -s -X POST ${engine.url}/v1/instances -H`).waitFor()
  expect([...complaints, ...again.complaints]).toEqual([])
  await again.close()
  await close()
})
