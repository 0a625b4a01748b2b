// 50 users of the HTTP API without a pause: of eight requests five submit a job, two look at it, one reads the queues' metrics.
// The server, the worker and the users are processes of their own and share the machine's cores.
import { expectStatus, getRequest, postRequest, withCallers } from "../measure/http-load.mjs"
import { percentiles, perSecond } from "../measure/statistics.mjs"
import { now } from "../measure/wait.mjs"

export const sizes = { full: { n: 40_000 }, quick: { n: 800 } }
export const show = (figures) => `${figures.perS} requests/s, p95 ${figures.p95Ms} ms, ${figures.refused} refused`

const USERS = 50
const WARM_UP = 8000
const MIX = ["submit", "poll", "submit", "submit", "metrics", "submit", "poll", "submit"]
const BODY = JSON.stringify({
  payload: {
    type: "send_email",
    to: "somebody@example.test",
    subject: "Hello",
    text: "A short mail, as one sends them.",
  },
  priority: "normal",
})

export async function run({ open, size: { n } }) {
  const target = await open({ transport: "rest" })
  const worker = target.workApart({ concurrency: 64 })
  try {
    await load(target.url, Math.min(WARM_UP, n))
    const figures = await load(target.url, n)
    if (worker.hasExited()) throw new Error("millrace work has ended")
    return { n, users: USERS, ...figures, unfinished: await target.countLiveJobs() }
  } finally {
    await worker.stop()
  }
}

async function load(url, n) {
  const { host } = new URL(url)
  const latencies = []
  let sent = 0
  let refused = 0
  const startedAt = now()
  await withCallers(url, USERS, async (caller, user) => {
    let jobId
    for (let turn = user; sent++ < n; turn++) {
      const what = jobId ? MIX[turn % MIX.length] : "submit"
      const askedAt = now()
      const answer = await caller.ask(requestFor(what, { host, jobId }))
      latencies.push(now() - askedAt)
      // 503 is the gate: an answer like any other, but counted.
      expectStatus(answer, what === "submit" ? [202, 503] : [200])
      if (answer.status === 503) refused++
      else if (what === "submit") jobId = JSON.parse(answer.body).id
    }
  })
  return { perS: perSecond(latencies.length, now() - startedAt), refused, ...percentiles(latencies) }
}

function requestFor(what, { host, jobId }) {
  if (what === "submit") return postRequest({ host, path: "/jobs", body: BODY })
  return getRequest({ host, path: what === "poll" ? `/jobs/${jobId}` : "/queues/metrics" })
}
