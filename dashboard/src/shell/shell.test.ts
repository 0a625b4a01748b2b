import { afterAll, beforeAll, describe, expect } from "vitest"
import { barriers, isTooWide, setTheme, takePicture } from "../test-support/browser.ts"
import { browser, engine, openAt, pressPair, setUpBrowser, test } from "../test-support/browser-test.ts"
import { type EngineProcess, runCli, startEngine } from "../test-support/engine-process.ts"
import { chip } from "../test-support/filter-chips.ts"

setUpBrowser()

const SCREENS = {
  "g i": "Instances",
  "g d": "Definitions",
  "g q": "Queues",
  "g l": "Dead letters",
  "g t": "User tasks",
  "g s": "Schedules",
  "g e": "Events",
  "g w": "Workers",
  "g o": "Overview",
}

describe("the frame", () => {
  test("the root leads to the dashboard, and every screen is two keys away", async () => {
    const { page, complaints, close } = await openAt("/")
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
    expect(new URL(page.url()).pathname).toBe("/ui/")
    for (const [keys, title] of Object.entries(SCREENS))
      await pressPair(page, keys, page.getByRole("heading", { level: 1, name: title }))
    await page.keyboard.press("?")
    await page.getByRole("dialog", { name: "Keys" }).waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "hidden" })
    expect(complaints).toEqual([])
    await close()
  })

  test("the find box suggests screens, definitions and job types by part of their names", async () => {
    await engine.send("POST", "/jobs", { type: "send-hello-card", payload: {} })
    const { page, complaints, close } = await openAt("/ui/")
    const box = page.getByRole("combobox", { name: /^Find/ })
    await expect
      .poll(async () => {
        await page.keyboard.press("Control+k")
        return box.evaluate((element) => element === document.activeElement)
      })
      .toBe(true)
    await page.keyboard.type("HELL")
    const option = (name: RegExp) => page.getByRole("option", { name })
    await option(/^hello\s*definition$/).waitFor()
    await option(/^send-hello-card\s*job type$/).waitFor()
    await expect.poll(() => barriers(page)).toEqual([])
    await page.keyboard.press("ArrowDown")
    expect(await option(/^hello/).getAttribute("aria-selected")).toBe("true")
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/ui\/definitions\/hello/)
    await box.fill("dead")
    await option(/^Dead letters\s*screen$/).click()
    await page.waitForURL(/\/ui\/dead-letters/)
    await option(/./).first().waitFor({ state: "hidden" })
    expect(complaints).toEqual([])
    await close()
  })

  test("what is pasted into the find box is found: an instance, a job, a definition, a business key", async () => {
    const { page, close } = await openAt("/ui/")
    const start = { definitionId: "hello", variables: { name: "Ada" }, businessKey: "order-77" }
    const { id } = await engine.send<{ id: string }>("POST", "/v1/instances", start)
    const job = await engine.send<{ id: string }>("POST", "/jobs", { type: "nobody-works-on-it", payload: {} })
    /** The page listens to keys a moment after it is drawn: pressed until the box has the focus. */
    const focusBox = () =>
      expect
        .poll(async () => {
          await page.keyboard.press("/")
          return page
            .locator("input:focus")
            .waitFor({ timeout: 1_000 })
            .then(
              () => true,
              () => false,
            )
        })
        .toBe(true)
    const find = async (text: string, path: RegExp) => {
      await focusBox()
      // A key that was pressed once too often is in it.
      await page.locator("input:focus").fill("")
      await page.keyboard.type(text)
      await page.keyboard.press("Enter")
      await page.waitForURL(path)
      // Out of the box again, so that keys are keys.
      await page.getByRole("heading", { level: 1 }).click()
    }
    await find(id, new RegExp(`/ui/instances/${id}`))
    await find(job.id, new RegExp(`/ui/jobs/${job.id}`))
    await find("hello", /\/ui\/definitions\/hello/)
    await find("order-77", /\/ui\/instances\?.*order-77/)
    // Not a number, though it looks like one.
    await find("12345678901234567890", /businessKey=12345678901234567890$/)
    await page.reload()
    await chip(page, "Business key").getByText("12345678901234567890", { exact: true }).waitFor()
    await focusBox()
    await page.keyboard.type("01ARZ3NDEKTSV4RRFFQ69G5FAV")
    await page.keyboard.press("Enter")
    await page.getByText("No instance or job has this id.").waitFor()
    await close()
  })

  test("C-122: a lost connection is said, and heals by itself", async () => {
    const own = await startEngine()
    const { page, close } = await openAt(`${own.url}/ui/`)
    await page.locator('[data-connection="live"]:visible').first().waitFor()
    await own.kill()
    await page.getByText("The connection to the engine was lost").waitFor()
    await own.restart()
    await page.locator('[data-connection="live"]:visible').first().waitFor()
    await page.getByText("The connection to the engine was lost").waitFor({ state: "hidden" })
    await close()
    await own.stop()
  })

  test("a screen that could not be fetched breaks alone, and is whole again when the engine is back", async () => {
    const own = await startEngine()
    const { page, close } = await openAt(`${own.url}/ui/`)
    await page.locator('[data-connection="live"]:visible').first().waitFor()
    await page.route("**/assets/schedules-*.js", (route) => route.abort())
    await pressPair(page, "g s", page.getByRole("heading", { level: 1, name: "Something broke" }))
    await page.getByRole("link", { name: "Queues" }).waitFor()
    await own.kill()
    await page.locator('[data-connection="lost"]:visible').first().waitFor()
    await page.unroute("**/assets/schedules-*.js")
    await own.restart()
    await page.getByRole("heading", { level: 1, name: "Schedules" }).waitFor()
    await close()
    await own.stop()
  })

  test("an engine that cannot say who is looking is asked again until it can", async () => {
    const { page, close } = await openAt("about:blank")
    const body = JSON.stringify({ error: "unavailable", message: "the database does not answer now" })
    await page.route("**/v1/session", (route) => route.fulfill({ status: 503, contentType: "application/json", body }))
    await page.goto(`${engine.url}/ui/`)
    await page.getByText("the database does not answer now").waitFor()
    await page.unroute("**/v1/session")
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
    await close()
  })

  test("an address that is nothing says so, and a narrow screen has a menu", async () => {
    const { page, close } = await openAt("/ui/no-such-page", {
      viewport: { width: 360, height: 740 },
    })
    await page.getByText("There is no such page.").waitFor()
    await page.getByRole("button", { name: "Menu" }).click()
    await page.getByRole("link", { name: "Queues" }).click()
    await page.getByRole("heading", { level: 1, name: "Queues" }).waitFor()
    await page.getByRole("link", { name: "Queues" }).waitFor({ state: "hidden" })
    await expect.poll(() => isTooWide(page)).toBe(false)
    await close()
  })

  test("eight pages at once, seven of them in the background, and the eighth still works: only what is seen holds a connection", async () => {
    const context = await browser.newContext()
    // A headless browser shows every page: those that are told to be hidden are.
    await context.addInitScript(() => {
      if (location.search.includes("hidden")) Object.defineProperty(document, "hidden", { get: () => true })
    })
    for (let k = 0; k < 7; k++) {
      const page = await context.newPage()
      await page.goto(`${engine.url}/ui/schedules?hidden=${k}`)
      await page.getByRole("heading", { level: 1, name: "Schedules" }).waitFor()
    }
    const front = await context.newPage()
    await front.goto(`${engine.url}/ui/`)
    await front.locator('[data-connection="live"]:visible').first().waitFor()
    await front.getByRole("link", { name: "Queues" }).click()
    await front.getByRole("heading", { name: "Watermarks" }).waitFor()
    await context.close()
  })

  test("light, dark or as the system has it: the choice stays", async () => {
    const { page, close } = await openAt("/ui/", { colorScheme: "dark" })
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme)
    expect(await theme()).toBe("dark")
    await page.getByRole("button", { name: "Theme: system" }).click()
    await expect.poll(theme).toBe("light")
    await page.reload()
    await page.getByRole("button", { name: "Theme: light" }).waitFor()
    expect(await theme()).toBe("light")
    await close()
  })
})

describe("SEC-49, SEC-52: with keys", () => {
  let guarded: EngineProcess
  let key: string

  beforeAll(async () => {
    guarded = await startEngine({ WE_AUTH: "required", WE_REGISTRATION: "on" })
    const output = await runCli(guarded, ["keys", "create", "operator"])
    key = /mill_\S+/.exec(output)?.[0] ?? ""
  })
  afterAll(() => guarded?.stop())

  test("a key is pasted once: it is in no address and no storage, the cookie is not for scripts, and signing out ends it", async () => {
    const { page, close } = await openAt(`${guarded.url}/ui/instances?status=FAILED`)
    await page.getByLabel("API key").fill("mill_wrong")
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("alert").waitFor()
    for (const theme of ["light", "dark"] as const) {
      await setTheme(page, theme)
      await expect.poll(() => barriers(page)).toEqual([])
    }
    await page.getByLabel("API key").fill(key)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("heading", { level: 1, name: "Instances" }).waitFor()
    await page.locator('[data-connection="live"]:visible').first().waitFor()
    expect(page.url()).toContain("status=FAILED")

    const secret = key.split("_")[2] as string
    const stores = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    )
    expect(stores).not.toContain(secret)
    expect(page.url()).not.toContain(secret)
    const [cookie] = await page.context().cookies()
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" })
    expect(cookie?.value).not.toContain(secret)

    await page.reload()
    await page.getByRole("heading", { level: 1, name: "Instances" }).waitFor()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByLabel("API key").waitFor()
    await close()
  })

  test("SEC-27: a key that may only read instances is offered nothing else, and is told what it lacks", async () => {
    const output = await runCli(guarded, ["keys", "create", "reader", "--scope", "instances:read"])
    const { page, complaints, close } = await openAt(`${guarded.url}/ui/instances`)
    await page.getByLabel("API key").fill(/mill_\S+/.exec(output)?.[0] ?? "")
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("heading", { level: 1, name: "Instances" }).waitFor()
    await page.locator('[data-connection="closed"]:visible').first().waitFor()
    expect(await page.getByRole("navigation", { name: "Screens" }).getByRole("link").allTextContents()).toEqual([
      "Instances",
    ])
    expect(await page.getByText("Start an instance").count()).toBe(0)
    await page.goto(`${guarded.url}/ui/`)
    await page.getByText("It needs the scope").waitFor()
    expect(complaints.filter((one) => !one.includes("401"))).toEqual([])
    await close()
  })

  test("SEC-19: a user name and a password do as well, and nothing of them stays in the page", async () => {
    const password = "plum otter lantern"
    const registered = await fetch(`${guarded.url}/auth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username: "ada", email: "ada@example.com", password }),
    })
    expect(registered.status).toBe(201)
    await runCli(guarded, ["users", "promote", "ada"])
    const { page, close } = await openAt(`${guarded.url}/ui/schedules`)
    await page.getByRole("button", { name: "Use a user name and a password" }).click()
    const attempt = async (typed: string) => {
      await page.getByLabel("User name").fill("ada")
      await page.getByLabel("Password").fill(typed)
      await page.getByRole("button", { name: "Sign in" }).click()
    }
    await attempt("wrong")
    await page.getByRole("alert").waitFor()
    await expect.poll(() => page.getByLabel("Password").inputValue()).toBe("")
    for (const theme of ["light", "dark"] as const) {
      await setTheme(page, theme)
      await expect.poll(() => barriers(page)).toEqual([])
    }
    await attempt(password)
    await page.getByRole("heading", { level: 1, name: "Schedules" }).waitFor()
    const stores = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    )
    expect(stores + page.url()).not.toContain("otter")
    await close()
  })

  test("a user with the role USER is told that only the gateway is for users, and can sign out", async () => {
    const password = "plum otter lantern"
    await fetch(`${guarded.url}/auth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username: "grace", email: "grace@example.com", password }),
    })
    const { page, close } = await openAt(`${guarded.url}/ui/`)
    await page.getByRole("button", { name: "Use a user name and a password" }).click()
    await page.getByLabel("User name").fill("grace")
    await page.getByLabel("Password").fill(password)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("heading", { level: 1, name: "grace may not look at the engine" }).waitFor()
    expect(await page.getByRole("main").innerText()).toContain("may only call what the gateway forwards")
    expect(await page.getByText("keys create").count()).toBe(0)
    for (const theme of ["light", "dark"] as const) {
      await setTheme(page, theme)
      await expect.poll(() => barriers(page)).toEqual([])
      await takePicture(page, `user-without-rights-${theme}`)
    }
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByLabel("API key").waitFor()
    await close()
  })

  test("a key that is revoked meanwhile brings the sign-in back", async () => {
    const output = await runCli(guarded, ["keys", "create", "short"])
    const short = /mill_([0-9a-f]+)_\S+/.exec(output)
    const { page, close } = await openAt(`${guarded.url}/ui/schedules`)
    await page.getByLabel("API key").fill(short?.[0] ?? "")
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("heading", { level: 1, name: "Schedules" }).waitFor()
    await takePicture(page, "signed-in-light")
    await runCli(guarded, ["keys", "revoke", short?.[1] ?? ""])
    await page.getByLabel("API key").waitFor()
    await close()
  })
})
