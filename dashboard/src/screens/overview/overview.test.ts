import { beforeAll, describe, expect } from "vitest"
import { barriers, isTooWide, setTheme, takePicture } from "../../test-support/browser.ts"
import { complaints, engine, page, setUpBrowser, test } from "../../test-support/browser-test.ts"

setUpBrowser({ path: "/ui/" })

/** The engine tells of a change within a second or two. */

const enqueue = (count: number, job: object) =>
  engine.send("POST", "/jobs/bulk", { jobs: Array.from({ length: count }, (_, n) => ({ payload: { n }, ...job })) })

/** How much of the upper half of a chart is drawn in a colour of the theme. */
const inkOf = (name: RegExp, role: string): Promise<number> =>
  page
    .getByRole("img", { name })
    .locator("canvas")
    .evaluate((element, role) => {
      const canvas = element as HTMLCanvasElement
      const colour = getComputedStyle(document.documentElement).getPropertyValue(`--${role}`)
      const [red = 0, green = 0, blue = 0] = colour.match(/[0-9a-f]{2}/gi)?.map((hex) => Number.parseInt(hex, 16)) ?? []
      const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height / 2)
      const isNear = (at: number, wanted: number) => Math.abs((data[at] as number) - wanted) < 40
      let ink = 0
      for (let at = 0; at < data.length; at += 4)
        if ((data[at + 3] as number) > 100 && isNear(at, red) && isNear(at + 1, green) && isNear(at + 2, blue)) ink += 1
      return ink
    }, role)

describe("an engine that has never run anything", () => {
  test("a newcomer is shown what to start, and the command for it", async () => {
    const welcome = page.getByRole("region", { name: "First steps" })
    await welcome.getByText("Nothing has run yet").waitFor()
    expect(await welcome.locator("code").innerText()).toContain(`curl -X POST ${engine.url}/v1/instances`)
    await takePicture(page, "first-run-light")
    await welcome.getByRole("link", { name: "Start the sample workflow" }).click()
    await page.waitForURL(/\/ui\/definitions\/hello/)
    await page.goBack()
    await welcome.waitFor()
  })

  test("the invitation goes when something runs, without a reload", async () => {
    await engine.send("POST", "/v1/instances", { definitionId: "hello", variables: { name: "Ada" } })
    await page.getByRole("region", { name: "First steps" }).waitFor({ state: "detached" })
  })
})

describe("an engine at work", () => {
  beforeAll(async () => {
    await engine.send("PUT", "/v1/downstreams/mail", { perSecond: 100, concurrency: 5 })
    await engine.send("PUT", "/queues/watermarks", { normal: { high: 40, low: 10 } })
    await enqueue(45, { type: "mail", downstream: "mail" })
    await enqueue(12, { type: "image", priority: "high" })
    const long = "Augusta Ada King, Countess of Lovelace"
    for (const name of ["Ada", "Grace", "Edsger", long])
      await engine.send("POST", "/v1/instances", { definitionId: "hello", variables: { name } })
    await engine.send("POST", "/v1/jobs/poll", {
      workerId: "mailer-1",
      jobTypes: ["mail"],
      maxJobs: 2,
      leaseSeconds: 300,
    })
  })

  test("D-03: depth stands against its watermarks, and a shut gate says what is refused until when", async () => {
    const normal = page.getByRole("meter", { name: "Depth of normal" })
    await expect.poll(() => normal.getAttribute("aria-valuenow")).toBe("45")
    expect(await normal.getAttribute("aria-valuetext")).toBe("45 jobs, shuts at 40, opens below 10")
    await page.getByText("New normal jobs are refused until the depth is below 10.").waitFor()
    await page.getByText("normal refused", { exact: true }).waitFor()
    const high = page.getByRole("meter", { name: "Depth of high" })
    await expect.poll(() => high.getAttribute("aria-valuenow")).toBe("12")
    await page
      .getByText(/oldest waits \d/)
      .first()
      .waitFor()
  })

  test("leases, workers and user tasks are counted, and lead to their screens", async () => {
    const tile = (name: RegExp) => page.getByRole("main").getByRole("link", { name })
    await tile(/^Open user tasks\s*1$/).waitFor()
    await tile(/^Jobs with workers\s*2$/).waitFor()
    expect(await tile(/^Workers/).getAttribute("href")).toBe("/ui/workers")
    expect(await tile(/^Dead letters/).getAttribute("href")).toBe("/ui/dead-letters")
  })

  test("a downstream shows its pace against its limits", async () => {
    const inFlight = page.getByRole("progressbar", { name: "In flight to mail" })
    await expect.poll(() => inFlight.getAttribute("aria-valuenow")).toBe("2")
    await page.getByText("2 of 5 in flight").waitFor()
  })

  test("charts are drawn from the stored series and say their latest values in words", async () => {
    const depth = page.getByRole("img", {
      name: /^Jobs that wait, by priority, latest: critical \d+, high 12, normal 45$/,
    })
    await depth.waitFor()
    await page.getByRole("img", { name: /^Instances per second, latest: started / }).waitFor()
    await expect.poll(() => inkOf(/^Jobs that wait, by priority/, "accent")).toBeGreaterThan(5)
    await depth.hover()
    await page
      .getByText(/^\d\d:\d\d:\d\d/)
      .first()
      .waitFor()
  })

  test("C-122: the window of the charts is in the address", async () => {
    await page.getByRole("link", { name: "24 h" }).click()
    await page.waitForURL(/window=P1D/)
    await page.goto(`${engine.url}/ui/?window=PT1H`)
    const chosen = page.getByRole("navigation", { name: "How far back" }).getByRole("link", { name: "1 h" })
    await expect.poll(() => chosen.getAttribute("aria-current")).toBe("page")
    expect(await page.locator("nav[aria-label='How far back'] [aria-current]").count()).toBe(1)
    await page.goto(`${engine.url}/ui/`)
    await page.getByRole("img", { name: /^Dead letters/ }).waitFor()
  })

  test("D-T12: what flows is shown per second, as it happens", async () => {
    /** As long as it is looked for: what has flowed by before is soon no more in the rate. */
    const flow = async () => {
      await engine.send("POST", "/v1/instances", { definitionId: "hello", variables: { name: "Alan" } })
      await enqueue(1, { type: "image", priority: "high" })
      const poll = { workerId: "images-1", jobTypes: ["image"], maxJobs: 8, leaseSeconds: 300 }
      const { jobs } = await engine.send<{ jobs: { id: string; leaseToken: string }[] }>("POST", "/v1/jobs/poll", poll)
      const completed = jobs.map(({ id: jobId, leaseToken }) => ({ jobId, leaseToken, variables: {} }))
      await engine.send("POST", "/v1/jobs/exchange", { workerId: "images-1", completed })
    }
    const shown = (card: string, name: string) =>
      page
        .locator("section", { has: page.getByRole("heading", { name: card }) })
        .first()
        .locator("dl > div", { hasText: name })
        .locator("dd")
    for (const [card, name] of [
      ["Instances per second", "started"],
      ["Instances per second", "completed"],
      ["Jobs per second", "completed"],
    ] as const)
      await expect
        .poll(async () => {
          await flow()
          return shown(card, name).innerText()
        })
        .toMatch(/^[1-9]|0\.[1-9]/)
  })

  test("C-122: it is usable by everybody, in light and dark, and on a phone", async () => {
    await takePicture(page, "overview-light")
    await expect.poll(() => barriers(page)).toEqual([])
    await setTheme(page, "dark")
    await expect.poll(() => page.locator("html").getAttribute("data-theme")).toBe("dark")
    await expect.poll(() => inkOf(/^Jobs that wait, by priority/, "accent")).toBeGreaterThan(5)
    await takePicture(page, "overview-dark")
    await expect.poll(() => barriers(page)).toEqual([])
    await page.setViewportSize({ width: 360, height: 740 })
    const chart = page.getByRole("img", { name: /^Jobs that wait, by priority/ })
    await expect.poll(() => chart.locator("canvas").evaluate((canvas) => canvas.clientWidth)).toBeLessThan(360)
    await expect.poll(() => isTooWide(page)).toBe(false)
    expect(complaints).toEqual([])
  })
})
