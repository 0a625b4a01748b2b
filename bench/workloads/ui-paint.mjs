// The dashboard in a real browser: what the first screen weighs and when it is seen, and how long a graph of 500 steps takes to draw.
import { openBrowser, openFreshPage } from "../measure/browser.mjs"
import { median, round } from "../measure/statistics.mjs"

export const sizes = { full: { loads: 7, steps: 500 }, quick: { loads: 1, steps: 20 } }
export const show = ({ scriptKb, firstPaintMs, graphMs, frameP95Ms }) =>
  `${scriptKb} kB of JavaScript, first paint ${firstPaintMs} ms, graph ${graphMs} ms, frames while it moves p95 ${frameP95Ms} ms`

export async function run({ open, size: { loads, steps } }) {
  const target = await open({ transport: "rest" })
  const instanceId = await startLong(target, steps)
  const browser = await openBrowser()
  try {
    const first = []
    for (let k = 0; k < loads; k++) first.push(await loadFirst(browser, `${target.url}/ui/`))
    const graphs = []
    for (let k = 0; k < loads; k++) graphs.push(await drawGraph(browser, `${target.url}/ui/instances/${instanceId}`))
    return {
      loads,
      steps,
      scriptKb: round(median(first.map(({ scriptBytes }) => scriptBytes)) / 1000, 1),
      firstPaintMs: round(median(first.map(({ paintMs }) => paintMs)), 0),
      graphMs: round(median(graphs.map(({ drawnMs }) => drawnMs)), 0),
      frameP95Ms: round(median(graphs.map(({ frameP95Ms }) => frameP95Ms)), 1),
    }
  } finally {
    await browser.close()
  }
}

async function startLong(target, steps) {
  const tasks = Array.from({ length: steps - 1 }, (_, k) => ({
    id: `s${k + 1}`,
    name: `Step ${k + 1}`,
    type: k % 10 === 9 ? "DECISION" : "SERVICE_TASK",
    ...(k % 10 === 9
      ? {
          conditionalNextSteps: {
            "true == false": k + 3 < steps ? `s${k + 3}` : "end",
            true: k + 2 < steps ? `s${k + 2}` : "end",
          },
        }
      : { jobType: "long", nextStep: k + 2 < steps ? `s${k + 2}` : "end" }),
  }))
  await target.upload({ id: "long", name: "Long", steps: [...tasks, { id: "end", name: "End", type: "END" }] })
  const { id } = await target.startOf("long", {})
  return id
}

async function loadFirst(browser, url) {
  const page = await openFreshPage(browser, url)
  await page.getByRole("heading", { level: 1 }).waitFor()
  await page.waitForLoadState("load")
  const figures = await page.evaluate(async () => {
    const paint = await new Promise((resolve) =>
      new PerformanceObserver((list) => {
        for (const entry of list.getEntriesByName("first-contentful-paint")) resolve(entry)
      }).observe({ type: "paint", buffered: true }),
    )
    const scripts = performance
      .getEntriesByType("resource")
      .filter(({ name }) => new URL(name).pathname.endsWith(".js"))
    return {
      paintMs: paint.startTime,
      scriptBytes: scripts.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    }
  })
  await page.context().close()
  return figures
}

async function drawGraph(browser, url) {
  const page = await openFreshPage(browser, "about:blank")
  await page.addInitScript(noteWhenDrawn)
  await page.goto(url)
  await page.locator(".react-flow__node").first().waitFor()
  const drawnMs = await page.evaluate(() => globalThis.whenDrawn)
  const box = await page.locator(".react-flow__pane").boundingBox()
  const watching = page.evaluate(
    () =>
      new Promise((resolve) => {
        const times = []
        let last = performance.now()
        const tick = (at) => {
          times.push(at - last)
          last = at
          if (times.length < 60) requestAnimationFrame(tick)
          else resolve(times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)])
        }
        requestAnimationFrame(tick)
      }),
  )
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await page.mouse.down()
  for (let k = 0; k < 20; k++) await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2 - k * 8)
  await page.mouse.up()
  const frameP95Ms = await watching
  await page.context().close()
  return { drawnMs, frameP95Ms }
}

/** In the page, from its navigation to the second frame after the first step is there: asking from outside costs it time. */
function noteWhenDrawn() {
  globalThis.whenDrawn = new Promise((resolve) => {
    const look = () => {
      if (!document.querySelector(".react-flow__node")) requestAnimationFrame(look)
      else requestAnimationFrame(() => requestAnimationFrame(resolve))
    }
    requestAnimationFrame(look)
  })
}
