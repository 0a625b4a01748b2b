// A real browser for one test file, and what every screen is held to: no error, no breach of the policy, nothing inaccessible.
import { mkdirSync } from "node:fs"
import axe from "axe-core"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"

/** Debian's, unless another is named. */
const CHROMIUM = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium"

/** No network but the loopback, and nothing that asks for more of the machine than a test has. */
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

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, headless: true, args: FLAGS })

export interface TestPage {
  readonly page: Page
  /** What the page complained of: exceptions, console errors, breaches of its content security policy. */
  readonly complaints: readonly string[]
  close(): Promise<void>
}

/** A page of its own context: its own cookies and storage. */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<TestPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  const complaints: string[] = []
  page.on("pageerror", (error) => complaints.push(`exception: ${error.message}`))
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`console: ${message.text()} (${message.location().url})`)
  })
  page.on("dialog", (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await page.goto(url)
  return { page, complaints, close: () => context.close() }
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly impact: string
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
  }[]
}

/** What keeps people out, by axe-core: the serious and the critical. */
export async function barriers(page: Page): Promise<string[]> {
  // The page's policy lets no foreign script in, and complains of it: this one is put in by the debugger.
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")) as AxeResult
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`))
}

/** Whether something sticks out of the window sideways. */
export const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth + 1)

/** Pictures for people, made when MILLRACE_SCREENSHOTS names a folder. */
export async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env.MILLRACE_SCREENSHOTS
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: `${folder}/${name}.png` })
}

export const setTheme = (page: Page, theme: "light" | "dark"): Promise<void> =>
  page.emulateMedia({ colorScheme: theme })
