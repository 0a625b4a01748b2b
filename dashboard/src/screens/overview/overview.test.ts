import { beforeAll, describe, expect } from "vitest"
import { barriers, isTooWide, setTheme, takePicture } from "../../test-support/browser.ts"
import { complaints, engine, page, setUpBrowser, test } from "../../test-support/browser-test.ts"
import { runModule } from "../../test-support/run-module.ts"

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

const race = () => page.getByRole("figure", { name: /^The race/ })
const part = (name: RegExp) => race().getByRole("link", { name })

const codeOf = (title: string): Promise<string> => page.getByRole("region", { name: title }).locator("pre").innerText()

/** What a shell would send; curl is not needed for it. */
function call(command: string): Promise<unknown> {
  const [, method = "", url = "", body = ""] =
    /^curl -X (\w+) (\S+)[\s\S]*content-type: application\/json[\s\S]*-d '(.*)'$/.exec(command) ?? []
  return engine.send(method, url.slice(engine.url.length), JSON.parse(body))
}

describe("an engine that has never run anything", () => {
  test("a newcomer is shown what to start, and the command for it", async () => {
    const welcome = page.getByRole("region", { name: "First steps" })
    await welcome.getByText("Nothing has run yet").waitFor()
    // The race is there, dry, and says where to begin.
    await race().getByText("Nothing waits and nothing moves.").waitFor()
    await race().getByRole("link", { name: "Start here" }).click()
    await page.waitForURL(/#first-steps$/)
    expect(await race().locator("[data-gate=open]").count()).toBe(3)
    expect(await welcome.getByRole("listitem").count()).toBe(3)
    expect(await codeOf("Start one from anywhere")).toContain(`curl -X POST ${engine.url}/v1/instances`)
    await page.evaluate(() => scrollTo(0, 0))
    await takePicture(page, "first-run-light")
    await welcome.getByRole("link", { name: "Start the sample workflow" }).click()
    await page.waitForURL(/\/ui\/definitions\/hello/)
    await page.goBack()
    await welcome.waitFor()
  })

  test("the code that it shows runs as it stands", async () => {
    expect(await runModule(engine.dataDir, await codeOf("Write a list of functions"))).toBe(
      "Hello, Ada\n{ text: 'Hello, Ada' }\n",
    )
    await call(await codeOf("Let the calendar start it"))
    expect(await engine.get("/v1/schedules/every-morning")).toMatchObject({ definitionId: "hello", enabled: true })
  })

  test("the invitation goes when something runs, without a reload", async () => {
    await call(await codeOf("Start one from anywhere"))
    await page.getByRole("region", { name: "First steps" }).waitFor({ state: "detached" })
  })
})

describe("an engine at work", () => {
  beforeAll(async () => {
    await engine.send("PUT", "/v1/downstreams/mail", { perSecond: 100, concurrency: 5 })
    await engine.send("PUT", "/queues/watermarks", { normal: { high: 40, low: 10 } })
    // A lease is no longer than the time that a job may take.
    await enqueue(45, { type: "mail", downstream: "mail", timeout: "PT1H" })
    await enqueue(12, { type: "image", priority: "high" })
    const long = "Augusta Ada King, Countess of Lovelace"
    for (const name of ["Ada", "Grace", "Edsger", long])
      await engine.send("POST", "/v1/instances", { definitionId: "hello", variables: { name } })
    await engine.send("POST", "/v1/jobs/poll", {
      workerId: "mailer-1",
      jobTypes: ["mail"],
      maxJobs: 2,
      leaseSeconds: 3_600,
    })
  })

  test("D-03: a channel shows its depth, a shut gate is drawn shut and says what is refused until when", async () => {
    await part(/^normal: 45 jobs.*Its gate is shut: new jobs are refused until fewer than 10 are left\./).waitFor()
    await part(/^high: 12 jobs\. Its gate is open, and shuts at 10,000\./).waitFor()
    await expect.poll(() => race().locator("[data-gate=shut]").count()).toBe(1)
    expect(await race().locator("[data-gate=open]").count()).toBe(2)
    expect(await part(/^normal: /).getAttribute("href")).toBe("/ui/jobs?priority=normal")
  })

  test("what is wrong comes first: the shut gate, and jobs that no worker asks for", async () => {
    const troubles = page.locator("section", { has: page.getByRole("heading", { name: "What is wrong" }) })
    await troubles.getByText("New normal jobs are refused until the depth is below 10.").waitFor()
    await troubles.getByText("12 jobs of type image wait, and no worker asks for them.").waitFor()
    const link = troubles.getByRole("link", { name: /^12 jobs of type image/ })
    expect(await link.getAttribute("href")).toBe("/ui/workers")
  })

  test("refused work is shown at its door, as it happens, and pointing at a part tells its numbers", async () => {
    const submit = () =>
      fetch(`${engine.url}/jobs`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ type: "mail", payload: {} }),
      })
    await expect
      .poll(async () => {
        expect((await submit()).status).toBe(503)
        return race()
          .getByRole("link", { name: /jobs refused per second/ })
          .count()
      })
      .toBe(1)
    const door = part(/^REST: /)
    const tip = door.getByText(/accepted per second/).last()
    expect(await tip.isVisible()).toBe(false)
    await door.hover()
    await expect.poll(() => tip.isVisible()).toBe(true)
  })

  test("drops and the wheel stand still for people who want less motion, and the picture says the same", async () => {
    const running = () =>
      page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === "running").length)
    // Without the age of its oldest job, which goes on.
    const words = async () =>
      (await part(/^high: /).innerText()).replace(/ · .*/s, "").replace(/The oldest waits for [^.]*/, "")
    const before = await words()
    await page.emulateMedia({ reducedMotion: "reduce" })
    await expect.poll(running).toBe(0)
    expect(await words()).toBe(before)
    await page.emulateMedia({ reducedMotion: "no-preference" })
  })

  test("leases, workers and user tasks are counted, and lead to their screens", async () => {
    const tile = (name: RegExp) => page.getByRole("main").getByRole("link", { name })
    await tile(/^Open user tasks\s*1$/).waitFor()
    await tile(/^Jobs with workers\s*2$/).waitFor()
    expect(await tile(/^Workers/).getAttribute("href")).toBe("/ui/workers")
    expect(await tile(/^Dead letters\s*0$/).getAttribute("href")).toBe("/ui/dead-letters")
  })

  test("an outlet shows its pace against its limit, and what is held before it", async () => {
    await part(/^mail: .* of at most 100 per second\. 2 in flight, 43 held before it\./).waitFor()
    await part(/^1 of 2 workers are busy\./).waitFor()
    expect(await part(/^1 of 2 workers/).getAttribute("href")).toBe("/ui/workers")
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
      const poll = { workerId: "images-1", jobTypes: ["image"], maxJobs: 8, leaseSeconds: 3_600 }
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
    await page.evaluate(() => scrollTo(0, 0))
    await takePicture(page, "overview-light")
    await takePicture(race(), "race-light")
    await expect.poll(() => barriers(page)).toEqual([])
    await setTheme(page, "dark")
    await expect.poll(() => page.locator("html").getAttribute("data-theme")).toBe("dark")
    await expect.poll(() => inkOf(/^Jobs that wait, by priority/, "accent")).toBeGreaterThan(5)
    await takePicture(page, "overview-dark")
    await takePicture(race(), "race-dark")
    await expect.poll(() => barriers(page)).toEqual([])
    await page.setViewportSize({ width: 360, height: 740 })
    const chart = page.getByRole("img", { name: /^Jobs that wait, by priority/ })
    await expect.poll(() => chart.locator("canvas").evaluate((canvas) => canvas.clientWidth)).toBeLessThan(360)
    await expect.poll(() => isTooWide(page)).toBe(false)
    expect(complaints).toEqual([])
  })
})
