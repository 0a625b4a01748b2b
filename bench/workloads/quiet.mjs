// Statements a second that an idle engine with a waiting worker sends, with the settings the idle workload uses.

import { startStatementProxy } from "../measure/statement-proxy.mjs"
import { round } from "../measure/statistics.mjs"
import { sleep } from "../measure/wait.mjs"

export const sizes = { full: { seconds: 30 }, quick: { seconds: 2 } }
export const show = (figures) => `${figures.statementsPerS} statements/s`

export async function run({ open, size, dsn }) {
  const direct = new URL(dsn)
  const proxy = await startStatementProxy({ host: direct.hostname, port: Number(direct.port) })
  const proxied = new URL(dsn)
  proxied.port = String(proxy.port)
  const target = await open({ dsn: proxied.href })
  let handled = 0
  const worker = await target.work({ onJob: () => handled++, profile: "latency" })
  for (let k = 0; k < 5; k++) await target.startOne({ i: -k }) // a used engine, not one that has never worked
  await sleep(Math.min(5, size.seconds) * 1000)
  proxy.reset()
  await sleep(size.seconds * 1000)
  const counts = proxy.counts()
  await worker.stop()
  await target.close()
  proxy.close()
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  return {
    seconds: size.seconds,
    handled,
    statementsPerS: round(total / size.seconds),
    most: mostSent(counts, size.seconds),
  }
}

const mostSent = (counts, seconds) =>
  [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 6)
    .map(([text, count]) => ({ perS: round(count / seconds), text: text.slice(0, 120) }))
