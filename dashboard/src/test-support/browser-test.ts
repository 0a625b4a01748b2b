// For test files that need a browser: `test`, and one engine, one browser and, where a path is given, one page for the file.
// They are skipped by name unless MILLRACE_FULL_TESTS asks for what Debian's packages are needed for.
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core"
import { afterAll, beforeAll, expect, test as plainTest } from "vitest"
import { openBrowser, openPage, type TestPage } from "./browser.ts"
import { type EngineProcess, startEngine } from "./engine-process.ts"

export const test = process.env.MILLRACE_FULL_TESTS ? plainTest : plainTest.skip

/** Both of this test file: there from the first test on, and in `prepare`. */
export let engine: EngineProcess
export let browser: Browser
/** The page that was asked for, and what it complained of. */
export let page: Page
export let complaints: readonly string[]
let said: string[]

interface SetUp {
  /** Which page is opened, such as `/ui/jobs`; none when it is absent. */
  readonly path?: string
  /** Settings of the engine besides the usual ones; asked for before it starts. */
  readonly env?: () => Promise<Readonly<Record<string, string>>>
  /** Runs before the page is opened. */
  readonly prepare?: () => Promise<unknown>
}

/** Once, at the top of a test file. */
export function setUpBrowser({ path, env, prepare }: SetUp = {}): void {
  beforeAll(async () => {
    const settings = await env?.()
    ;[engine, browser] = await Promise.all([startEngine(settings), openBrowser()])
    await prepare?.()
    if (path !== undefined) ({ page, complaints, said } = await openAt(path))
  })
  afterAll(async () => {
    await browser?.close()
    await engine?.stop()
  })
}

/** A further page of this engine, or of another one by its whole address. */
export const openAt = (address: string, options?: BrowserContextOptions): Promise<TestPage> =>
  openPage(browser, new URL(address, engine.url).href, options)

/** Until the page has said it in its corner, also where it is gone from there again. What came before it is not waited for any more. */
export const untilSaid = (text: string | RegExp): Promise<void> =>
  expect
    .poll(() => {
      const at = said.findIndex((one) => (typeof text === "string" ? one.includes(text) : text.test(one)))
      said.splice(0, at + 1)
      return at >= 0
    })
    .toBe(true)

/**
 * Presses two keys that mean something in a row, until that is seen. Both in one moment: on a busy machine they would come too far
 * apart. And again, because a page listens a moment after it is drawn.
 */
export const pressPair = (page: Page, pair: string, seen: Locator): Promise<void> =>
  expect
    .poll(async () => {
      await page.evaluate((keys) => {
        for (const key of keys)
          (document.activeElement ?? document).dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }))
      }, pair.split(" "))
      return seen.waitFor({ timeout: 3_000 }).then(
        () => true,
        () => false,
      )
    })
    .toBe(true)
