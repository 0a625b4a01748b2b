import { afterAll, describe, expect } from "vitest"
import { complaints, engine, openAt, page, setUpBrowser, test, untilSaid } from "../../test-support/browser-test.ts"
import { type EngineProcess, startEngine } from "../../test-support/engine-process.ts"
import { expectUsable } from "../../test-support/expect-usable.ts"

const STUFFER = "192.0.2.7"
const SCRAPER = "198.51.100.4"
const CROWD = "203.0.113.9"

/** As a proxy on this machine passes a call on. */
const from = (address: string, path: string, headers: Record<string, string> = {}) =>
  fetch(engine.url + path, { headers: { "x-forwarded-for": address, ...headers } })
/** Another key each time: the same wrong one again is no guess. */
const guess = (n: number) => from(STUFFER, "/v1/instances", { authorization: `Bearer mill_wrong${n}` })
const shadow = () => engine.get<{ all: boolean; rules: Record<string, boolean> }>("/admin/shadow-mode")

setUpBrowser({
  path: "/ui/guard",
  env: async () => ({ WE_TRUSTED_PROXIES: "127.0.0.1", RATE_LIMIT_REQUESTS: "20" }),
  prepare: async () => {
    await engine.send("POST", `/admin/block-ip/${SCRAPER}`, { reason: "scrapes the catalogue" })
    await engine.send("POST", "/admin/shadow-mode?enabled=true&rule=rate")
    for (let n = 0; n < 12; n++) await guess(n)
    for (let n = 0; n < 30; n++) await from(CROWD, "/no-such-path")
    while ((await engine.get<{ total: number }>("/admin/shadow-stats")).total === 0);
    while ((await engine.get<{ items: object[] }>("/admin/blocks")).items.length < 2);
  },
})

const blocks = () => page.getByRole("table", { name: "Blocks" })
const report = () => page.getByRole("table", { name: "Shadow report" })
const dialog = () => page.getByRole("dialog")
const openView = (name: string) => page.getByRole("tab", { name }).click()

describe("a guard at the doors", () => {
  test("blocks of operators and of rules are listed with reason and author", async () => {
    const byHand = blocks().getByRole("row", { name: new RegExp(SCRAPER) })
    await byHand.getByText("until unblocked").waitFor()
    await byHand.getByText("scrapes the catalogue").waitFor()
    const byRule = blocks().getByRole("row", { name: new RegExp(STUFFER) })
    await byRule.getByText("for a while").waitFor()
    await byRule.getByText("the rule itself").first().waitFor()
  })

  test("traffic is drawn by verdict, and who calls most leads to why", async () => {
    await page.getByRole("img", { name: /^Requests per second, by verdict, latest: allowed / }).waitFor()
    await page.getByRole("table", { name: "Top addresses" }).getByRole("link", { name: STUFFER }).click()
    await page.waitForURL(/why=/)
  })

  test("E-32: why an address is refused is told to operators, with the numbers", async () => {
    await page.getByLabel("Address or client").fill(STUFFER)
    await page.getByRole("button", { name: "Ask why" }).click()
    const answer = page.getByRole("region", { name: `Why ${STUFFER}` })
    await answer.getByText("refused for a while").waitFor()
    await answer.getByRole("list", { name: "Reasons" }).getByText("Failed credentials, by address").waitFor()
    await answer.getByRole("list", { name: "Numbers" }).getByText(/of 10/).waitFor()
    expect(new URL(page.url()).searchParams.get("why")).toBe(STUFFER)
  })

  test("it is readable for everybody, on any screen", async () => {
    await openView("Blocks")
    await blocks().waitFor()
    await page.evaluate(() => scrollTo(0, 0))
    await expectUsable(page, "guard")
    await openView("Shadow mode")
    await report().waitFor()
    await expectUsable(page)
    await openView("Blocks")
  })

  test("E-T3, E-15: the shadow report names rule, client and path, and is filtered by the address", async () => {
    await openView("Shadow mode")
    const row = report().getByRole("row", { name: new RegExp(CROWD) })
    await row.getByText("Calls in a window").first().waitFor()
    await page.getByLabel("Rule", { exact: true }).selectOption({ label: "Even gaps" })
    await page.getByText("Nothing of the kind was noted.").waitFor()
    await page.goBack()
    await row.first().waitFor()
    expect((await from(CROWD, "/no-such-path")).status).toBe(404)
  })

  test("E-16, E-37: a rule refuses again, and all only note, after asking", async () => {
    await page.getByRole("button", { name: "Let refuse: Calls in a window" }).click()
    await dialog()
      .getByText(/would have refused \d+ requests/)
      .waitFor()
    await dialog().getByRole("button", { name: "Back" }).click()
    expect((await shadow()).rules).toEqual({ rate: true })
    await page.getByRole("button", { name: "Let refuse: Calls in a window" }).click()
    await dialog().getByRole("button", { name: "Refuse", exact: true }).click()
    await untilSaid("Shadow mode is off for “Calls in a window”.")
    expect((await shadow()).rules).toEqual({ rate: false })
    await page.getByRole("button", { name: "Let all rules only note…" }).click()
    await dialog().getByRole("button", { name: "Only note" }).click()
    await page.getByText("all only note").waitFor()
    expect(await shadow()).toMatchObject({ all: true, rules: {} })
    await page.getByRole("button", { name: "Let all rules refuse…" }).click()
    await dialog().getByRole("button", { name: "Refuse", exact: true }).click()
    await page.getByText("all refuse", { exact: true }).waitFor()
  })

  test("E-X8: a block is lifted after asking, which says why it was there", async () => {
    await openView("Blocks")
    await page.getByRole("button", { name: `Unblock address ${SCRAPER}` }).click()
    await dialog().getByText("scrapes the catalogue").waitFor()
    await dialog().getByRole("button", { name: "Unblock" }).click()
    await untilSaid(`Unblocked address ${SCRAPER}.`)
    await page.getByRole("button", { name: new RegExp(`^Unblock client .*${STUFFER}`) }).click()
    await dialog().getByRole("button", { name: "Unblock" }).click()
    await page.getByText("Nothing is blocked.").waitFor()
    expect(await engine.get(`/admin/block-status/${STUFFER}`)).toMatchObject({ soft_blocked: false })
  })

  test("E-44: an address is blocked by hand with a reason, and one that is none is refused in words", async () => {
    await page.getByRole("button", { name: "Block a caller…" }).click()
    await dialog().getByLabel("Address").fill("nowhere")
    expect(await dialog().getByRole("button", { name: "Block", exact: true }).isDisabled()).toBe(true)
    await dialog().getByLabel("Reason").fill("tries passwords")
    await dialog().getByRole("button", { name: "Block", exact: true }).click()
    await dialog().getByRole("alert").waitFor()
    await dialog().getByLabel("Address").fill("2001:db8::7")
    await dialog().getByRole("button", { name: "Block", exact: true }).click()
    await blocks()
      .getByRole("row", { name: /2001:db8/ })
      .getByText("tries passwords")
      .waitFor()
    expect(await engine.get("/admin/block-status/2001:db8::99")).toMatchObject({ hard_blocked_bloom: true })
  })

  test("nothing on the way was an error of the page", () => {
    expect(complaints.filter((one) => !one.includes("400"))).toEqual([])
  })
})

describe("an engine without a guard", () => {
  let bare: EngineProcess | undefined
  afterAll(() => bare?.stop())

  test("the screen says so, and how to put one there", async () => {
    bare = await startEngine()
    const { page } = await openAt(`${bare.url}/ui/guard`)
    await page.getByRole("heading", { name: "The guard is off" }).waitFor()
    await page.getByText("WE_GUARD=on npm start").waitFor()
    await expectUsable(page)
  })
})
