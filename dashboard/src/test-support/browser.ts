// A real browser for one test file, and what every screen is held to: no error, no breach of the policy, nothing inaccessible.
import { mkdirSync } from "node:fs"
import axe from "axe-core"
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from "playwright-core"

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
  /** What the page has said in its corner: the words are gone from there after some seconds. */
  readonly said: string[]
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
  const said: string[] = []
  await page.exposeBinding("noteSaid", (_, text: string) => void said.push(text))
  await page.addInitScript(noteWords)
  await page.goto(url)
  return { page, complaints, said, close: () => context.close() }
}

/** Runs in the page: it knows nothing but what is inside it. */
function noteWords(): void {
  const isWord = (node: Node): node is HTMLElement =>
    node instanceof HTMLElement && node.matches("[role=status][aria-live] > p")
  const here = window as unknown as { noteSaid(text: string): void }
  new MutationObserver((changes) => {
    for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes]))
      if (isWord(node)) here.noteSaid(node.textContent)
  }).observe(document, { childList: true, subtree: true })
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

/** Pictures for people, made when MILLRACE_SCREENSHOTS names a folder: `docs/images/dashboard` for those of the guides. */
export async function takePicture(
  of: Page | Locator,
  name: string,
  folder = process.env.MILLRACE_SCREENSHOTS,
): Promise<void> {
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  await of.screenshot({ path: `${folder}/${name}.png` })
}

export const setTheme = (page: Page, theme: "light" | "dark"): Promise<void> =>
  page.emulateMedia({ colorScheme: theme })
