// What it costs to be watched: 500 jobs a second with three dashboards open and without, in turn; CPU of server, worker and store per job.
import { openBrowser, openFreshPage } from "../measure/browser.mjs"
import { cpuOf } from "../measure/cpu.mjs"
import { expectStatus, postRequest, withCallers } from "../measure/http-load.mjs"
import { pace } from "../measure/offered-load.mjs"
import { median, round } from "../measure/statistics.mjs"
import { now, sleep, until } from "../measure/wait.mjs"

export const sizes = { full: { pairs: 10, seconds: 8 }, quick: { pairs: 1, seconds: 1 } }
export const show = ({ ratio, quietMs, watchedMs }) => `${ratio} × (${watchedMs} ms of CPU per job, ${quietMs} without)`

const PER_SECOND = 500
const CALLERS = 16
const SCREENS = ["", "instances", "queues"]
const BODY = JSON.stringify({ type: "send_email", payload: { to: "somebody@example.test" } })

export async function run({ open, size: { pairs, seconds }, storePid }) {
  const target = await open({ transport: "rest" })
  const worker = target.workApart({ concurrency: 64 })
  const browser = await openBrowser()
  const pids = [target.serverPid, worker.pid, storePid]
  const load = () => perJob({ target, pids, n: PER_SECOND * seconds })
  try {
    await load()
    const quiet = []
    const watched = []
    for (let k = 0; k < pairs; k++) {
      quiet.push(await load())
      const pages = await Promise.all(SCREENS.map((screen) => openFreshPage(browser, `${target.url}/ui/${screen}`)))
      await Promise.all(pages.map((page) => page.locator('[data-connection="live"]:visible').first().waitFor()))
      await sleep(1000)
      watched.push(await load())
      await Promise.all(pages.map((page) => page.context().close()))
    }
    const ratios = watched.map((ms, k) => ms / quiet[k])
    return {
      pairs,
      perS: PER_SECOND,
      quietMs: round(median(quiet), 3),
      watchedMs: round(median(watched), 3),
      ratio: round(median(ratios)),
      ratios: ratios.map((ratio) => round(ratio)),
    }
  } finally {
    await browser.close()
    await worker.stop()
  }
}

/** Milliseconds of CPU for each job, from its request to its end. */
async function perJob({ target, pids, n }) {
  const { host } = new URL(target.url)
  const before = cpuOf(pids)
  const startedAt = now()
  const waiting = []
  const idle = []
  await withCallers(target.url, CALLERS, async (caller, number) => {
    idle.push(caller)
    if (number !== CALLERS - 1) return new Promise((resolve) => waiting.push(resolve))
    const answers = []
    await pace({ n, perS: PER_SECOND }, () => answers.push(sendOne(idle, host)))
    await Promise.all(answers)
    for (const done of waiting) done()
  })
  await until(async () => !(await target.anyLiveJob()), { limitMs: 60_000 })
  const cpuMs = (cpuOf(pids) - before) * 1000
  if (now() - startedAt > (n / PER_SECOND) * 1500 + 3000)
    throw new Error("500 jobs a second were too many for this machine")
  return cpuMs / n
}

async function sendOne(idle, host) {
  while (idle.length === 0) await sleep(1)
  const caller = idle.pop()
  expectStatus(await caller.ask(postRequest({ host, path: "/jobs", body: BODY })), [202])
  idle.push(caller)
}
